// What comes with another configuration beside the calls: series, warnings, verdicts.
#include "protocol/limits.hpp"
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

std::string entry(const std::string& id, const std::string& more = {}) {
  return R"({"id":")" + id + R"(","url":"http://)" + id + R"(.test/mcp","namespace":")" + id +
         R"(")" + more + "}";
}

std::string a_and(const std::string& more) {
  return R"({"upstreams":[)" + entry("a") + (more.empty() ? "" : ",") + more + "]}";
}

std::string exposed(world& w) {
  w.advance(limits::metrics_reuse);  // not what was told before
  client scraper(w);
  scraper.path = "/metrics";
  return scraper.get()->body;
}

double requests(const world& w, const std::string& id) {
  return w.metric(R"(gate_upstream_requests_total{outcome="ok",upstream=")" + id + R"("})");
}

TEST(taking_over, the_counters_of_an_upstream_that_comes_back_go_on) {
  world w({.config = a_and(entry("first"))});
  client c(w);
  c.initialize();
  c.call("1", "first__echo");
  const auto before = requests(w, "first");
  EXPECT_GE(before, 1);
  ASSERT_TRUE(w.reload(a_and("")).get().problems.empty());
  EXPECT_EQ(requests(w, "first"), before);
  EXPECT_EQ(w.metric(R"(gate_upstream_breaker_state{upstream="first"})"), -1);
  ASSERT_TRUE(w.reload(a_and(entry("first"))).get().problems.empty());
  c.call("2", "first__echo");
  EXPECT_EQ(requests(w, "first"), before + 1);
}

TEST(taking_over, ids_that_are_invented_for_ever_leave_no_series_behind) {
  const auto first = entry("first", R"(,"auth":{"strategy":"client-credentials","clientId":"x",)"
                                    R"("tokenEndpoint":"https://t.test/token",)"
                                    R"("clientAuth":{"type":"client_secret_post",)"
                                    R"("secretRef":"S"}})");
  world w({.config = a_and(first), .hosts = {"t"}});
  client c(w);
  c.initialize();
  ASSERT_NE(exposed(w).find(R"("first")"), std::string::npos);
  ASSERT_TRUE(w.reload(a_and(entry("again"))).get().problems.empty());
  EXPECT_NE(exposed(w).find(R"("first")"), std::string::npos);
  std::string many;
  for (std::size_t i = 0; i < limits::retired_upstreams; ++i)
    many += (i ? "," : "") + entry("n" + std::to_string(i));
  ASSERT_TRUE(w.reload(a_and(entry("again") + "," + many)).get().problems.empty());
  ASSERT_TRUE(w.reload(a_and(entry("again"))).get().problems.empty());
  const auto text = exposed(w);
  EXPECT_EQ(text.find(R"("first")"), std::string::npos)
      << "it left first: " << text.substr(text.find(R"("first")") - 100, 200);
  for (const auto* id : {"n0", "n1", "again", "a"}) EXPECT_GE(requests(w, id), 0) << id;
}

TEST(taking_over, warnings_of_credentials_come_with_the_upstreams) {
  constexpr std::string_view clear = "crosses the network in clear text";
  constexpr std::string_view passes = "gets the callers' own tokens";
  const std::string fixed = R"(,"auth":{"strategy":"static","secretRef":"S"})";
  world w({.config = a_and(entry("b", fixed))});
  EXPECT_EQ(w.logged(clear), 1U);
  ASSERT_TRUE(w.reload(a_and(entry("b", fixed) + "," + entry("c"))).get().problems.empty());
  EXPECT_EQ(w.logged(clear), 1U) << "nothing new to say";
  ASSERT_TRUE(w.reload(a_and(entry("b", fixed) + "," + entry("c", fixed))).get().problems.empty());
  EXPECT_EQ(w.logged(clear), 2U) << "c has changed";
  EXPECT_EQ(w.logged(passes), 0U);
}

TEST(taking_over, warnings_of_credentials_are_not_more_than_somebody_reads) {
  constexpr std::string_view clear = "crosses the network in clear text";
  std::string many;
  for (int i = 0; i < 25; ++i)
    many += (i ? "," : "") +
            entry("n" + std::to_string(i), R"(,"auth":{"strategy":"static","secretRef":"S"})");
  world w;
  ASSERT_TRUE(w.reload(a_and(many)).get().problems.empty());
  EXPECT_EQ(w.logged(clear), limits::logged_upstreams);
  EXPECT_EQ(w.logged("more=15"), 1U);
}

TEST(taking_over, a_discovered_document_that_nobody_can_judge_is_tried_again) {
  const std::string config = R"({"upstreams":[)" + entry("a") +
                             R"(],"discovery":{"url":"https://r.test/list","intervalMs":5000}})";
  world w({.config = config, .hosts = {"r", "x"}, .prepare = [](fake_network& net) {
             net.at("r")->always("GET", reply::http(500));
           }});
  constexpr auto count = R"(gate_discovery_syncs_total{outcome="rejected"})";
  w.upstream("r").always("GET", reply::http(200, R"({"upstreams":[)" + entry("x") + "]}"));
  w.advance(4999ms);
  w.crash(w.cast("loader").at(0));
  w.advance(1ms);
  EXPECT_EQ(w.upstream("r").count("GET"), 2U);
  EXPECT_EQ(w.metric(count), 0);
  EXPECT_EQ(w.metric(R"(gate_discovery_syncs_total{outcome="error"})"), 2);
  EXPECT_EQ(w.logged("could not be judged; it is tried again"), 1U);
  w.advance(5s);
  EXPECT_EQ(w.metric(R"(gate_discovery_syncs_total{outcome="applied"})"), 1);
  EXPECT_EQ(w.metric(count), 0);
}

}  // namespace
}  // namespace gate
