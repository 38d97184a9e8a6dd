// LEDGER as an actor (transport/ledger_interface.hpp): each request is answered once, and what was
// accepted is on the disk when it has ended.
#include "transport/doors/ledger_actor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <set>

#include "protocol/limits/ledger.hpp"
#include "tests/transport/support/ledger_file.hpp"
#include "tests/transport/support/real_world.hpp"

namespace gate::testing {
namespace {

/// Tells the test everything that LEDGER tells.
class asker_actor final : public ledger_asker::base {
 public:
  asker_actor(caf::actor_config& cfg, std::shared_ptr<inbox<ledger_told>> to)
      : ledger_asker::base(cfg), to_(std::move(to)) {}
  behavior_type make_behavior() override {
    return {[this](ledger_told& m) { to_->put(std::move(m)); }};
  }

 private:
  std::shared_ptr<inbox<ledger_told>> to_;
};

class ledger_door : public ledger_file {
 protected:
  ledger_door() {
    runtime::options o;
    o.listens = false;
    o.owns_process = false;
    runtime_ = runtime::start(o).value();
    asker_ = runtime_->system().spawn<asker_actor>(told_);
    ask_everybody();
  }
  ~ledger_door() override {
    caf::anon_send_exit(door_, caf::exit_reason::kill);
    caf::anon_send_exit(asker_, caf::exit_reason::kill);
    door_ = nullptr;
    asker_ = nullptr;
  }
  void ask_everybody() {
    raw_ = writer_.get();
    door_ = runtime_->system().spawn<doors::ledger_actor>(std::move(writer_));
  }
  void send(std::uint64_t number, ledger::request what) {
    caf::anon_send(door_, ask_ledger{number, std::move(what), asker_});
  }

  std::unique_ptr<runtime> runtime_;
  std::shared_ptr<inbox<ledger_told>> told_ = std::make_shared<inbox<ledger_told>>();
  ledger_asker asker_;
  ledger_handle door_;
  ledger::writer* raw_ = nullptr;
};

TEST_F(ledger_door, every_request_is_answered_under_its_number) {
  std::set<std::uint64_t> numbers;
  for (std::uint64_t n = 1; n <= 50; ++n)
    send(n, ledger::accept_events{"acme", {event("evt_" + std::to_string(n))}, at(1), at(1)});
  for (int n = 0; n < 50; ++n) {
    const auto m = told_->wait();
    EXPECT_TRUE(std::holds_alternative<ledger::accepted>(m.what));
    EXPECT_TRUE(numbers.insert(m.number).second);
  }
  EXPECT_EQ(*numbers.rbegin(), 50U);
  send(51, ledger::read_webhook{"acme", "hook_none"});
  const auto m = told_->wait();
  EXPECT_EQ(m.number, 51U);
  EXPECT_EQ(std::get<ledger::refusal>(m.what).why, ledger::refusal::reason::not_found);
}

TEST_F(ledger_door, if_too_many_wait_it_says_so) {
  std::promise<void> here, go;
  ASSERT_TRUE(raw_->ask(ledger::count_all{}, [&](const ledger::answer&) {
    here.set_value();
    go.get_future().wait();
  }));
  here.get_future().wait();
  for (std::size_t n = 0; n < limits::ledger_queue; ++n)
    ASSERT_TRUE(raw_->ask(ledger::count_all{}, [](const ledger::answer&) {}));
  send(7, ledger::count_all{});
  const auto m = told_->wait();
  EXPECT_EQ(m.number, 7U);
  EXPECT_EQ(std::get<ledger::refusal>(m.what).why, ledger::refusal::reason::busy);
  go.set_value();
}

TEST_F(ledger_door, when_it_has_ended_what_was_accepted_is_on_the_disk) {
  std::promise<void> here, go;
  ASSERT_TRUE(raw_->ask(ledger::count_all{}, [&](const ledger::answer&) {
    here.set_value();
    go.get_future().wait();
  }));
  here.get_future().wait();
  std::atomic<int> accepted{0};
  for (int n = 1; n <= 200; ++n)
    ASSERT_TRUE(
        raw_->ask(ledger::accept_events{"acme", {event("evt_" + std::to_string(n))}, at(1), at(1)},
                  [&](const ledger::answer& a) {
                    if (std::holds_alternative<ledger::accepted>(a)) ++accepted;
                  }));
  caf::scoped_actor self{runtime_->system()};
  self->send_exit(door_, caf::exit_reason::user_shutdown);
  go.set_value();
  self->wait_for(door_);
  EXPECT_EQ(accepted, 200);
  open();
  sqlite::query q(db(), "SELECT count(*) FROM events");
  ASSERT_TRUE(q.row());
  EXPECT_EQ(q.number(0), 200);
}

}  // namespace
}  // namespace gate::testing
