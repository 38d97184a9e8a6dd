// An instance of a fleet that has just started, and does not know yet what sessions are sealed by;
// and sessions that several open at a server, so that none is left there.
#include "actors/router/loose_holds.hpp"
#include "actors/router/session_departures.hpp"
#include "tests/actors/support/a_fleet.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

/// The second instance starts anew, and what it asks the store takes so long.
void start_again(a_fleet& f, std::chrono::milliseconds delay) {
  f.store->delay(delay);
  f.w.crash(f.w.cast("router").at(1));
  f.w.advance(limits::restart_first);
}

TEST_F(a_fleet, waits_for_the_key_that_its_sessions_are_sealed_by) {
  begin();
  one.call("1", "a__x");
  start_again(*this, 300ms);
  const auto r = two.call("2", "a__x");
  EXPECT_EQ(r->status, 0) << "not before it knows the key";
  w.advance(700ms);
  EXPECT_EQ(r->status, 200) << r->body;
  EXPECT_EQ(a.count("initialize"), 1U);
}

TEST_F(a_fleet, does_not_give_up_a_session_that_it_can_not_open_yet) {
  begin();
  start_again(*this, limits::store_operation + 300ms);
  const auto r = two.request("1", "ping");
  w.advance(limits::store_operation);
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->header("Retry-After"), "1");
  EXPECT_EQ(two.request("2", "ping")->status, 503) << "nobody waits while it does not ask";
  store->delay(0ms);
  w.advance(1s + limits::store_operation);
  EXPECT_EQ(two.request("3", "ping")->status, 200) << "it has asked again";
}

TEST_F(a_fleet, tells_a_client_its_id_when_the_others_can_open_it) {
  start_again(*this, 200ms);
  const auto r =
      two.request("0", "initialize", R"({"protocolVersion":"2025-06-18","capabilities":{}})");
  EXPECT_EQ(r->status, 0);
  w.advance(500ms);
  ASSERT_EQ(r->status, 200);
  store->delay(0ms);
  one.session = r->header("Mcp-Session-Id");
  one.version = "2025-06-18";
  EXPECT_EQ(one.request("1", "ping")->status, 200);
}

TEST_F(a_fleet, opens_sessions_that_stay_its_own_if_the_key_does_not_come) {
  start_again(*this, limits::store_operation + 100ms);
  const auto r =
      two.request("0", "initialize", R"({"protocolVersion":"2025-06-18","capabilities":{}})");
  w.advance(limits::store_operation);
  EXPECT_EQ(r->status, 200) << "within the bound of the store";
}

TEST_F(a_fleet, refuses_no_client_for_ever_because_the_store_has_no_room_for_a_key) {
  begin();
  store->refuse("-OOM command not allowed");
  start_again(*this, 0ms);
  EXPECT_EQ(two.request("1", "ping")->status, 404) << "who can begin anew does";
  store->delay(300ms);
  w.advance(900ms);
  const auto r = two.request("2", "ping");
  w.advance(400ms);
  EXPECT_EQ(r->status, 404) << "nor while it asks again";
  store->refuse({});
  store->delay(0ms);
  w.advance(2s);
  EXPECT_EQ(two.request("3", "ping")->status, 200);
}

// --- what is open at servers ---------------------------------------------------------------------

TEST_F(a_fleet, ends_with_the_last_who_is_there_though_another_was_killed) {
  begin();
  two.request("1", "ping");
  one.call("2", "a__x");
  w.advance(1s);
  w.crash(w.cast("router").at(0));  // its mark in the record is as fresh as that of the other
  w.advance(31min);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 0);
  EXPECT_EQ(a.open_sessions(), 1U) << "its client may have used it there to the end";
  w.advance(2min);
  EXPECT_EQ(store->fields(key()), nullptr);
  EXPECT_EQ(a.open_sessions(), 0U);
}

TEST_F(a_fleet, goes_on_with_a_session_that_was_used_to_the_end_where_it_was_killed) {
  begin();
  two.request("1", "ping");
  w.advance(20min);
  one.call("2", "a__x");
  w.advance(10min);
  w.crash(w.cast("router").at(0));
  w.advance(1min);  // the other one has not seen it for longer than a session may be idle
  EXPECT_EQ(two.call("3", "a__x")->status, 200);
  EXPECT_EQ(a.count("initialize"), 1U);
  w.advance(35min);
  EXPECT_EQ(store->fields(key()), nullptr);
  EXPECT_EQ(a.open_sessions(), 0U);
}

TEST_F(a_fleet, is_not_down_for_a_session_that_it_could_not_look_at) {
  begin();
  one.call("1", "a__x");
  store->fall_silent(true);
  const auto r = two.request("2", "ping");
  w.advance(limits::store_operation);
  EXPECT_EQ(r->status, 503);
  store->speak();
  w.advance(2s);
  EXPECT_EQ(holders(), 1U);
  w.advance(31min);
  EXPECT_EQ(a.open_sessions(), 0U);
}

TEST_F(a_fleet, says_later_that_it_does_not_hold_a_session_any_more) {
  begin();
  one.call("1", "a__x");
  w.advance(29min + 50s);
  store->fall_silent();
  w.advance(15s);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 0);
  store->speak();
  w.advance(3s);
  EXPECT_EQ(store->fields(key()), nullptr);
  EXPECT_EQ(a.open_sessions(), 0U);
}

TEST_F(a_fleet, ends_nothing_that_another_uses_because_the_store_has_lost_the_record) {
  begin();
  one.call("1", "a__x");
  two.call("2", "a__x");
  const auto use_it = [this](std::chrono::seconds time, bool lost) {
    for (std::chrono::seconds passed{0}; passed < time; passed += 5s) {
      if (lost) store->forget_all();
      two.call("3", "a__x");
      w.advance(5s);
    }
  };
  use_it(29min + 30s, false);
  use_it(60s, true);
  use_it(3min, false);
  EXPECT_EQ(a.count("DELETE"), 0U);
  EXPECT_EQ(two.call("4", "a__x")->status, 200);
  EXPECT_EQ(a.count("initialize"), 1U);
  w.advance(33min);
  EXPECT_EQ(a.open_sessions(), 0U) << "now it is nobody's";
}

TEST_F(a_fleet, ends_what_it_was_the_last_to_hold_though_it_did_not_hear_so) {
  begin();
  one.call("1", "a__x");
  w.advance(29min + 50s);
  store->fall_silent(true);
  w.advance(11s);
  EXPECT_EQ(store->fields(key()), nullptr);
  store->speak();
  w.advance(2 * limits::session_renewal + 2s);
  EXPECT_EQ(a.open_sessions(), 0U);
}

TEST_F(a_fleet, leaves_no_session_that_it_is_just_looking_for) {
  begin();
  one.call("1", "a__x");
  w.advance(29min + 50s);
  store->refuse("-OOM command not allowed");
  w.advance(15s);
  ASSERT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 0);
  for (const auto seen = store->seen().size(); store->seen().size() == seen;) w.advance(50ms);
  w.advance(700ms);  // within a second it says again that it holds it no more
  store->refuse({});
  store->delay(450ms);
  const auto r = one.request("2", "ping");
  w.advance(1s);
  EXPECT_EQ(r->status, 200);
  store->delay(0ms);
  w.advance(3s);
  EXPECT_NE(store->fields(key()), nullptr);
  EXPECT_EQ(a.open_sessions(), 1U);
  EXPECT_EQ(one.call("3", "a__x")->status, 200);
  EXPECT_EQ(a.count("initialize"), 1U);
}

TEST_F(a_fleet, takes_back_no_look_that_was_never_sent) {
  begin();
  store->refuse("-OVERLOADED");
  EXPECT_EQ(two.request("1", "ping")->status, 503);
  store->refuse({});
  w.advance(3s);
  EXPECT_TRUE(std::ranges::none_of(store->seen(),
                                   [](const auto& line) { return line.starts_with("HDEL "); }));
}

TEST_F(a_fleet, tells_who_joins_what_was_opened_meanwhile) {
  begin();
  store->hold_news(true);
  two.request("1", "ping");
  one.call("2", "a__x");  // by one that has not heard of the other
  store->hold_news(false);
  while (store->held() > 0) store->tell(0);
  w.settle();
  two.call("3", "a__x");
  EXPECT_EQ(a.count("initialize"), 1U);
}

TEST_F(a_fleet, ends_all_that_two_have_opened_at_once) {
  begin();
  store->hold_news(true);
  two.request("1", "ping");
  one.call("2", "a__x");
  two.call("3", "a__x");
  ASSERT_EQ(a.open_sessions(), 2U) << "neither knew of the other";
  store->hold_news(false);
  while (store->held() > 0) store->tell(0);
  w.advance(31min);
  EXPECT_EQ(store->fields(key()), nullptr);
  EXPECT_EQ(a.open_sessions(), 0U);
}

TEST_F(a_fleet, ends_what_is_in_the_record_beside_its_own) {
  begin();
  store->hold_news(true);
  two.request("1", "ping");
  one.call("2", "a__x");
  two.call("3", "a__x");
  store->drop_news();
  w.crash(w.cast("router").at(1));
  store->hold_news(false);
  w.advance(33min);
  EXPECT_EQ(a.open_sessions(), 0U);
}

}  // namespace
}  // namespace gate
