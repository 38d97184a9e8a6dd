#include "protocol/mcp/names.hpp"

namespace gate::mcp {

std::optional<split_name> split(std::string_view name, std::string_view separator) noexcept {
  auto at = separator.empty() ? name.npos : name.find(separator);
  if (at == name.npos || at == 0 || at + separator.size() == name.size()) return {};
  return split_name{name.substr(0, at), name.substr(at + separator.size())};
}

}  // namespace gate::mcp
