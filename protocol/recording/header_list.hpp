#pragma once
/// HEADER LIST: the header lines of an event that was read. Requests of one connection have the
/// same lines, and a recording has some hundred thousand of them: copies share one list, which
/// nobody changes. HEADER MEMO finds those again that were read before. Pure.
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/limits/playback.hpp"

namespace gate::recording {

struct header {
  std::string name, value;
  bool operator==(const header&) const = default;
};

class header_list {
 public:
  using value_type = header;
  using const_iterator = std::vector<header>::const_iterator;
  using iterator = const_iterator;

  header_list() = default;
  header_list(std::vector<header> all)
      : all_(all.empty() ? nullptr : std::make_shared<const std::vector<header>>(std::move(all))) {}
  header_list(std::initializer_list<header> all) : header_list(std::vector<header>(all)) {}

  const std::vector<header>& all() const noexcept {
    static const std::vector<header> none;
    return all_ ? *all_ : none;
  }
  operator const std::vector<header>&() const noexcept { return all(); }
  const_iterator begin() const noexcept { return all().begin(); }
  const_iterator end() const noexcept { return all().end(); }
  std::size_t size() const noexcept { return all().size(); }
  bool empty() const noexcept { return all_ == nullptr; }
  bool operator==(const header_list& other) const {
    return all_ == other.all_ || all() == other.all();
  }

 private:
  std::shared_ptr<const std::vector<header>> all_;  ///< null: there are none
};

class header_memo {
 public:
  /// The list that was kept for this JSON; null: there is none.
  const header_list* find(std::string_view raw) const {
    const auto it = all_.find(raw);
    return it == all_.end() ? nullptr : &it->second;
  }
  void keep(std::string_view raw, const header_list& list) {
    if (raw.size() > limits::playback_memo_bytes) return;
    if (all_.size() >= limits::playback_memo) all_.clear();
    all_.emplace(raw, list);
  }

 private:
  struct hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, header_list, hash, std::equal_to<>> all_;
};

}  // namespace gate::recording
