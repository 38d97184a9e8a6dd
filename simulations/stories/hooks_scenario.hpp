#pragma once
/// One seed, one story of `gate-hooks`: receivers, the storage, and what happens to them and to the
/// process, in order. Plain data, made by nothing but the seed, so that a story can be printed,
/// told again, and shortened: an operation means something whatever came before it.
///
/// Each webhook has a receiver of its own: the hosts h0, h1, … in the order in which they are made.
/// h0 and h1 are always well.
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/stories/habits.hpp"

namespace gate::hook_churn {

/// What happens. `a` and `b` of an operation choose whom and what, as said here.
enum class act : std::uint8_t {
  create,     ///< organization a makes a webhook, which wants events b
  change,     ///< webhook a wants events b
  enable,     ///< webhook a
  disable,    ///< webhook a
  remove,     ///< webhook a
  rotate,     ///< webhook a gets another secret
  post,       ///< organization a posts an event of type b
  batch,      ///< organization a posts up to 30 events, by b
  again,      ///< an event that was posted with a key is posted again
  trial,      ///< webhook a is tried
  retry,      ///< the dead letters of webhook a are tried again
  retry_one,  ///< a delivery of those that were seen, by a
  look,       ///< organization a asks for list b
  health,     ///< GET /health
  vanish,     ///< request a of those under way loses its connection
  sicken,     ///< receiver a gets sickness b
  cure,       ///< receiver a
  storage,    ///< it refuses, stalls or is slow, by a
  mend,       ///< it is well
  crash,      ///< the actor of role a, the b-th of those that there are
  kill,       ///< the process dies, and is started again
  restart,    ///< the same in order; it has a ms
  hang_up,    ///< SIGHUP
  jump,       ///< the wall clock is set, by a
  wait,       ///< a ms pass
  steps,      ///< a messages are handled
  settle,     ///< all messages are handled
  rush,       ///< events are posted, one behind the other, as b has it
};

struct operation {
  act what = act::settle;
  std::uint32_t a = 0, b = 0;
};
std::string to_string(const operation& o);

/// What is broken on purpose, so that the checkers have something to see.
enum class canary : std::uint8_t {
  none,
  drops_answer,     ///< a request is thrown away
  unkept_event,     ///< an event is accepted, and not kept
  forgets_event,    ///< a delivery that was accepted is taken for one that was made
  unsaid_reason,    ///< a dead letter does not say why
  delivers_astray,  ///< a webhook gets what it does not want
  wrong_secret,     ///< deliveries are signed by another secret
  changes_body,     ///< an event is kept otherwise than it was posted
  hurries,          ///< pauses between attempts are too short
  gives_up,         ///< there are fewer attempts than there should be
  misnotes,         ///< a failure is taken for a success
  repeats,          ///< what was delivered is delivered again
  crowds,           ///< more attempts at a time than there may be
  dawdles,          ///< first attempts come late
  stays_sick,       ///< a receiver never recovers
  keeps_lease,      ///< a lease is never given back
  keeps_actor,      ///< an actor does not end
  trespass,         ///< webhooks change hands: deliveries reach another organization's
  confounds,        ///< the storage is told of another event than was posted
  tells_secret,     ///< a list shows the secrets of webhooks
};

struct scenario {
  std::uint64_t seed = 0;
  bool calm = false;  ///< nothing is done to storage, process and clock: all is exact
  std::chrono::milliseconds heals_within{240'000};
  canary bird = canary::none;
  std::vector<operation> operations;
};

/// What a scenario file may say; behind the acts there is a row for each of these, and one for each
/// sickness.
enum class knob : std::uint8_t { least_operations, more_operations, heals_within, calm };
inline constexpr std::size_t knobs = static_cast<std::size_t>(knob::calm) + 1;
inline constexpr std::size_t sicknesses = 14;
std::span<const stories::setting> settings();

scenario make_scenario(std::uint64_t seed, const stories::tuning& t);

/// Under which conditions it is told, for a reader; and the same story under simpler ones.
std::string setup_of(const scenario& s);
std::vector<scenario> simpler_ones(const scenario& s);

inline constexpr std::size_t hosts = 10;
/// h0 and h1 are always well.
inline constexpr std::size_t good_hosts = 2;
inline constexpr std::string_view organizations[] = {"acme", "other"};
/// Posts of a rush; and at most so many more.
inline constexpr std::uint32_t least_of_rush = 20, more_of_rush = 40;
/// Seconds before each attempt.
inline constexpr std::chrono::seconds pauses[] = {std::chrono::seconds{0}, std::chrono::seconds{5},
                                                  std::chrono::seconds{20},
                                                  std::chrono::seconds{60}};

}  // namespace gate::hook_churn
