#include "protocol/mcp/resource_links.hpp"

#include <cstring>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::mcp {
namespace {

class finder {
 public:
  explicit finder(const std::function<void(std::string_view)>& f) : tell_(f) {}

  void look_at_each(std::string_view raw_array) {
    if (raw_array.starts_with('{')) return look_at(raw_array);
    if (!raw_array.starts_with('[')) return;
    json::cursor c(raw_array, {json::deepest, false});
    json::elements(c, [&](json::cursor& at) {
      look_at(at.value(1));
      stop_if_full(at);
    });
  }

  void stop_if_full(json::cursor& at) const {
    if (left_ == 0) at.fail(json::fault::syntax);
  }

 private:
  /// One element of content; anything else names nothing.
  void look_at(std::string_view raw) {
    if (left_ == 0 || !raw.starts_with('{')) return;
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
    if (!uri.starts_with('"')) return;
    --left_;
    tell_(uri);
  }

  const std::function<void(std::string_view)>& tell_;
  std::size_t left_ = limits::named_uris;
};

}  // namespace

bool may_name_resources(std::string_view raw_result) noexcept {
  constexpr std::string_view word = R"("resource)";
  return memmem(raw_result.data(), raw_result.size(), word.data(), word.size()) != nullptr;
}

void named_resources(std::string_view raw_result, const std::function<void(std::string_view)>& f) {
  if (!raw_result.starts_with('{')) return;
  finder in(f);
  in.look_at_each(json::member(raw_result, "content"));
  const auto messages = json::member(raw_result, "messages");
  if (!messages.starts_with('[')) return;
  json::cursor c(messages, {json::deepest, false});
  json::elements(c, [&](json::cursor& at) {
    const auto message = at.value(1);
    in.look_at_each(json::member(message, "content"));
    in.stop_if_full(at);
  });
}

}  // namespace gate::mcp
