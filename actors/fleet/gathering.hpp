#pragma once
/// Questions that wait in one mailbox and are about the same: the store is asked once for all of
/// them, as many as it lets in come in, in the order in which they came. Pure; part of SHARED
/// LIMITER and SHARED BUDGET, which send themselves `ask_gathered` behind those that wait by then.
#include <caf/allowed_unsafe_message_type.hpp>
#include <utility>
#include <vector>

#include "protocol/limits.hpp"

namespace gate::fleet {

/// To itself: what was gathered is to be asked.
struct ask_gathered {};

template <class Key, class Question>
class gathering {
 public:
  using group = std::vector<Question>;

  /// True: it is the first one, so `take` is to be called when others have come.
  bool add(const Key& about, Question q) {
    const bool first = groups_.empty();
    place_for(about).push_back(std::move(q));
    return first;
  }
  std::vector<group> take() {
    std::vector<group> out;
    out.reserve(groups_.size());
    for (auto& g : std::exchange(groups_, {})) out.push_back(std::move(g.second));
    return out;
  }

 private:
  /// The latest are the likeliest; of more than these it is not looked for.
  static constexpr std::size_t looked_at = 16;

  group& place_for(const Key& about) {
    std::size_t looked = 0;
    for (auto it = groups_.rbegin(); it != groups_.rend() && looked < looked_at; ++it, ++looked)
      if (it->first == about && it->second.size() < limits::store_asked_together) return it->second;
    return groups_.emplace_back(about, group{}).second;
  }

  std::vector<std::pair<Key, group>> groups_;
};

}  // namespace gate::fleet

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::fleet::ask_gathered)
