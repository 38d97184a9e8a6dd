#pragma once
/// What the store has not been told of yet: sums by record, and the portions in which they are
/// told. A portion has a name, and stays as it is until the store has taken it, so that it is
/// counted once however often it is told. Pure; part of SHARED BUDGET.
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/fleet/shared_counters.hpp"
#include "protocol/limits.hpp"

namespace gate::fleet {

class debts {
 public:
  struct portion {
    std::string name;
    std::vector<debt> all;
  };

  /// `prefix` tells the portions of this instance from all others.
  explicit debts(std::string prefix, std::size_t most = limits::budget_records)
      : prefix_(std::move(prefix)), most_(most) {}

  /// False: there is no room, and this one is forgotten.
  bool add(debt d) {
    const auto it = open_.find(d.key);
    if (it != open_.end()) {
      it->second.sum += d.sum;
      return true;
    }
    if (open_.size() + told_ >= most_) return false;
    auto key = d.key;
    open_.emplace(std::move(key), std::move(d));
    return true;
  }
  bool empty() const { return open_.empty() && again_.empty(); }
  /// What is to be told next; it is taken out. There must be something.
  portion next() {
    if (!again_.empty()) {
      auto out = std::move(again_.front());
      again_.pop_front();
      return out;
    }
    portion out{prefix_ + std::to_string(++names_), {}};
    while (!open_.empty() && out.all.size() < limits::store_debts_at_once)
      out.all.push_back(std::move(open_.extract(open_.begin()).mapped()));
    told_ += out.all.size();
    return out;
  }
  /// All that is owed, by record, but for portions that are being told.
  std::unordered_map<std::string, std::int64_t> sums() const {
    std::unordered_map<std::string, std::int64_t> out;
    for (const auto& [key, d] : open_) out[key] += d.sum;
    for (const auto& p : again_)
      for (const auto& d : p.all) out[d.key] += d.sum;
    return out;
  }
  /// The store has taken it.
  void paid(const portion& p) { told_ -= p.all.size(); }
  /// It may have: it is told again.
  void unpaid(portion p) { again_.push_back(std::move(p)); }

 private:
  std::string prefix_;
  std::size_t most_;
  std::unordered_map<std::string, debt> open_;
  std::deque<portion> again_;
  std::size_t told_ = 0;  ///< records in portions that the store has not taken
  std::uint64_t names_ = 0;
};

}  // namespace gate::fleet
