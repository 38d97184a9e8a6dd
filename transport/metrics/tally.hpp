#pragma once
/// TALLY: what a histogram has counted. Each handle counts in a part of its own, which one thread
/// at a time writes to: nothing is locked on a call's way, and nothing is lost. Whoever exposes it
/// adds the parts up. Parts of handles that are gone are joined, so there are about as many as
/// there are handles. Pure; used by metrics.cpp, under its mutex but for `part::observe`.
#include <prometheus/client_metric.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gate {

class tally {
 public:
  static constexpr std::size_t most_bounds = 16;

  class part {
   public:
    explicit part(std::span<const double> bounds) : bounds_(bounds) {}
    void observe(double x) noexcept;

   private:
    friend class tally;
    std::span<const double> bounds_;
    std::array<std::atomic<std::uint64_t>, most_bounds + 1> counts_{};  ///< the last: above all
    std::atomic<double> sum_ = 0;
  };

  /// `bounds`: at most `most_bounds`, rising, of static storage.
  explicit tally(std::span<const double> bounds) : bounds_(bounds) {}

  std::shared_ptr<part> add_part();
  prometheus::ClientMetric::Histogram collect() const;
  std::size_t parts() const { return parts_.size(); }

 private:
  void join_unused();

  std::span<const double> bounds_;
  std::vector<std::shared_ptr<part>> parts_;
  std::array<std::uint64_t, most_bounds + 1> counts_{};  ///< of parts that are gone
  double sum_ = 0;
};

}  // namespace gate
