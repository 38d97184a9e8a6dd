#include "transport/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/limits.hpp"
#include "transport/metrics/process.hpp"
#include "transport/metrics/tally.hpp"
#include "transport/metrics/text.hpp"

namespace gate {
namespace {

using prometheus::Counter;
using prometheus::Gauge;

/// From a local echo (under a millisecond) to the longest request deadline.
constexpr std::array seconds_buckets{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                     0.25,   0.5,   1.0,    2.5,   5.0,  10.0,  30.0, 60.0};
constexpr std::array count_buckets{0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 500.0};
static_assert(std::max(seconds_buckets.size(), count_buckets.size()) <= tally::most_bounds);

std::span<const double> buckets_of(metric m) {
  if (m == metric::request_upstream_calls) return count_buckets;
  return seconds_buckets;
}

/// As it stands in the text, in the order of the labels' names: the key of a series.
std::string labels_of(metric m, std::initializer_list<std::string_view> values) {
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  auto name = row(m).labels.begin();
  for (auto v : values) pairs.emplace_back(*name++, v);
  std::ranges::sort(pairs);
  std::string out;
  for (const auto& [n, v] : pairs) exposition::append_label(out, n, v);
  return out;
}

}  // namespace

/// Series by metric and labels. Not in a registry of prometheus-cpp, which destroys what is removed
/// from it: a handle may be in use meanwhile. What each pointer means, the metric's type says.
struct metrics::state {
  using series = std::map<std::string, std::shared_ptr<void>, std::less<>>;
  static constexpr std::size_t series_at_once = 64;

  std::array<series, metric_catalogue.size()> families;
  std::mutex mutex;
  std::atomic<std::size_t> length = 0;  ///< of the text, the last time
  std::mutex memo_mutex;
  std::shared_ptr<const std::string> memo;
  std::chrono::steady_clock::time_point memo_made;
  prometheus::Registry registry;  ///< of the process collectors
  process_collector process{registry};

  template <class Kind, class... Args>
  std::shared_ptr<void> get(metric m, std::initializer_list<std::string_view> values,
                            const Args&... args) {
    auto labels = labels_of(m, values);
    std::lock_guard lock(mutex);
    auto& it = families[static_cast<std::size_t>(m)][std::move(labels)];
    if (!it) it = std::make_shared<Kind>(args...);
    if constexpr (std::is_same_v<Kind, tally>)
      return static_cast<tally*>(it.get())->add_part();
    else
      return it;
  }

  /// Some series at a time: whoever begins one meanwhile, on a call's way maybe, does not wait for
  /// thousands of them. (A family is empty, or begins with its head.)
  void append(std::string& out, const metric_row& r) {
    const auto& all = families[static_cast<std::size_t>(r.id)];
    std::string last;
    for (bool more = true, first = true; more; first = false) {
      std::lock_guard lock(mutex);
      auto at = first ? all.begin() : all.upper_bound(last);
      if (first && at != all.end()) exposition::append_head(out, r);
      for (std::size_t n = 0; n < series_at_once && at != all.end(); ++n, ++at)
        append(out, r, at->first, at->second.get());
      more = at != all.end();
      if (more) last = std::prev(at)->first;
    }
  }

  static void append(std::string& out, const metric_row& r, std::string_view labels,
                     const void* it) {
    switch (r.type) {
      case metric_type::counter:
        exposition::append_sample(out, r.name, labels, static_cast<const Counter*>(it)->Value());
        break;
      case metric_type::gauge:
        exposition::append_sample(out, r.name, labels, static_cast<const Gauge*>(it)->Value());
        break;
      case metric_type::histogram:
        exposition::append_histogram(out, r.name, labels, static_cast<const tally*>(it)->collect());
        break;
    }
  }
};

metrics::metrics(metric build) : state_(std::make_unique<state>()) {
  get(build, {GATE_VERSION}).set(1);
}

metrics::~metrics() = default;

metrics::value metrics::get(metric m, std::initializer_list<std::string_view> labels) {
  value v;
  v.gauge_ = row(m).type == metric_type::gauge;
  v.it_ = v.gauge_ ? state_->get<Gauge>(m, labels) : state_->get<Counter>(m, labels);
  return v;
}

void metrics::remove(metric m, std::initializer_list<std::string_view> labels) {
  const auto gone = labels_of(m, labels);
  std::lock_guard lock(state_->mutex);
  state_->families[static_cast<std::size_t>(m)].erase(gone);
}

double metrics::now(metric m, std::initializer_list<std::string_view> labels) const {
  const auto which = labels_of(m, labels);
  std::lock_guard lock(state_->mutex);
  const auto& all = state_->families[static_cast<std::size_t>(m)];
  const auto at = all.find(which);
  return at == all.end() ? 0 : static_cast<const Gauge*>(at->second.get())->Value();
}

metrics::histogram metrics::get_histogram(metric m,
                                          std::initializer_list<std::string_view> labels) {
  histogram h;
  h.it_ = state_->get<tally>(m, labels, buckets_of(m));
  return h;
}

void metrics::value::add(double x) const {
  if (!it_) return;
  if (gauge_)
    static_cast<Gauge*>(it_.get())->Increment(x);
  else
    static_cast<Counter*>(it_.get())->Increment(x);
}

double metrics::value::now() const {
  if (!it_) return 0;
  return gauge_ ? static_cast<Gauge*>(it_.get())->Value()
                : static_cast<Counter*>(it_.get())->Value();
}

void metrics::value::set(double x) const {
  if (it_ && gauge_) static_cast<Gauge*>(it_.get())->Set(x);
}

void metrics::histogram::observe(double x) const {
  if (it_) static_cast<tally::part*>(it_.get())->observe(x);
}

std::shared_ptr<const std::string> metrics::exposed(std::chrono::steady_clock::time_point now) {
  auto& s = *state_;
  std::lock_guard lock(s.memo_mutex);  // a second unit waits for what the first one makes
  if (!s.memo || now - s.memo_made >= limits::metrics_reuse) {
    s.memo = std::make_shared<const std::string>(expose());
    s.memo_made = now;
  }
  return s.memo;
}

std::string metrics::expose() {
  std::string out;
  // As much as the last time, and some: growing means to copy.
  out.reserve(state_->length + state_->length / 8);
  for (const auto& r : metric_catalogue) state_->append(out, r);
  state_->process.refresh();
  out += prometheus::TextSerializer{}.Serialize(state_->registry.Collect());
  state_->length = out.size();
  return out;
}

}  // namespace gate
