#pragma once
/// What the server is being told of each resource: that the session subscribes to it, or no longer.
/// Requests can overtake each other on their way, so one is answered before the next is sent, and
/// what counts is the last that was wanted. Without a good credential nothing is said: what is to
/// be said is held until there is one. Pure; part of UPSTREAM SESSION.
///
///   wanted meanwhile         when the one under way has ended
///   the same                 nothing: it is said
///   the other                that is said
///   the other, and the same  nothing
///
/// What is answered by HTTP 401, for the credential, is said once more with another one.
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
    std::string uri;          ///< raw JSON string
    bool wanted = false;      ///< it was said to subscribe
    bool now = false;         ///< it is wanted by now
    bool renewal = false;     ///< of what an earlier session was subscribed to
    bool again = false;       ///< it was said before, with a credential that was not good
    std::uint32_t shown = 0;  ///< which credential it is said with
  };

  /// True: it is to be said now, and will be the fetch of this number.
  bool say(std::uint64_t fetch, std::string_view uri, bool wanted, bool renewal, bool again = false,
           std::uint32_t shown = 0) {
    if (changed(uri, wanted)) return false;
    if (const auto at = held_.find(uri); at != held_.end()) held_.erase(at);
    words_.emplace(fetch, word{std::string(uri), wanted, wanted, renewal, again, shown});
    under_way_.emplace(uri, fetch);
    return true;
  }
  /// It is to be said when there is a credential.
  void hold(std::string_view uri, bool wanted, bool renewal, bool again) {
    if (changed(uri, wanted)) return;
    held_.insert_or_assign(std::string(uri),
                           word{std::string(uri), wanted, wanted, renewal, again, 0});
  }
  using held_words = std::map<std::string, word, std::less<>>;
  const held_words& held() const { return held_; }
  held_words take_held() { return std::exchange(held_, {}); }
  void drop_held(const std::string& uri) { held_.erase(uri); }
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
  std::size_t size() const { return words_.size() + held_.size(); }
  /// The session was lost: another one knows of nothing.
  void forget() {
    held_.clear();
    words_.clear();
    under_way_.clear();
  }

 private:
  /// Is something under way about it? What is wanted by now is said after that.
  bool changed(std::string_view uri, bool wanted) {
    const auto at = under_way_.find(uri);
    if (at == under_way_.end()) return false;
    words_.at(at->second).now = wanted;
    return true;
  }

  held_words held_;
  std::map<std::uint64_t, word> words_;  ///< by the fetch
  std::map<std::string, std::uint64_t, std::less<>> under_way_;
};

}  // namespace gate::upstream
