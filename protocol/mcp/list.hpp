#pragma once
/// One upstream's list (tools, prompts, …) as the federation keeps it: each item is its raw bytes,
/// with the name already prefixed by splicing, so that a merged page is a concatenation. Nothing
/// but the name is ever touched: unknown members, number spellings and member order survive.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"
#include "protocol/mcp/list_rest.hpp"

namespace gate::mcp {

namespace stateless {
struct tool_rules;
}

struct list_item {
  std::string key;  ///< exposed name (unescaped, prefixed) or URI: policy, duplicates, digests
  std::string raw;  ///< the item's JSON with the name rewritten
  /// Of a tool of which there is something to know (stateless/tool_rules.hpp); else null.
  std::shared_ptr<const stateless::tool_rules> rules{};
};

using item_list = std::vector<list_item>;
using shared_items = std::shared_ptr<const item_list>;

/// How to read one kind of list.
struct list_shape {
  std::string_view member;  ///< "tools": the array in the result
  std::string_view key;     ///< "name": the member that identifies an item
  bool prefixed = true;     ///< is `key` rewritten with the namespace?
};

/// What one page of an upstream said.
struct list_page {
  item_list items;
  bool more = false;        ///< `nextCursor` was present (the empty string counts)
  std::string next_cursor;  ///< its raw JSON
  list_rest rest;
};

/// Reads the raw `result` of a list request. `prefix` is namespace + separator, or empty: then
/// nothing is rewritten, and what stands beside the list is kept as well. Items
/// without a usable key (absent, not a string, empty, longer than `limits::name_bytes`) are left
/// out and counted in `skipped`. An item whose key member occurs twice is left out too.
result<list_page> read_list_page(std::string_view raw_result, const list_shape& shape,
                                 std::string_view prefix, std::size_t* skipped = nullptr);

/// The raw `result` of a list request whose list is empty.
std::string empty_list(const list_shape& shape);

}  // namespace gate::mcp
