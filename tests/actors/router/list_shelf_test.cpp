#include "actors/router/list_shelf.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct a_shelf : sim::router_stage {
  a_shelf()
      : router_stage(
            R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a","listsPerClient":true}]})") {
  }
  sessions::session_ptr s = open(), other = open();

  void ask(const sessions::session_ptr& who) {
    post(who->id, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  }
};

TEST_F(a_shelf, gives_each_client_lists_of_its_own) {
  EXPECT_TRUE(it.shelf.opens_own(*s));
  EXPECT_FALSE(it.shelf.holds_place(s->key)) << "not before it asks";
  EXPECT_EQ(it.shelf.seen_by(*s), nullptr) << "looking makes none";
  ask(s);
  const auto asked = doors.take<fetch_list>();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].second.client, s->key);
  EXPECT_EQ(asked[0].second.profile, s->profile);
  EXPECT_TRUE(it.shelf.holds_place(s->key));
  EXPECT_EQ(it.shelf.find(answer_to(asked[0].second, 0)), it.shelf.find_own(s->key));
  EXPECT_NE(&it.shelf.of(*s, mcp::list_kind::tools), &it.shelf.of(*other, mcp::list_kind::tools));
}

TEST_F(a_shelf, forgets_with_the_session) {
  ask(s);
  arrive(verb::del, {"Mcp-Session-Id: " + s->id});
  EXPECT_FALSE(it.shelf.holds_place(s->key));
  EXPECT_EQ(it.shelf.find_own(s->key), nullptr);
}

TEST_F(a_shelf, keeps_what_is_waited_for) {
  ask(s);
  auto* states = it.shelf.find_own(s->key);
  ASSERT_TRUE(states);
  EXPECT_TRUE(it.shelf.are_waited_for(*states));
  pass(limits::bridged_idle);
  it.shelf.sweep(doors.t);
  EXPECT_TRUE(it.shelf.find_own(s->key));
  for (auto& [upstream, wanted] : doors.take<fetch_list>()) list(upstream, wanted, {"a__x"});
  EXPECT_FALSE(it.shelf.are_waited_for(*it.shelf.find_own(s->key)));
  it.shelf.sweep(doors.t);
  EXPECT_EQ(it.shelf.find_own(s->key), nullptr) << "it does not listen, and has not asked for long";
}

TEST_F(a_shelf, takes_no_place_back_while_somebody_walks) {
  ask(s);
  for (auto& [upstream, wanted] : doors.take<fetch_list>()) list(upstream, wanted, {"a__x"});
  for (std::size_t n = 1; n < limits::own_lists; ++n) it.shelf.own(*open());
  {
    const list_shelf::walk outer(it.shelf);
    { const list_shelf::walk inner(it.shelf); }
    EXPECT_FALSE(it.shelf.make_room(*other, false)) << "the outer one goes on";
  }
  EXPECT_TRUE(it.shelf.make_room(*other, false));
}

}  // namespace
}  // namespace gate::routing
