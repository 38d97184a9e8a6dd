#pragma once
/// VIEWS: what the API of `gate-hooks` answers, as JSON. Field names and their meaning are what
/// callers rely on. Pure.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "protocol/webhook/outcome.hpp"
#include "protocol/webhook/records.hpp"

namespace gate::webhook {

/// A secret is shown to whoever has just given or made it, and never again.
enum class show_secret : std::uint8_t { no, once };
std::string view(const webhook& w, show_secret secret = show_secret::no);

std::string view(const accepted_event& one);
/// Of an array of events, in its order.
std::string view(std::span<const accepted_event> several);

/// With the log of its attempts: where one delivery is read.
std::string view(const delivery& d);
/// An entry of the dead-letter queue. It is as old as the end of its last attempt.
std::string dead_view(const delivery& d, wall_time now);

/// Lists; `next` is the cursor of the rest, empty if there is none. Deliveries are without logs.
std::string list_view(std::span<const webhook> webhooks, std::string_view next);
std::string list_view(std::span<const delivery> deliveries, std::string_view next);
std::string dead_list_view(std::span<const delivery> dead, std::string_view next, wall_time now);

std::string view(const dead_counts& c);

/// What a retry of entries of that queue came to. `requeued`: so many were attempted again, or will
/// be; those that have not ended when it is answered are neither of the others.
struct retried {
  std::size_t requeued = 0, succeeded = 0, failed = 0;
};
std::string view(const retried& r);

/// Of the test call: `{success,status,status_text}` if there was an answer, else
/// `{success,error}`.
std::string test_view(const outcome& o);

}  // namespace gate::webhook
