// What stands in the store of a session that two instances hold: actors/router/session_records.
#include "actors/router/session_records.hpp"

#include "actors/router/shared_sessions.hpp"
#include "protocol/limits.hpp"
#include "tests/actors/support/fleet_stage.hpp"

namespace gate::routing {
namespace {

struct a_session_record : sim::fleet_stage {
  sessions::session_ptr s = open();
  sessions::session_ptr there = come(s->id);
  std::string key = s->shared->key;

  shared_sessions& of(sim::staged_instance& i) { return i.it.fleet->sessions; }
  const std::map<std::string, std::string>* record() { return store.fields(key); }
  void bridge() {
    bridge_opened m;
    m.client = s->key;
    m.bridge = {"http://a.test/mcp", "b-1", "2025-11-25", 0};
    of(one).on_bridge(m);
  }
  void set_level(sim::staged_instance& i, const std::string& level) {
    const auto r = i.post(s->id, R"({"jsonrpc":"2.0","id":2,"method":"logging/setLevel",)"
                                 R"("params":{"level":")" +
                                     level + R"("}})");
    EXPECT_EQ(r->status, 200) << r->body;
  }
};

TEST_F(a_session_record, is_written_down_anew_when_the_store_has_lost_it) {
  set_level(one, "error");
  bridge();
  settle();
  store.forget_all();
  one.turn(false);
  one.turn(true);
  two.turn(true);
  settle();
  ASSERT_TRUE(record());
  EXPECT_TRUE(record()->contains("c"));
  EXPECT_TRUE(record()->contains("l"));
  EXPECT_TRUE(record()->contains("u:a"));
}

TEST_F(a_session_record, ends_where_its_end_was_not_heard) {
  two.deaf = true;
  one.arrive(verb::del, {"Mcp-Session-Id: " + s->id});
  settle();
  EXPECT_TRUE(two.session(s->id));
  two.deaf = false;
  two.turn(true);
  settle();
  EXPECT_FALSE(two.session(s->id)) << "its record says so";
}

TEST_F(a_session_record, is_written_again_if_the_store_did_not_take_it) {
  one.store_says = store_outcome::timeout;
  set_level(one, "error");
  one.deliver();
  one.deliver();
  EXPECT_TRUE(s->shared->unwritten.level);
  one.store_says.reset();
  one.turn(true);
  settle();
  EXPECT_FALSE(s->shared->unwritten.any());
  EXPECT_TRUE(record()->contains("l"));
}

TEST_F(a_session_record, is_renewed_while_it_is_used) {
  const auto asks = [&] {
    const auto before = store.seen().size();
    one.tick();
    settle();
    return store.seen().size() - before;
  };
  one.pass(limits::session_renewal);
  one.post(s->id, R"({"jsonrpc":"2.0","id":8,"method":"ping"})");
  EXPECT_EQ(asks(), 1U);
  one.pass(std::chrono::seconds(1));
  EXPECT_EQ(asks(), 0U) << "not each time";
  one.pass(limits::session_renewal);
  EXPECT_EQ(asks(), 0U) << "nobody uses it";
  one.listen(s);
  settle();
  one.pass(limits::session_renewal);
  EXPECT_EQ(asks(), 1U) << "an open stream is a sign of life";
}

TEST_F(a_session_record, is_written_a_portion_at_a_time) {
  std::vector<sessions::session_ptr> all;
  for (std::size_t n = 0; n <= limits::store_debts_at_once; ++n) all.push_back(open());
  for (const auto& one_of : all) of(one).level_changed(*one_of);
  one.doors.asked.clear();
  one.doors.timers.clear();
  one.it.on_timer(timer::records);
  EXPECT_EQ(one.doors.asked.size(), limits::store_debts_at_once);
  EXPECT_EQ(one.doors.timer(timer::records),
            std::chrono::milliseconds(limits::session_ends_pause).count());
  one.it.on_timer(timer::records);
  EXPECT_EQ(one.doors.asked.size(), limits::store_debts_at_once + 1);
}

TEST_F(a_session_record, keeps_what_was_changed_here_behind_a_look) {
  set_level(two, "error");
  two.deliver();
  two.deliver();
  one.deliver();  // hears that it has changed, and looks
  set_level(one, "debug");
  settle();
  EXPECT_EQ(s->profile->log_level, R"("debug")");
  EXPECT_EQ(there->profile->log_level, R"("debug")");
}

}  // namespace
}  // namespace gate::routing
