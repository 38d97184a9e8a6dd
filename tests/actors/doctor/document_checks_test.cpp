// Of actors/doctor/document_checks.cpp and actors/doctor/secret_checks.cpp.
#include "actors/doctor/document_checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "actors/doctor/finding.hpp"
#include "config/validate.hpp"
#include "tests/support/generated.hpp"

namespace gate::doctor {
namespace {

using namespace testing;

const std::string upstream =
    R"("upstreams":[{"id":"a","namespace":"a","url":"http://127.0.0.1/"}])";

config::document document_of(const std::string& members) {
  auto read = config::load("{" + members + "}");
  EXPECT_TRUE(read.problems.empty())
      << (read.problems.empty() ? "" : config::to_line(read.problems[0]));
  return std::move(read.doc);
}

machine good_machine() {
  machine at;
  at.host = "127.0.0.1";
  at.port = 8080;
  at.descriptors = 100'000;
  at.clients = 20'000;
  at.secrets = [](std::string_view) { return std::nullopt; };
  at.port_taken = [] { return std::nullopt; };
  at.could_write = [](const std::string&) { return result<void>{}; };
  return at;
}

/// Pointers of what is not good.
std::vector<std::string> complaints(const findings& of, severity level) {
  std::vector<std::string> out;
  for (const auto& f : of)
    if (f.level == level) out.push_back(f.pointer);
  return out;
}
using pointers = std::vector<std::string>;

TEST(document_checks, a_good_document_is_told_as_one) {
  const auto found = document_advice(document_of(upstream));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].level, severity::ok);
  EXPECT_EQ(found[0].seen, "is good: 1 upstream");
}

TEST(document_checks, each_problem_is_an_error) {
  const auto read = config::load(R"({"upstreams":[{"id":"a"}],"other":1})");
  const auto found = examine_document(read, good_machine());
  EXPECT_EQ(found.size(), read.problems.size());
  EXPECT_TRUE(std::ranges::all_of(found, [](const finding& f) {
    return f.level == severity::error && f.what == check::document && !f.advice.empty();
  }));
}

struct advised {
  const char* name;
  std::string members;
  std::string pointer;
};
const std::string required =
    R"("auth":{"mode":"required","resource":"http://127.0.0.1:8080/mcp","issuers":[{"issuer":"https://idp.example"}]})";
const std::vector<advised> advice{
    {"nobody_may", upstream + R"(,"policy":{"defaultDecision":"deny","rules":[]})", "/policy"},
    {"rule_of_nobody",
     upstream +
         R"(,"policy":{"rules":[{"id":"r","subjects":{"groups":["x"]},"allow":[{"server":"*"}]}]})",
     "/policy/rules/0/subjects"},
    {"rules_beside_allow",
     upstream +
         R"(,"policy":{"defaultDecision":"allow","rules":[{"id":"r","allow":[{"server":"*"}]}]})",
     "/policy/rules"},
    {"no_sink", upstream + R"(,"audit":{"sinks":[]})", "/audit"},
    {"nobody_named",
     upstream + "," + required +
         R"(,"policy":{"rules":[{"id":"r","subjects":{},"allow":[{"server":"*"}]}]})",
     "/policy/rules/0/subjects"},
    {"issuers_of_nobody",
     upstream + R"(,"auth":{"mode":"disabled","issuers":[{"issuer":"https://i.example"}]})",
     "/auth/issuers"},
    {"hidden_console",
     upstream + "," + required +
         R"(,"server":{"console":{"enabled":false,"oauth":{"clientId":"x"}}})",
     "/server/console/oauth"},
    {"hidden_groups",
     upstream + "," + required + R"(,"server":{"introspection":{"enabled":false,"groups":["a"]}})",
     "/server/introspection/groups"},
    {"probes_of_callers",
     R"("upstreams":[{"id":"a","namespace":"a","url":"http://127.0.0.1/","auth":{"strategy":"passthrough"},"healthCheck":{"intervalMs":1000}}],)" +
         required,
     "/upstreams/0/healthCheck"},
    {"tenants_of_nobody", upstream + R"(,"tenants":[{"id":"t","subjects":{"groups":["x"]}}])",
     "/tenants"},
    {"one_bucket",
     upstream + R"(,"server":{"rateLimit":{"requestsPerMinute":0,"perPrincipalPerMinute":5}})",
     "/server/rateLimit/perPrincipalPerMinute"},
    {"nothing_traced",
     upstream + R"(,"tracing":{"otlpEndpoint":"http://127.0.0.1","sampleRatio":0})", "/tracing"},
    {"tokens_in_clear",
     upstream + "," + required + R"(,"server":{"publicUrl":"http://gate.example"})",
     "/server/publicUrl"},
    {"credential_in_clear",
     R"("upstreams":[{"id":"a","namespace":"a","url":"http://far.example/","auth":{"strategy":"static","secretRef":"S"}}])",
     "/upstreams/0/url"},
};

TEST(document_checks, what_does_nothing_is_warned_of) {
  for (const auto& a : advice) {
    const auto found = document_advice(document_of(a.members));
    EXPECT_EQ(complaints(found, severity::warning), pointers{a.pointer}) << a.name;
    EXPECT_TRUE(complaints(found, severity::error).empty()) << a.name;
  }
}

TEST(document_checks, secrets_are_there_and_of_use) {
  const auto doc = document_of(
      R"("upstreams":[{"id":"a","namespace":"a","url":"http://127.0.0.1/","auth":{"strategy":"static","secretRef":"A"}}],)"
      R"("discovery":{"url":"https://d.example/","bearerSecretRef":"D"},"server":{"fleetKeyRef":"F","redisUrl":"redis://r"})");
  std::map<std::string, std::string, std::less<>> set;
  const secret_source secrets = [&](std::string_view name) -> std::optional<std::string> {
    const auto it = set.find(name);
    return it == set.end() ? std::nullopt : std::optional(it->second);
  };
  const pointers all{"/upstreams/0/auth/secretRef", "/server/fleetKeyRef",
                     "/discovery/bearerSecretRef"};
  EXPECT_EQ(complaints(secrets_of(doc, secrets), severity::error), all);
  set = {{"A", "two\nlines"}, {"D", "with blank"}, {"F", "short"}};
  const auto found = secrets_of(doc, secrets);
  EXPECT_EQ(complaints(found, severity::error), all);
  for (const auto& f : found) EXPECT_EQ(f.seen.find("two"), std::string::npos) << f.seen;
  set = {{"A", "a-token"}, {"D", "a-bearer"}, {"F", std::string(64, 'k')}};
  EXPECT_TRUE(complaints(secrets_of(doc, secrets), severity::error).empty());
}

TEST(document_checks, the_port_and_who_has_it) {
  const auto doc = document_of(upstream);
  auto at = good_machine();
  EXPECT_TRUE(complaints(machine_findings(doc, at), severity::error).empty());
  at.port_taken = [] { return taken_port{"in use", port_owner::other}; };
  EXPECT_EQ(complaints(machine_findings(doc, at), severity::error).size(), 1U);
  for (const auto by : {port_owner::gateway, port_owner::unseen}) {
    at.port_taken = [by] { return taken_port{"in use", by}; };
    EXPECT_TRUE(complaints(machine_findings(doc, at), severity::error).empty());
    EXPECT_EQ(complaints(machine_findings(doc, at), severity::warning).size(), 1U);
  }
}

TEST(document_checks, an_open_address_without_tokens_is_warned_of) {
  auto at = good_machine();
  at.host = "0.0.0.0";
  EXPECT_EQ(complaints(machine_findings(document_of(upstream), at), severity::warning),
            pointers{"/auth/mode"});
}

TEST(document_checks, few_descriptors_and_files_that_can_not_be_written) {
  auto at = good_machine();
  at.clients = 100;
  at.could_write = [](const std::string& path) -> result<void> {
    return problem{"can not write " + path};
  };
  const auto found = machine_findings(
      document_of(upstream + R"(,"audit":{"sinks":[{"type":"file","path":"/x/y"}]})"), at);
  EXPECT_EQ(complaints(found, severity::error), pointers{"/audit/sinks/0/path"});
  EXPECT_EQ(complaints(found, severity::warning).size(), 1U);
}

struct named {
  std::string server;
  std::string host;
  severity level;
};

TEST(document_checks, clients_reach_it_by_its_names) {
  const std::vector<named> cases{
      {R"({})", "127.0.0.1", severity::ok},
      {R"({"publicUrl":"https://g.example"})", "127.0.0.1", severity::error},
      {R"({"publicUrl":"https://g.example","allowedHosts":["g.example"]})", "127.0.0.1",
       severity::ok},
      {R"({"allowedHosts":["*"]})", "127.0.0.1", severity::warning},
      {R"({})", "0.0.0.0", severity::warning},
      {R"({"allowedHosts":["g.example"]})", "0.0.0.0", severity::ok},
      {R"({"allowedHosts":["g.example"]})", "10.0.0.1", severity::warning},
  };
  for (const auto& c : cases) {
    auto at = good_machine();
    at.host = c.host;
    const auto found = allowlist_findings(document_of(upstream + R"(,"server":)" + c.server), at);
    ASSERT_EQ(found.size(), 1U) << c.server;
    EXPECT_EQ(found[0].level, c.level) << c.server << " on " << c.host << ": " << found[0].seen;
  }
}

TEST(document_checks, table_is_that_of_the_documentation) {
  std::string table = row_of("Check", "Looks at", "Warns", "Error");
  table += "|---|---|---|---|\n";
  for (const auto& r : checks)
    table += row_of(std::string(r.name), std::string(r.looks), std::string(r.warns),
                    std::string(r.refuses));
  expect_fresh("docs/doctor.md", "checks", table);
}

}  // namespace
}  // namespace gate::doctor
