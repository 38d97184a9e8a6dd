#include "simulations/runs/run.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "simulations/runs/memory_watch.hpp"
#include "simulations/runs/workers.hpp"
#include "simulations/world/allocated.hpp"

namespace gate::runs {
namespace {

std::chrono::microseconds cpu_used() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto us = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return us(used.ru_utime) + us(used.ru_stime);
}

double per_second(std::uint64_t n, std::chrono::microseconds cpu) {
  return cpu.count() == 0 ? 0 : static_cast<double>(n) / std::chrono::duration<double>(cpu).count();
}

bool sees(const plant& p, const std::vector<std::string>& complaints) {
  return std::ranges::any_of(complaints, [&](const auto& c) { return c.starts_with(p.complaint); });
}

}  // namespace

double run_summary::calls_a_second_and_core() const {
  return per_second(calls, cpu);
}

double run_summary::requests_a_second_and_core() const {
  return per_second(requests, cpu);
}

verdict tell_seed(const run_plan& p, std::uint64_t seed) {
  static const sha256 digest;
  static memory_watch memory;
  verdict v;
  v.seed = seed;
  const auto before = cpu_used();
  const auto story = p.of->make(seed, p.how, p.planted);
  v.told = story != nullptr;
  if (!v.told) return v;
  {
    const auto told = story->tell(p.digest ? detail::turns : detail::none);
    v.complaints = told.complaints;
    if (p.digest) v.digest = digest(told.trace);
    v.requests = told.requests;
    v.calls = told.calls;
    v.faults = told.faults;
    v.took = told.took;
  }
  v.cpu = cpu_used() - before;
  if (auto grown = memory.look(sim::allocated_bytes())) v.complaints.push_back(std::move(*grown));
  return v;
}

std::vector<std::string> complaints_apart(const plot& p) {
  return tell_apart([&] {
           verdict v;
           v.complaints = p.tell(detail::none).complaints;
           return v;
         })
      .complaints;
}

run_summary run_stories(const run_plan& p, const run_listener& to) {
  run_summary sum;
  const auto began = std::chrono::steady_clock::now();
  const auto* planted = find_plant(*p.of, p.planted);
  const auto jobs = std::min<std::uint64_t>(std::max<std::size_t>(1, p.jobs), p.seeds);
  workers all(jobs, [&](std::uint64_t seed) { return tell_seed(p, seed); });
  const auto take = [&](const verdict& v) {
    ++sum.looked_at;
    sum.stories += v.told ? 1 : 0;
    sum.requests += v.requests;
    sum.calls += v.calls;
    sum.faults += v.faults;
    sum.took += v.took;
    sum.cpu += v.cpu;
    if (p.digest) sum.digest.add(v.digest);
    if (planted != nullptr) {
      sum.plant_found = sees(*planted, v.complaints);
      if (sum.plant_found) sum.first = v;
      return !sum.plant_found;
    }
    if (v.complaints.empty()) return true;
    ++sum.failures;
    if (!sum.first) sum.first = v;
    to.violation(v);
    return sum.failures < p.most_failures;
  };
  const auto tick = [&] {
    sum.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began);
    sum.interrupted = !to.progress(sum);
    return !sum.interrupted;
  };
  all.tell_all(p.from, p.seeds, {take, tick});
  sum.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  return sum;
}

}  // namespace gate::runs
