#pragma once
/// The one place where calls wait. What waits is kept with the stage that it has passed, and comes
/// back as the fact of that stage and of no other: a call goes on where it stopped, and what comes
/// after that stage is still before it. Pure; part of ROUTER. Its bound is that of what may wait:
/// requests of client connections (`limits`), and of their sessions (`limits::session_calls`).
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
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
  fan_out,   ///< all upstreams, about tasks
  lists,     ///< upstreams that are yet to list something
  meeting,   ///< upstreams that nobody has met yet
  upstream,  ///< the one that works for it
  mint,      ///< MINT
  health,    ///< HEALTH
  inquiry,   ///< whoever knows what a viewer asks for
  store,     ///< STORE, about a session of the fleet
  instance,  ///< another one of the fleet
};

/// What becomes of a call whose partner dies, with whatever it was asked.
enum class loss : std::uint8_t {
  again,     ///< its stage runs again, and does without
  admitted,  ///< it passes: who counts must not stop the traffic
  unspoken,  ///< that upstream has answered: it is not there
  refused,   ///< its client may try again in a second
  gone,      ///< nobody is left to be answered
};

/// Where there is one partner of a kind, ROUTER follows `without` (`routing::do_without`). Of
/// upstreams and sources of keys there are many: there it says what those functions do that ask
/// which one died.
struct partner_row {
  partner id;
  loss without;
  /// What becomes of a call whose partner is late: it goes on with what is there (true), or
  /// somebody else keeps the deadline: its client's connection, the session that works for it, or
  /// whoever supervises the partner.
  bool goes_on_late;
  /// There are several such partners: which one it waits for is asked often.
  bool several;
  std::string_view sentence;  ///< with `refused`
};

inline constexpr std::array<partner_row, 13> partners{{
    // clang-format off
    //                                    late   several
    {partner::body,     loss::gone,     false, true,  {}},
    {partner::keys,     loss::again,    false, true,  {}},
    {partner::limiter,  loss::admitted, false, false, {}},
    {partner::ledger,   loss::refused,  false, false, "the task ledger is restarting"},
    {partner::fan_out,   loss::unspoken, true,  false, {}},
    {partner::lists,    loss::unspoken, true,  true,  {}},
    {partner::meeting,  loss::unspoken, true,  false, {}},
    {partner::upstream, loss::unspoken, false, false, {}},
    {partner::mint,     loss::refused,  false, false, "the token endpoint is restarting"},
    {partner::health,   loss::refused,  false, false, "the health check is restarting"},
    {partner::inquiry,  loss::refused,  false, false, "what knows of it is restarting"},
    {partner::store,    loss::again,    false, true,  {}},
    {partner::instance, loss::unspoken, true,  false, {}},
    // clang-format on
}};

constexpr const partner_row& row(partner p) {
  return partners[static_cast<std::size_t>(p)];
}
static_assert([] {
  for (std::size_t i = 0; i < partners.size(); ++i)
    if (partners[i].id != static_cast<partner>(i)) return false;
  return true;
}());

/// What a call waits for.
struct wait {
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr auto never = time_point::max();

  partner whom{};
  std::uint64_t which = 0;  ///< of several
  /// Of one that goes on late: so long it waits.
  time_point until = never;
};

class parking {
 public:
  using time_point = wait::time_point;

  /// Returns the call's number, which is never used again.
  template <stage S>
  std::uint64_t add(fact<S> c, wait w) {
    return place(std::move(c.call_), S, w);
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
  void wait_for(std::uint64_t number, wait w);

  /// How many wait for such a partner.
  std::size_t count(partner whom) const { return counts_[static_cast<std::size_t>(whom)]; }
  /// Their numbers, in the order in which they came.
  std::vector<std::uint64_t> waiting_for(partner whom) const;
  /// The same, of one of several: at the cost of a look.
  std::vector<std::uint64_t> waiting_for(partner whom, std::uint64_t which) const;
  bool is_waited_for(partner whom, std::uint64_t which) const {
    return of_several_.contains(key(whom, which));
  }
  /// Does it wait for such a partner?
  bool waits_for(std::uint64_t number, partner whom) const {
    const auto* p = places_.find(number);
    return p && p->w.whom == whom;
  }
  /// Has it waited long enough?
  bool is_late(std::uint64_t number, time_point now) const {
    const auto* p = places_.find(number);
    return p && p->w.until <= now;
  }
  /// When the first of those who wait for such a partner has waited long enough; or `wait::never`.
  time_point next_late(partner whom) const;
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
    wait w{};
    std::uint64_t turn = 0;  ///< the how many-th it is that was parked
    explicit operator bool() const noexcept { return it != nullptr; }
  };
  static constexpr std::uint64_t key(partner whom, std::uint64_t which) {
    return which * partners.size() + static_cast<std::size_t>(whom);
  }
  std::uint64_t place(call_ptr c, stage passed, wait w);
  call_ptr remove(std::uint64_t number);
  void enter(const wait& w, std::uint64_t number);
  void leave(const wait& w, std::uint64_t number);

  slot_table<parked> places_;
  std::uint64_t turns_ = 0;
  std::array<std::size_t, partners.size()> counts_{};
  /// Of partners of which there are several: who waits for which.
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> of_several_;
};

}  // namespace gate::pipeline
