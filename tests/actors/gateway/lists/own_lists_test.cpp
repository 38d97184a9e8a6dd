// Servers that change their lists for one client alone, and clients that hear of changes.
#include "tests/actors/gateway/lists/lists_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto resources_changed =
    R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})";

struct own_lists : ::testing::Test {
  world w{};
  client c{w}, d{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");
  receipt_ptr mine, theirs;
  std::string special;  ///< the session of `a` that has a tool of its own

  own_lists() {
    a.tools = {R"({"name":"1"})"};
    b.tools = {R"({"name":"2"})"};
    a.always("tools/list", [this](const sight& s) {
      return reply::result(s.session == special ? R"({"tools":[{"name":"1"},{"name":"mine"}]})"
                                                : R"({"tools":[{"name":"1"}]})");
    });
    a.always("resources/list", [this](const sight& s) {
      return reply::result(s.session == special ? R"({"resources":[{"uri":"x://own"}]})"
                                                : R"({"resources":[]})");
    });
    c.initialize();
    d.initialize();
    mine = c.get();
    theirs = d.get();
    c.list("1");
    d.list("1");
    c.call("2", "a__x");
    special = a.last("tools/call")->session;
  }
  std::string listed(client& who) { return at(who.list("9")->last(), "result", "tools"); }
  sight_ptr stream_of(std::string_view session) {
    for (const auto& s : a.under_way("GET"))
      if (s->session == session) return s;
    return nullptr;
  }
  void hear(std::string_view session, const char* what) {
    fake_upstream::push(stream_of(session), what);
    w.settle();
  }
};

constexpr auto shared = R"([{"name":"a__1"},{"name":"b__2"}])";
constexpr auto own = R"([{"name":"a__1"},{"name":"a__mine"},{"name":"b__2"}])";

TEST_F(own_lists, are_seen_by_the_client_whose_session_heard_of_them) {
  EXPECT_EQ(listed(c), shared);
  hear(special, changed);
  EXPECT_EQ(listed(c), own) << "at once";
  w.advance(100ms);
  EXPECT_EQ(mine->events(), std::vector<std::string>{changed});
  EXPECT_TRUE(theirs->events().empty()) << "it is not their change";
  EXPECT_EQ(listed(d), shared);
  EXPECT_EQ(listed(c), own);
}

TEST_F(own_lists, have_owners_of_resources_too) {
  hear(special, resources_changed);
  a.next("resources/read", reply::result(R"({"contents":[]})"));
  EXPECT_EQ(at(c.request("3", "resources/read", R"({"uri":"x://own"})")->last(), "result"),
            R"({"contents":[]})");
  EXPECT_EQ(a.last("resources/read")->session, special);
  EXPECT_EQ(at(d.request("3", "resources/read", R"({"uri":"x://own"})")->last(), "error", "code"),
            "-32002");
}

TEST_F(own_lists, are_not_made_when_everybody_hears_it) {
  std::string root;
  for (const auto& s : a.seen("tools/list"))
    if (s->session != special) root = s->session;
  hear(special, changed);
  hear(root, changed);
  w.advance(100ms);
  EXPECT_EQ(mine->events(), std::vector<std::string>{changed});
  EXPECT_EQ(theirs->events(), std::vector<std::string>{changed});
  EXPECT_EQ(listed(c), shared) << "it is the federation's list again";
}

TEST_F(own_lists, are_not_kept_when_everybody_hears_it_while_a_call_waits_for_them) {
  std::string root;
  for (const auto& s : a.seen("tools/list"))
    if (s->session != special) root = s->session;
  hear(special, changed);
  a.next("tools/list", reply::result(R"({"tools":[{"name":"late"}]})", 500ms));
  auto waits = c.list("3");
  hear(root, changed);
  w.advance(300ms);
  EXPECT_FALSE(waits->done());
  w.advance(1s);
  EXPECT_TRUE(waits->done());
  EXPECT_EQ(listed(c), shared) << "it is the federation's list again";
}

TEST(own_lists_of_many, are_told_to_each_and_kept_for_most) {
  world w;
  auto& a = w.upstream("a");
  struct visitor {
    client c;
    receipt_ptr stream;
    std::string session;
  };
  std::vector<visitor> all;
  for (std::size_t i = 0; i <= limits::own_lists; ++i) {
    auto& v = all.emplace_back(client(w), nullptr, "");
    v.c.initialize();
    v.stream = v.c.get();
    v.c.call("1", "a__x");
    v.session = a.last("tools/call")->session;
  }
  std::map<std::string, sight_ptr> streams;
  for (const auto& s : a.under_way("GET")) streams[s->session] = s;
  a.always("tools/list", [&](const sight& s) {
    return reply::result(R"({"tools":[{"name":")" + s.session + R"("}]})");
  });
  for (auto& v : all) {
    fake_upstream::push(streams.at(v.session), changed);
    w.advance(10ms);
  }
  w.advance(3s);
  for (auto& v : all) {
    ASSERT_FALSE(v.stream->events().empty());
    EXPECT_EQ(v.stream->events().front(), changed);
  }
  const auto sees_its_own = [](visitor& v) {
    return v.c.list("2")->last().find(v.session + '"') != std::string::npos;
  };
  EXPECT_TRUE(sees_its_own(all.back()));
  EXPECT_TRUE(sees_its_own(all.at(1)));
  EXPECT_FALSE(sees_its_own(all.front())) << "kept for longest, and told that it is not any more";
}

TEST_F(own_lists, an_old_change_that_all_heard_takes_none_away) {
  world fresh;
  client e(fresh);
  auto& up = fresh.upstream("a");
  fresh.upstream("b").tools = {};
  e.initialize();
  // Before anybody has listed anything, a root session hears of a change.
  fresh.tell(fresh.cast("router").at(0), list_changed{0, mcp::list_kind::tools, true, 0});
  fresh.advance(1s);
  auto own_stream = e.get();
  e.call("1", "a__x");
  const auto session = up.last("tools/call")->session;
  up.always("tools/list", [session](const sight& s) {
    return reply::result(s.session == session ? R"({"tools":[{"name":"mine"}]})"
                                              : R"({"tools":[]})");
  });
  for (const auto& s : up.under_way("GET"))
    if (s->session == session) fake_upstream::push(s, changed);
  fresh.advance(1s);
  EXPECT_EQ(at(e.list("2")->last(), "result", "tools"), R"([{"name":"a__mine"}])");
}

TEST_F(own_lists, a_call_that_waited_for_the_shared_list_looks_at_its_own) {
  w.advance(31s);
  a.always("resources/list", [this](const sight& s) {
    return reply::result(
        s.session == special ? R"({"resources":[{"uri":"x://own"}]})" : R"({"resources":[]})",
        500ms);
  });
  a.next("resources/read", reply::result(R"({"contents":[]})"));
  auto r = c.request("3", "resources/read", R"({"uri":"x://own"})");
  EXPECT_EQ(r->endings, 0);
  hear(special, resources_changed);
  w.advance(3s);
  EXPECT_EQ(at(r->last(), "result"), R"({"contents":[]})");
}

TEST_F(own_lists, are_of_that_upstream_alone) {
  c.request("3", "prompts/list");
  c.request("4", "resources/list");
  const auto tools_of_b = b.count("tools/list"), prompts_of_a = a.count("prompts/list"),
             resources_of_b = b.count("resources/list");
  hear(special, changed);
  EXPECT_EQ(listed(c), own);
  c.request("5", "prompts/list");
  c.request("6", "resources/list");
  EXPECT_EQ(b.count("tools/list"), tools_of_b) << "it is as everybody's";
  EXPECT_EQ(a.count("prompts/list"), prompts_of_a);
  EXPECT_EQ(b.count("resources/list"), resources_of_b);
}

TEST_F(own_lists, change_with_what_is_everybodys) {
  hear(special, changed);
  EXPECT_EQ(listed(c), own);
  w.advance(1s);
  b.tools = {R"({"name":"3"})"};
  b.announce(changed);
  w.advance(1s);
  EXPECT_EQ(mine->events(), (std::vector<std::string>{changed, changed}));
  EXPECT_EQ(listed(c), R"([{"name":"a__1"},{"name":"a__mine"},{"name":"b__3"}])");
  b.tools = {R"({"name":"4"})"};
  w.advance(31s);
  listed(d);
  w.advance(1s);
  EXPECT_EQ(mine->events().size(), 3U) << "somebody else had it fetched anew";
}

TEST_F(own_lists, are_there_for_a_call_that_waits_for_what_is_shared) {
  hear(special, changed);
  b.announce(changed);
  w.settle();
  b.always("tools/list", reply::result(R"({"tools":[{"name":"2"}]})", 3s));
  auto first = d.list("3"), second = c.list("3");
  EXPECT_FALSE(second->done());
  w.advance(3s);
  EXPECT_EQ(at(first->last(), "result", "tools"), shared);
  EXPECT_EQ(at(second->last(), "result", "tools"), own);
}

TEST_F(own_lists, end_with_their_session) {
  hear(special, changed);
  EXPECT_EQ(listed(c), own);
  c.end();
  client e(w);
  e.initialize();
  EXPECT_EQ(listed(e), shared);
}

TEST_F(own_lists, of_a_bridged_session_that_died_come_from_elsewhere) {
  hear(special, changed);
  a.next("tools/list", reply::silence());
  auto waits = c.list("3");
  EXPECT_EQ(waits->endings, 0);
  w.crash(w.cast("bridged session").at(0));
  EXPECT_EQ(waits->endings, 1);
  EXPECT_EQ(at(waits->last(), "result", "_meta", "gate/partialFailure", "failedUpstreams"),
            R"(["a"])");
}

TEST_F(own_lists, changes_are_told_when_they_have_come_to_rest) {
  const auto root = a.under_way("GET").front();
  for (int i = 0; i < 5; ++i) {
    fake_upstream::push(root, changed);
    w.advance(80ms);
  }
  EXPECT_TRUE(theirs->events().empty());
  w.advance(20ms);
  EXPECT_EQ(theirs->events().size(), 1U);
  for (int i = 0; i < 20; ++i) {
    fake_upstream::push(root, changed);
    w.advance(60ms);
  }
  EXPECT_EQ(theirs->events().size(), 2U) << "but at least once a second";
}

TEST_F(own_lists, bursts_are_one_change_until_somebody_lists) {
  const auto root = a.under_way("GET").front();
  const auto fetched = a.count("tools/list");
  for (int i = 0; i < 100; ++i) fake_upstream::push(root, changed);
  w.settle();
  listed(d);
  for (int i = 0; i < 100; ++i) fake_upstream::push(root, changed);
  w.settle();
  listed(d);
  EXPECT_EQ(a.count("tools/list"), fetched + 2) << "each list after a change is a new one";
  w.advance(1s);
  EXPECT_EQ(theirs->events(), std::vector<std::string>{changed});
}

TEST_F(own_lists, a_profile_that_nobody_has_any_more_needs_no_root_session) {
  const auto roots = w.cast("root session").size();
  client able(w);
  auto r = able.request("0", "initialize",
                        R"({"protocolVersion":"2025-11-25","capabilities":{"sampling":{}}})");
  able.session = r->header("mcp-session-id");
  able.list("1");
  EXPECT_GT(w.cast("root session").size(), roots);
  able.end();
  w.advance(7min);
  EXPECT_EQ(w.cast("root session").size(), roots);
  EXPECT_EQ(listed(c), shared);
}

TEST_F(own_lists, a_resource_that_left_the_lists_can_be_unsubscribed) {
  a.always("resources/list", reply::result(R"({"resources":[{"uri":"x://gone"}]})"));
  const auto params = R"({"uri":"x://gone"})";
  EXPECT_NE(at(c.request("3", "resources/subscribe", params)->last(), "result"), "");
  a.always("resources/list", reply::result(R"({"resources":[]})"));
  w.advance(31s);
  EXPECT_NE(at(c.request("4", "resources/unsubscribe", params)->last(), "result"), "");
  EXPECT_EQ(a.count("resources/unsubscribe"), 1U);
  c.request("5", "resources/list");
  EXPECT_EQ(at(c.request("6", "resources/unsubscribe", params)->last(), "error", "code"), "-32002");
}

}  // namespace
}  // namespace gate
