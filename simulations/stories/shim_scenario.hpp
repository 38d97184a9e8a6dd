#pragma once
/// One seed, one story of `gate-stdio`: clients, the children of their sessions, and what happens,
/// in order. Plain data, made by nothing but the seed, so that a story can be printed, told again,
/// and shortened: an operation means something whatever came before it.
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/stories/habits.hpp"

namespace gate::shim_churn {

/// What happens. `a` and `b` of an operation choose whom and what, as said here.
enum class act : std::uint8_t {
  come,    ///< a client initializes, perhaps header first (b)
  call,    ///< session a calls a tool, which does b (a deed of `faults`)
  burst,   ///< the same, three to eight times
  ping,    ///< session a
  cancel,  ///< session a cancels the call b of its own
  vanish,  ///< request a of those under way loses its connection
  listen,  ///< session a opens its stream
  leave,   ///< session a is ended
  stray,   ///< somebody names a session that there is not
  health,  ///< GET /health
  crash,   ///< the a-th SESSION
  wait,    ///< a ms pass
  steps,   ///< a messages are handled
  settle,  ///< all messages are handled
};

struct operation {
  act what = act::settle;
  std::uint32_t a = 0, b = 0;
};
std::string to_string(const operation& o);

/// What is broken on purpose, so that the checkers have something to see.
enum class canary : std::uint8_t {
  none,
  drops_answer,   ///< a request is thrown away
  crosses_marks,  ///< a child answers with what belongs to the call before
  mixes_up,       ///< a line of one session is written to another one's child
  eats_a_line,    ///< children do not hear some calls
  dawdles,        ///< answers come 3 s late
  keeps_child,    ///< no child can be killed
  wide_ceiling,   ///< more sessions are let in than there may be
  wrong_refusal,  ///< a client is refused though there is room
  kills_early,    ///< a child is killed before it had its time
  keeps_actor,    ///< an actor does not end
  loses_session,  ///< sessions end though nothing has happened to them
  tells_session,  ///< the log has the id of a session
};

struct scenario {
  std::uint64_t seed = 0;
  std::size_t max_sessions = 4;
  bool decent = false;  ///< children start at once and end when their input does
  canary bird = canary::none;
  std::vector<operation> operations;
};

/// What a scenario file may say; behind the acts there is a row for each of these, and one for each
/// deed of children.
enum class knob : std::uint8_t { least_operations, more_operations, most_sessions, decent };
inline constexpr std::size_t knobs = static_cast<std::size_t>(knob::decent) + 1;
/// What a child does with a call (simulations/world/simulated_child.hpp).
inline constexpr std::size_t deeds = 13;
std::string_view deed_named(std::uint32_t n);
std::span<const stories::setting> settings();

scenario make_scenario(std::uint64_t seed, const stories::tuning& t);

/// Under which conditions it is told, for a reader; and the same story under simpler ones.
std::string setup_of(const scenario& s);
std::vector<scenario> simpler_ones(const scenario& s);

}  // namespace gate::shim_churn
