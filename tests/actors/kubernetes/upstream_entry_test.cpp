// A Service as an upstream: every annotation, and every way to be wrong.
#include "actors/kubernetes/upstream_entry.hpp"

#include <gtest/gtest.h>

#include "config/discovery/discovered.hpp"
#include "protocol/limits.hpp"
#include "tests/actors/kubernetes/support.hpp"

namespace gate::kubernetes {
namespace {

const config::host_list whole_cluster({"*.svc.cluster.local"});
const entry_rules usual{"cluster.local", {"own"}, {"A", "NOTES_KEY"}, {}, whole_cluster};

std::string json_of(const drawn_service& s, const entry_rules& rules = usual) {
  const auto e = entry_of(s.read(), rules);
  return e ? e->json : "left out: " + e.error().what;
}
std::string why(const drawn_service& s, const entry_rules& rules = usual) {
  const auto e = entry_of(s.read(), rules);
  return e ? "taken: " + e->json : e.error().what;
}
void expect_why(const drawn_service& s, std::string_view part) {
  EXPECT_NE(why(s).find(part), std::string::npos) << why(s);
}

TEST(kubernetes_entry, as_little_as_possible) {
  EXPECT_EQ(json_of({}), R"({"id":"tools--notes","url":)"
                         R"("http://notes.tools.svc.cluster.local:8080/mcp",)"
                         R"("namespace":"notes","protocol":"auto"})");
  EXPECT_EQ(json_of({}, {.domain = ""}),
            R"({"id":"tools--notes","url":"http://notes.tools.svc:8080/mcp",)"
            R"("namespace":"notes","protocol":"auto"})");
}

TEST(kubernetes_entry, all_that_can_be_said) {
  auto s = drawn_service{}
               .with("namespace", "n-1")
               .with("path", "/a/b?c=d")
               .with("port", "web")
               .with("scheme", "https")
               .with("protocol", "2026-07-28")
               .with("owner-org", "o")
               .with("owner-team", "t")
               .with("owner-contact", "c@example.com")
               .with("label-tier", "gold")
               .with("label-x", "")
               .with("secret-ref", "NOTES_KEY")
               .with("secret-header", "X-Key")
               .with("secret-scheme", "Token")
               .with("lists-per-client", "true");
  s.spec = R"({"ports":[{"name":"metrics","port":9},{"name":"web","port":443}]})";
  const auto json = json_of(s);
  EXPECT_EQ(json,
            R"({"id":"tools--notes","url":"https://notes.tools.svc.cluster.local:443/a/b?c=d",)"
            R"("namespace":"n-1","protocol":"2026-07-28",)"
            R"("owner":{"contact":"c@example.com","org":"o","team":"t"},)"
            R"("labels":{"tier":"gold","x":""},)"
            R"("auth":{"strategy":"static","header":"X-Key","secretRef":"NOTES_KEY",)"
            R"("scheme":"Token"},"listsPerClient":true})");
  // And the gateway takes it, if its operator lets that host have that secret.
  config::discovery_section rules;
  rules.allowed_credential_hosts = config::text_list{"*.svc.cluster.local"};
  rules.allowed_secret_refs = config::text_list{"NOTES_KEY"};
  auto read = config::read_discovered(R"({"upstreams":[)" + json + "]}", rules);
  EXPECT_TRUE(read.problems.empty());
  EXPECT_TRUE(config::merge({}, std::move(read.upstreams)).problems.empty());
}

TEST(kubernetes_entry, the_port) {
  auto s = drawn_service{};
  s.spec = R"({"ports":[{"name":"a","port":1},{"name":"b","port":2}]})";
  expect_why(s, "it has 2 ports: say which with gate.mcp/port");
  EXPECT_NE(json_of(s.with("port", "2")).find(":2/mcp"), std::string::npos);
  EXPECT_NE(json_of(s.with("port", "a")).find(":1/mcp"), std::string::npos);
  expect_why(s.with("port", "3"), "names none of its ports");
  expect_why(s.with("port", "A"), "names none of its ports");
  expect_why(s.with("port", "02"), "names none of its ports");
  s.spec = R"({"ports":[]})";
  expect_why(s, "it has no port");
  s.spec = R"({"ports":[{"port":1,"protocol":"UDP"}]})";
  expect_why(s, "not of TCP");
  s.spec = R"({"ports":[{"port":0}]})";
  expect_why(s, "no number from 1 to 65535");
}

TEST(kubernetes_entry, a_headless_one_has_the_port_of_its_pods) {
  const auto of = [](std::string_view port) {
    auto s = drawn_service{};
    s.spec = R"({"clusterIP":"None","ports":[)" + std::string(port) + "]}";
    return s;
  };
  EXPECT_NE(json_of(of(R"({"port":80,"targetPort":8080})")).find(":8080/mcp"), std::string::npos);
  EXPECT_NE(json_of(of(R"({"port":80})")).find(":80/mcp"), std::string::npos);
  // The annotation says which of the Service's ports, as ever.
  const auto two =
      of(R"({"name":"a","port":80,"targetPort":1},{"name":"b","port":1,"targetPort":2})");
  EXPECT_NE(json_of(two.with("port", "80")).find(":1/mcp"), std::string::npos);
  EXPECT_NE(json_of(two.with("port", "1")).find(":2/mcp"), std::string::npos);
  for (const auto* none :
       {R"({"port":80,"targetPort":"web"})", R"({"port":80,"targetPort":70000})"})
    expect_why(of(none), "it is headless, and targetPort of the port is no number");
  // Elsewhere the Service maps it, whatever it is.
  auto s = drawn_service{};
  s.spec = R"({"clusterIP":"10.0.0.7","ports":[{"port":80,"targetPort":"web"}]})";
  EXPECT_NE(json_of(s).find(":80/mcp"), std::string::npos);
}

TEST(kubernetes_entry, only_secrets_that_services_may_name) {
  expect_why(drawn_service{}.with("secret-ref", "B"),
             R"(no Service may name the variable "B" (--secret-refs))");
  expect_why(drawn_service{}.with("secret-ref", "a"), "no Service may name");
  EXPECT_NE(why(drawn_service{}.with("secret-ref", "A"), {}).find("no Service may name"),
            std::string::npos)
      << "none, unless it is said";
}

TEST(kubernetes_entry, only_hosts_that_the_gateway_allows) {
  const auto kind_of = [](const drawn_service& s, const entry_rules& rules) {
    const auto e = entry_of(s.read(), rules);
    return e ? std::optional<absence>() : e.error().kind;
  };
  auto rules = usual;
  rules.upstream_hosts.emplace(std::vector<std::string>{"*.other.svc.cluster.local", "elsewhere"});
  EXPECT_EQ(why({}, rules),
            "the gateway allows no upstream at \"notes.tools.svc.cluster.local\" "
            "(--upstream-hosts)");
  EXPECT_EQ(kind_of({}, rules), absence::host);
  auto other = drawn_service{};
  other.space = "other";
  EXPECT_EQ(kind_of(other, rules), std::nullopt);
  rules.domain = "";
  other.name = "elsewhere";
  EXPECT_EQ(kind_of(other, rules), absence::host) << "whose name is another without the domain";
  rules.upstream_hosts.emplace(std::vector<std::string>{});
  EXPECT_EQ(kind_of({}, rules), absence::host) << "an empty list means none";
  // Credentials have a list of their own, which without an option is empty.
  const auto with_key = drawn_service{}.with("secret-ref", "A");
  EXPECT_EQ(kind_of(with_key, usual), std::nullopt);
  rules = usual;
  rules.credential_hosts.emplace(std::vector<std::string>{"notes.other.svc.cluster.local"});
  EXPECT_NE(why(with_key, rules)
                .find("shows no credential to \"notes.tools.svc.cluster.local\" "
                      "(--credential-hosts): take gate.mcp/secret-ref away"),
            std::string::npos)
      << why(with_key, rules);
  EXPECT_EQ(kind_of(drawn_service{}, rules), std::nullopt);
  rules.credential_hosts.reset();
  EXPECT_EQ(kind_of(with_key, rules), absence::host);
  EXPECT_EQ(kind_of(drawn_service{}.with("secret-ref", "B"), rules), absence::secret);
  EXPECT_EQ(kind_of(drawn_service{}.with("namespace", "own"), rules), absence::space);
  EXPECT_EQ(kind_of(drawn_service{}.with("scheme", "x"), rules), absence::invalid);
}

TEST(kubernetes_entry, what_is_taken_the_gateway_takes_too) {
  // The same lists on both sides: nothing that is in the document is refused there for its host.
  for (const std::vector<std::string>& hosts : {std::vector<std::string>{},
                                                {"*.svc.cluster.local"},
                                                {"*.tools.svc.cluster.local"},
                                                {"notes.tools.svc.cluster.local"},
                                                {"NOTES.tools.svc.cluster.local."},
                                                {"*.local"},
                                                {"tools.svc.cluster.local"},
                                                {"notes.tools.svc"}})
    for (const bool key : {false, true}) {
      const auto s = key ? drawn_service{}.with("secret-ref", "A") : drawn_service{};
      const config::host_list list(hosts);
      const auto e = entry_of(s.read(), {"cluster.local", {}, {"A"}, list, list});
      config::discovery_section gateway;
      gateway.allowed_upstream_hosts = hosts;
      gateway.allowed_credential_hosts = hosts;
      gateway.allowed_secret_refs = config::text_list{"A"};
      const auto plain = entry_of(s.read(), usual);
      ASSERT_TRUE(plain);
      const auto read = config::read_discovered(R"({"upstreams":[)" + plain->json + "]}", gateway);
      EXPECT_EQ(e.has_value(), read.problems.empty()) << (hosts.empty() ? "" : hosts[0]);
    }
}

TEST(kubernetes_entry, wrong_words) {
  const drawn_service s;
  expect_why(s.with("enabled", "yes"), R"(gate.mcp/enabled is neither "true" nor "false")");
  expect_why(s.with("scheme", "ftp"), "gate.mcp/scheme");
  expect_why(s.with("path", "mcp"), "gate.mcp/path does not begin with /");
  expect_why(s.with("path", "/a b"), "/url");
  expect_why(s.with("path", "/a#b"), "/url");
  expect_why(s.with("namespace", "Notes"), "/namespace");
  expect_why(s.with("namespace", ""), "/namespace");
  expect_why(s.with("protocol", "2024"), "/protocol");
  expect_why(s.with("secret-ref", "not a name"), "/auth/secretRef");
  expect_why(s.with("secret-header", "X-Key"), "need gate.mcp/secret-ref");
  expect_why(s.with("secret-ref", "A").with("secret-header", "Content-Length"), "/auth/header");
  expect_why(s.with("lists-per-client", "1"), "gate.mcp/lists-per-client");
  expect_why(s.with("namespace", "own"), R"("own" is reserved)");
}

TEST(kubernetes_entry, annotations_that_are_not_known) {
  expect_why(drawn_service{}.with("namspace", "x"),
             R"("gate.mcp/namspace" is not known: is gate.mcp/namespace meant?)");
  expect_why(drawn_service{}.with("zzzzzzzz", "x"), R"("gate.mcp/zzzzzzzz" is not known)");
  expect_why(drawn_service{}.with("label-", "x"), "is not known");
}

TEST(kubernetes_entry, what_leads_elsewhere) {
  auto s = drawn_service{};
  s.spec = R"({"type":"ExternalName","externalName":"evil.example","ports":[{"port":80}]})";
  expect_why(s, "ExternalName");
  // No text of an annotation gets out of the path.
  for (const auto* path : {"/@evil.example/", "//evil.example/", "/\\evil", "/%40"}) {
    const auto json = json_of(drawn_service{}.with("path", path));
    if (json.starts_with("left out")) continue;
    EXPECT_NE(json.find(R"("url":"http://notes.tools.svc.cluster.local:8080/)"), std::string::npos)
        << json;
  }
}

TEST(kubernetes_entry, names_are_those_of_the_dns_and_ids_are_one_service_each) {
  auto s = drawn_service{};
  s.name = "Notes";
  expect_why(s, "the DNS");
  s.name = "a/b";
  expect_why(s, "the DNS");
  s = drawn_service{};
  s.space = "a--b";
  expect_why(s, "--");
  s = drawn_service{};
  s.space = "a";
  s.name = "b--c";
  EXPECT_EQ(id_of(s.read()), "a--b--c");
  EXPECT_NE(json_of(s).find(R"("id":"a--b--c")"), std::string::npos);
}

TEST(kubernetes_entry, bounds) {
  expect_why(drawn_service{}.with("path", '/' + std::string(limits::cluster_annotation_bytes, 'a')),
             "longer than 1024 bytes");
  auto s = drawn_service{};
  for (std::size_t i = 0; i < limits::cluster_labels; ++i)
    s = s.with("label-" + std::to_string(i), "x");
  EXPECT_TRUE(json_of(s).starts_with("{"));
  expect_why(s.with("label-one-more", "x"), "more than 32 labels");
}

}  // namespace
}  // namespace gate::kubernetes
