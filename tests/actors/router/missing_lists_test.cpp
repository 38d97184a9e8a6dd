#include "actors/router/missing_lists.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct a_missing_list : sim::router_stage {
  using router_stage::router_stage;
  sessions::session_ptr s = open();

  void serve_without_b() {
    post(s->id, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
    for (auto& [upstream, wanted] : doors.take<fetch_list>())
      if (upstream == 0)
        list(0, wanted, {"a__x"});
      else
        it.calls.on_listed(*std::make_unique<listed>(answer_to(wanted, 1)));
  }
};

TEST_F(a_missing_list, is_looked_for_and_its_arrival_told) {
  const auto stream = listen(s);
  serve_without_b();
  it.on_timer(timer::upkeep);
  EXPECT_TRUE(doors.take<fetch_list>().empty()) << "a pause lies between";
  pass(limits::failed_fill);
  it.on_timer(timer::upkeep);
  auto again = doors.take<fetch_list>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].first, 1U);
  list(1, again[0].second, {"b__y"});
  pass(limits::list_changed_debounce);
  it.on_timer(timer::news);
  EXPECT_EQ(stream->events().size(), 1U);
}

struct a_missing_list_that_is_counted : a_missing_list {
  a_missing_list_that_is_counted()
      : a_missing_list(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"},)"
                       R"({"id":"b","url":"http://b.test/mcp","namespace":"b",)"
                       R"("rateLimit":{"requestsPerMinute":60}}]})") {}
};

TEST_F(a_missing_list_that_is_counted, is_only_met) {
  const auto stream = listen(s);
  EXPECT_TRUE(it.lists.is_charged(1));
  EXPECT_FALSE(it.lists.is_charged(0));
  serve_without_b();
  pass(limits::failed_fill);
  doors.take<introduce>();
  it.on_timer(timer::upkeep);
  EXPECT_TRUE(doors.take<fetch_list>().empty()) << "nothing is spent on nobody's behalf";
  const auto met = doors.take<introduce>();
  ASSERT_EQ(met.size(), 1U);
  EXPECT_TRUE(met[0].second.missed);
  introduced m{1, true, mcp::usual_features, {}, true};
  it.met.on_introduced(m);
  pass(limits::list_changed_debounce);
  it.on_timer(timer::news);
  EXPECT_EQ(stream->events().size(), 1U) << "whoever asks now has it asked";
}

}  // namespace
}  // namespace gate::routing
