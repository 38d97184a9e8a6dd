// The command line of gate-discovery, and whom it asks.
#include "actors/kubernetes/options.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/parsed_options.hpp"

namespace gate::kubernetes {
namespace {

using gate::testing::words;

options good(const words& args) {
  return gate::testing::good_options<parse_options>(args);
}
std::string bad(const words& args) {
  return gate::testing::bad_options<parse_options>(args);
}

config::environment of(std::map<std::string, std::string, std::less<>> variables) {
  return [variables](std::string_view name) -> std::optional<std::string> {
    const auto it = variables.find(name);
    if (it == variables.end()) return std::nullopt;
    return it->second;
  };
}

TEST(discovery_options, defaults) {
  const auto o = good({});
  EXPECT_EQ(o.action, action::run);
  EXPECT_EQ(o.host, "127.0.0.1");
  EXPECT_EQ(o.port, 8093);
  EXPECT_EQ(o.domain, "cluster.local");
  EXPECT_TRUE(o.api_server.empty() && o.token_file.empty() && o.ca_file.empty());
  EXPECT_TRUE(o.space.empty() && o.label_selector.empty() && o.reserved.empty());
  EXPECT_TRUE(o.secret_refs.empty());
  EXPECT_FALSE(o.upstream_hosts || o.credential_hosts);
}

TEST(discovery_options, every_option) {
  const auto o = good({"--api-server",
                       "https://k.example:6443/base",
                       "--token-file",
                       "/t",
                       "--ca-file=/c",
                       "--namespace",
                       "tools",
                       "--label-selector",
                       "a=b",
                       "--cluster-domain",
                       "c.example",
                       "--reserve",
                       "a,b",
                       "--secret-refs",
                       "A_KEY,B_KEY",
                       "--upstream-hosts",
                       "*.svc.cluster.local,a.example",
                       "--credential-hosts=a.example",
                       "--host",
                       "0.0.0.0",
                       "--port",
                       "0",
                       "--bearer-env",
                       "T",
                       "--log-format",
                       "json",
                       "--log-level",
                       "debug"});
  EXPECT_EQ(o.api_server, "https://k.example:6443/base");
  EXPECT_EQ(o.token_file, "/t");
  EXPECT_EQ(o.ca_file, "/c");
  EXPECT_EQ(o.space, "tools");
  EXPECT_EQ(o.label_selector, "a=b");
  EXPECT_EQ(o.domain, "c.example");
  EXPECT_EQ(o.reserved, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(o.secret_refs, (std::vector<std::string>{"A_KEY", "B_KEY"}));
  EXPECT_EQ(o.upstream_hosts, (std::vector<std::string>{"*.svc.cluster.local", "a.example"}));
  EXPECT_EQ(o.credential_hosts, std::vector<std::string>{"a.example"});
  EXPECT_EQ(o.bearer_env, "T");
  EXPECT_EQ(o.port, 0);
  EXPECT_EQ(good({"--healthcheck"}).action, action::healthcheck);
}

TEST(discovery_options, wrong_ones) {
  EXPECT_NE(bad({"--api-server", "http://k.example"}).find("https"), std::string::npos);
  EXPECT_NE(bad({"--api-server", "k.example"}).find("URL"), std::string::npos);
  EXPECT_NE(bad({"--api-server", "https://k.example/?a=b"}).find("query"), std::string::npos);
  EXPECT_NE(bad({"--namespace", "a/../b"}).find("namespace"), std::string::npos);
  EXPECT_NE(bad({"--reserve", "a,,b"}).find("empty"), std::string::npos);
  EXPECT_NE(bad({"--secret-refs", "A,,B"}).find("empty"), std::string::npos);
  EXPECT_NE(bad({"--secret-refs", "A,"}).find("empty"), std::string::npos);
  EXPECT_NE(bad({"--secret-refs", "A,B=C"}).find("variables"), std::string::npos);
  EXPECT_NE(bad({"--upstream-hosts="}).find("needs"), std::string::npos);
  EXPECT_NE(bad({"--upstream-hosts", "a,,b"}).find("empty"), std::string::npos);
  EXPECT_NE(bad({"--upstream-hosts", "a,http://b"}).find("hosts"), std::string::npos);
  EXPECT_NE(bad({"--credential-hosts", "a.*.b"}).find("hosts"), std::string::npos);
  EXPECT_NE(bad({"--credential-hosts", "a:80"}).find("hosts"), std::string::npos);
  EXPECT_NE(bad({"--host", "0.0.0.0"}).find("--bearer-env"), std::string::npos);
  EXPECT_NE(bad({"--token-file", "/t"}).find("--api-server"), std::string::npos);
  EXPECT_NE(bad({"--bearer-env", "A=B"}).find("variable"), std::string::npos);
  EXPECT_EQ(good({"--api-server", "http://127.0.0.1:8001"}).api_server, "http://127.0.0.1:8001");
}

TEST(discovery_options, the_account_of_a_container) {
  auto a = account_of(
      {}, of({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "6443"}}));
  ASSERT_TRUE(a);
  EXPECT_EQ(a->server.origin(), "https://10.0.0.1:6443");
  EXPECT_EQ(a->token_file, "/var/run/secrets/kubernetes.io/serviceaccount/token");
  EXPECT_EQ(a->ca_file, "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt");
  a = account_of({}, of({{"KUBERNETES_SERVICE_HOST", "fd00::1"}}));
  ASSERT_TRUE(a);
  EXPECT_EQ(a->server.origin(), "https://[fd00::1]:443");
  EXPECT_FALSE(account_of({}, of({{"KUBERNETES_SERVICE_HOST", "a b"}})));
  const auto none = account_of({}, of({}));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("--api-server"), std::string::npos);
}

TEST(discovery_options, an_account_by_options) {
  options o;
  o.api_server = "http://127.0.0.1:8001/x/";
  const auto a = account_of(o, of({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}}));
  ASSERT_TRUE(a);
  EXPECT_EQ(a->server.target, "/x/");
  EXPECT_TRUE(a->token_file.empty() && a->ca_file.empty()) << "nobody else's are shown there";
}

}  // namespace
}  // namespace gate::kubernetes
