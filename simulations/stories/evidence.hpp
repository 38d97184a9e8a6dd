#pragma once
/// What a story leaves behind: everything that was asked and answered, what the servers saw, the
/// audit trail, the metrics, and what was there at the end. Filled by the story, judged by the
/// checkers. Plain data: who doubts them may falsify it to see whether the checkers notice.
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulations/stories/sample.hpp"
#include "simulations/stories/scenario.hpp"
#include "simulations/world/fake_egress.hpp"
#include "simulations/world/fake_exchange.hpp"

namespace gate::churn {

using time_point = std::chrono::steady_clock::time_point;

/// The visitor of requests without a session.
inline constexpr std::size_t nobody = 1'000;

/// One request of a visitor, or of nobody in particular.
struct request {
  enum class kind : std::uint8_t {
    initialize,
    initialized,
    call,
    list,
    read,
    subscribe,
    level,
    ping,
    cancel,
    listen,
    leave,
    health,
    metrics,
    forbidden,  ///< a call that policy denies
  } what = kind::call;
  sim::receipt_ptr receipt;
  std::uint32_t number = 0;  ///< its JSON-RPC id, and the number in the name of its tool
  std::size_t visitor = 0;
  std::string upstream;  ///< of a call or a subscription
  time_point sent{};
  std::chrono::milliseconds at{0};  ///< the same, since the story began
  time_point answered{};            ///< seen within a second of it; the epoch: never
  bool stateless = false;           ///< it came without a session
  bool cancelled = false;           ///< its client asked for that
  bool left = false;                ///< its client's session ended while it ran
  bool vanished = false;            ///< it lost its connection
  bool healed = false;              ///< sent when all was well again
  bool session_may_be_over = false;
  bool under_way = false;  ///< it ran, and its client waited, when the gateway was told to end
};

/// One reload through the program's interface or by signal.
struct reload_try {
  bool good = false;
  bool answered = false;
  bool taken = false;
  std::size_t beside = 0;  ///< others that had no answer at some time before this one had one
  std::string problems;
};

/// What was there when all was over.
struct remains {
  bool healed = false;                              ///< the story came so far
  std::string metrics;                              ///< when all was well again
  std::string health;                               ///< the same
  std::map<std::string, std::size_t> actors;        ///< by name, when all was well again
  std::map<std::string, std::size_t> actors_after;  ///< after all clients had gone
  std::string metrics_after;
  std::size_t upstreams = 0;  ///< of the last configuration, with discovered ones
  std::size_t balancers = 0;  ///< that it wants
  bool stopped = false;
  time_point told_to_stop{}, stopped_at{};  ///< the epoch: never
  /// Sessions that a server still has, although they were used and nobody holds them any more.
  std::vector<std::string> left_sessions;
};

struct evidence {
  std::vector<request> requests;
  std::vector<reload_try> reloads;
  std::vector<std::string> audit;
  std::vector<std::string> log;
  std::vector<std::string> expositions;                     ///< of /metrics, at several times
  std::map<std::string, std::vector<sim::sight_ptr>> seen;  ///< by host
  std::vector<std::string> wrongs;                          ///< how `new` was asked wrongly
  std::set<std::string> crashed;                            ///< kinds of actors
  std::vector<std::pair<std::string, time_point>> crashes;  ///< the same, with times
  remains end;
  time_point began{}, ended{};
  std::vector<stories::sample> samples;  ///< if somebody asked for them
};

}  // namespace gate::churn
