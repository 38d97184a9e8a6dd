#pragma once
/// One seed, one story: who takes part and what happens, in order. Plain data, made by nothing but
/// the seed, so that a story can be printed, told again, and shortened: an operation means
/// something whatever came before it.
///
///   host        upstream  what it is
///   good        good      always well: its calls never fail and never take longer than it takes
///   lim, pen    same      as good, but with a rate limit, or with a budget
///   t1, t2, t3  trio      three replicas that die and come back
///   new         new       always well, and speaks MCP 2026-07-28 only: it knows no sessions
///   sick, ill   same      everything that can be wrong with an upstream, one after the other
///   d1, d2      same      what the source of discovery names, or not
///   registry    -         the source of discovery: good documents, bad ones, none
#include <chrono>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/stories/setting.hpp"

namespace gate::churn {

/// What happens. `a` and `b` of an operation choose whom and what, as said here.
enum class act : std::uint8_t {
  come,          ///< visitor a initializes
  call,          ///< visitor a calls a tool of upstream b
  burst,         ///< the same, several times at once
  list,          ///< visitor a asks for list b
  read,          ///< visitor a reads the resource of good
  subscribe,     ///< visitor a subscribes to it, or to that of the upstream b
  level,         ///< visitor a sets its log level
  ping,          ///< visitor a
  cancel,        ///< visitor a cancels call b of its own
  vanish,        ///< request a of those under way loses its connection
  listen,        ///< visitor a opens its stream, and perhaps (b) never reads it
  leave,         ///< visitor a ends its session
  health,        ///< GET /health on unit a
  metrics,       ///< GET /metrics, and a look at it
  sicken,        ///< host a gets sickness b
  cure,          ///< host a
  forget,        ///< host a forgets its sessions
  announce,      ///< host a says b things on all its streams, perhaps long ones
  replica_down,  ///< replica a, in way b
  replica_up,    ///< replica a
  crash,         ///< an actor of kind a, the b-th of those that may
  reload,        ///< the document changes in way a, at upstream b
  hang_up,       ///< the same by signal
  bad_reload,    ///< the bad document a, by signal or call b
  registry,      ///< the source of discovery goes over to answer a
  jump,          ///< the wall clock shows another minute of its hour, by a
  wait,          ///< a ms pass
  steps,         ///< a messages are handled
  settle,        ///< all messages are handled
  rush,          ///< visitors call tools, one behind the other, as b has it
};

struct operation {
  act what = act::settle;
  std::uint32_t a = 0, b = 0;
};
std::string to_string(const operation& o);

/// What is broken on purpose, so that the checkers have something to see.
enum class canary : std::uint8_t {
  none,
  answers_twice,     ///< somebody answers a request before ROUTER does
  drops_answer,      ///< a request is thrown away
  loses_audit,       ///< an audit line is lost
  slow_good,         ///< good takes longer than it should
  failing_good,      ///< good fails once
  wrong_answer,      ///< good answers something else
  swapped_replicas,  ///< t1 and t2 change places
  stays_sick,        ///< one upstream never recovers
  keeps_session,     ///< a client does not end
  wide_limit,        ///< lim is configured with more than is checked
  wide_budget,       ///< pen is configured with more than is checked
  shared_key,        ///< sick is configured with the key of good
  told_key,          ///< the log has a key
  crossed_marks,     ///< good answers with the mark of the call before
  respaced,          ///< an answer of good has other white space
  open_policy,       ///< what policy denies is allowed
  swapped_notices,   ///< a server's notices come in another order
  wrong_revision,    ///< new is asked as its revision does not allow
  keeps_memory,      ///< something of the story outlives it
  hides_backlog,     ///< nobody knows what clients have yet to read
  cuts_drain,        ///< what runs at the end is refused at once
};

struct scenario {
  std::uint64_t seed = 0;
  std::size_t units = 1;
  std::vector<std::string> upstreams;  ///< of the operator's document, in its first order
  bool steady = false;     ///< of trio, only t2 and t3 die, and only by refusing connections
  bool discovery = false;  ///< there is a source of further upstreams
  std::int64_t requests_per_minute = 0;            ///< of everybody; 0: no limit
  bool abrupt = false;                             ///< it ends in the middle: nothing is healed
  std::chrono::milliseconds heals_within{45'000};  ///< all works again so long after the last fault
  std::uint32_t stateless = 0;  ///< so many of a hundred calls come without a session
  bool guarded = false;         ///< there is a policy, always, and it hides some tools
  canary bird = canary::none;
  std::vector<operation> operations;

  bool has(std::string_view upstream) const;
};

/// What a scenario file may say; behind the acts there is a row for each of these, and one for each
/// sickness.
enum class knob : std::uint8_t {
  least_operations,
  more_operations,
  heals_within,
  two_units,
  trio,
  ill,
  lim,
  pen,
  steady,
  discovery,
  limit_of_all,
  abrupt,
  stateless,
  modern,
  guarded,
};
inline constexpr std::size_t knobs = static_cast<std::size_t>(knob::guarded) + 1;
/// That an upstream can have.
inline constexpr std::size_t sicknesses = 20;
std::span<const stories::setting> settings();

scenario make_scenario(std::uint64_t seed, const stories::tuning& t);
/// As most stories are.
scenario make_scenario(std::uint64_t seed);

/// Under which conditions it is told, for a reader; and the same story under simpler ones.
std::string setup_of(const scenario& s);
std::vector<scenario> simpler_ones(const scenario& s);

inline constexpr std::size_t visitors = 5;
/// Calls of a rush; and at most so many more.
inline constexpr std::uint32_t least_of_rush = 40, more_of_rush = 80;
inline constexpr std::int64_t lim_per_minute = 5;
inline constexpr std::int64_t pen_calls = 6;

/// Chance that is the same with every standard library.
class dice {
 public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace gate::churn
