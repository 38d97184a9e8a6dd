#pragma once
/// What `gate-hooks` keeps: webhooks, events, deliveries and the attempts to make them. Plain
/// values, as the LEDGER stores them and the API shows them. Texts of callers are bounded when they
/// are read (requests.hpp), times are UTC with milliseconds.
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gate::webhook {

using wall_time = std::chrono::sys_time<std::chrono::milliseconds>;

enum class event_type : std::uint8_t {
  deploy_success,
  deploy_failed,
  activation_error,
  rollback_success,
  usage_threshold,
};

/// The events that a webhook wants: a bit each, in the order of `event_type`.
using event_mask = std::uint8_t;

/// Why a webhook is not enabled.
enum class disabled : std::uint8_t {
  no,
  manual,
  gone,     ///< its receiver said 410
  failing,  ///< nothing but failures, for days
};

struct webhook {
  std::string id;            ///< `hook_` and a ULID
  std::string organization;  ///< whose it is; another one's does not exist
  event_mask events = 0;
  std::string url;
  std::string description;
  disabled why_not = disabled::no;
  std::string secret;      ///< empty: deliveries are not signed
  std::string old_secret;  ///< signs, too, until `old_secret_until`
  wall_time old_secret_until{};
  wall_time created{};
  wall_time updated{};
  /// Since when there were nothing but failures; nothing after a success.
  std::optional<wall_time> failing_since;
  std::uint64_t succeeded = 0;  ///< deliveries
  std::uint64_t failed = 0;     ///< deliveries that were given up
  int last_status = 0;          ///< of the last attempt that was answered; 0: none was
  std::optional<wall_time> last_at;
};

struct event {
  std::string id;  ///< `evt_` and a ULID, or the caller's Idempotency-Key
  std::string organization;
  event_type type = event_type::deploy_success;
  wall_time at{};
  /// What is delivered and signed, byte for byte: `{"type","timestamp","data"}`.
  std::string body;
};

enum class state : std::uint8_t { pending, delivering, succeeded, failed, dead };

struct attempt {
  wall_time at{};
  std::chrono::milliseconds took{};
  int code = 0;       ///< 0: there was no answer
  std::string error;  ///< a sentence; empty if there is nothing to say beside the code
};

struct delivery {
  std::string id;  ///< `dlv_` and a ULID
  std::string webhook;
  std::string event;
  event_type type = event_type::deploy_success;
  /// `pending` before the first attempt, `failed` between attempts.
  state status = state::pending;
  std::uint32_t attempts = 0;
  int code = 0;        ///< of the last answer; 0: there was none
  std::string answer;  ///< the first bytes of the last answer's body
  std::string error;   ///< of the last attempt
  std::optional<wall_time> next_attempt;
  wall_time created{};
  /// Since when it was `succeeded` or `dead`. One that is tried again out of the queue of dead
  /// letters keeps it: if that fails, it is dead again, whatever the schedule says.
  std::optional<wall_time> finished;
  std::optional<wall_time> first_failed;
  std::optional<wall_time> last_failed;
  std::vector<attempt> log;  ///< oldest first, bounded; only where one delivery is read
};

/// What an event became that was accepted: how many webhooks want it.
struct accepted_event {
  std::string id;
  std::uint64_t deliveries = 0;
  bool repeated = false;  ///< it was accepted before, and nothing has changed

  bool operator==(const accepted_event&) const = default;
};

/// What lies in the dead-letter queue.
struct dead_counts {
  static constexpr std::size_t ages = 4;  ///< `1h`, `24h`, `7d`, `older`
  std::uint64_t total = 0;
  std::array<std::uint64_t, 5> by_event{};  ///< in the order of `event_type`
  /// Given up within the last hour, day, seven days; earlier.
  std::array<std::uint64_t, ages> by_age{};
  std::optional<wall_time> oldest;
};

}  // namespace gate::webhook
