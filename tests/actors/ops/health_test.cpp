#include "actors/ops/health.hpp"

#include "tests/support/world.hpp"

namespace gate::ops {
namespace {

using namespace testing;
using namespace std::chrono_literals;

receipt_ptr ask(world& w) {
  return w.arrive(make_request(verb::get, "/health", {"Host: localhost"}));
}

TEST(health, asks_every_upstream_and_says_what_it_found) {
  world w;
  auto r = ask(w);
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->content_type, "application/json");
  EXPECT_EQ(at(r->body, "status"), R"("ok")");
  EXPECT_EQ(w.upstream("a").count("ping"), 1U);
  EXPECT_EQ(w.upstream("b").count("ping"), 1U);
  EXPECT_TRUE(w.audit().empty());
}

TEST(health, of_one_that_is_down_is_degraded_and_of_all_is_503) {
  world w;
  w.upstream("a").always("initialize", reply::failure(fetch_end::connect_failed, true));
  auto r = ask(w);
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(at(r->body, "status"), R"("degraded")");
  EXPECT_NE(r->body.find("connect failed"), r->body.npos) << r->body;
  w.upstream("b").always("ping", reply::http(500));
  w.advance(1s);
  r = ask(w);
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(at(r->body, "status"), R"("down")");
}

TEST(health, that_takes_long_is_one_plain_answer_within_its_budget) {
  world w;
  w.upstream("a").always("ping", reply::silence());
  auto r = ask(w);
  w.advance(4'999ms);
  EXPECT_FALSE(r->done());
  w.advance(1ms);
  EXPECT_EQ(r->status, 200);
  EXPECT_FALSE(r->streaming);
  EXPECT_EQ(at(r->body, "status"), R"("degraded")");
  EXPECT_NE(r->body.find("no answer within the health budget"), r->body.npos);
  EXPECT_TRUE(r->misuse.empty());
}

TEST(health, is_asked_for_by_many_and_looked_for_once) {
  world w;
  w.upstream("a").always("ping", reply::result("{}", 2s));
  std::vector<receipt_ptr> all;
  for (int i = 0; i < 50; ++i) all.push_back(ask(w));
  w.advance(2s);
  for (auto& r : all) EXPECT_EQ(r->status, 200);
  EXPECT_EQ(w.upstream("a").count("ping"), 1U);
  w.advance(999ms);
  EXPECT_EQ(ask(w)->status, 200) << "reused for a second";
  EXPECT_EQ(w.upstream("a").count("ping"), 1U);
  w.advance(1ms);
  ask(w);
  EXPECT_EQ(w.upstream("a").count("ping"), 2U);
}

TEST(health, late_answers_belong_to_no_later_round) {
  world w;
  w.upstream("a").next("ping", reply::failure(fetch_end::broken));
  w.upstream("b").next("ping", reply::result("{}", 6s));
  auto first = ask(w);
  w.advance(5s);
  EXPECT_EQ(first->status, 503);
  w.upstream("b").always("ping", reply::silence());
  w.advance(1s);
  auto second = ask(w);
  w.advance(100ms);
  EXPECT_FALSE(second->done());
}

TEST(health, survives_the_crash_of_whoever_looks_after_it) {
  world w;
  w.upstream("a").always("ping", reply::silence());
  auto r = ask(w);
  w.crash(w.cast("health").at(0));
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->header("retry-after"), "1");
  EXPECT_EQ(ask(w)->status, 503) << "it is restarting";
  w.upstream("a").behave("ping");
  w.advance(200ms);
  EXPECT_EQ(ask(w)->status, 200);
}

TEST(health, does_not_count_as_traffic) {
  world w;
  ask(w);
  EXPECT_EQ(w.metric(R"(gate_upstream_requests_total{outcome="ok",upstream="a"})"), 0);
}

}  // namespace
}  // namespace gate::ops
