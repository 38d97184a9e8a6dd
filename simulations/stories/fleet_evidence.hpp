#pragma once
/// What a story of a fleet leaves behind: everything that was asked and answered, what the servers
/// saw, the lives of the instances and when each of them may have decided by itself. Filled by the
/// story, judged by the checkers. Plain data: who doubts them may falsify it.
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulations/stories/fleet_scenario.hpp"
#include "simulations/stories/sample.hpp"
#include "simulations/world/fake_egress.hpp"
#include "simulations/world/fake_exchange.hpp"

namespace gate::fleet_churn {

using time_point = std::chrono::steady_clock::time_point;

/// One request of a visitor, or of nobody in particular.
struct request {
  enum class kind : std::uint8_t {
    initialize,
    initialized,
    call,
    list,
    task,
    ask_task,
    subscribe,
    listen,
    resume,  ///< it comes back for the stream of a call
    token,
    steal,
    leave,
    later,    ///< a call with a session that has ended
    foreign,  ///< a call of what belongs to another tenant
  } what = kind::call;
  sim::receipt_ptr receipt;
  std::uint32_t number = 0;  ///< its JSON-RPC id, and the number in the name of its tool
  std::size_t visitor = 0;
  std::size_t life = 0;    ///< the instance that it was sent to
  std::string upstream{};  ///< of a call
  std::string about{};     ///< the assertion, the task, or the raw id of the call
  time_point sent{};
  std::chrono::milliseconds at{0};  ///< the same, since the story began
  time_point answered{};            ///< seen within a second of it; the epoch: never
  time_point session_since{};       ///< when that of its visitor was asked for
  std::size_t session_life = 0;     ///< where
  bool left = false;                ///< its client's session ended while it ran
  bool vanished = false;            ///< it lost its connection, or its instance died
  bool healed = false;              ///< sent when all was well again
  bool session_may_be_over = false;
  /// Of a question about a task: it is its principal's, and when it was made.
  bool own = false;
  time_point made{}, known{};
};

/// One process.
struct life {
  std::size_t place = 0;
  time_point began{}, ended{};
  bool killed = false;
  bool stopped = false;
  std::vector<std::string> audit;
  double clients = 0, bridged = 0;  ///< sessions, after all had gone
};

/// From one moment to another this life may have decided by itself.
struct alone {
  std::size_t life = 0;
  time_point from{}, to{};
};

/// What a client heard on its stream, and what it must hear.
struct hearing {
  std::size_t visitor = 0;
  std::string what;
  bool heard = false;
};

struct evidence {
  std::vector<request> requests;
  std::vector<life> lives;
  std::vector<alone> alones;
  std::vector<time_point> losses;  ///< of the store's data
  std::vector<hearing> hearings;
  std::map<std::string, std::vector<sim::sight_ptr>> seen;  ///< by host
  std::set<const sim::sight*> failed;                       ///< calls of sick
  std::map<const sim::sight*, std::size_t> asked_by;        ///< which life it was, of pen and sick
  std::vector<std::string> log;
  std::vector<std::string> left_keys;  ///< of the store, when all had gone
  time_point began{}, ended{}, healed{};
  std::vector<stories::sample> samples;     ///< if somebody asked for them
  std::chrono::milliseconds store_clock{};  ///< its time of day at `began`, since the epoch

  /// Nobody decided alone, and nothing was lost, from one moment to another.
  bool calm(time_point from, time_point to) const { return turmoil(from, to) == 0; }
  /// How often somebody did, or something was.
  std::int64_t turmoil(time_point from, time_point to) const {
    std::int64_t out = 0;
    for (const auto& a : alones) out += a.from <= to && from <= a.to;
    for (const auto t : losses) out += from <= t && t <= to;
    return out;
  }
  std::chrono::milliseconds store_time(time_point t) const {
    return store_clock + std::chrono::floor<std::chrono::milliseconds>(t - began);
  }
};

}  // namespace gate::fleet_churn
