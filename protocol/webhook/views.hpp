#pragma once
/// VIEWS: what the API of `gate-hooks` answers, as JSON. Field names and their meaning are what
/// callers rely on. Pure.
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/webhook/outcome.hpp"
#include "protocol/webhook/records.hpp"

namespace gate::webhook {

/// A secret is shown to whoever has just given or made it, and never again.
enum class show_secret : std::uint8_t { no, once };
std::string view(const webhook& w, show_secret secret = show_secret::no);

/// What a posted event became: how many webhooks want it.
struct accepted {
  std::string id;
  std::size_t deliveries = 0;
};
std::string view(const accepted& one);
/// Of an array of events, in its order.
std::string view(std::span<const accepted> several);

/// With the log of its attempts: where one delivery is read.
std::string view(const delivery& d);
/// An entry of the dead-letter queue. It is as old as the end of its last attempt.
std::string dead_view(const delivery& d, wall_time now);

/// Lists; `next` is the cursor of the rest, empty if there is none. Deliveries are without logs.
std::string list_view(std::span<const webhook> webhooks, std::string_view next);
std::string list_view(std::span<const delivery> deliveries, std::string_view next);
std::string dead_list_view(std::span<const delivery> dead, std::string_view next, wall_time now);

/// What lies in the dead-letter queue, by the events' types and by age: each entry is in one.
struct dead_counts {
  static constexpr std::size_t ages = 4;  ///< `1h`, `24h`, `7d`, `older`
  std::array<std::uint64_t, 5> by_event{};
  std::array<std::uint64_t, ages> by_age{};
  std::optional<wall_time> oldest;
};
/// Where in `by_age` an entry of this age is; what lies in the future is new.
std::size_t age_index(std::chrono::milliseconds age) noexcept;
std::string view(const dead_counts& c);

/// What a retry of entries of that queue came to; `retried` is their sum.
struct retried {
  std::size_t succeeded = 0, failed = 0;
};
std::string view(const retried& r);

/// Of the test call: `{success,status,status_text}` if there was an answer, else
/// `{success,error}`.
std::string test_view(const outcome& o);

}  // namespace gate::webhook
