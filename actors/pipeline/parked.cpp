#include "actors/pipeline/parked.hpp"

#include <algorithm>

namespace gate::pipeline {

std::uint64_t parking::place(call_ptr c, stage passed, wait w) {
  auto* it = c.get();
  it->number = places_.add({std::move(c), passed, w, ++turns_});
  enter(w, it->number);
  return it->number;
}

call_ptr parking::remove(std::uint64_t number) {
  auto p = places_.take(number);
  leave(p.w, number);
  return std::move(p.it);
}

void parking::wait_for(std::uint64_t number, wait w) {
  auto* p = places_.find(number);
  if (!p) return;
  leave(p->w, number);
  p->w = w;
  enter(w, number);
}

void parking::enter(const wait& w, std::uint64_t number) {
  ++counts_[static_cast<std::size_t>(w.whom)];
  if (row(w.whom).several) of_several_[key(w.whom, w.which)].push_back(number);
}

void parking::leave(const wait& w, std::uint64_t number) {
  --counts_[static_cast<std::size_t>(w.whom)];
  if (!row(w.whom).several) return;
  const auto at = of_several_.find(key(w.whom, w.which));
  if (std::erase(at->second, number); at->second.empty()) of_several_.erase(at);
}

std::vector<std::uint64_t> parking::waiting_for(partner whom) const {
  if (count(whom) == 0) return {};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_turn;
  places_.for_each([&](const parked& p) {
    if (p.w.whom == whom) by_turn.emplace_back(p.turn, p.it->number);
  });
  std::ranges::sort(by_turn);
  std::vector<std::uint64_t> out;
  out.reserve(by_turn.size());
  for (const auto& [turn, number] : by_turn) out.push_back(number);
  return out;
}

std::vector<std::uint64_t> parking::waiting_for(partner whom, std::uint64_t which) const {
  const auto at = of_several_.find(key(whom, which));
  return at == of_several_.end() ? std::vector<std::uint64_t>{} : at->second;
}

parking::time_point parking::next_late(partner whom) const {
  auto out = wait::never;
  if (count(whom))
    places_.for_each([&](const parked& p) {
      if (p.w.whom == whom) out = std::min(out, p.w.until);
    });
  return out;
}

std::vector<std::uint64_t> parking::all() const {
  std::vector<std::uint64_t> out;
  for_each([&](const call& c) { out.push_back(c.number); });
  return out;
}

}  // namespace gate::pipeline
