#include "config/discovery/containment.hpp"

#include <chrono>

#include "protocol/http/url.hpp"
#include "protocol/limits.hpp"
#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

// --- hosts ---------------------------------------------------------------------------------------

struct host_case {
  std::string entry;
  std::string url;
  bool covered;
};

void PrintTo(const host_case& c, std::ostream* out) {
  *out << c.entry << " and " << c.url;
}

class hosts : public ::testing::TestWithParam<host_case> {};

/// As an upstream's URL is judged: what the reader of URLs refuses is on no list.
TEST_P(hosts, are_covered_or_not) {
  const auto& c = GetParam();
  const auto url = http::parse_url(c.url);
  EXPECT_EQ(url && host_list({c.entry}).covers(url->host), c.covered);
}

INSTANTIATE_TEST_SUITE_P(
    names, hosts,
    ::testing::Values(host_case{"good.com", "https://good.com/mcp", true},
                      host_case{"good.com", "https://GOOD.Com:8443", true},
                      host_case{"Good.COM", "http://good.com", true},
                      host_case{"good.com", "https://good.com./mcp", true},
                      host_case{"good.com.", "https://good.com/mcp", true},
                      host_case{"good.com", "https://good.com../mcp", false},
                      host_case{"good.com", "https://a.good.com", false},
                      host_case{"good.com", "https://notgood.com", false},
                      host_case{"good.com", "https://good.com.evil.com", false},
                      host_case{"good.com", "https://evil.com.", false},
                      host_case{"good.com", "https://evil.com/good.com", false},
                      host_case{"good.com", "https://evil.com?good.com", false},
                      host_case{"good.com", "https://good.co", false},
                      // A name in other letters is another name, and travels as punycode.
                      host_case{"good.com",
                                "https://g\xD0\xBE"
                                "od.com",
                                false},
                      host_case{"good.com", "https://xn--gd-jbb.com", false},
                      host_case{"xn--gd-jbb.com", "https://XN--gd-jbb.com", true}));

INSTANTIATE_TEST_SUITE_P(
    tricks, hosts,
    ::testing::Values(host_case{"good.com", "https://good.com@evil.com", false},
                      host_case{"good.com", "https://evil.com@good.com", false},
                      host_case{"good.com", "https://good.com:443@evil.com", false},
                      host_case{"good.com", "https://good.com%40evil.com", false},
                      host_case{"good.com", "https://good%2ecom", false},
                      host_case{"good.com", "https://good.com%00.evil.com", false},
                      host_case{"good.com", std::string("https://good.com\0.evil.com", 26), false},
                      host_case{"good.com", "https://good.com\\@evil.com", false},
                      host_case{"good.com", "https://evil.com\\.good.com", false},
                      host_case{"good.com", "https://evil.com#@good.com", false},
                      host_case{"good.com", "https://good.com?@evil.com", true},  // a query
                      host_case{"good.com", "https:good.com", false},
                      host_case{"good.com", "https:///good.com", false},
                      host_case{"good.com", "//good.com", false},
                      host_case{"good.com", "https://good.com \r\nHost: evil.com", false},
                      host_case{"*.good.com", "https://evil.com/.good.com", false},
                      host_case{"*.good.com", "https://evil.com\t.good.com", false}));

INSTANTIATE_TEST_SUITE_P(suffixes, hosts,
                         ::testing::Values(host_case{"*.good.com", "https://a.good.com", true},
                                           host_case{"*.good.com", "https://a.b.good.com.", true},
                                           host_case{"*.Good.com.", "https://A.gooD.com", true},
                                           host_case{"*.good.com", "https://good.com", false},
                                           host_case{"*.good.com", "https://.good.com", false},
                                           host_case{"*.good.com", "https://notgood.com", false},
                                           host_case{"*.good.com", "https://a.good.com.evil.com",
                                                     false},
                                           host_case{"*.com", "https://good.com", true},
                                           host_case{"*.1", "https://10.0.0.1", false}));

INSTANTIATE_TEST_SUITE_P(
    addresses, hosts,
    ::testing::Values(host_case{"10.0.0.1", "http://10.0.0.1:9000", true},
                      host_case{"10.0.0.1", "http://10.0.0.1.:9000", false},
                      host_case{"10.0.0.1", "http://10.0.0.01", false},
                      host_case{"10.0.0.1", "http://10.0.1", false},
                      host_case{"10.0.0.1", "http://0xa000001", false},
                      host_case{"10.0.0.1", "http://167772161", false},
                      host_case{"10.0.0.1", "http://012.0.0.1", false},
                      host_case{"10.0.0.1", "http://[::ffff:10.0.0.1]", false},
                      host_case{"*.0.0.1", "http://10.0.0.1", false},
                      host_case{"::1", "http://[::1]:9000", true},
                      host_case{"[::1]", "http://[0:0::0:1]", true},
                      host_case{"[0:0:0:0:0:0:0:1]", "http://[::1]", true},
                      host_case{"2001:DB8::A", "http://[2001:db8:0:0::a]", true},
                      host_case{"::ffff:1.2.3.4", "http://[::ffff:102:304]", true},
                      host_case{"::1", "http://[::1%25eth0]", false},
                      host_case{"::1", "http://[::2]", false}));

TEST(hosts, of_an_empty_list_are_none) {
  EXPECT_FALSE(host_list({}).covers("good.com"));
}

// --- the bounds ----------------------------------------------------------------------------------

/// One upstream's members, the bounds, and where they are broken (nowhere: they are kept).
struct bound_case {
  std::string upstream;
  std::string rules;
  std::vector<std::string> pointers = {};
  std::string part = {};
};

void PrintTo(const bound_case& c, std::ostream* out) {
  *out << c.upstream << " within " << c.rules;
}

std::vector<config_problem> contained(const std::string& upstream, const std::string& rules) {
  const auto text = R"({"upstreams": [{"id": "z", "url": "http://z", "namespace": "z"}, {"id": "a",
      "namespace": "a", )" +
                    upstream + R"(}], "discovery": {"url": "https://r")" +
                    (rules.empty() ? "" : ", " + rules) + "}}";
  const auto p = parse(text);
  EXPECT_EQ(lines(p.problems), std::vector<std::string>{}) << text;
  return contain(p.doc.upstreams, *p.doc.discovery);
}

class bounds : public ::testing::TestWithParam<bound_case> {};

TEST_P(bounds, are_kept_or_named) {
  const auto& c = GetParam();
  const auto problems = contained(c.upstream, c.rules);
  std::vector<std::string> found;
  for (const auto& p : problems) found.push_back(p.pointer);
  EXPECT_EQ(found, c.pointers);
  for (const auto& pointer : c.pointers) EXPECT_TRUE(has(problems, pointer, c.part));
}

const std::string plain_url = R"("url": "http://h.good.com/mcp")";
const std::string fixed = plain_url + R"(, "auth": {"strategy": "static", "secretRef": "S"})";
const std::string passed = plain_url + R"(, "auth": {"strategy": "passthrough"})";
const std::string granted = plain_url + R"(, "auth": {"strategy": "client-credentials",
    "tokenEndpoint": "https://login.good.com/t", "clientId": "c",
    "clientAuth": {"type": "client_secret_basic", "secretRef": "C"}})";
const std::string anywhere = R"("allowedCredentialHosts": ["*.good.com"])";

INSTANTIATE_TEST_SUITE_P(
    strategies, bounds,
    ::testing::Values(
        bound_case{plain_url, ""}, bound_case{plain_url, R"("allowedAuthStrategies": [])"},
        bound_case{plain_url + R"(, "auth": {"strategy": "none"})",
                   R"("allowedAuthStrategies": ["static"])"},
        bound_case{fixed, anywhere}, bound_case{passed, anywhere}, bound_case{granted, anywhere},
        bound_case{fixed, anywhere + R"(, "allowedAuthStrategies": ["passthrough", "static"])"},
        bound_case{fixed,
                   anywhere + R"(, "allowedAuthStrategies": ["passthrough"])",
                   {"/upstreams/1/auth/strategy"},
                   R"("static" is not one of "discovery.allowedAuthStrategies")"},
        bound_case{passed,
                   anywhere + R"(, "allowedAuthStrategies": [])",
                   {"/upstreams/1/auth/strategy"},
                   "passthrough"}));

INSTANTIATE_TEST_SUITE_P(
    secrets, bounds,
    ::testing::Values(bound_case{fixed, anywhere + R"(, "allowedSecretRefs": ["C", "S"])"},
                      bound_case{granted, anywhere + R"(, "allowedSecretRefs": ["C", "S"])"},
                      bound_case{passed, anywhere + R"(, "allowedSecretRefs": [])"},
                      bound_case{fixed,
                                 anywhere + R"(, "allowedSecretRefs": ["C", "s"])",
                                 {"/upstreams/1/auth/secretRef"},
                                 R"("S" is not one of "discovery.allowedSecretRefs")"},
                      bound_case{granted,
                                 anywhere + R"(, "allowedSecretRefs": ["S"])",
                                 {"/upstreams/1/auth/clientAuth/secretRef"},
                                 "name another"}));

INSTANTIATE_TEST_SUITE_P(
    credential_hosts, bounds,
    ::testing::Values(
        // Unlike the other lists this one must be there.
        bound_case{fixed, "", {"/upstreams/1/auth/strategy"}, "allowedCredentialHosts"},
        bound_case{passed, "", {"/upstreams/1/auth/strategy"}, "allowedCredentialHosts"},
        bound_case{granted, "", {"/upstreams/1/auth/strategy"}, "allowedCredentialHosts"},
        bound_case{plain_url, R"("allowedCredentialHosts": ["other.com"])"},
        bound_case{fixed,
                   R"("allowedCredentialHosts": ["other.com", "good.com"])",
                   {"/upstreams/1/url"},
                   R"("h.good.com" is not one of "discovery.allowedCredentialHosts")"},
        bound_case{passed, R"("allowedCredentialHosts": [])", {"/upstreams/1/url"}, "credential"},
        bound_case{granted,
                   R"("allowedCredentialHosts": ["h.good.com"])",
                   {"/upstreams/1/auth/tokenEndpoint"},
                   "login.good.com"},
        bound_case{granted,
                   R"("allowedCredentialHosts": ["login.good.com"])",
                   {"/upstreams/1/url"},
                   "h.good.com"},
        bound_case{R"("urls": ["http://a.good.com", "http://evil.com", "http://b.good.com",
                               "http://good.com@evil.com"],
                      "auth": {"strategy": "static", "secretRef": "S"})",
                   anywhere,
                   {"/upstreams/1/urls/1", "/upstreams/1/urls/3"}}));

INSTANTIATE_TEST_SUITE_P(
    upstream_hosts, bounds,
    ::testing::Values(bound_case{plain_url, R"("allowedUpstreamHosts": ["*.good.com", "z"])"},
                      bound_case{plain_url,
                                 R"("allowedUpstreamHosts": ["good.com", "z"])",
                                 {"/upstreams/1/url"},
                                 R"("h.good.com" is not one of "discovery.allowedUpstreamHosts")"},
                      bound_case{plain_url,
                                 R"("allowedUpstreamHosts": [])",
                                 {"/upstreams/0/url", "/upstreams/1/url"},
                                 "remove this endpoint"},
                      // The token endpoint is no upstream.
                      bound_case{granted,
                                 anywhere + R"(, "allowedUpstreamHosts": ["h.good.com", "z"])"},
                      bound_case{R"("urls": ["http://z", "http://evil.com"])",
                                 R"("allowedUpstreamHosts": ["z"])",
                                 {"/upstreams/1/urls/1"}},
                      bound_case{R"("url": "http://evil.com", "urls": ["http://evil.com"])",
                                 R"("allowedUpstreamHosts": ["z"])",
                                 {"/upstreams/1/url", "/upstreams/1/urls/0"}},
                      bound_case{R"("url": "z")",
                                 R"("allowedUpstreamHosts": ["z"])",
                                 {"/upstreams/1/url"},
                                 "not a usable URL"}));

std::string probed(int ms) {
  return plain_url + R"(, "healthCheck": {"intervalMs": )" + std::to_string(ms) + "}";
}

INSTANTIATE_TEST_SUITE_P(
    probes, bounds,
    ::testing::Values(
        bound_case{probed(0), ""}, bound_case{probed(1000), ""},
        bound_case{probed(999), "", {"/upstreams/1/healthCheck/intervalMs"}, "999 is less than"},
        bound_case{probed(5), R"("minHealthCheckIntervalMs": 5)"},
        bound_case{probed(4999),
                   R"("minHealthCheckIntervalMs": 5000)",
                   {"/upstreams/1/healthCheck/intervalMs"},
                   "5000: probe less often"}));

TEST(bounds, are_told_for_so_many_places_and_no_more) {
  document d;
  d.upstreams.resize(limits::upstreams);
  for (auto& u : d.upstreams) u.url = "http://evil.com";
  discovery_section rules;
  rules.allowed_upstream_hosts.emplace(1000, "*.good.com");
  EXPECT_EQ(contain(d.upstreams, rules).size(), limits::config_problems);
}

}  // namespace
}  // namespace gate::config
