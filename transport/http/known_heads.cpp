#include "transport/http/known_heads.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "protocol/http/ascii.hpp"

namespace gate::http {
namespace {

constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;

std::uint64_t mixed(std::uint64_t key, std::uint64_t with) {
  key = (key ^ with) * odd;
  return key ^ key >> 32U;
}

bool names_length(std::string_view line) {
  constexpr std::string_view name = "content-length";
  return line.size() > name.size() && line[name.size()] == ':' &&
         same_name(line.substr(0, name.size()), name);
}

/// Of each line how long it is and how it ends: tokens and the ids of sessions differ there. Of
/// Content-Length neither. Nothing: the header is not whole, or is a long one.
std::optional<std::uint64_t> key_of(std::string_view bytes) {
  std::uint64_t key = 0;
  bytes = bytes.substr(0, limits::known_header_bytes);
  for (auto end = bytes.find('\n'); end != bytes.npos; end = bytes.find('\n')) {
    const auto line = bytes.substr(0, end);
    if (line.size() <= 1) return key;
    bytes.remove_prefix(end + 1);
    if (names_length(line)) continue;
    std::uint64_t last = 0;
    const auto of_line = line.substr(line.size() - std::min(line.size(), sizeof last));
    std::memcpy(&last, of_line.data(), of_line.size());
    key = mixed(key, last + line.size());
  }
  return {};
}

}  // namespace

head_ptr known_heads::find(std::string_view bytes) const {
  const auto key = key_of(bytes);
  if (!key) return {};
  const auto* k = known_.find(*key, [&](const known& x) { return x.head && x.key == *key; });
  return k ? k->head : nullptr;
}

void known_heads::keep(const head_ptr& head) {
  const auto key = head->length.empty() ? std::nullopt : key_of(head->block);
  if (!key) return;
  // Another of the same key would not be found behind it.
  known_.keep(*key, {*key, head}, [&](const known& x) { return x.head && x.key == *key; });
}

}  // namespace gate::http
