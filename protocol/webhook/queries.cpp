#include "protocol/webhook/queries.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include "protocol/base/base64url.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/oauth/form.hpp"
#include "protocol/webhook/events.hpp"
#include "protocol/webhook/outcome.hpp"
#include "protocol/webhook/states.hpp"

namespace gate::webhook {
namespace {

/// What of a stranger's parameter name is shown.
constexpr std::size_t shown_parameter_bytes = 100;

api_error wrong_parameter(std::string_view name, std::string_view sentence, std::string hint = {}) {
  const std::string shown(cut_off(name, shown_parameter_bytes));
  return {error_code::validation, "the parameter " + shown + ' ' + std::string(sentence),
          locus::parameter, shown, std::move(hint)};
}

/// The parameters, all of which are among these.
checked<oauth::form> read_parameters(std::string_view query,
                                     std::span<const std::string_view> known) {
  auto form = oauth::read_form(query);
  if (!form)
    return api_error{error_code::validation,
                     "the query has a parameter twice, too many of them, a malformed percent "
                     "escape, or text that is not UTF-8",
                     locus::nowhere,
                     {},
                     {}};
  for (const auto& [name, value] : *form)
    if (std::ranges::find(known, name) == known.end())
      return wrong_parameter(name, "is not known here");
  return std::move(*form);
}

/// Nothing: it is absent. (An empty one is there.)
const std::string* find_parameter(const oauth::form& f, std::string_view name) {
  const auto at = std::ranges::find(f, name, &oauth::form::value_type::first);
  return at == f.end() ? nullptr : &at->second;
}

std::optional<std::size_t> read_limit(std::string_view text) {
  std::size_t out = 0;
  if (!http::all_digits(text)) return {};
  if (std::from_chars(text.data(), text.data() + text.size(), out).ec != std::errc{}) return {};
  if (out == 0 || out > limits::webhook_page_most) return {};
  return out;
}

checked<page> read_page(const oauth::form& from, listing of) {
  page out;
  if (const auto* text = find_parameter(from, "limit")) {
    const auto limit = read_limit(*text);
    if (!limit)
      return wrong_parameter(
          "limit", "must be a whole number from 1 to " + std::to_string(limits::webhook_page_most));
    out.limit = *limit;
  }
  if (const auto* text = find_parameter(from, "cursor")) {
    out.before = read_cursor(of, *text);
    if (!out.before)
      return wrong_parameter("cursor", "is no cursor of this list", "pass on what next said");
  }
  return out;
}

std::string listed(const auto& names) {
  std::string out = "one of";
  for (const auto name : names) (out += ' ') += name;
  return out;
}

}  // namespace

checked<page> read_webhooks_query(std::string_view query) {
  const auto from = read_parameters(query, webhooks_parameters);
  if (!from) return from.error();
  return read_page(*from, listing::webhooks);
}

checked<deliveries_query> read_deliveries_query(std::string_view query) {
  const auto from = read_parameters(query, deliveries_parameters);
  if (!from) return from.error();
  deliveries_query out;
  if (const auto* text = find_parameter(*from, "status")) {
    out.status = state_named(*text);
    if (!out.status) return wrong_parameter("status", "is no status", listed(state_names));
  }
  auto part = read_page(*from, listing::deliveries);
  if (!part) return part.error();
  out.part = std::move(*part);
  return out;
}

checked<dead_query> read_dead_query(std::string_view query) {
  const auto from = read_parameters(query, dead_parameters);
  if (!from) return from.error();
  dead_query out;
  if (const auto* text = find_parameter(*from, "event")) {
    out.event = event_named(*text);
    if (!out.event) return wrong_parameter("event", "is no event", listed(event_names));
  }
  if (const auto* text = find_parameter(*from, "webhook")) {
    if (!is_id(id_kind::webhook, *text))
      return wrong_parameter("webhook", "is no id of a webhook", "hook_ and 26 characters");
    out.webhook = *text;
  }
  auto part = read_page(*from, listing::dead_letters);
  if (!part) return part.error();
  out.part = std::move(*part);
  return out;
}

checked<void> read_no_query(std::string_view query) {
  if (const auto from = read_parameters(query, {}); !from) return from.error();
  return {};
}

std::string cursor_at(listing of, std::int64_t position) {
  constexpr std::string_view letters = "wdx";
  return base64url_encode(letters[static_cast<std::size_t>(of)] + std::to_string(position));
}

std::optional<std::int64_t> read_cursor(listing of, std::string_view cursor) {
  if (cursor.size() > limits::webhook_cursor_bytes) return {};
  const auto text = base64url_decode(cursor);
  if (!text || text->size() < 2) return {};
  std::int64_t position = 0;
  std::from_chars(text->data() + 1, text->data() + text->size(), position);
  // Whatever else it may be: it is what we would have said.
  if (position <= 0 || cursor_at(of, position) != cursor) return {};
  return position;
}

}  // namespace gate::webhook
