// Several instances on one database: each delivery is one's at a time, and each event is there
// once.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "protocol/limits/ledger.hpp"
#include "tests/transport/postgres/storage.hpp"

namespace gate::postgres {
namespace {

using reason = refusal::reason;
using testing::at;
using testing::postgres_server;
using webhook::state;

/// One of them.
class instance : public testing::ledger_requests {
 public:
  instance(const std::string& url, std::string name, std::chrono::seconds ahead = {})
      : open_(testing::open_postgres(
            url, [name, n = 0]() mutable { return name + std::to_string(++n); }, ahead)) {
    house_ = open_.get();
  }
  void TestBody() override {}

  using ledger_requests::accept;
  using ledger_requests::ask;
  using ledger_requests::attempt_of;
  using ledger_requests::bury;
  using ledger_requests::counts;
  using ledger_requests::delivery;
  using ledger_requests::event;
  using ledger_requests::get;
  using ledger_requests::make_webhook;
  using ledger_requests::note;
  using ledger_requests::send;
  using ledger_requests::take;

 private:
  std::unique_ptr<database> open_;
};

struct fleet : ::testing::Test {
  std::int64_t number(const std::string& sql) { return postgres_server::number(url, sql); }
  std::int64_t rows(const std::string& table) {
    return number("SELECT count(*) FROM gate_hooks." + table);
  }
  static std::vector<new_event> events(int from, int to) {
    std::vector<new_event> out;
    for (int i = from; i < to; ++i) out.push_back(instance::event("evt_" + std::to_string(i)));
    return out;
  }

  const std::string url = postgres_server::get().new_database();
  instance a{url, "dlv_a"}, b{url, "dlv_b"};
};

TEST_F(fleet, what_one_has_taken_no_other_takes) {
  a.make_webhook("hook_1");
  a.accept(events(0, 1000));
  std::vector<std::vector<std::string>> taken_by(4);
  std::vector<std::thread> all;
  for (std::size_t n = 0; n < taken_by.size(); ++n)
    all.emplace_back([this, n, &mine = taken_by[n]] {
      auto& who = n % 2 == 0 ? a : b;
      const auto lease = "L" + std::to_string(n);
      for (auto t = who.take("hook_1", 1, lease, 16); !t.deliveries.empty();
           t = who.take("hook_1", 1, lease, 16)) {
        std::vector<std::future<answer>> told;
        for (const auto& d : t.deliveries) {
          mine.push_back(d.delivery.id);
          told.push_back(who.send(instance::attempt_of(d.delivery.id, state::succeeded, 2, lease)));
        }
        for (auto& one : told) EXPECT_TRUE(std::holds_alternative<noted>(one.get()));
      }
    });
  for (auto& t : all) t.join();
  std::set<std::string> once;
  std::size_t n = 0;
  for (const auto& mine : taken_by) {
    n += mine.size();
    once.insert(mine.begin(), mine.end());
  }
  EXPECT_EQ(n, 1000U);
  EXPECT_EQ(once.size(), 1000U);
  EXPECT_EQ(a.counts().deliveries, (std::array<std::uint64_t, 5>{0, 0, 1000, 0, 0}));
  EXPECT_EQ(rows("attempts"), 1000);
  EXPECT_EQ(a.get<webhook::webhook>(read_webhook{"acme", "hook_1"}).succeeded, 1000U);
}

TEST_F(fleet, who_was_paused_past_a_lease_has_lost_it) {
  a.make_webhook("hook_1");
  a.accept("evt_1");
  ASSERT_EQ(a.take("hook_1", 1, "A").deliveries.size(), 1U);
  // While it lives nobody gets it, whoever says that all are free.
  EXPECT_EQ(b.get<released>(release_leases{at(20), true}).deliveries, 0U);
  EXPECT_TRUE(b.take("hook_1", 20, "B").deliveries.empty());
  const auto out = b.get<released>(release_leases{at(32), false});
  EXPECT_EQ(out.deliveries, 1U);
  EXPECT_EQ(out.webhooks, std::vector<std::string>{"hook_1"});
  ASSERT_EQ(b.take("hook_1", 32, "B").deliveries.size(), 1U);
  const auto said = a.note("dlv_a1", state::succeeded, 33, "A");
  EXPECT_EQ(std::get<refusal>(said).why, reason::lease_lost);
  EXPECT_EQ(a.delivery("dlv_a1").status, state::delivering);
  EXPECT_TRUE(std::holds_alternative<noted>(b.note("dlv_a1", state::failed, 34, "B")));
  EXPECT_EQ(a.delivery("dlv_a1").attempts, 1U);
}

TEST_F(fleet, the_databases_clock_says_when_a_lease_is_over) {
  const std::int64_t hour = 3600;
  instance fast{url, "dlv_f", std::chrono::seconds(hour)};
  a.make_webhook("hook_1");
  a.accept({instance::event("evt_1"), instance::event("evt_2")});
  a.take("hook_1", 1, "A", 1);
  // It is an hour later for this one, but not for the lease.
  EXPECT_EQ(fast.get<released>(release_leases{at(hour + 20), false}).deliveries, 0U);
  // And its own leases last no longer.
  fast.take("hook_1", hour + 1, "F", 1);
  EXPECT_EQ(b.get<released>(release_leases{at(20), false}).deliveries, 0U);
  EXPECT_EQ(b.get<released>(release_leases{at(35), false}).deliveries, 2U);
}

TEST_F(fleet, of_an_event_that_comes_everywhere_at_once_there_is_one) {
  a.make_webhook("hook_1");
  std::vector<std::size_t> was_new(4);
  std::vector<std::thread> all;
  for (std::size_t n = 0; n < was_new.size(); ++n)
    all.emplace_back([this, n, &mine = was_new[n]] {
      auto& who = n % 2 == 0 ? a : b;
      for (int round = 0; round < 20; ++round) {
        auto some = events(round * 10, round * 10 + 20);
        // Not all in one order.
        if (n > 1) std::ranges::reverse(some);
        for (const auto& one : who.accept(some).events) mine += one.repeated ? 0U : 1U;
      }
    });
  for (auto& t : all) t.join();
  EXPECT_EQ(was_new[0] + was_new[1] + was_new[2] + was_new[3], 210U);
  EXPECT_EQ(rows("events"), 210);
  EXPECT_EQ(rows("deliveries"), 210);
  EXPECT_EQ(a.counts().deliveries[0], 210U);
}

TEST_F(fleet, whoever_removes_the_last_delivery_removes_the_event) {
  a.make_webhook("hook_1");
  a.make_webhook("hook_2");
  a.accept(events(0, 60));
  for (const auto* hook : {"hook_1", "hook_2"})
    for (const auto& d : a.take(hook, 1).deliveries) a.note(d.delivery.id, state::dead, 1);
  std::vector<std::thread> all;
  for (int n = 1; n <= 2; ++n)
    all.emplace_back([this, n] {
      auto& who = n == 1 ? a : b;
      // Deliveries of one event follow each other.
      for (int i = 0; i < 60; ++i)
        who.get<done>(delete_dead{"acme", "dlv_a" + std::to_string(2 * i + n)});
    });
  for (auto& t : all) t.join();
  EXPECT_EQ(rows("deliveries"), 0);
  EXPECT_EQ(rows("events"), 0);
  EXPECT_EQ(rows("attempts"), 0);
}

TEST_F(fleet, a_webhook_is_removed_while_events_come_for_it) {
  for (int round = 0; round < 10; ++round) {
    const auto hook = "hook_" + std::to_string(round);
    a.make_webhook(hook);
    std::thread accepting([this, round] {
      for (int i = 0; i < 10; ++i)
        a.accept({instance::event("evt_" + std::to_string(round) + "_" + std::to_string(i))});
    });
    b.get<done>(delete_webhook{"acme", hook, at(2)});
    b.get<cleaned>(clean{at(0), at(0)});
    accepting.join();
  }
  while (b.get<cleaned>(clean{at(0), at(0)}).deliveries > 0) {
  }
  EXPECT_EQ(rows("webhooks"), 0);
  EXPECT_EQ(rows("deliveries"), 0);
  EXPECT_EQ(a.counts().deliveries, (std::array<std::uint64_t, 5>{}));
}

TEST_F(fleet, an_organization_has_so_many_webhooks_wherever_they_are_made) {
  std::vector<std::future<answer>> told;
  for (std::size_t i = 0; i < limits::ledger_webhooks + 20; ++i) {
    webhook::webhook w;
    w.id = "hook_" + std::to_string(i);
    w.organization = "acme";
    told.push_back((i % 2 == 0 ? a : b).send(create_webhook{w}));
  }
  std::size_t refused = 0;
  for (auto& t : told) {
    const auto said = t.get();
    if (const auto* r = std::get_if<refusal>(&said)) {
      EXPECT_EQ(r->why, reason::too_many) << r->what;
      ++refused;
    }
  }
  EXPECT_EQ(refused, 20U);
}

// No row is everybody's: of those that count there are several.
TEST_F(fleet, what_is_counted_is_what_there_is) {
  a.make_webhook("hook_1");
  std::vector<std::thread> all;
  for (int n = 0; n < 4; ++n)
    all.emplace_back([this, n] {
      auto& who = n % 2 == 0 ? a : b;
      const auto lease = "L" + std::to_string(n);
      for (int i = 0; i < 10; ++i) {
        who.accept({instance::event("evt_" + std::to_string(n) + "_" + std::to_string(i))});
        for (const auto& d : who.take("hook_1", 5, lease, 2).deliveries)
          if (d.delivery.id.size() % 2 == 0)
            who.note(d.delivery.id, i % 3 == 0 ? state::dead : state::failed, 5, lease);
        who.get<released>(give_back{lease, at(5)});
      }
    });
  for (auto& t : all) t.join();
  const auto counts = b.counts();
  for (std::size_t s = 0; s < 5; ++s)
    EXPECT_EQ(
        static_cast<std::int64_t>(counts.deliveries[s]),
        number("SELECT count(*) FROM gate_hooks.deliveries WHERE status = " + std::to_string(s)))
        << s;
  EXPECT_GT(rows("counts"), 1);
}

}  // namespace
}  // namespace gate::postgres
