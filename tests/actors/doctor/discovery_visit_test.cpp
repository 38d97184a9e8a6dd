#include "actors/doctor/discovery_visit.hpp"

#include <gtest/gtest.h>

#include <map>

#include "actors/doctor/upstream_visit.hpp"
#include "config/validate.hpp"
#include "tests/actors/doctor/peers_said.hpp"

namespace gate::doctor {
namespace {

const std::map<std::string, std::string, std::less<>> environment{{"D_KEY", "k3y-of-the-upstream"}};

std::optional<std::string> variable(std::string_view name) {
  const auto it = environment.find(name);
  return it == environment.end() ? std::nullopt : std::optional(it->second);
}

/// The visit after this answer, its secrets taken from `environment`.
std::unique_ptr<discovery_visit> after(const reply& r, const std::string& rules = "") {
  const auto read = config::load(
      R"({"upstreams":[{"id":"own","namespace":"own","url":"https://own.example/mcp"}],)"
      R"("discovery":{"url":"https://d.example/list")" +
      rules + "}}");
  EXPECT_TRUE(read.problems.empty());
  auto out = std::make_unique<discovery_visit>(read.doc, "", variable, wall);
  out->seen(connected());
  EXPECT_TRUE(is_done(out->heard(r)));
  return out;
}

std::string found_document(const std::string& more) {
  return R"({"upstreams":[{"id":"far","namespace":"far","url":"https://far.example/mcp")" + more +
         "}]}";
}

std::string may_name(const std::string& secret) {
  return R"(,"allowedSecretRefs":[")" + secret +
         R"("],"allowedCredentialHosts":["far.example"],"allowedUpstreamHosts":["far.example"])";
}

TEST(discovery_visit, goes_on_with_the_upstreams_that_the_document_names) {
  const auto v = after(status(200, found_document("")));
  EXPECT_EQ(worst(v->found()).level, severity::ok) << worst(v->found()).seen;
  ASSERT_EQ(v->further().size(), 1U);
  const auto* far = v->further()[0]->of_upstream();
  ASSERT_NE(far, nullptr);
  EXPECT_EQ(far->asked().id, "far");
  EXPECT_EQ(far->asked().where.host, "far.example");
  EXPECT_EQ(far->asked().pointer, "/discovery/url")
      << "that is the place in the operator's document";
  EXPECT_EQ(far->asked().prefix, "far__");
}

TEST(discovery_visit, sends_and_hides_the_secrets_that_may_be_named) {
  const auto named_secret = found_document(R"(,"auth":{"strategy":"static","secretRef":"D_KEY"})");
  const auto v = after(status(200, named_secret), may_name("D_KEY"));
  ASSERT_EQ(v->further().size(), 1U) << worst(v->found()).seen;
  EXPECT_NE(v->further()[0]->of_upstream()->asked().credential_line.find("k3y-of"),
            std::string::npos);
  EXPECT_EQ(v->further_secrets(), (std::vector<std::string>{"k3y-of-the-upstream"}));

  const auto refused = after(status(200, named_secret));
  EXPECT_EQ(worst(refused->found()).level, severity::error);
  EXPECT_TRUE(refused->further().empty()) << "nobody is sent a secret that may not be named";
  EXPECT_TRUE(refused->further_secrets().empty());
}

TEST(discovery_visit, says_which_secret_is_not_set) {
  const auto v =
      after(status(200, found_document(R"(,"auth":{"strategy":"static","secretRef":"UNSET"})")),
            may_name("UNSET"));
  const auto bad = worst(v->found());
  EXPECT_EQ(bad.what, check::secrets);
  EXPECT_EQ(bad.seen, "upstream \"far\": the environment variable UNSET is not set");
}

TEST(discovery_visit, goes_nowhere_after_what_the_gateway_would_not_take) {
  for (const auto& r :
       {status(401), status(404), status(200, "no JSON"), status(200, R"({"upstreams":{}})"),
        status(200, R"({"upstreams":[{"id":"own","namespace":"n","url":"https://a.example/"}]})"),
        failed(fetch_end::broken, "it was cut off")}) {
    const auto v = after(r);
    EXPECT_EQ(worst(v->found()).level, severity::error) << r.text;
    EXPECT_EQ(worst(v->found()).what, check::discovery);
    EXPECT_TRUE(v->further().empty());
  }
}

TEST(shared_uris, are_told_whoever_found_their_upstreams) {
  examinations all;
  const auto lists = [](examination& it) {
    it.seen(connected());
    it.heard(status(
        200, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25",)"
             R"("capabilities":{"resources":{}},"serverInfo":{"name":"s","version":"1"}}})"));
    it.heard(status(202));
    it.heard(status(
        200, R"({"jsonrpc":"2.0","id":2,"result":{"resources":[{"uri":"a://b","name":"b"}]}})"));
  };
  upstream_question q;
  q.id = "own";
  q.where = http::parse_url("https://own.example/").value();
  q.wall = wall;
  all.push_back(std::make_unique<upstream_visit>(q));
  lists(*all[0]);
  all.push_back(after(status(200, found_document(""))));
  lists(*all[1]->further().at(0));
  const auto found = compare_lists(all);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].subject, "far");
  EXPECT_NE(found[0].seen.find("\"own\" lists as well"), std::string::npos) << found[0].seen;
}

}  // namespace
}  // namespace gate::doctor
