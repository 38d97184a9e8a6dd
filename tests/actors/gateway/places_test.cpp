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

}  // namespace
}  // namespace gate
