#pragma once
/// Federated names: `{namespace}{separator}{name}`. A namespace consists of lower-case letters,
/// digits and hyphens and a separator contains none of those, so the first occurrence of the
/// separator always ends the namespace, whatever the bare name contains.
#include <optional>
#include <string_view>

namespace gate::mcp {

struct split_name {
  std::string_view space;
  std::string_view bare;
};

/// Splits at the first separator. Nothing if there is none, or if either side would be empty.
std::optional<split_name> split(std::string_view name, std::string_view separator) noexcept;

}  // namespace gate::mcp
