#include "actors/pipeline/parked.hpp"

#include <algorithm>

namespace gate::pipeline {

std::uint64_t parking::place(call_ptr c, stage passed, partner whom, std::size_t which) {
  auto* it = c.get();
  ++counts_[static_cast<std::size_t>(whom)];
  return it->number = places_.add({std::move(c), passed, whom, which, ++turns_});
}

call_ptr parking::remove(std::uint64_t number) {
  auto p = places_.take(number);
  --counts_[static_cast<std::size_t>(p.whom)];
  return std::move(p.it);
}

void parking::wait_for(std::uint64_t number, partner whom) {
  auto* p = places_.find(number);
  if (!p) return;
  --counts_[static_cast<std::size_t>(std::exchange(p->whom, whom))];
  p->which = 0;
  ++counts_[static_cast<std::size_t>(whom)];
}

std::vector<std::uint64_t> parking::waiting_for(partner whom, std::size_t which) const {
  if (count(whom) == 0) return {};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_turn;
  places_.for_each([&](const parked& p) {
    if (p.whom == whom && p.which == which) by_turn.emplace_back(p.turn, p.it->number);
  });
  std::ranges::sort(by_turn);
  std::vector<std::uint64_t> out;
  for (const auto& [turn, number] : by_turn) out.push_back(number);
  return out;
}

std::vector<std::uint64_t> parking::all() const {
  std::vector<std::uint64_t> out;
  for_each([&](const call& c) { out.push_back(c.number); });
  return out;
}

}  // namespace gate::pipeline
