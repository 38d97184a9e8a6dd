#include "protocol/webhook/openapi_schemas.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>

#include "protocol/limits/hooks_api.hpp"
#include "protocol/limits/ledger.hpp"
#include "protocol/limits/webhooks.hpp"
#include "protocol/webhook/errors.hpp"
#include "protocol/webhook/events.hpp"
#include "protocol/webhook/ids.hpp"
#include "protocol/webhook/states.hpp"

namespace gate::webhook {
namespace {

void append_word(std::string& to, std::string_view word) {
  if (!to.empty()) to += ',';
  ((to += '"') += word) += '"';
}

std::string words_of(std::span<const std::string_view> names) {
  std::string out;
  for (const auto name : names) append_word(out, name);
  return out;
}

std::string codes() {
  std::string out;
  for (const auto& row : error_rows) append_word(out, row.name);
  return out;
}

std::string reasons() {
  std::string out;
  for (const auto why : {disabled::manual, disabled::gone, disabled::failing})
    append_word(out, name_of(why));
  return out;
}

/// In the one spelling that ids have (ids.hpp).
std::string id_pattern(id_kind kind) {
  return '^' + std::string(prefix_of(kind)) + "[0-7][0-9A-HJKMNP-TV-Z]{25}$";
}

std::optional<std::string> limit_named(std::string_view word) {
  const std::span<const limits::row> tables[] = {limits::of_webhooks, limits::of_ledger,
                                                 limits::of_hooks_api};
  for (const auto& table : tables) {
    const auto at = std::ranges::find(table, word, &limits::row::name);
    if (at != table.end()) return std::to_string(at->much.value);
  }
  return {};
}

std::string meaning_of(std::string_view word) {
  if (word == "events") return words_of(event_names);
  if (word == "states") return words_of(state_names);
  if (word == "disabled") return reasons();
  if (word == "codes") return codes();
  if (word == "hook") return id_pattern(id_kind::webhook);
  if (word == "delivery") return id_pattern(id_kind::delivery);
  if (auto limit = limit_named(word)) return *limit;
  throw std::logic_error("no table has the word " + std::string(word));
}

}  // namespace

std::string filled_in(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  while (!text.empty()) {
    const auto at = std::min(text.find_first_of("%\n"), text.size());
    out += text.substr(0, at);
    if (at == text.size()) break;
    const bool word = text[at] == '%';
    text.remove_prefix(at + 1);
    if (!word) continue;
    const auto end = text.find('%');
    if (end == text.npos) throw std::logic_error("a word without an end");
    out += meaning_of(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace gate::webhook
