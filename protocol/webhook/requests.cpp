#include "protocol/webhook/requests.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"
#include "protocol/limits/webhooks.hpp"
#include "protocol/webhook/events.hpp"
#include "protocol/webhook/fields.hpp"
#include "protocol/webhook/secrets.hpp"

namespace gate::webhook {
namespace {

std::string names_hint() {
  std::string out = "one of ";
  for (const auto name : event_names) (out += name) += ", ";
  return out + "or, among \"events\", *";
}

checked<event_mask> read_event_field(std::string_view raw) {
  const auto name = read_string(raw, "/event", limits::webhook_url_bytes);
  if (!name) return name.error();
  const auto type = event_named(*name);
  if (!type) return wrong_at("/event", "the field /event is no event", names_hint());
  return mask_of(*type);
}

checked<event_mask> read_event_names(std::string_view raw) {
  if (!raw.starts_with('['))
    return wrong_at("/events", "the field /events must be an array", names_hint());
  event_mask out = 0;
  std::size_t index = 0;
  std::optional<api_error> wrong;
  json::cursor c(raw, {});
  json::elements(c, [&](json::cursor& at) {
    const auto pointer = member_pointer("/events", std::to_string(index++));
    const auto name = read_string(at.value(1), pointer, limits::webhook_url_bytes);
    const auto mask = name ? mask_of(*name) : std::nullopt;
    if (!name)
      wrong = name.error();
    else if (!mask)
      wrong = wrong_at(pointer, "the field " + pointer + " is no event", names_hint());
    else if ((out & *mask) != 0)
      wrong = wrong_at(pointer, "the field " + pointer + " names what was named before");
    else
      out = static_cast<event_mask>(out | *mask);
    if (wrong) at.fail(json::fault::stopped);
  });
  if (wrong) return *wrong;
  if (out == 0) return wrong_at("/events", "the field /events names nothing", names_hint());
  return out;
}

/// Of one of the two; nothing: neither is there.
checked<std::optional<event_mask>> read_events_wanted(std::string_view one,
                                                      std::string_view several) {
  if (!one.empty() && !several.empty())
    return wrong_at("/event", "there are both /event and /events", "leave one of them out");
  if (one.empty() && several.empty()) return std::optional<event_mask>{};
  const auto mask = one.empty() ? read_event_names(several) : read_event_field(one);
  if (!mask) return mask.error();
  return std::optional<event_mask>{*mask};
}

checked<std::string> read_url(std::string_view raw, const calling& rules) {
  auto text = read_string(raw, "/url", limits::webhook_url_bytes);
  if (!text) return text;
  if (const auto url = read_callable(*text, rules); !url) return wrong_at("/url", url.error().what);
  return text;
}

checked<std::string> read_description(std::string_view raw) {
  return read_string(raw, "/description", limits::webhook_description_bytes);
}

checked<std::string> read_secret(std::string_view raw) {
  auto text = read_string(raw, "/secret", limits::webhook_secret_most);
  if (!text) return text;
  if (const auto good = check_secret(*text); !good) return wrong_at("/secret", good.error().what);
  return text;
}

/// Reads a field that may be absent into `to`; what is wrong with it.
template <class To, class Read>
std::optional<api_error> read_into(To& to, std::string_view raw, Read&& read) {
  if (raw.empty()) return {};
  auto value = read(raw);
  if (!value) return value.error();
  to = std::move(*value);
  return {};
}

checked<bool> read_enabled(std::string_view raw) {
  return read_flag(raw, "/enabled");
}

bool is_blank(std::string_view body) {
  return body.find_first_not_of(" \t\r\n") == body.npos;
}

}  // namespace

checked<new_webhook> read_new_webhook(std::string_view body, const calling& rules) {
  if (const auto good = check_json(body); !good) return good.error();
  const auto fields = read_object(body, "", new_webhook_fields);
  if (!fields) return fields.error();
  const auto& [event, events, url, secret, description, enabled] = *fields;
  if (url.empty()) return wrong_at("/url", "the field /url is missing");
  const auto mask = read_events_wanted(event, events);
  if (!mask) return mask.error();
  if (!*mask) return wrong_at("/event", "the field /event is missing", names_hint());
  new_webhook out;
  out.events = **mask;
  const auto of_url = [&rules](std::string_view raw) { return read_url(raw, rules); };
  if (auto wrong = read_into(out.url, url, of_url)) return *wrong;
  if (auto wrong = read_into(out.secret, secret, read_secret)) return *wrong;
  if (auto wrong = read_into(out.description, description, read_description)) return *wrong;
  if (auto wrong = read_into(out.enabled, enabled, read_enabled)) return *wrong;
  return out;
}

checked<webhook_changes> read_webhook_changes(std::string_view body, const calling& rules) {
  static constexpr auto names = [] {
    std::array<std::string_view, change_fields.size() + 1> out{};
    std::ranges::copy(change_fields, out.begin());
    out.back() = "secret";  // known, to say how it is changed
    return out;
  }();
  if (const auto good = check_json(body); !good) return good.error();
  const auto fields = read_object(body, "", names);
  if (!fields) return fields.error();
  const auto& [event, events, url, description, enabled, secret] = *fields;
  if (!secret.empty())
    return wrong_at("/secret", "the field /secret can not be changed so",
                    "POST /webhooks/{id}/rotate changes it, and both sign for a while");
  const auto mask = read_events_wanted(event, events);
  if (!mask) return mask.error();
  webhook_changes out;
  out.events = *mask;
  const auto of_url = [&rules](std::string_view raw) { return read_url(raw, rules); };
  if (auto wrong = read_into(out.url, url, of_url)) return *wrong;
  if (auto wrong = read_into(out.description, description, read_description)) return *wrong;
  if (auto wrong = read_into(out.enabled, enabled, read_enabled)) return *wrong;
  if (!out.events && !out.url && !out.description && !out.enabled)
    return wrong_at("", "the body changes nothing",
                    "give event or events, url, description or enabled");
  return out;
}

checked<std::optional<std::string>> read_rotation(std::string_view body) {
  std::optional<std::string> out;
  if (is_blank(body)) return out;
  if (const auto good = check_json(body); !good) return good.error();
  const auto fields = read_object(body, "", rotation_fields);
  if (!fields) return fields.error();
  if (auto wrong = read_into(out, fields->front(), read_secret)) return *wrong;
  return out;
}

checked<void> read_nothing(std::string_view body) {
  if (is_blank(body)) return {};
  if (const auto good = check_json(body); !good) return good.error();
  if (const auto fields = read_members(body, "", {}, {}); !fields) return fields.error();
  return {};
}

}  // namespace gate::webhook
