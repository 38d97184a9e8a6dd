// DISPATCH and its DESTINATIONs, from what is due to what LEDGER keeps of it.
#include "actors/webhooks/dispatch_actor.hpp"

#include "tests/actors/webhooks/support/a_dispatch.hpp"

namespace gate::hooks {
namespace {

using namespace std::chrono_literals;
using sim::reply;
using testing::noon;
using webhook::state;

struct dispatching : testing::a_dispatch {};

TEST_F(dispatching, delivers_what_is_due_to_each_webhook_that_wants_it) {
  hook("a");
  hook("b");
  start();
  accept(40);
  EXPECT_EQ(receiver("a").seen().size(), 40U);
  EXPECT_EQ(receiver("b").seen().size(), 40U);
  EXPECT_EQ(count(state::succeeded), 80U);
  EXPECT_EQ(read("a").succeeded, 40U);
  const auto s = receiver("a").seen().front();
  EXPECT_EQ(s->body, R"({"type":"deploy.success","n":"evt_1"})");
  EXPECT_EQ(s->header("webhook-id"), "evt_1");
  EXPECT_FALSE(s->header("webhook-signature").empty());
}

TEST_F(dispatching, begins_with_what_was_due_before_it) {
  hook("a");
  const wall_time before = noon - 5min;
  data->get<ledger::accepted>(
      ledger::accept_events{"acme", {{"evt_old", {}, before, "{}", {}}}, before, before});
  // It was on its way when the process died.
  data->get<ledger::taken>(ledger::take_due{"hook_a", 8, before, "old", noon + 1min});
  EXPECT_EQ(count(state::delivering), 1U);
  start();
  EXPECT_EQ(count(state::succeeded), 1U);
}

TEST_F(dispatching, waits_for_the_leases_of_others) {
  alone = false;
  hook("a");
  data->get<ledger::accepted>(
      ledger::accept_events{"acme", {{"evt_old", {}, noon, "{}", {}}}, noon, noon});
  data->get<ledger::taken>(ledger::take_due{"hook_a", 8, noon, "another's", noon + 20s});
  start();
  advance(19s);
  EXPECT_EQ(receiver("a").seen().size(), 0U);
  advance(limits::webhook_scan + 1s);
  EXPECT_EQ(count(state::succeeded), 1U);
}

TEST_F(dispatching, finds_what_nobody_told) {
  hook("a");
  start();
  data->get<ledger::accepted>(
      ledger::accept_events{"acme", {{"evt_1", {}, wall_ms(), "{}", {}}}, wall_ms(), wall_ms()});
  advance(limits::webhook_scan + 1s);
  EXPECT_EQ(count(state::succeeded), 1U);
}

TEST_F(dispatching, tries_by_the_schedule_for_days) {
  hook("a");
  answers("a", reply::http(500));
  start();
  accept(1);
  advance(30h);
  const auto at = times("a");
  const std::vector<std::chrono::seconds> pauses{0s, 5s, 300s, 1800s, 7200s, 18'000s, 36'000s};
  ASSERT_EQ(at.size(), pauses.size());
  for (std::size_t i = 1; i < at.size(); ++i) {
    EXPECT_GE(at[i] - at[i - 1], pauses[i] * 0.8) << i;
    EXPECT_LE(at[i] - at[i - 1], pauses[i] * 1.2 + 1s) << i;
  }
  EXPECT_EQ(count(state::dead), 1U);
  const auto d = only_delivery("a");
  EXPECT_EQ(d.log.size(), 7U);
  EXPECT_EQ(d.code, 500);
}

/// What an answer makes of a delivery, and when it is attempted again.
struct answered_row {
  reply with;
  state becomes;
  std::chrono::milliseconds again_least{0}, again_most{0};
  std::string error;
};

TEST_F(dispatching, does_with_each_end_of_an_attempt_what_the_schedule_says) {
  reply throttled = reply::http(429), away = reply::http(503), lost = reply::http(500);
  throttled.retry_after_text = "100";
  away.retry_after_text = "9999999";  // at most a day
  lost.retry_after_text = "100";      // only those that say "later" are heeded
  const answered_row rows[] = {
      {reply::http(200), state::succeeded, {}, {}, ""},
      {reply::http(204), state::succeeded, {}, {}, ""},
      {reply::http(410), state::dead, {}, {}, "the receiver answered 410 Gone"},
      {throttled, state::failed, 100s, 100s, "the receiver answered 429"},
      {away, state::failed, 24h, 24h, "the receiver answered 503"},
      {lost, state::failed, 4s, 6s, "the receiver answered 500"},
      {reply::http(302), state::failed, 4s, 6s, "the receiver answered 302 Found: redirects"},
      {reply::failure(fetch_end::redirected), state::failed, 4s, 6s, ""},
      {reply::http(404), state::failed, 4s, 6s, "the receiver answered 404 Not Found"},
      {reply::failure(fetch_end::connect_failed), state::failed, 4s, 6s, "no connection"},
      {reply::failure(fetch_end::connect_timeout), state::failed, 4s, 6s, "the receiver did not"},
      {reply::failure(fetch_end::broken), state::failed, 4s, 6s, "the connection ended before"},
      {reply::failure(fetch_end::malformed), state::failed, 4s, 6s, "the receiver's answer is no"},
      {reply::failure(fetch_end::overloaded), state::failed, 4s, 6s, "no connection"},
  };
  start();
  int n = 0;
  for (const auto& r : rows) {
    const auto host = "r" + std::to_string(++n);
    const auto organization = "org-" + std::to_string(n);
    hook(host, organization);
    answers(host, r.with);
    accept(1, organization);
    const auto page = data->get<ledger::delivery_page>(
        ledger::list_deliveries{organization, "hook_" + host, {}, {}, 100});
    const auto& d = page.deliveries.at(0);
    EXPECT_EQ(d.status, r.becomes) << n;
    EXPECT_TRUE(d.error.starts_with(r.error)) << n << ": " << d.error;
    EXPECT_EQ(d.next_attempt.has_value(), r.becomes == state::failed) << n;
    if (!d.next_attempt) continue;
    EXPECT_GE(*d.next_attempt - wall_ms(), r.again_least) << n;
    EXPECT_LE(*d.next_attempt - wall_ms(), r.again_most) << n;
  }
}

TEST_F(dispatching, signs_by_both_secrets_for_a_day_after_a_rotation) {
  hook("a");
  start();
  data->get<webhook::webhook>(ledger::rotate_secret{
      "acme", "hook_a", "another-secret-16", wall_ms(), wall_ms() + limits::webhook_rotation});
  accept(1);
  advance(limits::webhook_rotation);
  accept(1);
  const auto& seen = receiver("a").seen();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(std::ranges::count(seen[0]->header("webhook-signature"), ' '), 1);
  EXPECT_EQ(std::ranges::count(seen[1]->header("webhook-signature"), ' '), 0);
}

TEST_F(dispatching, delivers_a_dead_letter_that_is_taken_out_of_its_queue_once_more) {
  hook("a");
  answers("a", reply::http(500));
  start();
  accept(1);
  advance(30h);
  ASSERT_EQ(count(state::dead), 1U);
  const auto retry = [&] {
    data->get<ledger::requeued>(ledger::retry_dead{"acme", "hook_a", wall_ms()});
    tell(it, due_told{"hook_a", "acme", wall_ms()});
  };
  retry();
  EXPECT_EQ(count(state::dead), 1U) << "what fails again stays";
  EXPECT_EQ(only_delivery("a").attempts, 8U);
  answers("a", reply::http(200));
  retry();
  EXPECT_EQ(count(state::succeeded), 1U);
}

TEST_F(dispatching, keeps_no_actor_for_who_has_nothing_to_do) {
  hook("a");
  hook("b");
  start();
  accept(3);
  EXPECT_EQ(destinations(), 2U);
  advance(limits::webhook_rest + limits::webhook_scan);
  EXPECT_EQ(destinations(), 0U);
  accept(1);
  EXPECT_EQ(count(state::succeeded), 8U);
}

TEST_F(dispatching, keeps_none_between_attempts_that_are_far_apart) {
  hook("a");
  answers("a", reply::http(500));
  start();
  accept(1);
  advance(2min);
  EXPECT_EQ(destinations(), 0U);
  EXPECT_EQ(receiver("a").seen().size(), 2U);
  advance(10min);
  EXPECT_EQ(receiver("a").seen().size(), 3U);
}

TEST_F(dispatching, is_not_delayed_by_a_receiver_that_does_not_answer) {
  hook("dead");
  hook("alive");
  answers("dead", reply::silence());
  start();
  accept(100);
  EXPECT_EQ(receiver("alive").seen().size(), 100U);
  EXPECT_EQ(receiver("dead").seen().size(), limits::webhook_attempts);
  advance(limits::webhook_answer);
  EXPECT_EQ(receiver("dead").under_way("not JSON-RPC").size(), 0U) << "it is left alone";
  EXPECT_TRUE(logged("is left alone"));
  accept(100);
  EXPECT_EQ(receiver("alive").seen().size(), 200U);
  answers("dead", reply::http(200));
  advance(24h);
  EXPECT_EQ(count(state::succeeded), 400U) << "what waited has lost no attempt";
  EXPECT_TRUE(logged("takes deliveries again"));
}

TEST_F(dispatching, gives_an_attempt_its_time_and_no_more) {
  hook("a");
  answers("a", reply::silence());
  start();
  accept(1);
  advance(limits::webhook_answer - 1ms);
  EXPECT_EQ(count(state::delivering), 1U);
  advance(1ms);
  EXPECT_EQ(count(state::failed), 1U);
  EXPECT_TRUE(receiver("a").seen().front()->abandoned);
  const auto d = only_delivery("a");
  EXPECT_EQ(d.error.substr(0, 39), "the receiver did not answer in time: it");
  EXPECT_EQ(d.log.at(0).took, limits::webhook_answer);
}

TEST_F(dispatching, takes_no_event_stream_for_an_answer) {
  hook("a");
  answers("a", reply{.events = {"{}"}, .open = true});
  start();
  accept(1);
  EXPECT_EQ(count(state::failed), 1U);
  EXPECT_TRUE(receiver("a").seen().front()->abandoned);
}

TEST_F(dispatching, disables_what_is_gone_and_goes_on_when_it_is_enabled) {
  hook("a");
  answers("a", reply::http(410));
  start();
  accept(30);
  EXPECT_EQ(read("a").why_not, webhook::disabled::gone);
  EXPECT_EQ(count(state::dead), 8U);
  EXPECT_EQ(count(state::pending), 22U);
  EXPECT_TRUE(logged("is disabled"));
  advance(1h);
  EXPECT_EQ(receiver("a").seen().size(), 8U);
  answers("a", reply::http(200));
  data->get<webhook::webhook>(ledger::patch_webhook{"acme", "hook_a", wall_ms(), {}, {}, {}, true});
  tell(it, due_told{"hook_a", "acme", wall_ms()});
  EXPECT_EQ(count(state::succeeded), 22U);
}

TEST_F(dispatching, shares_places_between_organizations) {
  // Each of the webhooks of one takes all that it can, and none answers.
  const auto busy = limits::webhook_held_in_all / limits::webhook_held + 10;
  for (std::size_t i = 0; i < std::min<std::size_t>(busy, limits::ledger_webhooks); ++i) {
    hook("s" + std::to_string(i), "greedy");
    answers("s" + std::to_string(i), reply::silence());
  }
  hook("other", "modest");
  start();
  accept(40, "greedy");
  accept(5, "modest");
  EXPECT_EQ(receiver("other").seen().size(), 5U);
  EXPECT_LE(count(state::delivering), limits::webhook_held_in_all * 3 / 4);
}

TEST_F(dispatching, outlives_a_destination_that_crashes) {
  hook("a");
  answers("a", reply::silence());
  start();
  accept(4);
  answers("a", reply::http(200));
  crash(cast("destination").at(0));
  EXPECT_TRUE(logged("crashed"));
  advance(rules.lease + 2 * limits::webhook_scan + 5s);
  EXPECT_EQ(count(state::succeeded), 4U) << "when their leases are over";
}

TEST_F(dispatching, ends_its_destinations_with_itself) {
  hook("a");
  answers("a", reply::silence());
  start();
  accept(4);
  crash(it);
  EXPECT_EQ(destinations(), 0U);
  answers("a", reply::http(200));
  start();  // it is alone: whatever has a lease is nobody's
  EXPECT_EQ(count(state::succeeded), 4U);
}

TEST_F(dispatching, waits_for_a_ledger_that_can_not_serve) {
  hook("a");
  start();
  data->away = true;
  tell(it, due_told{"hook_a", "acme", wall_ms()});
  advance(10s);
  data->away = false;
  accept(1);
  advance(limits::webhook_scan + 2s);
  EXPECT_EQ(count(state::succeeded), 1U);
}

TEST_F(dispatching, notes_again_what_the_ledger_could_not_take) {
  hook("a");
  answers("a", reply{.after = 1s, .status = 200});
  start();
  accept(3);
  data->away = true;
  advance(5s);
  EXPECT_EQ(receiver("a").seen().size(), 3U);
  data->away = false;
  advance(2s);
  EXPECT_EQ(count(state::succeeded), 3U);
  EXPECT_EQ(receiver("a").seen().size(), 3U) << "none was delivered twice";
}

TEST_F(dispatching, goes_on_with_another_ledger) {
  hook("a");
  answers("a", reply{.after = 1s, .status = 200});
  start();
  accept(3);
  data->silent = true;
  advance(2s);
  crash(ledger);
  data->silent = false;
  restart_ledger();
  tell(it, use_ledger{ledger});
  advance(2s);
  EXPECT_EQ(count(state::succeeded), 3U);
  EXPECT_EQ(receiver("a").seen().size(), 3U);
}

TEST_F(dispatching, tells_followers_of_attempts) {
  struct told_all {
    std::vector<attempt_told> all;
  };
  auto told = std::make_shared<told_all>();
  const auto who =
      system().spawn([told](follower_handle::pointer) -> follower_handle::behavior_type {
        return {[told](const attempt_told& m) { told->all.push_back(m); }};
      });
  hook("a");
  hook("b");
  answers("a", reply::http(500));
  start();
  accept(1);
  tell(it, follow_webhook{7, "hook_a", who});
  EXPECT_TRUE(told->all.empty());
  accept(2);
  ASSERT_EQ(told->all.size(), 2U);
  EXPECT_EQ(told->all[0].number, 7U);
  EXPECT_EQ(told->all[0].status, state::failed);
  tell(it, unfollow{7, who});
  accept(1);
  EXPECT_EQ(told->all.size(), 2U);
  // Of one whose actor is not there yet.
  advance(10min);
  tell(it, follow_webhook{8, "hook_b", who});
  accept(1);
  EXPECT_EQ(std::ranges::count(told->all, 8U, &attempt_told::number), 1);
  caf::anon_send_exit(who, caf::exit_reason::kill);
  settle();
  accept(1);
}

TEST_F(dispatching, stops_when_what_runs_has_ended) {
  hook("a");
  answers("a", reply{.after = 4s, .status = 200});
  start();
  accept(20);
  const auto stopped = ask<delivering_stopped>(it, stop_delivering{});
  EXPECT_FALSE(stopped.done());
  advance(4s);
  EXPECT_TRUE(stopped.done());
  EXPECT_EQ(count(state::succeeded), 8U);
  EXPECT_EQ(count(state::pending), 12U) << "due again at once";
  EXPECT_EQ(destinations(), 0U);
}

TEST_F(dispatching, stops_without_what_does_not_end) {
  hook("a");
  answers("a", reply::silence());
  start();
  accept(20);
  const auto stopped = ask<delivering_stopped>(it, stop_delivering{});
  advance(limits::drain - 1ms);
  EXPECT_FALSE(stopped.done());
  advance(1ms);
  EXPECT_TRUE(stopped.done());
  EXPECT_EQ(count(state::pending), 20U);
  EXPECT_EQ(count(state::delivering), 0U);
}

TEST_F(dispatching, stops_though_the_ledger_is_gone) {
  hook("a");
  answers("a", reply::silence());
  start();
  accept(20);
  data->silent = true;
  crash(ledger);
  const auto stopped = ask<delivering_stopped>(it, stop_delivering{});
  EXPECT_FALSE(stopped.done());
  advance(limits::drain);
  EXPECT_TRUE(stopped.done());
  EXPECT_EQ(destinations(), 0U);
}

TEST_F(dispatching, survives_a_clock_that_is_set) {
  hook("a");
  answers("a", reply::http(500));
  start();
  accept(1);
  skew = -1h;  // set back: what waits, waits longer, and nothing is lost
  advance(1h + 10s);
  EXPECT_EQ(receiver("a").seen().size(), 2U);
  skew = 24h * 365;
  answers("a", reply::http(200));
  advance(10min);
  EXPECT_EQ(count(state::succeeded), 1U);
}

TEST_F(dispatching, counts_attempts) {
  hook("a");
  start();
  accept(3);
  answers("a", reply::http(404));
  accept(1);
  const auto text = counted.expose();
  EXPECT_NE(text.find("gate_hooks_attempts_total{outcome=\"success\"} 3"), text.npos) << text;
  EXPECT_NE(text.find("gate_hooks_attempts_total{outcome=\"rejected\"} 1"), text.npos);
  EXPECT_NE(text.find("gate_hooks_attempt_seconds_count 4"), text.npos);
}

}  // namespace
}  // namespace gate::hooks
