// One webhook's deliveries in virtual time: the test is LEDGER and the receiver.
#include "actors/webhooks/deliverer.hpp"

#include <gtest/gtest.h>

#include "tests/actors/webhooks/support/noon.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace gate::hooks {
namespace {

using namespace std::chrono_literals;
using webhook::ending;
using webhook::state;

using testing::noon;

deliverer_rules usual() {
  return {.schedule = {},
          .answer = 15s,
          .lease = 40s,
          .pause = 1s,
          .in_flight = 8,
          .held = 16,
          .breaker = {.failure_threshold = 5, .half_open_after = 30s}};
}

/// What LEDGER keeps of a delivery, and how often it was sent.
struct row {
  webhook::delivery d;
  std::string lease;
  std::vector<wall_time> sent;
  std::vector<std::string> errors;
};

struct a_deliverer : ::testing::Test, deliverer_door {
  // --- the door ---
  void claim(std::size_t n) override { claimed = n; }
  void give_places(std::size_t n) override {
    EXPECT_GE(places, n);
    places -= n;
  }
  void give_back(ledger::give_back what) override {
    for (auto& r : rows)
      if (r.lease == what.lease && r.d.status == state::delivering) {
        r.lease.clear();
        r.d.status = r.d.attempts == 0 ? state::pending : state::failed;
        r.d.next_attempt = what.now;
      }
  }
  void take(ledger::take_due what) override { asked.push_back(std::move(what)); }
  void note(std::uint64_t attempt, ledger::note_attempt what) override {
    notes.emplace_back(attempt, std::move(what));
  }
  void disable(ledger::disable_webhook what) override { hook.why_not = what.why; }
  void send(std::uint64_t attempt, const attempt_to_make& what) override {
    find(what.delivery.id).sent.push_back(now.wall);
    EXPECT_EQ(what.number, find(what.delivery.id).d.attempts + 1);
    EXPECT_EQ(what.event.body, "body of " + what.delivery.id);
    sent.emplace_back(attempt, what.delivery.id);
    most_at_once = std::max(most_at_once, it->in_flight());
  }
  std::string new_lease() override { return "lease " + std::to_string(++leases); }
  std::uint32_t chance() override { return 1U << 31U; }  // no jitter

  // --- LEDGER ---
  row& find(const std::string& id) {
    return *std::ranges::find(rows, id, [](const row& r) { return r.d.id; });
  }
  void accept(int n) {
    for (int i = 0; i < n; ++i) {
      row r;
      r.d.id = "d" + std::to_string(rows.size() + 1);
      r.d.webhook = "hook";
      r.d.next_attempt = now.wall;
      rows.push_back(std::move(r));
    }
    it->due(now.wall, now);
    grant();
  }
  bool grant() {
    const auto n = std::min(std::exchange(claimed, 0), granted_at_once);
    if (n == 0) return false;
    places += n;
    it->granted(n, now);
    return true;
  }
  bool answer_take() {
    if (asked.empty()) return false;
    const auto a = asked.front();
    asked.erase(asked.begin());
    EXPECT_EQ(a.now, now.wall);
    EXPECT_EQ(a.until, now.wall + 40s);
    ledger::taken out;
    out.webhook = hook;
    if (hook.why_not == webhook::disabled::no)
      for (auto& r : rows) {
        if (!r.d.next_attempt) continue;
        if (*r.d.next_attempt <= now.wall && out.deliveries.size() < a.most) {
          r.lease = a.lease;
          r.d.next_attempt.reset();
          r.d.status = state::delivering;
          out.deliveries.push_back({r.d, {"e", {}, {}, {}, "body of " + r.d.id}});
        } else {
          out.next = std::min(out.next.value_or(*r.d.next_attempt), *r.d.next_attempt);
        }
      }
    it->taken(std::move(out), now);
    return true;
  }
  bool answer_note() {
    if (notes.empty()) return false;
    auto [attempt, n] = std::move(notes.front());
    notes.erase(notes.begin());
    auto& r = find(n.delivery);
    if (r.lease != n.lease) {
      it->noted(attempt, ledger::refusal{ledger::refusal::reason::lease_lost, "lost"}, now);
      return true;
    }
    r.lease.clear();
    r.d.status = n.status;
    r.d.next_attempt = n.next;
    ++r.d.attempts;
    r.errors.push_back(n.what.error);
    if (n.status == state::succeeded)
      hook.failing_since.reset();
    else if (!hook.failing_since)
      hook.failing_since = now.wall;
    it->noted(attempt, ledger::noted{hook.failing_since}, now);
    return true;
  }
  /// The receiver answers all that it was sent, LEDGER all that it was asked.
  void settle() {
    for (;;) {
      if (grant() || answer_take() || answer_note()) continue;
      if (sent.empty() || !receiver) return;
      const auto [attempt, id] = sent.front();
      sent.erase(sent.begin());
      it->ended(attempt, receiver(id), "said", now);
    }
  }
  void pass(std::chrono::milliseconds time) {
    now.wall += time;
    now.steady += time;
  }
  /// From one time at which something happens to the next.
  void run(std::chrono::milliseconds most) {
    const auto end = now.steady + most;
    settle();
    while (const auto at = it->next(now)) {
      if (*at > end) break;
      pass(std::chrono::ceil<std::chrono::milliseconds>(*at - now.steady));
      it->go_on(now);
      settle();
    }
    pass(std::chrono::ceil<std::chrono::milliseconds>(end - now.steady));
  }
  std::size_t count(state s) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows, [s](const row& r) { return r.d.status == s; }));
  }

  static webhook::outcome ok(const std::string&) { return webhook::of_answer(200, {}, noon); }
  static webhook::outcome dead(const std::string&) {
    return webhook::of_failure(ending::timeout, {});
  }

  moment now{noon, std::chrono::steady_clock::time_point{1000h}};
  webhook::webhook hook;
  std::vector<row> rows;
  std::vector<ledger::take_due> asked;
  std::vector<std::pair<std::uint64_t, ledger::note_attempt>> notes;
  std::vector<std::pair<std::uint64_t, std::string>> sent;
  std::function<webhook::outcome(const std::string&)> receiver = ok;
  std::size_t most_at_once = 0;
  std::size_t claimed = 0, places = 0, granted_at_once = 16;
  int leases = 0;
  std::unique_ptr<deliverer> it = std::make_unique<deliverer>(*this, "hook", usual());
};

TEST_F(a_deliverer, delivers_what_is_due_and_is_idle) {
  accept(100);
  settle();
  EXPECT_EQ(count(state::succeeded), 100U);
  for (const auto& r : rows) EXPECT_EQ(r.sent.size(), 1U) << r.d.id;
  EXPECT_TRUE(it->is_idle());
  EXPECT_FALSE(it->next(now));
  EXPECT_EQ(places, 0U);
}

TEST_F(a_deliverer, has_as_many_as_it_was_granted) {
  granted_at_once = 3;
  accept(100);
  receiver = nullptr;
  settle();
  EXPECT_EQ(places, 15U) << "in portions, until half of what is under way has one behind it";
  receiver = ok;
  settle();
  EXPECT_EQ(count(state::succeeded), 100U);
  EXPECT_EQ(places, 0U);
}

TEST_F(a_deliverer, has_so_many_in_flight_and_as_many_behind_them) {
  accept(100);
  receiver = nullptr;
  settle();
  EXPECT_EQ(sent.size(), 8U);
  EXPECT_EQ(count(state::delivering), 16U);
  receiver = ok;
  settle();
  EXPECT_EQ(most_at_once, 8U);
  EXPECT_LE(leases, 26) << "not one by one";
}

TEST_F(a_deliverer, tries_again_by_the_schedule_until_it_is_dead) {
  accept(1);
  receiver = [](const std::string&) { return webhook::of_answer(500, {}, noon); };
  run(std::chrono::hours{30});
  const std::vector<std::chrono::seconds> pauses{0s, 5s, 300s, 1800s, 7200s, 18'000s, 36'000s};
  const auto& r = rows.front();
  ASSERT_EQ(r.sent.size(), pauses.size());
  auto at = noon;
  for (std::size_t i = 0; i < pauses.size(); ++i) EXPECT_EQ(r.sent[i], at += pauses[i]) << i;
  EXPECT_EQ(r.d.status, state::dead);
  EXPECT_EQ(r.errors.front(), "the receiver answered 500 Internal Server Error");
  EXPECT_TRUE(it->is_idle());
}

TEST_F(a_deliverer, heeds_retry_after) {
  accept(1);
  receiver = [this](const std::string&) {
    return rows.front().sent.size() == 1 ? webhook::of_answer(429, "100", noon) : ok({});
  };
  run(1h);
  ASSERT_EQ(rows.front().sent.size(), 2U);
  EXPECT_EQ(rows.front().sent[1], noon + 100s);
  EXPECT_EQ(count(state::succeeded), 1U);
}

TEST_F(a_deliverer, disables_a_webhook_that_is_gone) {
  accept(20);
  receiver = [](const std::string&) { return webhook::of_answer(410, {}, noon); };
  run(1h);
  EXPECT_EQ(hook.why_not, webhook::disabled::gone);
  EXPECT_EQ(count(state::dead), 8U) << "those that were on their way";
  for (const auto& r : rows) EXPECT_LE(r.sent.size(), 1U);
  EXPECT_TRUE(it->is_idle());
  EXPECT_EQ(it->next(now), std::nullopt);
}

TEST_F(a_deliverer, disables_a_webhook_that_fails_for_days) {
  receiver = dead;
  hook.failing_since = noon - std::chrono::hours{5 * 24};
  accept(1);
  settle();
  EXPECT_EQ(hook.why_not, webhook::disabled::failing);
}

TEST_F(a_deliverer, leaves_a_receiver_alone_that_does_not_answer) {
  accept(100);
  receiver = dead;
  settle();
  std::size_t all = 0;
  for (const auto& r : rows) all += r.sent.size();
  EXPECT_LE(all, 12U);
  EXPECT_LE(count(state::failed), 12U) << "what was not sent has lost no attempt";
  const auto at = it->next(now);
  ASSERT_TRUE(at);
  EXPECT_EQ(*at, now.steady + 30s);
  // One goes ahead.
  pass(30s);
  receiver = nullptr;
  it->go_on(now);
  settle();
  EXPECT_EQ(sent.size(), 1U);
  EXPECT_EQ(places, 1U) << "what waits has given its places back";
  receiver = ok;
  run(1h);
  EXPECT_EQ(count(state::succeeded), 100U);
}

TEST_F(a_deliverer, begins_nothing_that_its_lease_would_not_outlast) {
  accept(16);
  receiver = nullptr;
  settle();
  ASSERT_EQ(sent.size(), 8U);
  pass(26s);  // of 40; an attempt may take 15
  receiver = ok;
  settle();
  EXPECT_EQ(count(state::succeeded), 8U);
  EXPECT_EQ(count(state::delivering), 8U) << "left to whoever takes them next";
  EXPECT_TRUE(it->is_idle());
}

TEST_F(a_deliverer, keeps_the_place_of_what_ledger_has_not_noted) {
  accept(100);
  receiver = nullptr;
  settle();
  const auto first = sent;
  sent.clear();
  for (const auto& [attempt, id] : first) it->ended(attempt, ok(id), "said", now);
  EXPECT_TRUE(sent.empty());
  EXPECT_EQ(it->in_flight(), 8U);
  for (const auto& [attempt, n] : std::exchange(notes, {}))
    it->noted(attempt, ledger::refusal{ledger::refusal::reason::unavailable, "full"}, now);
  EXPECT_EQ(it->in_flight(), 8U);
  EXPECT_EQ(it->next(now), now.steady + 1s);
  pass(1s);
  receiver = ok;
  it->go_on(now);
  settle();
  EXPECT_EQ(count(state::succeeded), 100U);
  for (const auto& r : rows) EXPECT_EQ(r.sent.size(), 1U) << r.d.id;
}

TEST_F(a_deliverer, asks_again_when_ledger_could_not_answer) {
  accept(1);
  ASSERT_EQ(asked.size(), 1U);
  asked.clear();
  it->taken(ledger::refusal{ledger::refusal::reason::busy, "busy"}, now);
  it->due(now.wall, now);
  EXPECT_TRUE(asked.empty()) << "not at once";
  EXPECT_EQ(it->next(now), now.steady + 1s);
  run(2s);
  EXPECT_EQ(count(state::succeeded), 1U);
}

TEST_F(a_deliverer, outlives_ledger) {
  accept(3);
  ASSERT_EQ(asked.size(), 1U);
  asked.clear();  // with its question
  it->ledger_lost(now);
  run(2s);
  EXPECT_EQ(count(state::succeeded), 3U);
  // And with its note: whether it was taken nobody knows.
  accept(1);
  answer_take();
  const auto [attempt, id] = sent.front();
  sent.clear();
  it->ended(attempt, ok(id), "said", now);
  notes.clear();
  it->ledger_lost(now);
  run(2s);
  EXPECT_EQ(count(state::succeeded), 4U);
  EXPECT_EQ(rows.back().sent.size(), 1U);
}

TEST_F(a_deliverer, tries_a_dead_letter_once) {
  accept(1);
  rows.front().d.attempts = 1;  // its receiver was gone then
  rows.front().d.finished = now.wall - 1h;
  receiver = dead;
  settle();
  EXPECT_EQ(rows.front().sent.size(), 1U);
  EXPECT_EQ(count(state::dead), 1U);
}

TEST_F(a_deliverer, forgets_what_is_another_ones) {
  accept(1);
  answer_take();
  rows.front().lease = "another one's";
  settle();
  EXPECT_EQ(rows.front().d.attempts, 0U);
  EXPECT_TRUE(it->is_idle());
}

TEST_F(a_deliverer, of_a_deleted_webhook_has_nothing_to_do) {
  accept(1);
  asked.clear();
  it->taken(ledger::refusal{ledger::refusal::reason::not_found, "no"}, now);
  EXPECT_TRUE(it->is_idle());
}

TEST_F(a_deliverer, that_is_stopped_begins_nothing) {
  accept(20);
  receiver = nullptr;
  settle();
  it->stop(now);
  EXPECT_EQ(count(state::delivering), 16U) << "their lease is that of those that run";
  receiver = ok;
  settle();
  EXPECT_EQ(count(state::succeeded), 8U);
  EXPECT_EQ(it->in_flight(), 0U);
  EXPECT_EQ(count(state::pending), 12U);
  EXPECT_EQ(places, 0U);
  it->due(now.wall, now);
  settle();
  EXPECT_EQ(count(state::succeeded), 8U);
}

TEST_F(a_deliverer, that_gives_up_leaves_all_to_be_due_again) {
  accept(20);
  receiver = nullptr;
  settle();
  it->give_up(now);
  EXPECT_EQ(count(state::pending), 20U);
  EXPECT_EQ(places, 0U);
  const auto [attempt, id] = sent.front();
  it->ended(attempt, ok(id), "said", now);
  EXPECT_TRUE(notes.empty()) << "it is another one's by now";
}

TEST_F(a_deliverer, that_is_stopped_while_it_takes_gives_it_back) {
  accept(20);
  it->stop(now);
  settle();
  EXPECT_EQ(count(state::pending), 20U);
  EXPECT_TRUE(sent.empty());
  EXPECT_EQ(places, 0U);
}

TEST_F(a_deliverer, ignores_what_ends_twice) {
  accept(1);
  answer_take();
  const auto [attempt, id] = sent.front();
  it->ended(attempt, ok(id), "said", now);
  it->ended(attempt, dead(id), "said", now);
  EXPECT_EQ(notes.size(), 1U);
  sent.clear();
  settle();
  it->ended(attempt, dead(id), "said", now);
  it->noted(attempt, ledger::noted{}, now);
  EXPECT_EQ(count(state::succeeded), 1U);
}

TEST(a_verdict, is_whether_the_receiver_was_there) {
  using enum ending;
  for (const auto e : {success, gone, redirect, rejected})
    EXPECT_EQ(verdict_on(e), verdict::success) << webhook::name_of(e);
  for (const auto e : {throttled, timeout, unresolved, refused, tls, cut, malformed})
    EXPECT_EQ(verdict_on(e), verdict::failure) << webhook::name_of(e);
  EXPECT_EQ(verdict_on(forbidden), verdict::neutral);
}

}  // namespace
}  // namespace gate::hooks
