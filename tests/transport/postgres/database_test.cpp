// The house in PostgreSQL while the server is there, away, and back; groups; a full queue; the end.
#include "transport/postgres/database.hpp"

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <condition_variable>
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

/// Somebody else at the same tables.
class other {
 public:
  explicit other(const std::string& url) : on_(PQconnectdb(url.c_str())) {
    run("SET search_path TO gate_hooks; SET deadlock_timeout TO '10min'");
  }
  ~other() { PQfinish(on_); }
  other(const other&) = delete;
  other& operator=(const other&) = delete;
  void run(const std::string& sql) {
    auto* r = PQexec(on_, sql.c_str());
    EXPECT_NE(PQresultStatus(r), PGRES_FATAL_ERROR) << PQerrorMessage(on_);
    PQclear(r);
  }
  void begin(const std::string& sql) { EXPECT_EQ(PQsendQuery(on_, sql.c_str()), 1); }
  void end() {
    while (auto* r = PQgetResult(on_)) {
      EXPECT_NE(PQresultStatus(r), PGRES_FATAL_ERROR) << PQerrorMessage(on_);
      PQclear(r);
    }
  }

 private:
  PGconn* on_;
};

struct house_in_postgres : testing::ledger_requests {
  house_in_postgres() { open(); }
  void open(std::size_t connections = limits::ledger_connections) {
    open_.reset();
    auto made = database::open(url, {[this] { return "dlv_" + std::to_string(++made_); },
                                     [] {
                                       return std::chrono::floor<std::chrono::milliseconds>(
                                           std::chrono::system_clock::now());
                                     },
                                     connections});
    ASSERT_TRUE(made) << made.error().what;
    open_ = std::move(*made);
    house_ = open_.get();
  }
  std::int64_t number(const std::string& sql) { return postgres_server::number(url, sql); }
  /// Until so many of its connections wait for somebody else.
  void wait_until_waiting(int n) {
    while (number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                  "AND application_name = 'gate-hooks' AND wait_event_type = 'Lock'") < n) {
    }
  }
  std::future<answer> send_event(const std::string& id) {
    return send(accept_events{"acme", {event(id)}, at(1), at(1)});
  }

  const std::string url = postgres_server::get().new_database();
  std::unique_ptr<database> open_;
  int made_ = 0;
};

TEST_F(house_in_postgres, what_waits_together_is_one_transaction) {
  open(1);
  make_webhook("hook_1");
  const auto before = open_->commits();
  std::vector<std::future<answer>> told;
  {
    other somebody(url);
    somebody.run("BEGIN; LOCK TABLE webhooks IN ACCESS EXCLUSIVE MODE");
    told.push_back(send_event("evt_first"));
    wait_until_waiting(1);
    for (int i = 0; i < 100; ++i) told.push_back(send_event("evt_" + std::to_string(i)));
    somebody.run("COMMIT");
  }
  for (auto& t : told) EXPECT_TRUE(std::holds_alternative<accepted>(t.get()));
  EXPECT_EQ(open_->commits(), before + 2);
  EXPECT_EQ(number("SELECT count(DISTINCT xmin::TEXT) FROM gate_hooks.events"), 2);
  EXPECT_EQ(counts().deliveries[0], 101U);
}

TEST_F(house_in_postgres, who_is_refused_takes_nothing_of_the_others_along) {
  open(1);
  make_webhook("hook_1");
  accept("evt_1");
  std::vector<std::future<answer>> told;
  {
    other somebody(url);
    somebody.run("BEGIN; LOCK TABLE webhooks IN ACCESS EXCLUSIVE MODE");
    told.push_back(send_event("evt_2"));
    wait_until_waiting(1);
    auto e = event("evt_1");
    e.body += " ";
    told.push_back(send(accept_events{"acme", {event("evt_3"), e}, at(1), at(1)}));  // conflict
    told.push_back(send(accept_events{"acme", {event("evt_4")}, at(1), at(1)}));
    auto same = event("evt_4");
    told.push_back(send(accept_events{"acme", {same, event("evt_5")}, at(1), at(1)}));  // repeated
    same.body += " ";
    told.push_back(send(accept_events{"acme", {same}, at(1), at(1)}));  // conflict
    webhook::webhook no_text;
    no_text.id = "hook_2";
    no_text.organization = "acme";
    no_text.description = std::string("\0", 1);
    told.push_back(send(create_webhook{no_text}));  // the server refuses it, and all with it
    told.push_back(send_event("evt_6"));
    somebody.run("COMMIT");
  }
  EXPECT_TRUE(std::holds_alternative<accepted>(told[0].get()));
  EXPECT_EQ(std::get<refusal>(told[1].get()).why, reason::conflict);
  EXPECT_FALSE(std::get<accepted>(told[2].get()).events.at(0).repeated);
  const auto both = std::get<accepted>(told[3].get());
  EXPECT_TRUE(both.events.at(0).repeated);
  EXPECT_FALSE(both.events.at(1).repeated);
  EXPECT_EQ(std::get<refusal>(told[4].get()).why, reason::conflict);
  EXPECT_EQ(std::get<refusal>(told[5].get()).why, reason::invalid);
  EXPECT_TRUE(std::holds_alternative<accepted>(told[6].get()));
  EXPECT_EQ(number("SELECT count(*) FROM gate_hooks.events"), 5);
  EXPECT_EQ(counts().deliveries[0], 5U);
}

TEST_F(house_in_postgres, what_a_receiver_has_said_is_noted_whatever_it_is) {
  make_webhook("hook_1");
  accept("evt_1");
  take("hook_1", 1);
  auto n = attempt_of("dlv_1", state::failed, 2, "L");
  n.what.error = std::string("it said \xff\0", 10);
  n.answer = std::string("\xff\0\1", 3);
  get<noted>(n);
  const auto d = delivery("dlv_1");
  EXPECT_EQ(d.error, "it said ??");
  EXPECT_EQ(d.answer, n.answer);
  EXPECT_EQ(d.log.at(0).error, "it said ??");
}

TEST_F(house_in_postgres, of_two_who_note_one_attempt_the_first_has_done_it) {
  open(1);
  make_webhook("hook_1");
  accept("evt_1");
  take("hook_1", 1);
  std::vector<std::future<answer>> told;
  {
    other somebody(url);
    somebody.run("BEGIN; LOCK TABLE webhooks IN ACCESS EXCLUSIVE MODE");
    told.push_back(send_event("evt_2"));
    wait_until_waiting(1);
    told.push_back(send(attempt_of("dlv_1", state::succeeded, 2, "L")));
    told.push_back(send(attempt_of("dlv_1", state::dead, 2, "L")));
    somebody.run("COMMIT");
  }
  told[0].get();
  EXPECT_TRUE(std::holds_alternative<noted>(told[1].get()));
  EXPECT_EQ(std::get<refusal>(told[2].get()).why, reason::lease_lost);
  EXPECT_EQ(delivery("dlv_1").status, state::succeeded);
  EXPECT_EQ(delivery("dlv_1").attempts, 1U);
}

TEST_F(house_in_postgres, a_deadlock_is_nobodys_answer) {
  const auto name = "t" + std::to_string(number("SELECT substr(current_database(), 2)::BIGINT"));
  postgres_server::run(url, "ALTER DATABASE " + name + " SET deadlock_timeout TO '1s'");
  open(1);
  make_webhook("hook_1");
  accept({event("evt_1"), event("evt_2")});
  take("hook_1", 1);
  std::vector<std::future<answer>> told;
  {
    other blocker(url), somebody(url);
    blocker.run("BEGIN; LOCK TABLE webhooks IN ACCESS EXCLUSIVE MODE");
    somebody.run("BEGIN; SELECT 1 FROM deliveries WHERE id = 'dlv_2' FOR UPDATE");
    told.push_back(send_event("evt_3"));
    wait_until_waiting(1);
    told.push_back(send(attempt_of("dlv_1", state::succeeded, 2, "L")));
    told.push_back(send(attempt_of("dlv_2", state::succeeded, 2, "L")));
    blocker.run("COMMIT");
    told[0].get();
    wait_until_waiting(1);
    // It has dlv_1 and waits for dlv_2; this is the other way round, and waits longer.
    somebody.begin("SELECT 1 FROM deliveries WHERE id = 'dlv_1' FOR UPDATE");
    somebody.end();
    somebody.run("COMMIT");
  }
  EXPECT_TRUE(std::holds_alternative<noted>(told[1].get()));
  EXPECT_TRUE(std::holds_alternative<noted>(told[2].get()));
  EXPECT_EQ(counts().deliveries[2], 2U);
}

TEST_F(house_in_postgres, those_who_read_do_not_wait_for_those_who_write) {
  make_webhook("hook_1");
  accept("evt_1");
  other somebody(url);
  somebody.run("BEGIN; SELECT 1 FROM webhook_stats FOR UPDATE");
  take("hook_1", 1);
  auto noting = send(attempt_of("dlv_1", state::succeeded, 2, "L"));
  wait_until_waiting(1);
  EXPECT_EQ(delivery("dlv_1").status, state::delivering);
  EXPECT_EQ(accept("evt_2").events.size(), 1U);
  somebody.run("COMMIT");
  EXPECT_TRUE(std::holds_alternative<noted>(noting.get()));
}

TEST_F(house_in_postgres, a_full_queue_refuses_at_once) {
  std::vector<std::future<answer>> told;
  {
    other somebody(url);
    somebody.run("BEGIN; LOCK TABLE counts IN ACCESS EXCLUSIVE MODE");
    for (std::size_t i = 0; i < limits::ledger_connections; ++i) told.push_back(send(count_all{}));
    wait_until_waiting(static_cast<int>(limits::ledger_connections));
    for (std::size_t i = 0; i < limits::ledger_queue; ++i) told.push_back(send(read_webhook{}));
    EXPECT_FALSE(house_->ask(count_all{}, [](const answer&) { ADD_FAILURE(); }));
    somebody.run("COMMIT");
  }
  for (auto& t : told) t.get();
  counts();
}

TEST_F(house_in_postgres, at_the_end_what_was_accepted_is_done) {
  make_webhook("hook_1");
  std::vector<std::future<answer>> told;
  for (int i = 0; i < 300; ++i) told.push_back(send_event("evt_" + std::to_string(i)));
  open_.reset();
  for (auto& t : told) {
    ASSERT_EQ(t.wait_for(std::chrono::seconds(0)), std::future_status::ready);
    EXPECT_TRUE(std::holds_alternative<accepted>(t.get()));
  }
  EXPECT_EQ(number("SELECT count(*) FROM gate_hooks.events"), 300);
}

TEST_F(house_in_postgres, nothing_reads_a_large_table_from_one_end_to_the_other) {
  const std::string scans =
      "SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE relname IN "
      "('events', 'deliveries', 'attempts')";
  // Connections say what they have done when they end, at the latest.
  const auto ended = [this] {
    open_.reset();
    while (number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                  "AND pid <> pg_backend_pid()") > 0) {
    }
  };
  make_webhook("hook_1");
  ended();
  const auto before = number(scans);
  open();
  do_everything();
  counts();
  ended();
  EXPECT_EQ(number(scans), before);
}

/// Asks all the time, each event until it is accepted; counts what it hears.
class load {
 public:
  explicit load(database& house) : house_(house) {
    thread_ = std::thread([this] { run(); });
  }
  ~load() { end(); }
  void end() {
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
    }
    if (thread_.joinable()) thread_.join();
  }
  void wait_for_accepted(int more) { wait_for(accepted_, more); }
  void wait_for_refused(int more) { wait_for(refused_, more); }
  int accepted_in_all() const { return accepted_; }
  const std::set<reason>& reasons() const { return reasons_; }

 private:
  void wait_for(const int& count, int more) {
    std::unique_lock lock(mutex_);
    const auto until = count + more;
    heard_.wait(lock, [&] { return count >= until; });
  }
  void run() {
    for (int n = 0;; ++n) {
      const auto id = "evt_" + std::to_string(n);
      while (!accept(id)) {
      }
      std::lock_guard lock(mutex_);
      if (ending_) return;
    }
  }
  bool accept(const std::string& id) {
    std::promise<answer> told;
    new_event e{id, webhook::event_type::deploy_success, at(1), "{\"id\":\"" + id + "\"}", {}};
    if (!house_.ask(accept_events{"acme", {e}, at(1), at(1)},
                    [&](answer a) { told.set_value(std::move(a)); }))
      return false;
    const auto said = told.get_future().get();
    std::lock_guard lock(mutex_);
    const auto* r = std::get_if<refusal>(&said);
    if (r != nullptr) reasons_.insert(r->why);
    ++(r == nullptr ? accepted_ : refused_);
    heard_.notify_all();
    return r == nullptr;
  }

  database& house_;
  std::mutex mutex_;
  std::condition_variable heard_;
  int accepted_ = 0, refused_ = 0;
  bool ending_ = false;
  std::set<reason> reasons_;
  std::thread thread_;
};

TEST_F(house_in_postgres, a_server_that_dies_under_load_loses_nothing_and_is_found_again) {
  make_webhook("hook_1");
  auto& server = postgres_server::get();
  int in_all = 0;
  {
    load busy(*open_);
    for (const bool at_once : {false, true}) {
      busy.wait_for_accepted(100);
      server.stop(at_once);
      busy.wait_for_refused(20);
      server.start();
      busy.wait_for_accepted(100);
    }
    busy.end();
    in_all = busy.accepted_in_all();
    EXPECT_EQ(busy.reasons(), std::set<reason>{reason::unavailable});
  }
  EXPECT_GE(in_all, 400);
  EXPECT_EQ(number("SELECT count(*) FROM gate_hooks.events"), in_all);
  EXPECT_EQ(number("SELECT count(DISTINCT event) FROM gate_hooks.deliveries"), in_all);
  EXPECT_EQ(counts().deliveries[0], static_cast<std::uint64_t>(in_all));
}

TEST_F(house_in_postgres, connections_that_were_closed_meanwhile_are_made_anew_unnoticed) {
  make_webhook("hook_1");
  for (int round = 0; round < 3; ++round) {
    number(
        "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE datname = "
        "current_database() AND pid <> pg_backend_pid()");
    for (int i = 0; i < 8; ++i) accept("evt_" + std::to_string(round) + "_" + std::to_string(i));
    EXPECT_EQ(get<webhook::webhook>(read_webhook{"acme", "hook_1"}).id, "hook_1");
  }
  EXPECT_EQ(counts().deliveries[0], 24U);
}

TEST_F(house_in_postgres, while_it_is_away_it_ends_at_once) {
  auto& server = postgres_server::get();
  server.stop();
  const auto said = std::get<refusal>(ask(count_all{}));
  EXPECT_EQ(said.why, reason::unavailable);
  EXPECT_NE(said.what.find("is away"), std::string::npos) << said.what;
  const auto before = std::chrono::steady_clock::now();
  open_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - before, limits::ledger_end / 2);
  auto none = database::open(url, {[] { return ""; }, [] { return at(0); }});
  server.start();
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("is away"), std::string::npos) << none.error().what;
}

TEST_F(house_in_postgres, what_the_address_says_wrong_is_told_at_the_start) {
  for (const auto& [where, words] :
       {std::pair<std::string, std::string>{"mysql://h/d", "scheme"},
        {url + "&sslmode=nonsense", "sslmode"},
        {postgres_server::get().url("no_such"), "make that database"}}) {
    const auto none = database::open(where, {[] { return ""; }, [] { return at(0); }});
    ASSERT_FALSE(none) << where;
    EXPECT_NE(none.error().what.find(words), std::string::npos) << none.error().what;
  }
}

}  // namespace
}  // namespace gate::postgres
