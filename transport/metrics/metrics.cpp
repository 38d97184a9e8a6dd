#include "transport/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <map>
#include <mutex>
#include <vector>

#include "transport/metrics/process.hpp"

namespace gate {
namespace {

using counter_family = prometheus::Family<prometheus::Counter>;
using histogram_family = prometheus::Family<prometheus::Histogram>;

/// From a local echo (under a millisecond) to the longest request deadline.
const prometheus::Histogram::BucketBoundaries seconds_buckets{
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
const prometheus::Histogram::BucketBoundaries count_buckets{0, 1, 2, 3, 5, 10, 20, 50, 100, 500};

}  // namespace

struct metrics::state {
  prometheus::Registry registry;
  std::map<metric, counter_family*> counters;
  /// Not in the registry, which destroys what is removed from it: a handle may be in use meanwhile.
  std::map<metric, std::map<prometheus::Labels, std::shared_ptr<prometheus::Gauge>>> gauges;
  std::mutex gauges_mutex;
  std::map<metric, histogram_family*> histograms;
  process_collector process{registry};

  static prometheus::Labels labels(metric m, std::initializer_list<std::string_view> values) {
    prometheus::Labels out;
    auto name = row(m).labels.begin();
    for (auto v : values) out.emplace(*name++, v);
    return out;
  }

  void collect_gauges(std::vector<prometheus::MetricFamily>& to) {
    std::lock_guard lock(gauges_mutex);
    for (const auto& [id, series] : gauges) {
      if (series.empty()) continue;
      prometheus::MetricFamily family;
      family.name = row(id).name;
      family.help = row(id).help;
      family.type = prometheus::MetricType::Gauge;
      for (const auto& [labels, gauge] : series) {
        auto sample = gauge->Collect();
        for (const auto& [name, value] : labels) sample.label.push_back({name, value});
        family.metric.push_back(std::move(sample));
      }
      to.push_back(std::move(family));
    }
  }
};

metrics::metrics(metric build) : state_(std::make_unique<state>()) {
  for (const auto& r : metric_catalogue) {
    const std::string name{r.name}, help{r.help};
    auto& registry = state_->registry;
    switch (r.type) {
      case metric_type::counter:
        state_->counters[r.id] =
            &prometheus::BuildCounter().Name(name).Help(help).Register(registry);
        break;
      case metric_type::gauge:
        state_->gauges[r.id];
        break;
      case metric_type::histogram:
        state_->histograms[r.id] =
            &prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
        break;
    }
  }
  get(build, {GATE_VERSION}).set(1);
}

metrics::~metrics() = default;

metrics::value metrics::get(metric m, std::initializer_list<std::string_view> labels) {
  value v;
  auto with = state::labels(m, labels);
  if (row(m).type == metric_type::counter) {
    v.counter_ = &state_->counters.at(m)->Add(with);
    return v;
  }
  std::lock_guard lock(state_->gauges_mutex);
  auto& gauge = state_->gauges.at(m)[std::move(with)];
  if (!gauge) gauge = std::make_shared<prometheus::Gauge>();
  v.gauge_ = gauge;
  return v;
}

void metrics::remove(metric m, std::initializer_list<std::string_view> labels) {
  if (row(m).type != metric_type::gauge) return;
  const auto with = state::labels(m, labels);
  std::lock_guard lock(state_->gauges_mutex);
  state_->gauges.at(m).erase(with);
}

metrics::histogram metrics::get_histogram(metric m,
                                          std::initializer_list<std::string_view> labels) {
  histogram h;
  const auto& buckets = m == metric::request_upstream_calls ? count_buckets : seconds_buckets;
  h.it_ = &state_->histograms.at(m)->Add(state::labels(m, labels), buckets);
  return h;
}

void metrics::value::add(double x) const {
  if (counter_)
    static_cast<prometheus::Counter*>(counter_)->Increment(x);
  else if (gauge_)
    static_cast<prometheus::Gauge*>(gauge_.get())->Increment(x);
}

void metrics::value::set(double x) const {
  if (gauge_) static_cast<prometheus::Gauge*>(gauge_.get())->Set(x);
}

void metrics::histogram::observe(double x) const {
  if (it_) static_cast<prometheus::Histogram*>(it_)->Observe(x);
}

std::string metrics::expose() {
  state_->process.refresh();
  auto families = state_->registry.Collect();
  state_->collect_gauges(families);
  return prometheus::TextSerializer{}.Serialize(families);
}

}  // namespace gate
