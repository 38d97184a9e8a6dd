#include "actors/ops/reports.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "config/validate.hpp"

namespace gate::ops {
namespace {

using namespace std::chrono_literals;

struct a_report : ::testing::Test {
  report r;
  process_facts about{};
  ask_federation q;

  void configure(const std::string& more, bool sees_all = true) {
    auto parsed = config::load(R"({"upstreams":[
        {"id":"a","url":"https://a.internal/mcp?k=query-secret","namespace":"a",
         "auth":{"strategy":"static","secretRef":"SECRET_NAME"},"owner":{"org":"Org"},
         "labels":{"l":"v"},"protocol":"auto"},
        {"id":"b","urls":["https://b1.internal/mcp","https://b2.internal/mcp"],"namespace":"b"}])" +
                               more + "}");
    for (const auto& p : parsed.problems) ADD_FAILURE() << config::to_line(p);
    const auto s = config::compile(std::move(parsed.doc));
    r = {s, std::vector<finding>(s->slots), std::vector<vital_signs>(s->slots)};
    r.found[0] = {true, false, {0, 0, true, 1500us, {}}};
    r.found[1] = {true, false, {0, 1, false, 0us, "connect failed"}};
    r.signs[1] = {breaker_state::open, {true, false}, 2, 7};
    auto who = std::make_shared<identity::access>();
    who->view = s->policy.make_view(nullptr, nullptr, 1);
    q = {who, s, sees_all, {}, {}};
  }
  std::string text() const {
    return federation_body(*r.snapshot, about, q, see_upstreams(r, q, about.now));
  }
  boost::json::object body() const { return boost::json::parse(text()).as_object(); }
};

TEST_F(a_report, shows_operators_where_things_are_and_no_secrets) {
  configure("");
  const auto text = this->text();
  const auto all = body();
  EXPECT_EQ(all.at("status").as_string(), "degraded");
  const auto& a = all.at("upstreams").as_array().at(0).as_object();
  EXPECT_EQ(a.at("authStrategy").as_string(), "static");
  EXPECT_EQ(a.at("protocol").as_string(), "auto");
  EXPECT_EQ(a.at("latencyMs").to_number<double>(), 1.5);
  EXPECT_TRUE(a.contains("url") && a.contains("owner") && a.contains("labels"));
  const auto& b = all.at("upstreams").as_array().at(1).as_object();
  EXPECT_EQ(b.at("breaker").as_string(), "open");
  EXPECT_EQ(b.at("error").as_string(), "connect failed");
  EXPECT_EQ(b.at("endpoints").as_array().size(), 2U);
  EXPECT_EQ(boost::json::serialize(b.at("sessions")), R"({"root":2,"bridged":7})");
  EXPECT_EQ(boost::json::serialize(a.at("sessions")), R"({"root":0,"bridged":0})");
  for (const auto* secret : {"SECRET_NAME", "query-secret"})
    EXPECT_EQ(text.find(secret), text.npos) << text;
}

TEST_F(a_report, shows_others_that_there_is_something_but_not_where) {
  configure("", false);
  const auto text = this->text();
  for (const auto* hidden :
       {"internal", "Org", "labels", "connect failed", "SECRET_NAME", "sessions", "bridged"})
    EXPECT_EQ(text.find(hidden), text.npos) << text;
  EXPECT_FALSE(body().contains("sessions"));
}

TEST_F(a_report, goes_by_the_numbers_of_the_viewers_own_snapshot) {
  configure("", false);
  // A later snapshot in which the number means another one.
  auto parsed = config::load(R"({"upstreams":[{"id":"c","url":"http://c.test/mcp"}]})");
  const auto s = config::compile(std::move(parsed.doc));
  r = {s, std::vector<finding>(s->slots), std::vector<vital_signs>(s->slots)};
  EXPECT_TRUE(body().at("upstreams").as_array().empty());
}

TEST_F(a_report, tells_the_shape_of_the_configuration) {
  configure(R"(,"policy":{"defaultDecision":"allow","rules":[{"id":"r","allow":[{"server":"*"}]}]},
      "audit":{"sinks":[{"type":"stdout"},{"type":"webhook","url":"https://sink.internal/x",
                         "bearerSecretRef":"SINK_SECRET"}]},
      "discovery":{"url":"https://registry.internal/x","bearerSecretRef":"REG_SECRET"},
      "server":{"rateLimit":{"requestsPerMinute":5},
                "budget":{"period":"hour","upstreamCalls":7}})");
  about.store = false;
  about.discovery = discovery_state{sync_outcome::error, "HTTP 500", {}};
  about.clients = 3;
  const auto text = this->text();
  const auto all = body();
  EXPECT_EQ(boost::json::serialize(all.at("policy")),
            R"({"configured":true,"defaultDecision":"allow","rules":1})");
  EXPECT_EQ(boost::json::serialize(all.at("auditSinks")), R"(["stdout","webhook"])");
  EXPECT_EQ(boost::json::serialize(all.at("limits")),
            R"({"requestsPerMinute":5,"maxBodyBytes":1048576,)"
            R"("budget":{"period":"hour","upstreamCalls":7}})");
  EXPECT_EQ(all.at("sharedState").as_string(), "away");
  EXPECT_EQ(all.at("discovery").as_object().at("error").as_string(), "HTTP 500");
  EXPECT_EQ(all.at("sessions").as_object().at("client").to_number<int>(), 3);
  for (const auto* secret : {"SINK_SECRET", "REG_SECRET", "sink.internal", "registry.internal"})
    EXPECT_EQ(text.find(secret), text.npos) << secret;
  q.sees_all = false;
  EXPECT_FALSE(body().at("discovery").as_object().contains("error"));
}

}  // namespace
}  // namespace gate::ops
