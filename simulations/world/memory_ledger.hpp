#pragma once
/// LEDGER without a disk and a thread: the real operations on a SQLite database in memory. Its data
/// outlive the actor, as a file does. Unless it is told otherwise, it answers in the turn in which
/// it is asked.
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "transport/ledger/books.hpp"
#include "transport/ledger/schema.hpp"
#include "transport/ledger_interface.hpp"

namespace gate::sim {

/// What is kept, and what is wrong with the storage.
struct kept {
  kept() : db(":memory:"), books(db, [this] { return new_id(); }) {
    if (auto wrong = ledger::migrate(db, ledger::schema_steps(), 0))
      throw std::runtime_error(*wrong);
    db.run("PRAGMA foreign_keys = ON");  // as in a file
  }
  ledger::answer perform(const ledger::request& r) {
    if (!ledger::writes(r)) return books.read(r);
    sqlite::transaction together(db);
    auto out = books.write(r);
    if (!together.commit()) throw std::runtime_error("the commit failed");
    return out;
  }
  template <class T>
  T get(ledger::request r) {
    auto a = perform(r);
    if (const auto* no = std::get_if<ledger::refusal>(&a)) throw std::runtime_error(no->what);
    return std::get<T>(std::move(a));
  }

  /// As long as a ULID, and in their order.
  std::string new_id() {
    constexpr std::size_t digits = 26;
    const auto n = std::to_string(++deliveries);
    return "dlv_" + std::string(digits - n.size(), '0') + n;
  }

  sqlite::connection db;
  int deliveries = 0;
  ledger::books books;
  bool away = false;                  ///< what is asked is refused
  bool silent = false;                ///< it is not answered
  bool pretends = false;              ///< events are said to be accepted, and are not kept
  bool stalls = false;                ///< it waits, until there is an end to that
  std::chrono::milliseconds slow{0};  ///< each answer takes so long
  /// What it is asked becomes something else.
  std::function<void(ledger::request&)> bends;
  std::function<void(const ledger::request&)> seen;
  std::function<void(const ledger::request&, const ledger::answer&)> done;  ///< what was performed
};

/// To itself: this was performed, and is to be answered now.
struct answer_ledger {
  ledger_asker asker;
  ledger_told what;
};
/// The storage does not stall any more.
struct ledger_moves {};
using memory_ledger_handle =
    ledger_handle::extend<caf::reacts_to<answer_ledger>, caf::reacts_to<ledger_moves>>;

class memory_ledger final : public memory_ledger_handle::base {
 public:
  memory_ledger(caf::actor_config& cfg, std::shared_ptr<kept> in)
      : memory_ledger_handle::base(cfg), in_(std::move(in)) {}
  behavior_type make_behavior() override {
    return {[this](ask_ledger& m) {
              if (in_->bends) in_->bends(m.what);
              if (in_->seen) in_->seen(m.what);
              if (in_->silent) return;
              if (in_->stalls) return waiting_.push_back(std::move(m));
              serve(m);
            },
            [this](answer_ledger& m) { send(m.asker, std::move(m.what)); },
            [this](ledger_moves) {
              for (auto& m : std::exchange(waiting_, {})) serve(m);
            }};
  }
  void on_exit() override { waiting_.clear(); }
  const char* name() const override { return "ledger"; }

 private:
  void serve(const ask_ledger& m) {
    ledger_told told{m.number,
                     ledger::refusal{ledger::refusal::reason::unavailable, "the disk is full"}};
    const auto* events = std::get_if<ledger::accept_events>(&m.what);
    if (in_->pretends && events != nullptr) {
      ledger::accepted all;
      for (const auto& e : events->events) all.events.push_back({e.id});
      told.what = std::move(all);
    } else if (!in_->away) {
      told.what = in_->perform(m.what);
      if (in_->done) in_->done(m.what, told.what);
    }
    if (in_->slow.count() == 0) return send(m.asker, std::move(told));
    delayed_send(this, in_->slow, answer_ledger{m.asker, std::move(told)});
  }

  std::shared_ptr<kept> in_;
  std::deque<ask_ledger> waiting_;
};

}  // namespace gate::sim

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::sim::answer_ledger)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::sim::ledger_moves)
