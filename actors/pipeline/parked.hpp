#pragma once
/// The one place where calls wait. What waits is kept with the stage that it has passed, and comes
/// back as the fact of that stage and of no other: a call goes on where it stopped, and what comes
/// after that stage is still before it. Pure; part of ROUTER. Its bound is that of what may wait:
/// requests of client connections (`limits`), and of their sessions (`limits::session_calls`).
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/pipeline/fact.hpp"
#include "actors/pipeline/slot_table.hpp"

namespace gate::pipeline {

/// Whom a call waits for.
enum class partner : std::uint8_t {
  body,      ///< its client, which is yet to send the body
  keys,      ///< KEY SET of its issuer
  limiter,   ///< RATE LIMITER
  ledger,    ///< TASKS
  survey,    ///< all upstreams, about tasks
  lists,     ///< upstreams that are yet to list something
  meeting,   ///< upstreams that nobody has met yet
  upstream,  ///< the one that works for it
  mint,      ///< MINT
  health,    ///< HEALTH
};

/// What becomes of a call whose partner dies, with whatever it was asked.
enum class loss : std::uint8_t {
  again,     ///< its stage runs again, and does without
  admitted,  ///< it passes: who counts must not stop the traffic
  unspoken,  ///< that upstream has answered: it is not there
  refused,   ///< its client may try again in a second
  gone,      ///< nobody is left to be answered
};

/// Where there is one partner of a kind, ROUTER follows `without` (`router::do_without`). Of
/// upstreams and sources of keys there are many: there it says what those functions do that ask
/// which one died.
struct partner_row {
  partner id;
  loss without;
  std::string_view sentence;  ///< with `refused`
};

inline constexpr std::array<partner_row, 10> partners{{
    {partner::body, loss::gone, {}},
    {partner::keys, loss::again, {}},
    {partner::limiter, loss::admitted, {}},
    {partner::ledger, loss::refused, "the task ledger is restarting"},
    {partner::survey, loss::unspoken, {}},
    {partner::lists, loss::unspoken, {}},
    {partner::meeting, loss::unspoken, {}},
    {partner::upstream, loss::unspoken, {}},
    {partner::mint, loss::refused, "the token endpoint is restarting"},
    {partner::health, loss::refused, "the health check is restarting"},
}};

constexpr const partner_row& row(partner p) {
  return partners[static_cast<std::size_t>(p)];
}
static_assert([] {
  for (std::size_t i = 0; i < partners.size(); ++i)
    if (partners[i].id != static_cast<partner>(i)) return false;
  return true;
}());

class parking {
 public:
  /// Returns the call's number, which is never used again. `which` of several such partners it is.
  template <stage S>
  std::uint64_t add(fact<S> c, partner whom, std::size_t which = 0) {
    return place(std::move(c.call_), S, whom, which);
  }

  /// The call goes on. Nothing if it is not here (any more); nor if it has passed another stage
  /// than the one behind which it is to go on: it stays where it is.
  template <stage S>
  std::optional<fact<S>> take(std::uint64_t number) {
    const auto* p = places_.find(number);
    if (!p || p->passed != S) return {};
    return fact<S>(remove(number), has_waited{});
  }

  /// The call goes no further: it is cancelled, or refused. Null if it is not here (any more).
  call_ptr end(std::uint64_t number) { return places_.find(number) ? remove(number) : nullptr; }

  call* find(std::uint64_t number) const {
    const auto* p = places_.find(number);
    return p ? p->it.get() : nullptr;
  }
  /// From now on it waits for another.
  void wait_for(std::uint64_t number, partner whom);

  /// How many wait for such a partner.
  std::size_t count(partner whom) const { return counts_[static_cast<std::size_t>(whom)]; }
  /// Their numbers, in the order in which they came.
  std::vector<std::uint64_t> waiting_for(partner whom, std::size_t which = 0) const;
  std::vector<std::uint64_t> all() const;

  /// `f(call&)` for each; `f` must not add or take.
  template <class F>
  void for_each(F&& f) const {
    places_.for_each([&](const parked& p) { f(*p.it); });
  }

 private:
  struct parked {
    call_ptr it;
    stage passed{};
    partner whom{};
    std::size_t which = 0;
    std::uint64_t turn = 0;  ///< the how many-th it is that was parked
    explicit operator bool() const noexcept { return it != nullptr; }
  };
  std::uint64_t place(call_ptr c, stage passed, partner whom, std::size_t which);
  call_ptr remove(std::uint64_t number);

  slot_table<parked> places_;
  std::uint64_t turns_ = 0;
  std::array<std::size_t, partners.size()> counts_{};
};

}  // namespace gate::pipeline
