#pragma once
/// What a server can do, as it declares in the answer to `initialize` (MCP 2025-11-25
/// /basic/lifecycle): read from upstreams, united over the federation, and declared to clients.
/// Only what the gateway carries is in here: of extensions that of tasks, and not `experimental`.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gate::mcp {

enum class feature : std::uint16_t {
  tools = 1,
  prompts = 2,
  resources = 4,
  subscriptions = 8,  ///< `resources.subscribe`
  logging = 16,
  completions = 32,
  task_calls = 64,  ///< `tasks.requests.tools.call`; or the extension, without sessions
  task_lists = 128,
  task_cancels = 256,
};

/// A set of them.
class server_features {
 public:
  constexpr server_features() = default;
  constexpr explicit server_features(std::uint16_t bits) : bits_(bits) {}
  constexpr bool has(feature f) const { return bits_ & static_cast<std::uint16_t>(f); }
  constexpr void add(feature f) {
    bits_ = static_cast<std::uint16_t>(bits_ | static_cast<std::uint16_t>(f));
  }
  constexpr server_features& operator|=(server_features other) {
    bits_ = static_cast<std::uint16_t>(bits_ | other.bits_);
    return *this;
  }
  constexpr server_features& operator&=(server_features other) {
    bits_ = static_cast<std::uint16_t>(bits_ & other.bits_);
    return *this;
  }
  constexpr std::uint16_t bits() const { return bits_; }
  constexpr bool operator==(const server_features&) const = default;

 private:
  std::uint16_t bits_ = 0;
};

/// A member of `capabilities`, in the order in which they are declared.
struct capability {
  feature what;
  std::string_view name;
  bool lists;  ///< it is about lists: clients are told that these may change
};
inline constexpr std::array capabilities{
    capability{feature::completions, "completions", false},
    capability{feature::logging, "logging", false}, capability{feature::prompts, "prompts", true},
    capability{feature::resources, "resources", true}, capability{feature::tools, "tools", true}};

/// Everything that needs no task: what is declared as long as no upstream has been reached.
inline constexpr server_features usual_features = [] {
  server_features out;
  for (const auto& c : capabilities) out.add(c.what);
  out.add(feature::subscriptions);
  return out;
}();

/// Reads a raw `capabilities` object. `version` is the negotiated revision: `completions` has to be
/// declared only since 2025-03-26, so an older server is taken to have it.
server_features read_features(std::string_view raw_capabilities, std::string_view version);

/// The raw `capabilities` object that declares exactly these to a client of `version`. Lists may
/// change whatever upstreams say, since the federation may. Tasks exist in 2025-11-25, and since
/// 2026-07-28 as an extension: what servers of one have, clients of the other can use.
std::string declare(server_features f, std::string_view version);

}  // namespace gate::mcp
