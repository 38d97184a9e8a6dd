// Whoever has most places for lists of one's own makes room for those who have fewer.
#include "protocol/limits.hpp"
#include "tests/support/identity.hpp"

namespace gate {
namespace {

using namespace testing;
using namespace std::chrono_literals;

constexpr auto changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";

TEST(places_for_lists, are_shared_among_principals) {
  world w(guarded_world(
      guarded(R"([{"id":"a","url":"http://a.test/mcp","namespace":"a","listsPerClient":true}])")));
  auto& a = w.upstream("a");
  a.always("tools/list", [](const sight& s) {
    return reply::result(R"({"tools":[{"name":")" + s.session + R"("}]})");
  });
  const auto alice = token_for("alice"), bob = token_for("bob");
  std::vector<std::unique_ptr<client>> all;
  std::vector<receipt_ptr> streams;
  const auto enter = [&](const std::string& token) -> client& {
    auto& c = *all.emplace_back(std::make_unique<client>(w));
    c.token = token;
    c.initialize();
    streams.push_back(c.get());
    return c;
  };
  const auto tools = [](client& c) { return at(c.list("1")->last(), "result", "tools"); };
  for (std::size_t i = 0; i < limits::own_lists; ++i) tools(enter(alice));
  w.advance(1s);
  for (const auto& s : streams) ASSERT_TRUE(s->events().empty());

  auto& c = enter(bob);
  const auto before = a.count("initialize");
  EXPECT_NE(tools(c), "");
  EXPECT_EQ(a.count("initialize"), before + 1);
  w.advance(2s);
  EXPECT_EQ(streams.front()->events(), std::vector<std::string>{changed})
      << "whose lists were kept for longest sees everybody's now";
  for (std::size_t i = 1; i < limits::own_lists; ++i) EXPECT_TRUE(streams[i]->events().empty());

  // It comes again, and takes no place from those who have no more than it.
  tools(*all.front());
  auto& d = enter(alice);
  EXPECT_EQ(tools(*all.front()), tools(d)) << "everybody's";
  w.advance(5s);
  for (std::size_t i = 1; i < limits::own_lists; ++i) EXPECT_TRUE(streams[i]->events().empty());
  const auto mine = tools(c);
  EXPECT_NE(mine, tools(d)) << "its own";
}

TEST(places_for_lists, whose_lists_are_too_large_loses_its_place_once_nothing_waits_for_them) {
  auto options = guarded_world(
      guarded(R"([{"id":"a","url":"http://a.test/mcp","namespace":"a","listsPerClient":true}])"));
  options.own_list_bytes = 10'000;
  world w(std::move(options));
  auto& a = w.upstream("a");
  std::size_t size = 6000;
  a.always("tools/list", [&](const sight& s) {
    return reply::result(R"({"tools":[{"name":")" + s.session + R"(","description":")" +
                         std::string(size, 'x') + R"("}]})");
  });
  client alice(w), bob(w), carol(w);
  std::vector<receipt_ptr> streams;
  std::string who[] = {"alice", "bob", "carol"};
  for (std::size_t n = 0; auto* c : {&alice, &bob, &carol}) {
    c->token = token_for(who[n++]);
    c->initialize();
    streams.push_back(c->get());
  }
  alice.list("1");
  a.next("prompts/list", reply::silence());
  const auto waits = alice.request("2", "prompts/list");
  size = 3000;
  bob.list("1");
  carol.list("1");
  w.advance(5s);
  ASSERT_FALSE(waits->done());
  for (const auto& s : streams)
    EXPECT_TRUE(s->events().empty()) << "who could go has its part only";
  w.advance(6s);
  ASSERT_TRUE(waits->done());
  EXPECT_FALSE(streams.front()->events().empty()) << "it sees everybody's from now on";
  for (const auto n : {1, 2}) EXPECT_TRUE(streams[n]->events().empty());
}

}  // namespace
}  // namespace gate
