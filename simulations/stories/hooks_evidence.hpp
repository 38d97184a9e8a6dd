#pragma once
/// What a story of `gate-hooks` leaves behind: what callers asked and were answered, what the
/// storage has done, what receivers saw and said, what is kept in the end. Filled by the story,
/// judged by the checkers. Plain data: who doubts them may falsify it.
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/webhook/records.hpp"
#include "simulations/stories/hooks_scenario.hpp"
#include "simulations/stories/sample.hpp"
#include "simulations/world/fake_egress.hpp"
#include "simulations/world/fake_exchange.hpp"
#include "transport/ledger/ledger.hpp"

namespace gate::hook_churn {

using time_point = std::chrono::steady_clock::time_point;
using webhook::wall_time;

/// What its caller wants, as its body says it.
struct wish {
  std::optional<webhook::event_mask> events;  ///< of a webhook
  std::optional<bool> enabled;
  std::string secret;
  std::vector<webhook::event_type> types;  ///< of events that are posted
};

/// One request of an organization.
struct request {
  enum class kind : std::uint8_t {
    create,
    change,
    remove,
    rotate,
    post,
    trial,
    retry,
    look,
    health
  };
  kind what = kind::post;
  sim::receipt_ptr receipt;
  std::uint32_t number = 0;
  std::size_t visitor = 0;  ///< its organization
  std::string upstream;     ///< the host of its webhook, if it has one
  std::string about;        ///< the id of its webhook, or of its delivery
  wish wanted;
  std::string body;
  std::vector<std::string> data;  ///< of a post: that of its events, in their order
  std::chrono::milliseconds at{0};
  time_point sent{}, answered{};  ///< the epoch: never
  bool left = false;              ///< its process ended while it ran, or API crashed
  bool vanished = false;          ///< it lost its connection
  bool healed = false;            ///< sent when all was well again
  bool again = false;             ///< what it posts was posted before, under the same key
};

/// What the storage has done, in its order.
struct deed {
  ledger::request asked;
  ledger::answer said;
  time_point at{};
  wall_time wall{};
};

/// What a receiver got, and what it says to it.
struct arrived {
  sim::sight_ptr what;
  std::string host;
  std::string delivery, event;
  std::uint32_t attempt = 0;
  wall_time wall{};
  int code = 0;             ///< 0: there is no answer
  bool maybe_late = false;  ///< its answer comes too late
  std::chrono::seconds retry_after{0};
  std::size_t beside = 0;  ///< attempts for it that ran then, this one included
};

/// From then to then, all may take longer than it should.
struct disturbance {
  time_point from{}, until{};
};

/// What was there when all was over.
struct remains {
  std::vector<webhook::delivery> deliveries;        ///< with their attempts
  std::map<std::string, std::size_t> actors;        ///< by name, when all was well again
  std::map<std::string, std::size_t> actors_after;  ///< when the process had ended
  std::size_t timers_after = 0;
  std::uint64_t delivering = 0;  ///< as the storage counts
  bool stopped = false;
  int unstopped = 0;  ///< processes that had not ended in their time before
};

struct evidence {
  std::vector<request> requests;
  std::vector<deed> deeds;
  std::vector<arrived> arrivals;
  std::vector<disturbance> disturbances;
  std::vector<time_point> jumps;
  std::vector<time_point> api_crashes;  ///< INGRESS answers 500 itself then, until there is another
  std::map<std::string, std::string> host_of;  ///< of a webhook, by its id
  std::map<std::string, std::vector<sim::sight_ptr>> seen;
  std::vector<std::string> log;
  std::string metrics;  ///< when all was well again
  remains end;
  time_point began{}, ended{}, healed{};
  std::vector<stories::sample> samples;
};

std::string_view word_of(request::kind what);

}  // namespace gate::hook_churn
