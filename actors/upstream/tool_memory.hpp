#pragma once
/// What calls of an upstream's tools need beside the call itself, by the names that the upstream
/// knows: as its latest list said, whichever session read it. It lasts as long as the configuration
/// has the upstream: clients go by what they were listed, whoever has crashed since. Bound:
/// `limits::known_tools`. Pure; part of PEERS.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "config/text_hash.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/tool_rules.hpp"

namespace gate::upstream {

struct known_tool {
  mcp::stateless::param_headers headers;
  bool wrapped = false;  ///< clients with sessions are shown another schema
};

class tool_memory {
 public:
  using rules_ptr = std::shared_ptr<const known_tool>;

  /// The whole list came; names in it have so many bytes before them that the upstream does not
  /// know. What it lacks may have been for others, and is kept.
  void learn(const mcp::item_list& all, std::size_t prefix) {
    ++version_;
    for (const auto& tool : all) {
      const auto name = std::string_view(tool.key).substr(prefix);
      if (tool.rules && (!tool.rules->headers.empty() || tool.rules->wraps)) {
        if (known_.size() >= limits::known_tools && !known_.contains(name)) known_.clear();
        // Not with the text of the list, which may be large, and goes with that.
        known_.insert_or_assign(std::string(name), std::make_shared<const known_tool>(known_tool{
                                                       tool.rules->headers, tool.rules->wraps}));
      } else if (const auto it = known_.find(name); it != known_.end()) {
        known_.erase(it);
      }
    }
  }
  /// Null: there is nothing to know, or it was not listed yet.
  rules_ptr find(std::string_view name) const {
    const auto it = known_.find(name);
    return it == known_.end() ? nullptr : it->second;
  }
  bool empty() const { return known_.empty(); }
  std::size_t size() const { return known_.size(); }
  /// So many lists came.
  std::uint64_t version() const { return version_; }

 private:
  std::unordered_map<std::string, rules_ptr, config::text_hash, std::equal_to<>> known_;
  std::uint64_t version_ = 0;
};

}  // namespace gate::upstream
