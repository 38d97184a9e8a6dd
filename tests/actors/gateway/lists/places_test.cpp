// Whoever has most places for lists of one's own makes room for those who have fewer.
#include "protocol/limits.hpp"
#include "simulations/world/guarded_world.hpp"
#include "tests/actors/gateway/lists/lists_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

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

/// Own lists may take 10,000 bytes in all; each is one tool of about `size` bytes, named by the
/// session that it is of.
struct bytes_of_lists : ::testing::Test {
  world w{[] {
    auto options = guarded_world(
        guarded(R"([{"id":"a","url":"http://a.test/mcp","namespace":"a","listsPerClient":true}])"));
    options.own_list_bytes = 10'000;
    return options;
  }()};
  fake_upstream& a = w.upstream("a");
  std::size_t size = 6000;

  bytes_of_lists() {
    a.always("tools/list", [this](const sight& s) {
      return reply::result(R"({"tools":[{"name":")" + s.session + R"(","description":")" +
                           std::string(size, 'x') + R"("}]})");
    });
  }
};

TEST_F(bytes_of_lists, cost_a_place_once_nothing_waits_for_them) {
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

TEST_F(bytes_of_lists, are_those_that_they_take_now) {
  client alice(w), bob(w);
  alice.token = token_for("alice");
  bob.token = token_for("bob");
  for (auto* c : {&alice, &bob}) c->initialize();
  const auto stream = alice.get();
  alice.list("1");
  a.announce(changed);
  w.advance(1s);
  ASSERT_EQ(stream->events().size(), 1U);
  size = 5500;
  bob.list("1");
  w.advance(2s);
  EXPECT_EQ(stream->events().size(), 1U) << "it has nothing by now that could be too large";
  size = 10;
  const auto tools = [](client& c) { return at(c.list("2")->last(), "result", "tools"); };
  EXPECT_NE(tools(alice), tools(bob)) << "its own";
}

/// Whoever sees `a` sees it by sessions of its own. That is everybody, and vips see `b` as well
/// (true); or that is vips alone.
struct new_rights : ::testing::TestWithParam<bool> {
  world w{guarded_world(guarded(
      R"([{"id":"b","url":"http://b.test/mcp","namespace":"b"},
          {"id":"a","url":"http://a.test/mcp","namespace":"a","listsPerClient":true}])",
      GetParam() ? R"("policy":{"rules":[{"id":"all","allow":[{"server":"a"}]},
                      {"id":"vip","subjects":{"groups":["vip"]},"allow":[{"server":"b"}]}]})"
                 : R"("policy":{"rules":[{"id":"all","allow":[{"server":"b"}]},
                      {"id":"vip","subjects":{"groups":["vip"]},"allow":[{"server":"a"}]}]})"))};
  std::vector<std::unique_ptr<client>> all;
  std::vector<receipt_ptr> streams;

  static std::string vip(std::string_view who) { return token_for(who, R"("groups":["vip"])"); }
  client& enter(std::string token) {
    auto& c = *all.emplace_back(std::make_unique<client>(w));
    c.token = std::move(token);
    c.initialize();
    streams.push_back(c.get());
    return c;
  }
  static std::string tools(client& c) { return at(c.list("1")->last(), "result", "tools"); }
  void fill() {
    for (std::size_t i = 0; i < limits::own_lists; ++i) tools(enter(vip("alice")));
    w.advance(1s);
  }
};

TEST_P(new_rights, cost_nobody_a_place_before_a_list_is_asked_for) {
  fill();
  auto& c = enter(token_for("bob"));
  c.token = vip("bob");
  c.request("1", "ping");
  w.advance(3s);
  for (const auto& s : streams) ASSERT_TRUE(s->events().empty());
  tools(c);
  w.advance(3s);
  EXPECT_EQ(streams.front()->events(), std::vector<std::string>{changed}) << "now it has one";
  EXPECT_TRUE(streams.back()->events().empty());
}

TEST_P(new_rights, whoever_would_get_a_place_by_them_is_told) {
  fill();
  auto& c = enter(token_for("alice"));
  EXPECT_NE(tools(c), "") << "there is no place left for it";
  all.front()->end();
  w.advance(1s);
  ASSERT_TRUE(streams.back()->events().empty());
  c.token = vip("alice");
  c.request("2", "ping");
  w.advance(3s);
  EXPECT_EQ(streams.back()->events(), std::vector<std::string>{changed});
  const auto sessions = w.upstream("a").open_sessions();
  EXPECT_NE(tools(c), "");
  EXPECT_EQ(w.upstream("a").open_sessions(), sessions + 1) << "they are its own now";
}

INSTANTIATE_TEST_SUITE_P(all, new_rights, ::testing::Values(false, true),
                         [](const auto& x) { return x.param ? "elsewhere" : "there"; });

TEST(lists_of_callers, are_not_dropped_for_whoever_has_asked_for_none) {
  world w(guarded_world(guarded(
      R"([{"id":"b","url":"http://b.test/mcp","namespace":"b"},
          {"id":"a","url":"http://a.test/mcp","namespace":"a","auth":{"strategy":"passthrough"}}])",
      R"("policy":{"rules":[{"id":"all","allow":[{"server":"a"}]},
          {"id":"vip","subjects":{"groups":["vip"]},"allow":[{"server":"b"}]}]})")));
  w.upstream("a");
  std::vector<std::unique_ptr<client>> all;
  std::vector<receipt_ptr> streams;
  const auto enter = [&](const std::string& who) -> client& {
    auto& c = *all.emplace_back(std::make_unique<client>(w));
    c.token = token_for(who);
    return c.initialize();
  };
  for (std::size_t i = 0; i < limits::personal_lists; ++i) {
    auto& c = enter(std::to_string(i));
    streams.push_back(c.get());
    c.list("1");
  }
  auto& c = enter("bob");
  c.token = token_for("bob", R"("groups":["vip"])");
  c.request("1", "ping");
  w.upstream("a").announce(changed);
  w.advance(2s);
  for (const auto& s : streams) ASSERT_EQ(s->events(), std::vector<std::string>{changed});
}

/// Everybody sees `a` by a caller's own session; vips see `b` as well.
struct more_rights : ::testing::Test {
  world w{guarded_world(guarded(
      R"([{"id":"b","url":"http://b.test/mcp","namespace":"b"},
          {"id":"a","url":"http://a.test/mcp","namespace":"a","auth":{"strategy":"passthrough"}}])",
      R"("policy":{"rules":[{"id":"all","allow":[{"server":"a"}]},
          {"id":"vip","subjects":{"groups":["vip"]},"allow":[{"server":"b"}]}]})"))};
  client c{w};
  receipt_ptr stream;

  more_rights() {
    c.token = token_for("alice");
    c.initialize();
    stream = c.get();
  }
  void get_more() {
    c.token = token_for("alice", R"("groups":["vip"])");
    c.request("9", "ping");
    w.advance(1s);
  }
};

TEST_F(more_rights, are_news_to_whoever_has_listed_long_ago) {
  c.list("1");
  w.advance(2s);
  for (int i = 0; i < 6; ++i) {
    w.advance(60s);
    stream = stream->done() ? c.get() : stream;
  }
  const auto before = stream->events().size();
  get_more();
  w.advance(2s);
  ASSERT_EQ(stream->events().size(), before + 1) << "what it was served is not known any more";
  EXPECT_EQ(stream->events().back(), changed);
}

TEST_F(more_rights, are_news_to_whoever_waits_for_a_list) {
  auto& a = w.upstream("a");
  a.next("tools/list", reply::result(R"({"tools":[{"name":"x"}]})", 3s));
  const auto listed = c.request("1", "tools/list");
  w.advance(1s);
  ASSERT_FALSE(listed->done());
  get_more();
  w.advance(5s);
  ASSERT_TRUE(listed->done());
  ASSERT_FALSE(stream->events().empty()) << "it was served by its former rights";
  EXPECT_EQ(stream->events().back(), changed);
}

}  // namespace
}  // namespace gate
