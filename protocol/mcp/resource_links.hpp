#pragma once
/// The resources that a result names (MCP 2025-11-25 /server/tools, Resource Links and Embedded
/// Resources): content of type `resource_link` or `resource`, of tools and of prompts. They need
/// not be in any list, and a client may read them all the same.
#include <functional>
#include <string_view>

namespace gate::mcp {

/// Can it name any? A search for one word; most results end here.
bool may_name_resources(std::string_view raw_result) noexcept;

/// Calls `f` with each URI, a raw JSON string; no more than `limits::named_uris` of them, be they
/// the same.
void named_resources(std::string_view raw_result, const std::function<void(std::string_view)>& f);

}  // namespace gate::mcp
