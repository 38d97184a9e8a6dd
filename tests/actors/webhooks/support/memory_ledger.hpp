#pragma once
/// LEDGER without a disk and a thread: the real operations on a SQLite database in memory, each
/// answered in the turn in which it is asked. Its data outlive the actor.
#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <memory>
#include <string>

#include "transport/ledger/books.hpp"
#include "transport/ledger/schema.hpp"
#include "transport/ledger_interface.hpp"

namespace gate::hooks::testing {

/// What is kept, and what tests do to it.
struct kept {
  kept() : db(":memory:"), books(db, [this] { return "dlv_" + std::to_string(++deliveries); }) {
    if (auto wrong = ledger::migrate(db, ledger::schema_steps(), 0))
      throw std::runtime_error(*wrong);
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

  sqlite::connection db;
  int deliveries = 0;
  ledger::books books;
  bool away = false;    ///< what is asked is refused
  bool silent = false;  ///< it is not answered
  std::function<void(const ledger::request&)> seen;
};

class memory_ledger final : public ledger_handle::base {
 public:
  memory_ledger(caf::actor_config& cfg, std::shared_ptr<kept> in)
      : ledger_handle::base(cfg), in_(std::move(in)) {}
  behavior_type make_behavior() override {
    return {[this](const ask_ledger& m) {
      if (in_->seen) in_->seen(m.what);
      if (in_->silent) return;
      auto said = in_->away ? ledger::answer(ledger::refusal{ledger::refusal::reason::unavailable,
                                                             "the disk is full"})
                            : in_->perform(m.what);
      send(m.asker, ledger_told{m.number, std::move(said)});
    }};
  }
  const char* name() const override { return "ledger"; }

 private:
  std::shared_ptr<kept> in_;
};

}  // namespace gate::hooks::testing
