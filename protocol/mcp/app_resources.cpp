#include "protocol/mcp/app_resources.hpp"

#include "protocol/json/scan.hpp"

namespace gate::mcp {
namespace {

constexpr std::string_view scheme = "ui://";
constexpr std::string_view ours = "ui://gate/";

/// The string `raw`, a part of `text`, as the federation says it.
void mint_in(std::string& text, std::string_view raw, std::string_view space) {
  std::string uri;
  if (!json::unquote(raw, uri)) return;
  const auto minted = minted_uri(space, uri);
  if (!minted) return;
  text.replace(static_cast<std::size_t>(raw.data() - text.data()), raw.size(),
               json::quoted(*minted));
}

}  // namespace

std::optional<std::string> minted_uri(std::string_view space, std::string_view uri) {
  if (space.empty() || !uri.starts_with(scheme)) return {};
  std::string out(ours);
  return out.append(space).append("/").append(uri.substr(scheme.size()));
}

std::optional<app_uri> read_minted(std::string_view uri) {
  if (!uri.starts_with(ours)) return {};
  uri.remove_prefix(ours.size());
  const auto end = uri.find('/');
  if (end == uri.npos || end == 0) return {};
  return app_uri{uri.substr(0, end), std::string(scheme).append(uri.substr(end + 1))};
}

std::string own_uri(std::string_view space, std::string_view uri) {
  auto minted = space.empty() ? std::nullopt : read_minted(uri);
  return minted && minted->space == space ? std::move(minted->own) : std::string(uri);
}

void mint_item(list_kind kind, std::string_view space, list_item& item) {
  if (space.empty()) return;
  if (owns_uris(kind)) {
    auto minted = minted_uri(space, item.key);
    if (!minted) return;
    mint_in(item.raw, json::member(item.raw, shape(kind).key), space);
    item.key = std::move(*minted);
  } else if (kind == list_kind::tools) {
    // Each by itself: the text moves.
    const auto flat = [&] {
      return json::member(json::member(item.raw, "_meta"), "ui/resourceUri");
    };
    const auto nested = [&] {
      return json::member(json::member(json::member(item.raw, "_meta"), "ui"), "resourceUri");
    };
    mint_in(item.raw, flat(), space);
    mint_in(item.raw, nested(), space);
  }
}

}  // namespace gate::mcp
