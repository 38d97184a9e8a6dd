#pragma once
/// Metrics, without prometheus-cpp in sight. A handle is looked up once per label set (170 ns) and
/// then costs an atomic addition; keep handles, do not look them up on a call's way. Any thread.
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/metrics.hpp"

namespace gate {

class metrics {
 public:
  /// A counter or gauge. Copyable; valid as long as the `metrics` it came from, also when its
  /// series was removed: what it is told then is lost. A default-constructed handle ignores
  /// everything.
  class value {
   public:
    value() = default;
    void add(double x = 1) const;
    void set(double x) const;  ///< gauges only

   private:
    friend class metrics;
    void* counter_ = nullptr;
    std::shared_ptr<void> gauge_;  ///< shared with the exposition, until the series is removed
  };
  class histogram {
   public:
    histogram() = default;
    void observe(double x) const;

   private:
    friend class metrics;
    void* it_ = nullptr;
  };

  /// `build` is the gauge that tells the version: each program has one of its own.
  explicit metrics(metric build = metric::build_info);
  ~metrics();
  metrics(const metrics&) = delete;
  metrics& operator=(const metrics&) = delete;

  /// `labels`: values, in the catalogue's order of label names.
  value get(metric m, std::initializer_list<std::string_view> labels = {});
  histogram get_histogram(metric m, std::initializer_list<std::string_view> labels = {});

  /// A gauge whose subject is gone is exposed no longer. Handles of it do nothing from now on;
  /// `get` with the same labels begins a new series. Counters and histograms stay, whatever is
  /// removed: to whoever adds up their increase, one that vanishes and comes back has been reset.
  void remove(metric m, std::initializer_list<std::string_view> labels);

  /// The text exposition format, with the process collectors read from /proc.
  std::string expose();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace gate
