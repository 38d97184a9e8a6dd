#include "actors/upstream/work_table.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"

namespace gate::upstream {
namespace {

std::vector<job> take_late(std::vector<job>& from, pending::time_point now,
                           pending::time_point& next) {
  std::vector<job> late, rest;
  for (auto& w : from) {
    if (w->time.deadline > now) next = std::min(next, w->time.deadline);
    (w->time.deadline > now ? rest : late).push_back(std::move(w));
  }
  from = std::move(rest);
  return late;
}

}  // namespace

std::vector<std::string>::iterator find_id(std::vector<std::string>& ids, std::string_view raw) {
  return std::ranges::find_if(ids, [&](const auto& id) { return json::same_scalar(id, raw); });
}

std::size_t* work_table::counter(purpose kind) {
  return kind == purpose::work ? &works_ : kind == purpose::discard ? &discards_ : nullptr;
}

pending& work_table::add(std::uint64_t id, purpose kind, std::uint32_t epoch) {
  auto& p = under_way_[id];
  p.kind = kind;
  p.epoch = epoch;
  if (auto* n = counter(kind)) ++*n;
  return p;
}

pending* work_table::find(std::uint64_t id) {
  const auto it = under_way_.find(id);
  return it == under_way_.end() ? nullptr : &it->second;
}

work_table::taken work_table::take(std::uint64_t id) {
  auto out = under_way_.extract(id);
  if (out)
    if (auto* n = counter(out.mapped().kind)) --*n;
  return out;
}

void work_table::put_back(taken entry) {
  if (auto* n = counter(entry.mapped().kind)) ++*n;
  under_way_.insert(std::move(entry));
}

work_table::taken work_table::take_call(std::uint64_t call) {
  for (const auto& [id, p] : under_way_)
    if (p.job && p.job->is_of(call)) return take(id);
  return {};
}

std::vector<work_table::taken> work_table::take_works() {
  std::vector<std::uint64_t> ids;
  for (const auto& [id, p] : under_way_)
    if (p.kind == purpose::work) ids.push_back(id);
  std::vector<taken> out;
  for (const auto id : ids) out.push_back(take(id));
  return out;
}

work_table::due work_table::look(time_point now) {
  due out;
  for (auto& [id, p] : under_way_) {
    if (p.silent_at <= now)
      out.silent.push_back(id);
    else
      out.next = std::min(out.next, p.silent_at);
    if (p.kind == purpose::stream) continue;
    if (p.deadline() <= now) {
      out.late.push_back(id);
      continue;
    }
    out.next = std::min(out.next, p.deadline());
    if (p.resume_at <= now)
      out.resumable.push_back(id);
    else
      out.next = std::min(out.next, p.resume_at);
  }
  return out;
}

bool work_table::end_pauses(time_point now) {
  bool any = false;
  for (auto& [id, p] : under_way_) {
    if (p.resume_at == never) continue;
    p.resume_at = now;
    any = true;
  }
  return any;
}

pending* work_table::end_question(std::string_view raw_id) {
  for (auto& [id, p] : under_way_) {
    const auto it = find_id(p.questions, raw_id);
    if (it == p.questions.end()) continue;
    p.questions.erase(it);
    return &p;
  }
  return nullptr;
}

void work_table::drop_waiting(std::uint64_t call) {
  const auto meant = [&](const job& w) { return w->is_of(call); };
  std::erase_if(waiting_, meant);
  std::erase_if(for_tools_, meant);
  charging_.erase_if(meant);
}

std::vector<job> work_table::take_late_waiting(time_point now, time_point& next) {
  return take_late(waiting_, now, next);
}

std::vector<job> work_table::take_late_for_tools(time_point now, time_point& next) {
  return take_late(for_tools_, now, next);
}

std::vector<job> work_table::take_late_charging(time_point now, time_point& next) {
  std::vector<job> late;
  charging_.erase_if([&](job& w) {
    if (w->time.deadline > now) {
      next = std::min(next, w->time.deadline);
      return false;
    }
    late.push_back(std::move(w));
    return true;
  });
  return late;
}

}  // namespace gate::upstream
