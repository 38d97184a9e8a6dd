#pragma once
/// A kind of stories from what stands in simulations/stories: `Kind` has the types `scenario` and
/// `story`, and `make`, `canaries` and `settings` of their namespace, a `name` and an `about`;
/// beside the types stand `judge` and, if there are stories for which a plant would not be wrong,
/// `suits`. Included by kinds.cpp only.
#include <utility>

#include "simulations/runs/account.hpp"
#include "simulations/runs/kind.hpp"
#include "simulations/world/complaint.hpp"

namespace gate::runs {

/// While it lives, what the simulated world can not do is a complaint like others, not the end of
/// the process.
class world_complaints {
 public:
  explicit world_complaints(std::vector<std::string>& to) {
    sim::on_complaint([&to](const std::string& what) { to.push_back("world: " + what); });
  }
  ~world_complaints() { sim::on_complaint(nullptr); }
  world_complaints(const world_complaints&) = delete;
  world_complaints& operator=(const world_complaints&) = delete;
};

template <class Kind>
class plot_of final : public plot {
 public:
  explicit plot_of(typename Kind::scenario s) : scenario_(std::move(s)) {}

  std::uint64_t seed() const override { return scenario_.seed; }
  std::size_t length() const override { return scenario_.operations.size(); }
  std::string operation(std::size_t i) const override {
    return to_string(scenario_.operations.at(i));
  }

  plot_ptr without(std::size_t from, std::size_t count) const override {
    auto shorter = scenario_;
    const auto begin = shorter.operations.begin() + static_cast<std::ptrdiff_t>(from);
    shorter.operations.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
    return std::make_unique<plot_of>(std::move(shorter));
  }

  std::string setup() const override { return setup_of(scenario_); }
  std::vector<plot_ptr> simpler() const override {
    std::vector<plot_ptr> out;
    for (auto& s : simpler_ones(scenario_)) out.push_back(std::make_unique<plot_of>(std::move(s)));
    return out;
  }

  telling tell(detail d) const override {
    telling out;
    const world_complaints heard(out.complaints);
    {
      typename Kind::story it(scenario_, d == detail::turns);
      if (d == detail::page) it.keep_samples();
      it.tell();
      if (d != detail::none) out.trace = it.trace();
      count(scenario_, it.found(), out);
      const auto said = judge(scenario_, it.found());
      if (d == detail::page)
        out.account = account_of(Kind::name, scenario_.seed, it.found(), said, out.trace);
      out.complaints.insert(out.complaints.end(), said.begin(), said.end());
    }
    return out;
  }

 private:
  static void count(const auto& s, const auto& e, telling& out) {
    out.took = std::chrono::duration_cast<std::chrono::milliseconds>(e.ended - e.began);
    out.requests = e.requests.size();
    for (const auto& r : e.requests) out.calls += Kind::calls_in(r);
    for (const auto& o : s.operations) out.faults += Kind::is_fault(o) ? 1 : 0;
  }

  typename Kind::scenario scenario_;
};

template <class Kind>
class kind_of final : public kind {
 public:
  kind_of() {
    for (const auto& c : Kind::canaries()) plants_.push_back({c.name, c.complaint, c.about});
  }

  std::string_view name() const override { return Kind::name; }
  std::string_view about() const override { return Kind::about; }
  std::span<const stories::setting> settings() const override { return Kind::settings(); }
  const std::vector<plant>& plants() const override { return plants_; }

  plot_ptr make(std::uint64_t seed, const stories::tuning& t,
                std::string_view planted) const override {
    auto s = Kind::make(seed, t);
    for (const auto& c : Kind::canaries()) {
      if (c.name != planted) continue;
      if constexpr (requires { suits(s, c); })
        if (!suits(s, c)) return nullptr;
      s.bird = c.what;
    }
    return std::make_unique<plot_of<Kind>>(std::move(s));
  }

 private:
  std::vector<plant> plants_;
};

}  // namespace gate::runs
