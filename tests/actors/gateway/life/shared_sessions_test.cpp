// Sessions that any instance of a fleet can go on with: records, looks, ends.
#include "protocol/mcp/session_id.hpp"
#include "tests/actors/support/a_fleet.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

TEST_F(a_fleet, goes_on_with_a_session_of_another_instance_without_a_handshake) {
  begin(R"({"roots":{}})");
  EXPECT_EQ(one.call("1", "a__x")->status, 200);
  const auto bridged = a.last("tools/call")->session;
  ASSERT_EQ(a.count("initialize"), 1U);
  const auto r = two.call("2", "a__x");
  EXPECT_EQ(r->status, 200) << r->body;
  EXPECT_EQ(a.count("initialize"), 1U);
  EXPECT_EQ(a.count("notifications/initialized"), 1U);
  EXPECT_EQ(a.last("tools/call")->session, bridged);
  EXPECT_EQ(a.last("tools/call")->header("mcp-protocol-version"), "2025-06-18");
  EXPECT_EQ(adopted("adopted"), 1);
  EXPECT_EQ(two.call("3", "a__x")->status, 200);
  EXPECT_EQ(looks(), 1U) << "only once";
}

TEST_F(a_fleet, numbers_requests_to_one_server_apart) {
  begin();
  std::set<std::string> ids;
  for (int n = 0; n < 5; ++n)
    for (auto* c : {&one, &two, &three}) {
      c->call(std::to_string(n), "a__x");
      ids.insert(a.last("tools/call")->id);
    }
  EXPECT_EQ(ids.size(), 15U);
  for (const auto& id : ids) EXPECT_LT(std::stoull(id), std::uint64_t{1} << 53U);
}

TEST_F(a_fleet, survives_the_instance_that_a_session_began_on) {
  begin();
  one.call("1", "a__x");
  const auto bridged = a.last("tools/call")->session;
  w.crash(w.cast("router").at(0));
  EXPECT_EQ(two.call("2", "a__x")->status, 200);
  EXPECT_EQ(a.last("tools/call")->session, bridged);
  w.advance(1s);
  EXPECT_EQ(one.call("3", "a__x")->status, 200) << "its successor finds it, too";
  EXPECT_EQ(a.last("tools/call")->session, bridged);
  EXPECT_EQ(a.count("DELETE"), 0U);
}

TEST_F(a_fleet, opens_a_session_anew_that_a_server_has_forgotten) {
  begin();
  one.call("1", "a__x");
  a.forget_sessions();
  EXPECT_EQ(two.call("2", "a__x")->status, 200);
  EXPECT_EQ(a.count("initialize"), 2U);
  const auto bridged = a.last("tools/call")->session;
  EXPECT_EQ(one.call("3", "a__x")->status, 200);
  EXPECT_EQ(a.count("initialize"), 2U) << "the others have heard of the new one";
  EXPECT_EQ(a.last("tools/call")->session, bridged);
}

TEST_F(a_fleet, shares_a_session_that_a_server_opens_later) {
  begin();
  EXPECT_EQ(two.request("1", "ping")->status, 200);
  two.call("2", "a__x");
  one.call("3", "a__x");
  three.call("4", "a__x");
  EXPECT_EQ(a.count("initialize"), 1U);
  std::set<std::string> bridged;
  for (const auto& s : a.seen("tools/call")) bridged.insert(s->session);
  EXPECT_EQ(bridged.size(), 1U);
}

TEST_F(a_fleet, looks_once_for_all_who_come_with_one_id) {
  begin();
  store->delay(100ms);
  const auto first = two.call("1", "a__x"), second = two.call("2", "a__x");
  const auto stream = two.get();
  EXPECT_EQ(first->status, 0);
  w.advance(100ms);
  EXPECT_EQ(first->status, 200);
  EXPECT_EQ(second->status, 200);
  EXPECT_TRUE(stream->streaming);
  EXPECT_EQ(looks(), 1U);
}

TEST_F(a_fleet, says_of_an_unknown_id_what_it_says_without_a_store) {
  world alone;
  client stranger(alone), here(w);
  for (const auto& id : {std::string(34, 'a'), std::string("odd"), std::string(33, 'a') + "G"}) {
    stranger.session = here.session = id;
    stranger.version = here.version = "2025-11-25";
    const auto known = stranger.call("1", "a__x"), r = here.call("1", "a__x");
    EXPECT_EQ(r->status, 404);
    EXPECT_EQ(r->body, known->body);
    EXPECT_EQ(r->headers, known->headers);
  }
  EXPECT_EQ(looks(), 1U) << "only an id of our form is looked for";
  here.session = std::string(34, 'a');
  here.call("2", "a__x");
  EXPECT_EQ(looks(), 1U) << "it is remembered";
  w.advance(1s);
  here.call("3", "a__x");
  EXPECT_EQ(looks(), 2U);
  EXPECT_EQ(adopted("unknown"), 2);
}

TEST_F(a_fleet, bounds_the_looks_that_are_under_way) {
  store->delay(100ms);
  std::vector<receipt_ptr> all;
  for (std::size_t n = 0; n <= limits::sessions_sought; ++n) {
    client c(w, 1);
    c.session =
        mcp::make_session_id({static_cast<std::uint8_t>(n >> 8U), static_cast<std::uint8_t>(n)}, 0);
    c.version = "2025-11-25";
    all.push_back(c.call("1", "a__x"));
  }
  EXPECT_EQ(all.back()->status, 503);
  EXPECT_EQ(all.back()->header("Retry-After"), "1");
  w.advance(100ms);
  EXPECT_EQ(all.front()->status, 404);
}

TEST_F(a_fleet, tells_a_client_its_id_when_the_others_can_know_it) {
  store->delay(100ms);
  const auto r =
      one.request("0", "initialize", R"({"protocolVersion":"2025-11-25","capabilities":{}})");
  EXPECT_EQ(r->status, 0);
  w.advance(100ms);
  ASSERT_EQ(r->status, 200);
  two.session = r->header("mcp-session-id");
  two.version = "2025-11-25";
  const auto called = two.call("1", "a__x");
  w.advance(100ms);
  EXPECT_EQ(called->status, 200);
}

TEST_F(a_fleet, believes_no_record_that_it_has_not_sealed) {
  begin();
  auto forged = store->fields(key())->at("c");
  forged[20] = static_cast<char>(forged[20] ^ 1);
  store->set_field(key(), "c", forged);
  EXPECT_EQ(two.call("1", "a__x")->status, 404);
  EXPECT_EQ(adopted("broken"), 1);
  EXPECT_EQ(holders(), 1U) << "who only looked does not hold it";
  EXPECT_EQ(one.call("2", "a__x")->status, 200) << "who has it goes on";
}

TEST_F(a_fleet, believes_no_record_of_another_session) {
  begin();
  client other(w);
  other.initialize();
  store->set_field(key(), "c", store->fields(fleet::session_key(sha256{}, other.session))->at("c"));
  EXPECT_EQ(two.call("1", "a__x")->status, 404);
}

TEST_F(a_fleet, leaves_no_id_and_no_name_in_the_store_in_clear) {
  begin();
  one.call("1", "a__x");
  const auto bridged = a.last("tools/call")->session;
  for (const auto& line : store->seen()) {
    EXPECT_EQ(line.find(one.session), std::string::npos);
    EXPECT_EQ(line.find(bridged), std::string::npos);
  }
  EXPECT_TRUE(store->fields(key())->contains("u:a"));
}

TEST_F(a_fleet, takes_over_what_a_client_has_said_of_itself) {
  begin(R"({"sampling":{}})");
  one.request("1", "logging/setLevel", R"({"level":"error"})");
  a.forget_sessions();
  two.call("2", "a__x");
  EXPECT_EQ(a.last("initialize")->param("capabilities"), R"({"sampling":{}})");
  EXPECT_EQ(a.last("logging/setLevel")->param("level"), R"("error")");
}

TEST_F(a_fleet, ends_a_session_everywhere) {
  begin();
  one.call("1", "a__x");
  two.call("2", "a__x");
  EXPECT_EQ(three.end()->status, 204);
  for (auto* c : {&one, &two, &three}) EXPECT_EQ(c->call("3", "a__x")->status, 404);
  EXPECT_EQ(a.open_sessions(), 0U);
  EXPECT_TRUE(known_as_ended());
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 0);
}

TEST_F(a_fleet, ends_what_an_instance_has_opened_that_is_gone) {
  begin();
  one.call("1", "a__x");
  w.crash(w.cast("router").at(0));
  EXPECT_EQ(two.end()->status, 204);
  EXPECT_EQ(a.open_sessions(), 0U);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="bridged"})"), 0);
}

TEST_F(a_fleet, ends_with_the_record_what_nobody_was_told_the_end_of) {
  begin();
  two.request("1", "ping");
  store->hold_news(true);
  EXPECT_EQ(one.end()->status, 204);
  store->drop_news();
  store->hold_news(false);
  EXPECT_EQ(two.request("2", "ping")->status, 200) << "it has not heard";
  w.advance(limits::session_renewal + 2s);
  two.request("3", "ping");
  w.advance(1s);
  EXPECT_EQ(two.request("4", "ping")->status, 404);
  EXPECT_TRUE(known_as_ended());
  EXPECT_EQ(three.call("5", "a__x")->status, 404);
}

TEST_F(a_fleet, writes_down_again_what_was_lost_though_the_store_was_there) {
  begin();
  one.call("1", "a__x");
  three.request("2", "ping");
  store->erase(key());
  w.advance(limits::session_renewal + 2s);
  one.request("3", "ping");
  w.advance(1s);
  ASSERT_NE(store->fields(key()), nullptr);
  EXPECT_EQ(two.call("4", "a__x")->status, 200);
  EXPECT_EQ(three.call("5", "a__x")->status, 200);
  EXPECT_EQ(a.count("initialize"), 1U);
}

TEST_F(a_fleet, keeps_the_record_as_long_as_the_session_is_used) {
  begin();
  const auto whole = 30min + 2 * limits::session_renewal;
  EXPECT_EQ(*store->ttl(key()), whole);
  const auto writes = store->seen().size();
  for (int n = 0; n < 50; ++n) {
    one.request(std::to_string(n), "ping");
    w.advance(1s);
  }
  EXPECT_EQ(store->seen().size(), writes) << "not for each request";
  w.advance(20s);
  one.request("51", "ping");
  w.advance(1s);
  EXPECT_EQ(store->seen().size(), writes + 1);
  EXPECT_GE(*store->ttl(key()), whole - 2s);
}

TEST_F(a_fleet, leaves_what_expires_to_whoever_used_it_last) {
  begin();
  one.call("1", "a__x");
  w.advance(10min);
  two.call("2", "a__x");
  w.advance(25min);  // the first has not seen it for longer than that
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 1);
  EXPECT_EQ(a.count("DELETE"), 0U);
  EXPECT_EQ(two.call("3", "a__x")->status, 200);
  w.advance(35min);
  EXPECT_EQ(a.count("DELETE"), 1U) << "now it is nobody's";
  EXPECT_EQ(store->fields(key()), nullptr);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="bridged"})"), 0);
}

TEST_F(a_fleet, keeps_sessions_when_an_instance_is_stopped) {
  begin();
  one.call("1", "a__x");
  w.stop();
  w.advance(15s);
  EXPECT_TRUE(w.stopped());
  EXPECT_NE(store->fields(key()), nullptr);
  EXPECT_EQ(a.open_sessions(), 1U);
}

struct a_fleet_that_asks_who_calls : ::testing::Test {
  std::shared_ptr<fake_store> store = a_fleet::taught();
  static world_options options(const std::shared_ptr<fake_store>& store, std::string_view more) {
    auto o = guarded_world(guarded(a_and_b, more));
    o.units = 2;
    o.store = store;
    o.secrets["KEY"] = "thirty-two characters, and then some";
    return o;
  }
  static receipt_ptr call_elsewhere(world& w, std::string_view who, std::string_view session) {
    client c(w, 1);
    c.token = token_for(who);
    c.session = session;
    c.version = "2025-11-25";
    return c.call("1", "a__x");
  }
};

TEST_F(a_fleet_that_asks_who_calls, gives_a_session_to_its_owner_only) {
  world w(options(store, ""));
  client c(w);
  c.token = token_for("alice");
  c.initialize();
  const auto no = call_elsewhere(w, "bob", c.session);
  EXPECT_EQ(no->status, 404);
  EXPECT_EQ(no->body, call_elsewhere(w, "bob", std::string(34, 'a'))->body);
  EXPECT_EQ(w.metric(R"(gate_sessions_adopted_total{outcome="foreign"})"), 1);
  EXPECT_EQ(call_elsewhere(w, "alice", c.session)->status, 200) << "a stranger is not in the way";
  EXPECT_EQ(call_elsewhere(w, "bob", c.session)->status, 404) << "nor when it is here";
  for (const auto& line : store->seen()) EXPECT_EQ(line.find("alice"), std::string::npos);
}

TEST_F(a_fleet_that_asks_who_calls, seals_by_a_secret_that_is_not_in_the_store) {
  world w(options(store, R"("server":{"fleetKeyRef":"KEY"})"));
  client c(w);
  c.token = token_for("alice");
  c.initialize();
  EXPECT_FALSE(store->get("gate:{fleet}:key"));
  EXPECT_EQ(call_elsewhere(w, "alice", c.session)->status, 200);
}

// --- while the store is away ---------------------------------------------------------------------

TEST_F(a_fleet, has_local_sessions_while_the_store_is_away) {
  store->go();
  begin();
  EXPECT_EQ(one.call("1", "a__x")->status, 200);
  EXPECT_EQ(two.call("2", "a__x")->status, 404);
  EXPECT_EQ(adopted("away"), 1);
  store->back();
  w.advance(1s);
  EXPECT_EQ(two.call("3", "a__x")->status, 200) << "it was told when it returned";
  EXPECT_EQ(a.count("initialize"), 1U);
}

TEST_F(a_fleet, tells_a_store_that_has_lost_its_data_what_there_is) {
  begin();
  one.call("1", "a__x");
  store->go();
  store->forget_all();
  store->back();
  w.advance(1s);
  EXPECT_EQ(two.call("2", "a__x")->status, 200);
  EXPECT_EQ(a.count("initialize"), 1U);
}

TEST_F(a_fleet, takes_no_session_from_a_client_because_the_store_was_slow) {
  begin();
  store->delay(limits::store_operation + 100ms);
  const auto r = two.call("1", "a__x");
  w.advance(limits::store_operation);
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->header("Retry-After"), "1");
  store->delay(0ms);
  EXPECT_EQ(two.call("2", "a__x")->status, 200);
  store->refuse("-OOM command not allowed");
  EXPECT_EQ(three.call("3", "a__x")->status, 404) << "who can begin anew does";
}

TEST_F(a_fleet, is_not_told_anew_of_a_session_that_ended_while_it_was_cut_off) {
  begin();
  one.call("1", "a__x");
  store->cut_off(0);
  w.settle();
  two.request("2", "ping");
  EXPECT_EQ(two.end()->status, 204);
  EXPECT_EQ(one.request("3", "ping")->status, 200) << "it can not know";
  store->let_in(0);
  w.advance(1s);
  EXPECT_TRUE(known_as_ended());
  for (auto* c : {&one, &two, &three}) EXPECT_EQ(c->request("4", "ping")->status, 404);
}

TEST_F(a_fleet, goes_on_with_a_session_whose_record_ended_while_it_was_cut_off) {
  begin();
  two.request("1", "ping");
  store->cut_off(0);
  for (int n = 0; n < 40; ++n) {
    one.request("2", "ping");
    w.advance(1min);
  }
  EXPECT_EQ(three.request("2", "ping")->status, 404) << "nobody has kept it";
  EXPECT_EQ(store->fields(key()), nullptr);
  store->let_in(0);
  w.advance(2s);
  EXPECT_EQ(one.request("3", "ping")->status, 200);
  EXPECT_EQ(two.request("4", "ping")->status, 200);
}

TEST_F(a_fleet, is_met_again_by_those_that_could_not_reach_it) {
  begin();
  two.request("1", "ping");
  a.always("tools/call", reply::silence());
  const auto stream = one.get();
  store->cut_off(0);
  w.settle();
  two.request("2", "logging/setLevel", R"({"level":"error"})");  // a word that reaches nobody
  store->let_in(0);
  w.advance(1s);
  two.call("3", "a__x");
  EXPECT_EQ(a.last("logging/setLevel")->param("level"), R"("error")");
  ASSERT_EQ(a.under_way("GET").size(), 1U) << "it was told what was opened elsewhere";
  EXPECT_EQ(a.under_way("GET")[0]->unit, 0U);
}

TEST_F(a_fleet, does_not_wait_for_a_silent_store_for_long) {
  store->fall_silent();
  const auto r =
      one.request("0", "initialize", R"({"protocolVersion":"2025-11-25","capabilities":{}})");
  w.advance(500ms);
  EXPECT_EQ(r->status, 200);
}

}  // namespace
}  // namespace gate
