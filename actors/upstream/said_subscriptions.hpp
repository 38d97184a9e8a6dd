#pragma once
/// What the server is being told of each resource: that the session subscribes to it, or no longer.
/// Requests can overtake each other on their way, so one is answered before the next is sent, and
/// what counts is the last that was wanted. Pure; part of UPSTREAM SESSION.
///
///   wanted meanwhile         when the one under way has ended
///   the same                 nothing: it is said
///   the other                that is said
///   the other, and the same  nothing
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gate::upstream {

class said_subscriptions {
 public:
  struct word {
    std::string uri;       ///< raw JSON string
    bool wanted = false;   ///< it was said to subscribe
    bool now = false;      ///< it is wanted by now
    bool renewal = false;  ///< of what an earlier session was subscribed to
  };

  /// True: it is to be said now, and will be the fetch of this number.
  bool say(std::uint64_t fetch, std::string_view uri, bool wanted, bool renewal) {
    if (const auto at = under_way_.find(uri); at != under_way_.end()) {
      words_.at(at->second).now = wanted;
      return false;
    }
    words_.emplace(fetch, word{std::string(uri), wanted, wanted, renewal});
    under_way_.emplace(uri, fetch);
    return true;
  }
  /// What is said by this fetch; null: nothing (any more).
  const word* find(std::uint64_t fetch) const {
    const auto at = words_.find(fetch);
    return at == words_.end() ? nullptr : &at->second;
  }
  /// It has ended.
  std::optional<word> end(std::uint64_t fetch) {
    auto node = words_.extract(fetch);
    if (node.empty()) return {};
    under_way_.erase(node.mapped().uri);
    return std::move(node.mapped());
  }
  std::size_t size() const { return words_.size(); }
  /// The session was lost: another one knows of nothing.
  void forget() {
    words_.clear();
    under_way_.clear();
  }

 private:
  std::map<std::uint64_t, word> words_;  ///< by the fetch
  std::map<std::string, std::uint64_t, std::less<>> under_way_;
};

}  // namespace gate::upstream
