// A client's session that two instances hold: actors/router/shared_sessions.
#include "actors/router/shared_sessions.hpp"

#include "protocol/limits.hpp"
#include "tests/actors/support/fleet_stage.hpp"

namespace gate::routing {
namespace {

struct a_shared_session : sim::fleet_stage {
  using kind = fleet::session_word::kind;
  static constexpr auto at_a = "http://a.test/mcp";

  sessions::session_ptr s = open();
  sessions::session_ptr there = come(s->id);

  shared_sessions& of(sim::staged_instance& i) { return i.it.fleet->sessions; }
  /// An upstream has opened a session for it, at `one`.
  void bridge(std::string name = "b-1", std::size_t upstream = 0) {
    bridge_opened m;
    m.client = s->key;
    m.upstream = upstream;
    m.bridge = {at_a, std::move(name), "2025-11-25", 0};
    of(one).on_bridge(m);
  }
  void set_level(sim::staged_instance& i, const std::string& level) {
    const auto r = i.post(s->id, R"({"jsonrpc":"2.0","id":2,"method":"logging/setLevel",)"
                                 R"("params":{"level":")" +
                                     level + "\"}}");
    EXPECT_EQ(r->status, 200) << r->body;
  }
  const std::map<std::string, std::string>* record() { return store.fields(key); }
  std::string key = s->shared->key;
};

TEST_F(a_shared_session, is_known_to_the_store_before_its_client_knows_it) {
  const auto r = one.open_request();
  EXPECT_EQ(r->endings, 0);
  EXPECT_EQ(one.unit().calls.count(pipeline::partner::store), 1U);
  settle();
  EXPECT_EQ(r->status, 200);
  const auto id = r->header("Mcp-Session-Id");
  EXPECT_TRUE(store.fields(fleet::session_key(one.line().digest(), id))->contains("c"));
  EXPECT_TRUE(of(one).holds(fleet::session_key(one.line().digest(), id)));
}

TEST_F(a_shared_session, begins_here_alone_while_the_store_does_not_take_it) {
  one.store_says = store_outcome::timeout;
  auto r = one.open_request();
  one.deliver();
  EXPECT_EQ(r->status, 200) << "it is written down later";
  one.store_says.reset();
  one.turn(false);
  r = one.open_request();
  EXPECT_EQ(r->status, 200);
  const auto id = r->header("Mcp-Session-Id");
  EXPECT_FALSE(come(id));
  one.turn(true);
  settle();
  two.pass(limits::session_unknown);
  EXPECT_TRUE(come(id)) << "now that the store is there";
}

TEST_F(a_shared_session, has_the_sessions_at_upstreams_that_any_of_them_opened) {
  bridge();
  settle();
  const auto& known = *there->profile->bridges;
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known.at("a").session, "b-1");
  EXPECT_TRUE(record()->contains("u:a"));
  sim::staged_instance three(store, 3);
  three.post(s->id, R"({"jsonrpc":"2.0","id":8,"method":"ping"})");
  while (three.deliver() | one.deliver() | two.deliver()) {
  }
  ASSERT_TRUE(three.session(s->id));
  EXPECT_EQ(three.session(s->id)->profile->bridges->at("a").session, "b-1") << "by its record";
  const auto edition = s->shared->edition;
  bridge_opened m;
  m.client = s->key + 1000;
  of(one).on_bridge(m);
  m.client = s->key;
  m.upstream = 9;
  of(one).on_bridge(m);
  EXPECT_EQ(s->shared->edition, edition) << "of nobody, and at none";
}

TEST_F(a_shared_session, tells_who_joins_what_was_opened_of_late) {
  bridge();
  settle();
  const auto told = [&] {
    two.heard.clear();
    two.say(one, {.what = kind::joined, .session = key});
    two.deliver();
    one.deliver();
    one.deliver();
    std::size_t n = 0;
    for (const auto& m : std::exchange(two.heard, {}))
      if (const auto w = two.line().hear(m)) n += w->second.what == kind::bridged;
    return n;
  };
  one.pass(limits::session_joining - std::chrono::milliseconds(1));
  EXPECT_EQ(told(), 1U);
  one.pass(std::chrono::milliseconds(1));
  EXPECT_EQ(told(), 0U) << "it is in the record";
  EXPECT_TRUE(s->shared->opened.empty());
}

TEST_F(a_shared_session, is_changed_at_all) {
  set_level(one, "error");
  settle();
  EXPECT_EQ(there->profile->log_level, R"("error")");
  set_level(two, "debug");
  settle();
  EXPECT_EQ(s->profile->log_level, R"("debug")");
}

TEST_F(a_shared_session, ends_at_all) {
  const auto r = two.arrive(verb::del, {"Mcp-Session-Id: " + s->id});
  settle();
  EXPECT_EQ(r->status, 204);
  EXPECT_FALSE(one.session(s->id));
  EXPECT_FALSE(two.session(s->id));
  EXPECT_FALSE(of(one).holds(key));
  EXPECT_FALSE(of(two).holds(key));
  ASSERT_TRUE(record());
  EXPECT_EQ(record()->size(), 1U) << "but that it has ended";
}

TEST_F(a_shared_session, is_nobodys_when_all_that_held_it_have_left) {
  of(one).leave(*s);
  settle();
  EXPECT_FALSE(of(one).holds(key));
  EXPECT_TRUE(record()) << "another uses it";
  of(two).leave(*there);
  settle();
  EXPECT_FALSE(record());
}

TEST_F(a_shared_session, forgets_who_is_not_heard_any_more) {
  EXPECT_EQ(s->shared->others.size(), 1U);
  two.deaf = true;
  bridge();
  settle();
  EXPECT_TRUE(s->shared->others.empty());
}

TEST_F(a_shared_session, is_told_of_a_bounded_number_of_others) {
  for (std::size_t n = 0; n <= limits::session_holders; ++n)
    s->shared->others.insert("x" + std::to_string(n));
  s->shared->others.erase(two.name());
  two.say(one, {.what = kind::joined, .session = key});
  settle();
  EXPECT_FALSE(s->shared->others.contains(two.name()));
}

TEST_F(a_shared_session, takes_no_bridge_that_is_none) {
  const auto say = [&](std::string upstream, std::string text) {
    two.say(one, {.what = kind::bridged,
                  .session = key,
                  .name = std::move(upstream),
                  .text = std::move(text)});
    settle();
  };
  const auto good = fleet::encode(fleet::bridge{at_a, "x", "2025-11-25", 0});
  say("a", "nonsense");
  say("z", good);
  EXPECT_TRUE(s->profile->bridges->empty());
  say("a", good);
  EXPECT_EQ(s->profile->bridges->size(), 1U);
}

TEST_F(a_shared_session, is_heard_of_only_in_words_about_it) {
  two.say(one, {.what = kind::ended, .session = "gate:{session:another}"});
  settle();
  EXPECT_TRUE(one.session(s->id));
  store_heard forged{one.line().channel(), two.name() + " nonsense"};
  of(one).on_heard(forged);
  of(one).on_heard({one.line().channel(), "nonsense"});
  of(one).on_heard({"another channel", two.name() + " x"});
  EXPECT_TRUE(one.session(s->id));
  two.say(one, {.what = kind::ended, .session = key});
  settle();
  EXPECT_FALSE(one.session(s->id));
}

TEST_F(a_shared_session, is_heard_where_its_client_listens) {
  bridge();
  settle();
  two.doors.take<subscribe_again>();
  const auto stream = two.listen(there);
  settle();
  EXPECT_EQ(two.doors.take<subscribe_again>().size(), 1U)
      << "what its upstream says is to come there";
  bridge("b-2", 1);
  settle();
  EXPECT_EQ(two.doors.take<subscribe_again>().size(), 1U) << "and of one that is opened later";
}

TEST_F(a_shared_session, is_none_of_an_upstream_that_a_reload_took_away) {
  bridge();
  settle();
  constexpr auto less = R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"}]})";
  two.reload(less);
  two.say(one, {.what = kind::joined, .session = key});
  settle();
  two.listen(there);
  EXPECT_TRUE(two.doors.take<subscribe_again>().empty());
  EXPECT_TRUE(two.session(s->id));
}

}  // namespace
}  // namespace gate::routing
