#include "protocol/webhook/posted.hpp"

#include <algorithm>

#include "protocol/audit/event.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits/webhooks.hpp"
#include "protocol/webhook/events.hpp"
#include "protocol/webhook/fields.hpp"
#include "protocol/webhook/times.hpp"

namespace gate::webhook {
namespace {

/// Names and times that are longer are none.
constexpr std::size_t short_text_bytes = 100;
constexpr std::string_view before_data = R"(,"data":)";

checked<event_type> read_type(std::string_view raw, std::string_view at) {
  const auto pointer = member_pointer(at, "type");
  if (raw.empty()) return wrong_at(pointer, "the field " + pointer + " is missing");
  const auto name = read_string(raw, pointer, short_text_bytes);
  if (!name) return name.error();
  const auto type = event_named(*name);
  if (type) return *type;
  std::string hint = "one of";
  for (const auto known : event_names) (hint += ' ') += known;
  return wrong_at(pointer, "the field " + pointer + " is no event", hint);
}

checked<wall_time> read_timestamp(std::string_view raw, std::string_view at) {
  const auto pointer = member_pointer(at, "timestamp");
  const auto text = read_string(raw, pointer, short_text_bytes);
  if (!text) return text.error();
  if (const auto time = read_time(*text)) return *time;
  return wrong_at(pointer, "the field " + pointer + " is not a time of RFC 3339",
                  "as 2026-11-21T09:30:00Z, of the years 1970 to 2199");
}

/// `at`: where it is, as a JSON pointer.
checked<posted_event> read_event(std::string_view raw, std::string_view at, wall_time now) {
  const auto fields = read_object(raw, at, event_fields);
  if (!fields) return fields.error();
  const auto& [type, timestamp, data] = *fields;
  posted_event out;
  const auto known = read_type(type, at);
  if (!known) return known.error();
  out.type = *known;
  out.timed = !timestamp.empty();
  const auto time = out.timed ? read_timestamp(timestamp, at) : checked<wall_time>(now);
  if (!time) return time.error();
  out.at = *time;
  const auto pointer = member_pointer(at, "data");
  if (data.empty()) return wrong_at(pointer, "the field " + pointer + " is missing");
  if (json::validate(data, {limits::webhook_data_depth, true}) != json::fault::none)
    return wrong_at(pointer, "the field " + pointer + " is nested deeper than " +
                                 std::to_string(limits::webhook_data_depth));
  out.body = event_body(out.type, out.at, data);
  if (out.body.size() >= limits::webhook_body_bytes)
    return wrong_at(pointer, "the event is too long: delivered, it is " +
                                 std::to_string(out.body.size()) + " bytes, and must be below " +
                                 std::to_string(limits::webhook_body_bytes));
  return out;
}

}  // namespace

checked<posted_events> read_events(std::string_view body, wall_time now) {
  if (const auto good = check_json(body); !good) return good.error();
  posted_events out;
  json::cursor c(body, {});
  out.several = c.peek() == '[';
  if (!out.several) {
    auto one = read_event(body, "", now);
    if (!one) return one.error();
    out.events.push_back(std::move(*one));
    return out;
  }
  std::optional<api_error> wrong;
  json::elements(c, [&](json::cursor& at) {
    if (out.events.size() == limits::webhook_batch) {
      wrong = wrong_at("", "there are more than " + std::to_string(limits::webhook_batch) +
                               " events in the body");
      return at.fail(json::fault::stopped);
    }
    const auto pointer = member_pointer("", std::to_string(out.events.size()));
    auto one = read_event(at.value(1), pointer, now);
    if (one) return out.events.push_back(std::move(*one));
    wrong = one.error();
    at.fail(json::fault::stopped);
  });
  if (wrong) return *wrong;
  if (out.events.empty()) return wrong_at("", "there is no event in the body");
  return out;
}

std::string event_body(event_type type, wall_time at, std::string_view data) {
  std::string out;
  out.reserve(data.size() + 80);
  out += R"({"type":")";
  out += name_of(type);
  out += R"(","timestamp":")";
  out += audit::rfc3339(at);
  out += '"';
  out += before_data;
  out += data;
  out += '}';
  return out;
}

std::string fingerprint_of(const posted_event& e, const sha256& digest) {
  if (e.timed) return {};
  // What is before it has no such text: a name and a time.
  const std::string_view body = e.body;
  const auto of_data = digest(body.substr(std::min(body.find(before_data), body.size())));
  return {of_data.begin(), of_data.end()};
}

checked<std::string> read_idempotency_key(std::string_view value) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  };
  if (!value.empty() && value.size() <= limits::webhook_event_id_bytes &&
      std::ranges::all_of(value, good))
    return std::string(value);
  return api_error{error_code::validation,
                   "the header Idempotency-Key must be 1 to " +
                       std::to_string(limits::webhook_event_id_bytes) +
                       " letters, digits, hyphens and underscores",
                   locus::header,
                   "Idempotency-Key",
                   {}};
}

}  // namespace gate::webhook
