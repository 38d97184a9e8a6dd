#pragma once
/// Rows of the SQLite file as records, and back: which columns make one, and in which order.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/limits/ledger.hpp"
#include "protocol/webhook/records.hpp"
#include "transport/ledger/books.hpp"

namespace gate::ledger::rows {

inline std::int64_t millis(wall_time t) {
  return t.time_since_epoch().count();
}
inline std::optional<std::int64_t> millis(const std::optional<wall_time>& t) {
  return t ? std::optional(millis(*t)) : std::nullopt;
}
inline wall_time time_of(std::int64_t ms) {
  return wall_time(std::chrono::milliseconds(ms));
}
inline std::optional<wall_time> time_of(std::optional<std::int64_t> ms) {
  return ms ? std::optional(time_of(*ms)) : std::nullopt;
}

/// Of `FROM webhooks w JOIN organizations o ON o.number = w.organization`; the number is the last.
inline constexpr std::string_view webhook_columns =
    "w.id, o.name, w.events, w.url, w.description, w.why_not, w.secret, w.old_secret, "
    "w.old_secret_until, w.created, w.updated, w.failing_since, w.succeeded, w.failed, "
    "w.last_status, w.last_at, w.number";
inline constexpr int webhook_number = 16;
webhook::webhook webhook_of(const sqlite::query& q);

/// Of `FROM deliveries d JOIN webhooks w … JOIN events e …`; the number is the last.
inline constexpr std::string_view delivery_columns =
    "d.id, w.id, e.id, d.type, d.status, d.attempts, d.code, d.answer, d.error, d.due, d.created, "
    "d.finished, d.first_failed, d.last_failed, d.number";
inline constexpr int delivery_number = 14;
webhook::delivery delivery_of(const sqlite::query& q);

inline webhook::state state_of(const sqlite::query& q, int column) {
  return static_cast<webhook::state>(q.number(column));
}
inline std::int64_t number_of(webhook::state s) {
  return static_cast<std::int64_t>(s);
}

/// A position before all others, and how many rows are wanted.
inline constexpr position newest = INT64_MAX;
inline std::size_t page(std::size_t most) {
  return std::clamp<std::size_t>(most, 1, limits::ledger_page);
}

/// A webhook that is not deleted, with its number.
struct numbered_webhook {
  std::int64_t number = 0;
  webhook::webhook what;
};
std::optional<numbered_webhook> find_webhook(books& b, const std::string& organization,
                                             const std::string& id);

inline refusal no_such(std::string_view what, const std::string& id) {
  return {refusal::reason::not_found, "there is no " + std::string(what) + " " + id};
}

}  // namespace gate::ledger::rows
