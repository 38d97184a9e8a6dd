#pragma once
/// Somebody who asks a LEDGER's house, whichever it is, and waits for the answers.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/webhook/records.hpp"
#include "transport/ledger/house.hpp"

namespace gate::testing {

/// `wall_time` number n: seconds since some day.
inline webhook::wall_time at(std::int64_t seconds) {
  return webhook::wall_time(std::chrono::seconds(1'700'000'000 + seconds));
}

inline constexpr webhook::event_mask every_event = 0x1f;

class ledger_requests : public ::testing::Test {
 protected:
  ledger::answer ask(ledger::request what) {
    auto told = std::make_shared<std::promise<ledger::answer>>();
    auto answer = told->get_future();
    if (!house_->ask(std::move(what), [told](ledger::answer a) { told->set_value(std::move(a)); }))
      throw std::runtime_error("the queue is full");
    return answer.get();
  }
  std::future<ledger::answer> send(ledger::request what) {
    auto told = std::make_shared<std::promise<ledger::answer>>();
    EXPECT_TRUE(
        house_->ask(std::move(what), [told](ledger::answer a) { told->set_value(std::move(a)); }));
    return told->get_future();
  }
  template <class T>
  T get(ledger::request what) {
    auto out = ask(std::move(what));
    if (auto* r = std::get_if<ledger::refusal>(&out))
      throw std::runtime_error("refused: " + r->what);
    return std::get<T>(std::move(out));
  }
  ledger::refusal::reason refused(ledger::request what) {
    return std::get<ledger::refusal>(ask(std::move(what))).why;
  }

  webhook::webhook make_webhook(const std::string& id, const std::string& organization = "acme",
                                webhook::event_mask events = every_event) {
    webhook::webhook w;
    w.id = id;
    w.organization = organization;
    w.events = events;
    w.url = "https://receiver.example/" + id;
    w.description = "of " + organization;
    w.secret = "0123456789abcdef";
    w.created = w.updated = at(0);
    return get<webhook::webhook>(ledger::create_webhook{w});
  }
  static ledger::new_event event(const std::string& id,
                                 webhook::event_type type = webhook::event_type::deploy_success) {
    return {id, type, at(1), R"({"type":"deploy.success","data":")" + id + "\"}", {}};
  }
  ledger::accepted accept(std::vector<ledger::new_event> events, std::int64_t now = 1,
                          const std::string& organization = "acme") {
    return get<ledger::accepted>(
        ledger::accept_events{organization, std::move(events), at(now), at(now)});
  }
  ledger::accepted accept(const std::string& id, std::int64_t now = 1) {
    return accept(std::vector{event(id)}, now);
  }
  ledger::taken take(const std::string& webhook, std::int64_t now, const std::string& lease = "L",
                     std::size_t most = 64) {
    return get<ledger::taken>(
        ledger::take_due{webhook, most, at(now), lease, at(now) + std::chrono::seconds(30)});
  }
  /// An attempt that ended so.
  ledger::answer note(const std::string& delivery, webhook::state status, std::int64_t now,
                      const std::string& lease = "L") {
    return ask(attempt_of(delivery, status, now, lease));
  }
  static ledger::note_attempt attempt_of(const std::string& delivery, webhook::state status,
                                         std::int64_t now, const std::string& lease) {
    ledger::note_attempt n;
    n.delivery = delivery;
    n.lease = lease;
    n.status = status;
    n.now = at(now);
    n.what.at = at(now);
    n.what.took = std::chrono::milliseconds(12);
    n.what.code = status == webhook::state::succeeded ? 200 : 500;
    n.what.error = status == webhook::state::succeeded ? "" : "the receiver answered 500";
    n.answer = "said";
    if (status == webhook::state::failed) n.next = at(now + 5);
    return n;
  }
  /// Events that become dead letters of all webhooks that want them.
  void bury(const std::string& webhook, const std::vector<ledger::new_event>& events,
            std::int64_t now) {
    accept(events, now);
    for (const auto& d : take(webhook, now).deliveries)
      note(d.delivery.id, webhook::state::dead, now);
  }
  webhook::delivery delivery(const std::string& id, const std::string& organization = "acme") {
    return get<ledger::whole_delivery>(ledger::read_delivery{organization, id}).delivery;
  }
  ledger::counts counts() { return get<ledger::counts>(ledger::count_all{}); }

  /// Each operation at least once; there is a webhook `hook_1`.
  void do_everything() {
    for (int i = 0; i < 20; ++i) accept("evt_" + std::to_string(i));
    accept({event("evt_1")}, 1, "other");
    take("hook_1", 1, "A", 6);
    note("dlv_1", webhook::state::succeeded, 2, "A");
    note("dlv_2", webhook::state::failed, 2, "A");
    note("dlv_3", webhook::state::dead, 2, "A");
    note("dlv_4", webhook::state::dead, 2, "A");
    accept("evt_1");
    get<ledger::webhook_page>(ledger::list_webhooks{"acme", {}, 10});
    get<webhook::webhook>(ledger::patch_webhook{"acme", "hook_1", at(2), {}, {}, {}, true});
    get<webhook::webhook>(ledger::rotate_secret{"acme", "hook_1", "new", at(2), at(3)});
    get<ledger::due_page>(ledger::list_due{{}, 10});
    get<ledger::delivery_page>(
        ledger::list_deliveries{"acme", "hook_1", webhook::state::succeeded, {}, 10});
    get<ledger::delivery_page>(ledger::list_dead{"acme", {}, "", {}, 10});
    get<ledger::delivery_page>(ledger::list_dead{"acme", {}, "hook_1", {}, 10});
    get<ledger::dead_counts>(ledger::dead_stats{"acme", at(9)});
    get<ledger::requeued>(ledger::retry_delivery{"acme", "dlv_3", at(3)});
    get<ledger::requeued>(ledger::retry_dead{"acme", "hook_1", at(3)});
    take("hook_1", 3, "B");
    note("dlv_3", webhook::state::dead, 4, "B");
    get<ledger::done>(ledger::delete_dead{"acme", "dlv_3"});
    get<ledger::released>(ledger::give_back{"B", at(5)});
    get<ledger::released>(ledger::release_leases{at(99), false});
    get<ledger::cleaned>(ledger::clean{at(99), at(99)});
    get<ledger::done>(ledger::disable_webhook{"hook_1", webhook::disabled::gone, at(5)});
    get<ledger::done>(ledger::delete_webhook{"acme", "hook_1", at(6)});
    get<ledger::cleaned>(ledger::clean{at(99), at(99)});
  }

  ledger::house* house_ = nullptr;
};

}  // namespace gate::testing
