#pragma once
/// Metrics, without prometheus-cpp in sight. A handle is looked up once per label set (a fraction
/// of a microsecond) and then costs an addition; keep handles, do not look them up on a call's way.
/// Any thread; a handle of a histogram and its copies are told by one thread at a time.
#include <array>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "protocol/metrics.hpp"

namespace gate {

class metrics {
 public:
  /// A counter or gauge. Copyable, and good for ever: what it is told after its series was removed
  /// is lost. A default-constructed handle ignores everything.
  class value {
   public:
    value() = default;
    void add(double x = 1) const;
    void set(double x) const;  ///< gauges only
    double now() const;        ///< what it stands at; 0: it ignores everything

   private:
    friend class metrics;
    std::shared_ptr<void> it_;  ///< shared with the exposition, until the series is removed
    bool gauge_ = false;
  };
  /// Of a series, each one that `get_histogram` makes counts for itself (`tally`).
  class histogram {
   public:
    histogram() = default;
    void observe(double x) const;

   private:
    friend class metrics;
    std::shared_ptr<void> it_;
  };

  /// `build` is the gauge that tells the version: each program has one of its own.
  explicit metrics(metric build = metric::build_info);
  ~metrics();
  metrics(const metrics&) = delete;
  metrics& operator=(const metrics&) = delete;

  /// `labels`: values, in the catalogue's order of label names.
  value get(metric m, std::initializer_list<std::string_view> labels = {});
  histogram get_histogram(metric m, std::initializer_list<std::string_view> labels = {});

  /// A series whose subject is gone is exposed no longer. Handles of it do nothing from now on;
  /// `get` with the same labels begins a new series. Gauges go with their subject. Counters and
  /// histograms stay for as long as it may come back: to whoever adds up their increase, one that
  /// vanishes and comes back has been reset.
  void remove(metric m, std::initializer_list<std::string_view> labels);

  /// What a gauge stands at; 0: there is no such series, and none is begun. Not for a call's way.
  double now(metric m, std::initializer_list<std::string_view> labels) const;

  /// The text exposition format, with the process collectors read from /proc. Takes a few ms for a
  /// thousand upstreams, on the thread that asks.
  std::string expose();
  /// The same for whoever asks by the network: made anew once `limits::metrics_reuse` have passed,
  /// whatever unit asks, so that asking again and again costs nobody anything.
  std::shared_ptr<const std::string> exposed(std::chrono::steady_clock::time_point now);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// One counter or gauge for each value of a label that is an enum of protocol/metrics.hpp.
/// Default-constructed, it ignores everything.
template <label_value E>
class labelled {
 public:
  labelled() = default;
  /// `subject`: the value of the label before it; empty: it is the only one.
  labelled(metrics& m, metric what, std::string_view subject = {}) {
    for (std::size_t i = 0; i < by_.size(); ++i) {
      const auto word = words_of(E{})[i];
      by_[i] = subject.empty() ? m.get(what, {word}) : m.get(what, {subject, word});
    }
  }
  const metrics::value& operator[](E e) const { return by_[static_cast<std::size_t>(e)]; }

 private:
  std::array<metrics::value, std::tuple_size_v<std::remove_cvref_t<decltype(words_of(E{}))>>> by_;
};

}  // namespace gate
