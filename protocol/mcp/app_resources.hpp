#pragma once
/// Resources of MCP Apps (SEP-1865), `ui://…`, in a federation. Their URIs are unique within their
/// server only, so the federation gives them a name of its own, with the server's namespace: the
/// one exception to the rule that URIs are never rewritten. Pure.
///
///   the server says             the federation says
///   ui://clock/face             ui://gate/NAMESPACE/clock/face
///   any other URI               the same
#include <optional>
#include <string>
#include <string_view>

#include "protocol/mcp/list_kinds.hpp"

namespace gate::mcp {

/// What the federation calls this URI of a server; nothing: it is none of MCP Apps, or there is no
/// namespace (empty), since nothing is rewritten.
std::optional<std::string> minted_uri(std::string_view space, std::string_view uri);

/// A URI as the federation says it, taken apart.
struct app_uri {
  std::string_view space;
  std::string own;  ///< as the server says it
};
std::optional<app_uri> read_minted(std::string_view uri);

/// What the server with this namespace calls this URI of the federation.
std::string own_uri(std::string_view space, std::string_view uri);

/// The same in an item of a list: a resource, a template, or the resource that a tool is shown with
/// (`_meta.ui.resourceUri`, or `_meta["ui/resourceUri"]`). `key` follows what it says. Nothing else
/// of it is touched.
void mint_item(list_kind kind, std::string_view space, list_item& item);

}  // namespace gate::mcp
