#include "protocol/mcp/resource_links.hpp"

#include <cstring>

#include "protocol/json/scan.hpp"

namespace gate::mcp {
namespace {

using finder = std::function<void(std::string_view)>;

/// One element of content; anything else names nothing.
void look_at_content(std::string_view raw, const finder& f) {
  if (!raw.starts_with('{')) return;
  std::string_view type, uri, embedded;
  json::cursor c(raw, {json::deepest, false});
  json::members(c, [&](std::string_view key, json::cursor& at) {
    at.peek();
    const auto value = at.value(1);
    if (json::same_key(key, "type")) type = value;
    if (json::same_key(key, "uri")) uri = value;
    if (json::same_key(key, "resource")) embedded = value;
  });
  if (!c.ok() || !type.starts_with('"')) return;
  type = type.substr(1, type.size() - 2);
  if (json::same_key(type, "resource")) uri = json::member(embedded, "uri");
  if (!json::same_key(type, "resource_link") && !json::same_key(type, "resource")) return;
  if (uri.starts_with('"')) f(uri);
}

void look_at_each(std::string_view raw_array, const finder& f) {
  if (raw_array.starts_with('{')) return look_at_content(raw_array, f);
  if (!raw_array.starts_with('[')) return;
  json::cursor c(raw_array, {json::deepest, false});
  json::elements(c, [&](json::cursor& at) { look_at_content(at.value(1), f); });
}

}  // namespace

bool may_name_resources(std::string_view raw_result) noexcept {
  constexpr std::string_view word = R"("resource)";
  return memmem(raw_result.data(), raw_result.size(), word.data(), word.size()) != nullptr;
}

void named_resources(std::string_view raw_result, const finder& f) {
  if (!raw_result.starts_with('{')) return;
  look_at_each(json::member(raw_result, "content"), f);
  const auto messages = json::member(raw_result, "messages");
  if (!messages.starts_with('[')) return;
  json::cursor c(messages, {json::deepest, false});
  json::elements(c, [&](json::cursor& at) {
    const auto message = at.value(1);
    look_at_each(json::member(message, "content"), f);
  });
}

}  // namespace gate::mcp
