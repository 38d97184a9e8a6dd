#include "actors/router/merged_lists.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct merged : sim::router_stage {
  sessions::session_ptr s = open();

  sim::receipt_ptr tools(int id = 1) {
    return post(s->id,
                R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/list"})");
  }
  static std::string answer_of(const sim::receipt_ptr& r) {
    const auto at = r->body.find("\"result\":");
    return at == std::string::npos ? r->body : r->body.substr(at + 9);
  }
};

TEST_F(merged, waits_for_all_and_asks_each_once) {
  const auto one = tools(1), two = tools(2);
  auto asked = doors.take<fetch_list>();
  ASSERT_EQ(asked.size(), 2U);
  list(1, asked[1].second, {"b__y"});
  EXPECT_FALSE(one->done());
  list(0, asked[0].second, {"a__x"});
  EXPECT_EQ(answer_of(one), R"({"tools":[{"name":"a__x"},{"name":"b__y"}]}})");
  EXPECT_EQ(answer_of(two), answer_of(one));
  EXPECT_EQ(answer_of(tools(3)), answer_of(one)) << "kept";
  EXPECT_TRUE(doors.take<fetch_list>().empty());
}

TEST_F(merged, goes_without_who_hangs) {
  const auto r = tools();
  auto asked = doors.take<fetch_list>();
  list(0, asked[0].second, {"a__x"});
  EXPECT_EQ(doors.timer(timer::late_lists),
            std::chrono::milliseconds(limits::list_deadline).count());
  pass(limits::list_deadline);
  it.on_timer(timer::late_lists);
  EXPECT_NE(r->body.find(R"("gate/partialFailure")"), std::string::npos) << r->body;
  EXPECT_NE(r->body.find("a__x"), std::string::npos);
}

TEST_F(merged, goes_without_who_is_not_there) {
  doors.up[1] = false;
  const auto r = tools();
  ASSERT_EQ(doors.nobody.size(), 1U);
  it.calls.on_listed(doors.nobody[0]);
  list(0, doors.take<fetch_list>().at(0).second, {"a__x"});
  EXPECT_NE(r->body.find("a__x"), std::string::npos) << r->body;
  EXPECT_NE(r->body.find(R"("gate/partialFailure")"), std::string::npos);
}

TEST_F(merged, is_refused_when_nobody_lists) {
  const auto r = tools();
  doors.take<fetch_list>();
  it.calls.on_upstream_lost(0);
  it.calls.on_upstream_lost(1);
  EXPECT_NE(r->body.find("all upstreams unavailable: a, b"), std::string::npos) << r->body;
}

TEST_F(merged, says_who_owns_a_resource) {
  const auto r =
      post(s->id, R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"u:2"}})");
  auto asked = doors.take<fetch_list>();
  ASSERT_EQ(asked.size(), 2U);
  list(0, asked[0].second, {"u:1"});
  EXPECT_TRUE(doors.calls.empty()) << "all have to speak";
  list(1, asked[1].second, {"u:2"});
  ASSERT_EQ(doors.calls.size(), 1U);
  EXPECT_EQ(doors.calls[0].first, 1U);
  EXPECT_FALSE(r->done());
}

TEST_F(merged, goes_over_to_another_configuration) {
  const auto r = tools();
  auto asked = doors.take<fetch_list>();
  list(0, asked[0].second, {"a__x"});
  EXPECT_FALSE(r->done()) << "b is waited for";
  reload(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}]})");
  EXPECT_NE(r->body.find("a__x"), std::string::npos) << "of the new one nobody is missing";
  EXPECT_EQ(r->body.find("partialFailure"), std::string::npos) << r->body;
}

}  // namespace
}  // namespace gate::routing
