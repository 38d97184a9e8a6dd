#include "protocol/webhook/fields.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"
#include "protocol/limits/webhooks.hpp"
#include "protocol/oauth/object.hpp"
#include "protocol/webhook/outcome.hpp"

namespace gate::webhook {
namespace {

/// What of a stranger's field name is shown.
constexpr std::size_t shown_name_bytes = 100;

/// A raw key, which stands within its quotes.
std::string key_text(std::string_view key) {
  std::string out;
  json::unquote({key.data() - 1, key.size() + 2}, out);
  return std::string(cut_off(out, shown_name_bytes));
}

std::string name_at(std::string_view pointer) {
  return pointer.empty() ? "the body" : "the field " + std::string(pointer);
}

}  // namespace

api_error wrong_at(std::string pointer, std::string sentence, std::string hint) {
  return {error_code::validation, std::move(sentence), locus::pointer, std::move(pointer),
          std::move(hint)};
}

std::string member_pointer(std::string_view at, std::string_view name) {
  std::string out(at);
  out += '/';
  for (const char c : name) {  // RFC 6901 §3
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

checked<void> check_json(std::string_view body) {
  const auto fault = json::validate(body);
  if (fault == json::fault::none) return {};
  return wrong_at("", "the body is malformed: " + std::string(json::describe(fault)));
}

checked<void> read_members(std::string_view raw, std::string_view at,
                           std::span<const std::string_view> names,
                           std::span<std::string_view> found) {
  json::cursor c(raw, {});
  if (c.peek() != '{') return wrong_at(std::string(at), name_at(at) + " must be an object");
  std::optional<api_error> wrong;
  json::members(c, [&](std::string_view key, json::cursor& value) {
    const auto name = std::ranges::find_if(
        names, [key](std::string_view known) { return json::same_key(key, known); });
    if (name == names.end()) {
      auto pointer = member_pointer(at, key_text(key));
      auto sentence = "there is no field " + pointer;
      wrong = wrong_at(std::move(pointer), std::move(sentence));
      return value.fail(json::fault::stopped);
    }
    auto& to = found[static_cast<std::size_t>(name - names.begin())];
    if (!to.empty()) {
      auto pointer = member_pointer(at, *name);
      auto sentence = name_at(pointer) + " is there twice";
      wrong = wrong_at(std::move(pointer), std::move(sentence));
      return value.fail(json::fault::stopped);
    }
    value.peek();
    to = value.value(1);
  });
  if (wrong) return *wrong;
  return {};
}

checked<std::string> read_string(std::string_view raw, std::string_view at, std::size_t most) {
  if (!raw.starts_with('"')) return wrong_at(std::string(at), name_at(at) + " must be a string");
  auto text = oauth::text_of(raw);
  if (!text || text->find('\0') != text->npos)
    return wrong_at(std::string(at), name_at(at) + " must not contain U+0000 or a lone surrogate");
  if (text->size() > most)
    return wrong_at(std::string(at),
                    name_at(at) + " is longer than " + std::to_string(most) + " bytes");
  return {boost::system::in_place_value, std::move(*text)};
}

checked<bool> read_flag(std::string_view raw, std::string_view at) {
  if (raw == "true") return true;
  if (raw == "false") return false;
  return wrong_at(std::string(at), name_at(at) + " must be true or false");
}

}  // namespace gate::webhook
