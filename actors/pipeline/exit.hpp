#pragma once
/// The exit ticket. Every call owns one and spends it exactly once, by its answer or its refusal; a
/// call that is dropped (a handler threw, an actor died) spends it in its destructor. So "exactly
/// one audit event per terminal response" is a property of a type, not of discipline. Stage 9 is
/// the only door that takes tickets.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "actors/traces/server_span.hpp"
#include "actors/who/caller.hpp"
#include "config/document.hpp"
#include "protocol/audit/event.hpp"
#include "protocol/refusals.hpp"
#include "transport/interfaces.hpp"

namespace gate::pipeline {

/// What the exit door learns about a call, gathered by the stages as they find it out.
struct journal {
  std::chrono::steady_clock::time_point began;
  std::uint64_t request = 0;  ///< INGRESS's number of it
  /// Of static storage: a row's name of methods.hpp or endpoints.hpp, or a word of
  /// protocol/audit/event.hpp.
  std::string_view method = audit::not_mcp;
  std::string name;
  std::string upstream;
  const config::owner* owner = nullptr;  ///< of that upstream; the call's snapshot keeps it
  std::uint32_t upstream_calls = 0;
  std::optional<std::uint64_t> items_served;
  std::string usage;
  identity::access_ptr access;  ///< null until stage 2
  std::string_view rule_id;     ///< of the policy, which the call's snapshot keeps
  audit::decision decision = audit::decision::none;
  trace::trace_id trace{};         ///< that it belongs to; zeros: to none that is known
  traces::server_span_ptr span{};  ///< null: it is not recorded
  bool unaudited = false;
  bool uncounted = false;  ///< no request: it is in the audit trail, but not in the metrics
};

/// How a call ended.
struct ending {
  audit::outcome outcome = audit::outcome::ok;
  std::string error;
  gate::rejection rejection = gate::rejection::none;
  trace::failure why{};  ///< as its span says it
};

class exit_door {
 public:
  virtual void leave(journal&& j, ending&& e) noexcept = 0;
  /// Goes with a request to another unit, and tells this end if it does not arrive. (Nobody has
  /// been answered, so it does not count as a request.) Null: nobody would hear it.
  virtual std::shared_ptr<passage> lend(const journal& j, ending e) = 0;

 protected:
  ~exit_door() = default;
};

class exit_ticket {
 public:
  exit_ticket(exit_door& door, std::chrono::steady_clock::time_point began,
              std::uint64_t request = 0)
      : door_(&door) {
    journal_.began = began;
    journal_.request = request;
  }
  exit_ticket(const exit_ticket&) = delete;
  exit_ticket& operator=(const exit_ticket&) = delete;
  ~exit_ticket() {
    if (door_) spend({audit::outcome::error, "the call was dropped", {}});
  }

  journal& notes() noexcept { return journal_; }
  const journal& notes() const noexcept { return journal_; }
  bool spent() const noexcept { return door_ == nullptr; }
  void spend(ending e) {
    if (auto* door = std::exchange(door_, nullptr)) door->leave(std::move(journal_), std::move(e));
  }
  /// Others carry tickets for it: the elements of a batch, or the same request at another unit.
  void hand_over() noexcept { door_ = nullptr; }
  std::shared_ptr<passage> lend(ending e) const { return door_->lend(journal_, std::move(e)); }

 private:
  exit_door* door_;
  journal journal_;
};

}  // namespace gate::pipeline
