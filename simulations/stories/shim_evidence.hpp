#pragma once
/// What a story of `gate-stdio` leaves behind: what clients asked and were answered, and what
/// happened to children. Filled by the story, judged by the checkers. Plain data: who doubts them
/// may falsify it.
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulations/stories/sample.hpp"
#include "simulations/stories/shim_scenario.hpp"
#include "simulations/world/fake_egress.hpp"
#include "simulations/world/fake_exchange.hpp"
#include "simulations/world/simulated_child.hpp"

namespace gate::shim_churn {

using time_point = std::chrono::steady_clock::time_point;

/// The session of requests that have none.
inline constexpr std::size_t nobody = 1'000'000;

struct request {
  enum class kind : std::uint8_t {
    initialize,
    initialized,
    call,
    ping,
    cancel,
    listen,
    leave,
    stray,
    health,
  } what = kind::call;
  sim::receipt_ptr receipt;
  std::uint32_t number = 0;      ///< its JSON-RPC id
  std::size_t visitor = nobody;  ///< its session, as clients count them
  std::string upstream;          ///< of a call: what the child is to do
  std::chrono::milliseconds takes{0};
  std::chrono::milliseconds at{0};
  time_point sent{}, answered{};  ///< the epoch: never
  bool cancelled = false, vanished = false;
  bool healed = false;  ///< sent when all was well again
};

/// Since when a session may be over, for a reason that is not the shim's.
struct session_life {
  time_point doomed = time_point::max();
  std::vector<time_point> crashes;  ///< when its SESSION crashed, or may have: INGRESS answers
  std::string id;                   ///< only its client, and the shim, know it
};

struct remains {
  std::map<std::string, std::size_t> actors;        ///< by name, when all clients had gone
  std::map<std::string, std::size_t> actors_after;  ///< when the process had ended
  std::size_t timers_after = 0;
  bool stopped = false;
};

struct evidence {
  std::vector<request> requests;
  std::vector<session_life> sessions;
  std::vector<sim::child_life_ptr> children;
  /// How many children there were that were not PROBE's, whenever that changed.
  std::vector<std::pair<time_point, std::size_t>> occupied;
  std::size_t most_probes = 0;
  std::map<std::string, std::vector<sim::sight_ptr>> seen;  ///< nothing: children are no servers
  std::vector<std::string> log;
  remains end;
  time_point began{}, ended{};
  std::vector<stories::sample> samples;
};

std::string_view word_of(request::kind what);
/// What is in the hands of one call only.
std::string mark_of(std::size_t session, std::uint32_t number);
/// How the client of a session introduces itself, to its child.
std::string client_of(std::size_t session);

}  // namespace gate::shim_churn
