// How long a session lives that several instances of a fleet hold, and what they agree on about it
// when each of them changes something, is cut off, or is followed by others.
#include "tests/actors/support/a_fleet.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::string_view saying = "notifications/resources/updated";

struct a_fleet_with_resources : a_fleet {
  a_fleet_with_resources() {
    a.capabilities = R"({"resources":{"subscribe":true},"logging":{}})";
    for (const auto* name : {"r", "s"})
      a.resources.push_back(R"({"uri":"file:///)" + std::string(name) + R"(","name":"x"})");
  }
  static receipt_ptr subscribe(client& c, std::string_view what, std::string_view method) {
    auto r = c.request("1", method, R"({"uri":"file:///)" + std::string(what) + "\"}");
    EXPECT_EQ(r->status, 200) << r->body;
    return r;
  }
  static receipt_ptr subscribe(client& c, std::string_view what) {
    return subscribe(c, what, "resources/subscribe");
  }
  static receipt_ptr unsubscribe(client& c, std::string_view what) {
    return subscribe(c, what, "resources/unsubscribe");
  }
  void update(std::string_view what) {
    a.announce(R"({"jsonrpc":"2.0","method":")" + std::string(saying) +
               R"(","params":{"uri":"file:///)" + std::string(what) + "\"}}");
    w.settle();
  }
  /// Words that were held arrive, in the order in which they were said.
  void let_words_out() {
    store->hold_news(false);
    while (store->held() > 0) store->tell(0);
    w.settle();
  }
};

// --- how long ------------------------------------------------------------------------------------

TEST_F(a_fleet, lives_as_long_as_its_client_listens_at_any_instance) {
  begin();
  one.call("1", "a__x");
  two.request("2", "ping");
  w.advance(40s);
  const auto stream = one.get();
  ASSERT_TRUE(stream->streaming);
  w.advance(32min);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 1) << "the other one has forgotten it";
  EXPECT_EQ(a.count("DELETE"), 0U);
  EXPECT_FALSE(stream->stream_ended);
  ASSERT_NE(store->fields(key()), nullptr);
  w.advance(70min);
  EXPECT_FALSE(stream->stream_ended);
  EXPECT_EQ(two.call("3", "a__x")->status, 200) << "it can be taken up, as ever";
  EXPECT_EQ(a.count("initialize"), 1U);
}

TEST_F(a_fleet, lives_on_where_it_was_used_behind_the_last_time_that_was_written_down) {
  begin();
  one.call("1", "a__x");
  w.advance(5s);
  two.call("2", "a__x");
  w.advance(50s);
  one.request("3", "ping");  // too soon for another write
  w.advance(29min + 40s);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 1) << "the other one has forgotten it";
  EXPECT_EQ(a.count("DELETE"), 0U);
  EXPECT_EQ(one.call("4", "a__x")->status, 200);
  w.advance(10s);
  EXPECT_EQ(one.call("5", "a__x")->status, 200);
  EXPECT_EQ(a.count("initialize"), 1U);
  w.advance(33min);
  EXPECT_EQ(a.count("DELETE"), 1U) << "and ends where it was used last";
  EXPECT_EQ(store->fields(key()), nullptr);
}

TEST_F(a_fleet, ends_with_what_an_instance_has_opened_that_is_gone) {
  begin();
  one.call("1", "a__x");
  w.crash(w.cast("router").at(0));
  w.advance(5min);
  two.request("2", "ping");
  w.advance(32min);
  EXPECT_EQ(store->fields(key()), nullptr);
  EXPECT_EQ(a.open_sessions(), 0U);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="bridged"})"), 0);
}

TEST_F(a_fleet, does_not_rely_on_the_clocks_of_its_instances) {
  begin();
  using std::chrono::seconds;
  const auto there =
      seconds(1'795'253'400) + std::chrono::floor<seconds>(store->now().time_since_epoch());
  for (const auto& [field, value] : *store->fields(key())) {
    if (!field.starts_with("i:")) continue;
    EXPECT_EQ(value, std::to_string(there.count()));
  }
}

// --- what several change -------------------------------------------------------------------------

TEST_F(a_fleet_with_resources, has_all_subscriptions_that_were_made_at_the_same_moment) {
  begin();
  two.request("1", "ping");
  store->hold_news(true);
  subscribe(one, "r");
  subscribe(two, "s");
  let_words_out();
  const auto stream = one.get();
  update("r");
  update("s");
  EXPECT_EQ(stream->events().size(), 2U);
  const auto elsewhere = three.get();
  update("r");
  update("s");
  EXPECT_EQ(elsewhere->events().size(), 2U);
}

TEST_F(a_fleet_with_resources, has_none_that_was_ended_elsewhere) {
  begin();
  subscribe(one, "r");
  subscribe(one, "s");
  unsubscribe(two, "r");
  for (auto* c : {&one, &two, &three}) {
    const auto stream = c->get();
    update("r");
    update("s");
    EXPECT_EQ(stream->events().size(), 1U);
  }
}

TEST_F(a_fleet_with_resources, agrees_on_one_level_whoever_is_told_last) {
  begin();
  one.call("1", "a__x");
  two.request("2", "ping");
  store->hold_news(true);
  one.request("3", "logging/setLevel", R"({"level":"error"})");
  subscribe(two, "s");
  two.request("4", "logging/setLevel", R"({"level":"debug"})");
  let_words_out();
  for (auto* c : {&one, &two, &three}) {
    a.forget_sessions();
    c->call("5", "a__x");
    EXPECT_EQ(a.last("logging/setLevel")->param("level"), R"("debug")");
  }
}

TEST_F(a_fleet_with_resources, is_told_what_was_changed_while_the_store_was_away) {
  begin();
  two.request("1", "ping");
  subscribe(one, "r");
  store->go();
  w.settle();
  unsubscribe(one, "r");
  subscribe(two, "s");
  store->back();
  w.advance(1s);
  for (auto* c : {&one, &two, &three}) {
    const auto stream = c->get();
    update("r");
    update("s");
    EXPECT_EQ(stream->events().size(), 1U);
  }
}

TEST_F(a_fleet_with_resources, writes_down_as_many_as_there_may_be) {
  a.resources.clear();
  for (int n = 0; n < 150; ++n)
    a.resources.push_back(R"({"uri":"file:///)" + std::to_string(n) + R"(","name":"x"})");
  begin();
  for (int n = 0; n < 150; ++n) subscribe(one, std::to_string(n));
  store->go();
  store->forget_all();
  store->back();
  w.advance(2s);
  const auto stream = two.get();
  for (const auto* name : {"0", "70", "149"}) update(name);
  EXPECT_EQ(stream->events().size(), 3U);
}

// --- who else holds it ---------------------------------------------------------------------------

TEST_F(a_fleet, knows_those_that_hold_it_however_many_there_were) {
  begin();
  two.request("1", "ping");
  a.always("tools/call", reply::silence());
  const auto now = std::stoll(store->fields(key())->rbegin()->second);
  for (std::size_t n = 0; n < limits::session_holders + 6; ++n)
    store->set_field(key(), "i:!" + std::to_string(n), std::to_string(now - 1));
  w.crash(w.cast("router").at(0));
  w.advance(1s);
  store->hold_news(true);
  one.call("7", "a__x");
  store->drop_news();  // that it has the session
  store->hold_news(false);
  EXPECT_EQ(two.cancel("7")->status, 202);
  EXPECT_EQ(a.count("notifications/cancelled"), 1U);
}

}  // namespace
}  // namespace gate
