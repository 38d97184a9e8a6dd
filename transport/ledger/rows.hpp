#pragma once
/// Rows as records, and back: which columns make one, and in which order. The columns have the same
/// names in both houses; `Row` is what each has for a row (`number`, `text`, `maybe` of a column).
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/webhook/records.hpp"
#include "transport/ledger/ledger.hpp"

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

template <class Row>
webhook::state state_of(const Row& q, int column) {
  return static_cast<webhook::state>(q.number(column));
}
inline std::int64_t number_of(webhook::state s) {
  return static_cast<std::int64_t>(s);
}

/// Of webhooks `w` and organizations `o`; the number is the last.
inline constexpr std::string_view webhook_columns =
    "w.id, o.name, w.events, w.url, w.description, w.why_not, w.secret, w.old_secret, "
    "w.old_secret_until, w.created, w.updated, w.failing_since, w.succeeded, w.failed, "
    "w.last_status, w.last_at, w.number";
inline constexpr int webhook_number = 16;

template <class Row>
webhook::webhook webhook_of(const Row& q) {
  webhook::webhook out;
  out.id = q.text(0);
  out.organization = q.text(1);
  out.events = static_cast<webhook::event_mask>(q.number(2));
  out.url = q.text(3);
  out.description = q.text(4);
  out.why_not = static_cast<webhook::disabled>(q.number(5));
  out.secret = q.text(6);
  out.old_secret = q.text(7);
  out.old_secret_until = time_of(q.number(8));
  out.created = time_of(q.number(9));
  out.updated = time_of(q.number(10));
  out.failing_since = time_of(q.maybe(11));
  out.succeeded = static_cast<std::uint64_t>(q.number(12));
  out.failed = static_cast<std::uint64_t>(q.number(13));
  out.last_status = static_cast<int>(q.number(14));
  out.last_at = time_of(q.maybe(15));
  return out;
}

/// Of deliveries `d`, webhooks `w` and events `e`; the number is the last.
inline constexpr std::string_view delivery_columns =
    "d.id, w.id, e.id, d.type, d.status, d.attempts, d.code, d.answer, d.error, d.due, d.created, "
    "d.finished, d.first_failed, d.last_failed, d.number";
inline constexpr int delivery_number = 14;

template <class Row>
webhook::delivery delivery_of(const Row& q) {
  webhook::delivery out;
  out.id = q.text(0);
  out.webhook = q.text(1);
  out.event = q.text(2);
  out.type = static_cast<webhook::event_type>(q.number(3));
  out.status = state_of(q, 4);
  out.attempts = static_cast<std::uint32_t>(q.number(5));
  out.code = static_cast<int>(q.number(6));
  out.answer = q.text(7);
  out.error = q.text(8);
  out.next_attempt = time_of(q.maybe(9));
  out.created = time_of(q.number(10));
  out.finished = time_of(q.maybe(11));
  out.first_failed = time_of(q.maybe(12));
  out.last_failed = time_of(q.maybe(13));
  return out;
}

/// Where `e.at, e.body` follow the columns of a delivery.
template <class Row>
webhook::event event_of(const Row& q, const webhook::delivery& d, const std::string& organization) {
  return {d.event, organization, d.type, time_of(q.number(delivery_number + 1)),
          q.text(delivery_number + 2)};
}

/// An attempt: `at, took, code, error`.
template <class Row>
webhook::attempt attempt_of(const Row& q) {
  return {time_of(q.number(0)), std::chrono::milliseconds(q.number(1)),
          static_cast<int>(q.number(2)), q.text(3)};
}

/// A webhook that is not deleted, with its number.
struct numbered_webhook {
  std::int64_t number = 0;
  webhook::webhook what;
};

}  // namespace gate::ledger::rows
