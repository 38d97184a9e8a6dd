#pragma once
/// Does a URI belong to a resource template (RFC 6570, as MCP uses it)? Not a reversal of the
/// expansion: values are not recovered, only the question is answered which template, and so which
/// upstream, a URI could come from.
#include <string_view>

namespace gate::mcp {

/// Literals must occur as they are. An expression stands for any text, the empty one included, of
/// the characters that its expansion can produce: `{x}` for everything but `/ ? #`, `{+x}` and
/// `{#x}` for anything, `{/x}` and `{.x}` for path segments or labels that begin with `/` or `.`,
/// `{;x}`, `{?x}` and `{&x}` for parameters that begin with `;`, `?` or `&`. A template with an
/// unclosed brace matches only itself. Time is bounded by the product of the lengths.
bool matches_template(std::string_view uri_template, std::string_view uri);

}  // namespace gate::mcp
