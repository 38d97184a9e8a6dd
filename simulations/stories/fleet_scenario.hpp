#pragma once
/// A story of a fleet, told beforehand: three instances behind one address, the store that they
/// share, who wants what of which instance, and what is done to them meanwhile. Made from a seed;
/// plain data, so that a shorter story is the same one with operations left out.
///
///   upstream  what it is
///   good      always well, and free
///   lim       with a rate limit
///   pen       with a budget
///   sick      its calls fail when it is told so; a circuit breaker
///   job       makes tasks, and tells everybody of them who asks
///   own       only of the tenant of alice and bob; is shown a credential of each of them
#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/stories/scenario.hpp"

namespace gate::fleet_churn {

/// What happens. `a`, `b` and `c` of an operation choose whom, what and where, as said here; where
/// a visitor goes is drawn among the instances that live.
enum class act : std::uint8_t {
  come,         ///< visitor a initializes at c
  call,         ///< visitor a calls a tool of upstream b at c
  burst,        ///< the same, several times, at one instance after the other
  list,         ///< visitor a asks for the tools at c
  task,         ///< visitor a has a task made at c
  ask_task,     ///< visitor a asks for task b at c
  subscribe,    ///< visitor a subscribes to the resource of good at c, or no longer
  listen,       ///< visitor a opens its stream at c
  resume,       ///< visitor a makes a long call at c, and comes back for its stream at b
  token,        ///< assertion b is presented at c
  steal,        ///< visitor a comes with the session of visitor b to c
  leave,        ///< visitor a ends its session at c
  announce,     ///< good says that its resource has changed
  trouble,      ///< the link of a: cut, swallowing, keeping or stalling, by b
  mend,         ///< the link of a
  store_goes,   ///< nobody reaches it
  store_comes,  ///< if it was gone; without its data if a is odd
  restart,      ///< the same at once
  kill,         ///< instance a
  start,        ///< an instance where one was killed
  sicken,       ///< the calls of sick fail
  cure,         ///< or no longer
  wait,         ///< a ms pass
  steps,        ///< a messages are handled
  settle,       ///< all messages are handled
  rush,         ///< visitors call tools, one behind the other, as b has it
};

struct operation {
  act what = act::settle;
  std::uint32_t a = 0, b = 0, c = 0;
};
std::string to_string(const operation& o);

/// What is broken on purpose, so that the checkers have something to see.
enum class canary : std::uint8_t {
  none,
  refuses_nobody,     ///< the store allows whatever a limit has no room for
  charges_nobody,     ///< the same of budgets
  leases_to_all,      ///< the store gives a lease to everybody who asks
  forgets_used,       ///< the store forgets assertions
  forgets_sessions,   ///< and sessions
  adopts_foreign,     ///< whoever comes with a session of somebody else is taken for its owner
  tells_of_tasks,     ///< the same of tasks
  loses_audit,        ///< an audit line is lost
  calls_twice,        ///< a call is made again
  keeps_record,       ///< a session's record stays in the store
  drops_answer,       ///< a request is thrown away
  loses_streams,      ///< who comes back for a stream is told nothing on it
  repeats_streams,    ///< who comes back for a stream is told what it has heard
  open_tenants,       ///< each tenant has what another one has
  shares_credential,  ///< whoever is the caller, own is shown the credential of alice
};

inline constexpr std::size_t places = 3;
inline constexpr std::size_t visitors = 5;
inline constexpr std::size_t assertions = 4;
/// Calls of a rush; and at most so many more.
inline constexpr std::uint32_t least_of_rush = 40, more_of_rush = 80;
inline constexpr std::int64_t lim_per_minute = 5;
inline constexpr std::int64_t pen_calls = 6;
inline constexpr std::int64_t failure_threshold = 3;
inline constexpr std::chrono::milliseconds half_open_after{3'000};
inline constexpr std::chrono::milliseconds sick_takes{150};
inline constexpr std::chrono::milliseconds request_timeout{2'000};
/// Of one that becomes a stream; and when its client's connection breaks.
inline constexpr std::chrono::milliseconds long_call{1'900}, long_call_breaks{1'500};
/// When its server says something within it, before it answers.
inline constexpr std::array<std::chrono::milliseconds, 4> long_call_notices{
    std::chrono::milliseconds{0}, std::chrono::milliseconds{600}, std::chrono::milliseconds{1'200},
    std::chrono::milliseconds{1'700}};
inline constexpr std::chrono::seconds session_idle{60};

struct scenario {
  std::uint64_t seed = 0;
  /// Nothing is done to the store or to what lies before it: all that is counted is exact.
  bool calm = false;
  bool sealed = false;                   ///< by a secret of the environment
  std::int64_t requests_per_minute = 0;  ///< of everybody; 0: no limit
  std::int64_t per_principal = 0;        ///< the same of each
  std::chrono::milliseconds longest{0};  ///< between instances and the store
  std::array<bool, places> apart{};      ///< what is published comes by a connection of its own
  std::array<std::chrono::milliseconds, places> ahead{};  ///< clocks of the instances
  std::chrono::milliseconds store_ahead{0};
  std::chrono::seconds begins{0};                  ///< behind the half hour
  std::chrono::milliseconds heals_within{20'000};  ///< all works again so long after the last fault
  canary bird = canary::none;
  std::vector<operation> operations;
};

/// What a scenario file may say; behind the acts there is a row for each of these.
enum class knob : std::uint8_t {
  least_operations,
  more_operations,
  heals_within,
  calm,
  sealed,
  limit_of_all,
  limit_of_each,
  apart,
  turn_of_hour,
};
inline constexpr std::size_t knobs = static_cast<std::size_t>(knob::turn_of_hour) + 1;
std::span<const stories::setting> settings();

scenario make_scenario(std::uint64_t seed, const stories::tuning& t);

/// Under which conditions it is told, for a reader; and the same story under simpler ones.
std::string setup_of(const scenario& s);
std::vector<scenario> simpler_ones(const scenario& s);
/// As most stories are.
scenario make_scenario(std::uint64_t seed);

/// The document of all instances.
std::string document(const scenario& s);
/// Whose visitor it is.
std::string_view principal_of(std::size_t visitor);
/// Its token: good for as long as any story lasts.
const std::string& token_of(std::string_view principal);
/// May it know of `own`?
bool has_own(std::size_t visitor);
/// What the provider gives for the token of a principal, and `own` is shown.
std::string credential_of(std::string_view principal);
inline constexpr std::string_view credential_begins = "exchanged-for-";

}  // namespace gate::fleet_churn
