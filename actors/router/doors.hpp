#pragma once
/// What ROUTER's parts do to the outside: the actor implements it (router.cpp), tests bring fakes.
/// Everything is one-way; what comes back comes as an event of the part that asked.
#include <chrono>
#include <cstdint>
#include <variant>

#include "actors/messages.hpp"
#include "transport/interfaces.hpp"

namespace gate::routing {

using time_point = std::chrono::steady_clock::time_point;

/// What an UPSTREAM is told, but for calls.
using to_upstream =
    std::variant<cancel_call, client_reply, profile_changed, client_notice, client_progress,
                 client_ended, fetch_list, introduce, release_root, subscribe_again, unsubscribe>;

/// The UPSTREAMs of the unit, by number.
class upstream_door {
 public:
  /// Numbers below are in use, or have been.
  virtual std::size_t slots() const = 0;
  /// False: it crashed and its successor does not run yet, or there is none of this number.
  virtual bool there(std::size_t index) const = 0;
  /// Its answer comes as `answered`; if it is not there, in the same way: it is down.
  virtual void ask(std::size_t index, invoke question) = 0;
  /// Nobody hears it if it is not there.
  virtual void tell(std::size_t index, to_upstream what) = 0;
  /// The answer to a fetch that nobody can be asked.
  virtual void answer_later(listed nobody) = 0;

 protected:
  ~upstream_door() = default;
};

/// What others are asked for a viewer. (Of ACTIVITY's `follow_activity` the door says who reads.)
struct usage_question {
  bool of_requests = false;  ///< RATE LIMITER's; else BUDGET's
  show_usage what;
};
struct circuit_question {
  std::size_t upstream = 0;
};
using inquiry_question = std::variant<ask_metrics, ask_federation, read_activity, follow_activity,
                                      unfollow_activity, usage_question, circuit_question>;
/// What they say to that; none of it comes of `follow_activity`, which `activity_told` answers, and
/// of `unfollow_activity`.
struct usage_answer {
  bool of_requests = false;
  usage_shown what;
};
/// Whoever was asked is not there, or has died.
struct no_text {};
struct no_circuit {};
using inquiry_answer = std::variant<metrics_text, federation_text, activity_page, no_text,
                                    usage_answer, breaker_told, no_circuit>;

/// The other actors that calls wait for.
class partner_door {
 public:
  /// False: there is no RATE LIMITER at the moment.
  virtual bool has_limiter() const = 0;
  virtual void meter(std::uint64_t call, const rate_scopes_ptr& scopes) = 0;
  /// False: there is no KEY SET for this source at the moment.
  virtual bool has_keys(std::size_t source) const = 0;
  virtual void want_keys(std::size_t source) = 0;
  /// To TASKS.
  virtual void find_tasks(std::uint64_t call, gate::find_tasks question) = 0;
  virtual void pin_task(gate::pin_task what) = 0;
  virtual void note_minting(gate::note_minting what) = 0;
  /// False: there is no MINT at the moment.
  virtual bool redeem(gate::redeem what) = 0;
  /// To HEALTH.
  virtual void ask_health(std::uint64_t call) = 0;
  /// To whoever knows; comes as `inquiry_answer`.
  virtual void inquire(std::uint64_t call, inquiry_question what) = 0;
  /// To STORE, of a gateway that has one; its answer comes as `store_told`.
  virtual void ask(store_request what) = 0;
  /// To GATEWAY: nobody on this unit can ask this upstream any more.
  virtual void left(std::size_t upstream) = 0;

 protected:
  ~partner_door() = default;
};

/// Who is woken.
enum class timer : std::uint8_t {
  upkeep,         ///< every second
  expiring,       ///< more sessions are about to end
  late_lists,     ///< calls that wait for lists
  news,           ///< clients are to be told
  introductions,  ///< calls that wait for these
  newcomers,      ///< upstreams that a reload brought
  questions,      ///< clients are to be asked by results
  records,        ///< sessions of the fleet are to be written down
  fleet_key,      ///< calls that wait for the fleet's key
};

class time_door {
 public:
  virtual time_point now() const = 0;
  /// Comes once; a second one for the same timer comes as well.
  virtual void wake(timer what, std::chrono::steady_clock::duration after) = 0;

 protected:
  ~time_door() = default;
};

}  // namespace gate::routing
