// The thread that writes: what waits together is one commit, a full queue, the end, a full disk.
#include "transport/ledger/writer.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <future>

#include "protocol/limits/ledger.hpp"
#include "tests/transport/support/ledger_file.hpp"

namespace gate::ledger {
namespace {

using reason = refusal::reason;
using testing::at;

/// Has the writer wait in a callback, until told otherwise.
class pause {
 public:
  explicit pause(writer& w) {
    auto here = std::make_shared<std::promise<void>>();
    auto there = here->get_future();
    EXPECT_TRUE(w.ask(count_all{}, [here, go = go_.get_future().share()](const answer&) {
      here->set_value();
      go.wait();
    }));
    there.wait();
  }
  ~pause() { end(); }
  void end() {
    if (!std::exchange(over_, true)) go_.set_value();
  }

 private:
  std::promise<void> go_;
  bool over_ = false;
};

/// The size that a file may have for this process; none at the end.
class room_for_files {
 public:
  explicit room_for_files(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    auto less = before_;
    less.rlim_cur = bytes;
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &less), 0);
  }
  ~room_for_files() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

struct writing : testing::ledger_file {
  using told = std::future<answer>;
  told send(request what) {
    auto out = std::make_shared<std::promise<answer>>();
    EXPECT_TRUE(writer().ask(std::move(what), [out](answer a) { out->set_value(std::move(a)); }));
    return out->get_future();
  }
  told send_event(const std::string& id, std::size_t body = 100) {
    auto e = event(id);
    e.body.assign(body, 'x');
    return send(accept_events{"acme", {e}, at(1), at(1)});
  }
};

TEST_F(writing, what_waits_together_is_one_commit) {
  make_webhook("hook_1");
  const auto before = writer().commits();
  std::vector<told> all;
  {
    pause p(writer());
    for (int i = 0; i < 100; ++i) all.push_back(send_event("evt_" + std::to_string(i)));
  }
  for (auto& a : all) EXPECT_TRUE(std::holds_alternative<accepted>(a.get()));
  EXPECT_EQ(writer().commits(), before + 1);
  EXPECT_EQ(counts().deliveries[0], 100U);
  EXPECT_EQ(writer().commits(), before + 1);
}

TEST_F(writing, a_group_is_bounded_in_number_and_bytes) {
  auto before = writer().commits();
  std::vector<told> all;
  {
    pause p(writer());
    for (std::size_t i = 0; i < limits::ledger_group + 1; ++i)
      all.push_back(send_event("evt_" + std::to_string(i)));
  }
  for (auto& a : all) a.get();
  EXPECT_EQ(writer().commits(), before + 2);
  before = writer().commits();
  all.clear();
  {
    pause p(writer());
    for (int i = 0; i < 3; ++i)
      all.push_back(send_event("big_" + std::to_string(i), limits::ledger_group_bytes / 2));
  }
  for (auto& a : all) EXPECT_TRUE(std::holds_alternative<accepted>(a.get()));
  EXPECT_EQ(writer().commits(), before + 3);
}

TEST_F(writing, who_is_refused_takes_nothing_of_the_others_along) {
  make_webhook("hook_1");
  accept("evt_1");
  const auto before = writer().commits();
  std::vector<told> all;
  {
    pause p(writer());
    all.push_back(send_event("evt_2"));
    all.push_back(send_event("evt_1"));  // there is another one
    webhook::webhook again;
    again.id = "hook_1";
    all.push_back(send(create_webhook{again}));  // breaks a rule of the table
    all.push_back(send_event("evt_3"));
  }
  EXPECT_TRUE(std::holds_alternative<accepted>(all[0].get()));
  EXPECT_EQ(std::get<refusal>(all[1].get()).why, reason::conflict);
  EXPECT_EQ(std::get<refusal>(all[2].get()).why, reason::invalid);
  EXPECT_TRUE(std::holds_alternative<accepted>(all[3].get()));
  EXPECT_EQ(writer().commits(), before + 1);
  EXPECT_EQ(counts().deliveries[0], 3U);
}

TEST_F(writing, who_was_told_of_a_write_reads_it) {
  make_webhook("hook_1");
  std::promise<answer> read;
  ASSERT_TRUE(
      writer().ask(accept_events{"acme", {event("evt_1")}, at(1), at(1)}, [&](const answer&) {
        writer().ask(read_delivery{"acme", "dlv_1"},
                     [&](answer a) { read.set_value(std::move(a)); });
      }));
  EXPECT_TRUE(std::holds_alternative<whole_delivery>(read.get_future().get()));
}

TEST_F(writing, a_full_queue_refuses_at_once) {
  std::vector<told> all;
  {
    pause p(writer());
    for (std::size_t i = 0; i < limits::ledger_queue; ++i) all.push_back(send(count_all{}));
    EXPECT_FALSE(writer().ask(count_all{}, [](const answer&) { ADD_FAILURE(); }));
  }
  for (auto& a : all) a.get();
  counts();
}

TEST_F(writing, a_queue_is_full_of_bytes_too) {
  std::vector<told> all;
  pause p(writer());
  for (int i = 0; i < 3; ++i)
    all.push_back(send_event("evt_" + std::to_string(i), limits::ledger_queue_bytes / 3 - 4096));
  auto e = event("evt_more");
  e.body.assign(64 * 1024, 'x');
  EXPECT_FALSE(
      writer().ask(accept_events{"acme", {e}, at(1), at(1)}, [](const answer&) { ADD_FAILURE(); }));
  all.push_back(send(count_all{}));
  p.end();
  for (auto& a : all) EXPECT_FALSE(std::holds_alternative<refusal>(a.get()));
}

TEST_F(writing, at_the_end_what_was_accepted_is_done) {
  make_webhook("hook_1");
  std::vector<told> all;
  {
    auto p = std::make_unique<pause>(writer());
    for (int i = 0; i < 1000; ++i) all.push_back(send_event("evt_" + std::to_string(i)));
    p->end();
    close();
  }
  for (auto& a : all) {
    ASSERT_EQ(a.wait_for(std::chrono::seconds(0)), std::future_status::ready);
    EXPECT_TRUE(std::holds_alternative<accepted>(a.get()));
  }
  open();
  EXPECT_EQ(counts().deliveries[0], 1000U);
}

TEST_F(writing, without_room_writes_fail_and_go_on_when_there_is_room) {
  make_webhook("hook_1");
  accept("evt_1");
  const auto log = std::filesystem::file_size(path() + "-wal");
  {
    const room_for_files little(log + 512 * 1024);
    const auto said = std::get<refusal>(send_event("evt_2", 1024 * 1024).get());
    EXPECT_EQ(said.why, reason::unavailable);
    EXPECT_NE(said.what.find("hooks.db could not be"), std::string::npos) << said.what;
    // Of those that wait together, what fits is written.
    std::vector<told> all;
    {
      pause p(writer());
      all.push_back(send_event("evt_3"));
      all.push_back(send_event("evt_4", 1024 * 1024));
      all.push_back(send_event("evt_5"));
    }
    EXPECT_TRUE(std::holds_alternative<accepted>(all[0].get()));
    EXPECT_EQ(std::get<refusal>(all[1].get()).why, reason::unavailable);
    EXPECT_TRUE(std::holds_alternative<accepted>(all[2].get()));
    // What is there is read.
    EXPECT_EQ(delivery("dlv_1").event, "evt_1");
  }
  EXPECT_TRUE(std::holds_alternative<accepted>(send_event("evt_2", 1024 * 1024).get()));
  EXPECT_EQ(counts().deliveries[0], 4U);
  reopen();
  EXPECT_EQ(counts().deliveries[0], 4U);
  sqlite::query q(db(), "PRAGMA quick_check");
  ASSERT_TRUE(q.row());
  EXPECT_EQ(q.text(0), "ok");
}

TEST_F(writing, a_full_database_is_told_of_as_a_full_disk_is) {
  make_webhook("hook_1");
  ASSERT_TRUE(db().run("PRAGMA max_page_count = 60"));
  const auto said = std::get<refusal>(send_event("evt_1", 1024 * 1024).get());
  EXPECT_EQ(said.why, reason::unavailable);
  EXPECT_NE(said.what.find("there is no room"), std::string::npos) << said.what;
  EXPECT_TRUE(std::holds_alternative<accepted>(send_event("evt_2").get()));
  ASSERT_TRUE(db().run("PRAGMA max_page_count = 1000000"));
  EXPECT_TRUE(std::holds_alternative<accepted>(send_event("evt_1", 1024 * 1024).get()));
}

}  // namespace
}  // namespace gate::ledger
