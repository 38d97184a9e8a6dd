#pragma once
/// The text exposition format, written straight into one string: thousands of upstreams have tens
/// of thousands of lines, and whoever is scraped has calls to answer. Pure; used by metrics.cpp.
#include <prometheus/client_metric.h>

#include <string>
#include <string_view>

#include "protocol/metrics.hpp"

namespace gate::exposition {

/// `name="value",…` as it stands between braces, the value escaped.
void append_label(std::string& out, std::string_view name, std::string_view value);
/// What comes before the series of a family.
void append_head(std::string& out, const metric_row& r);
/// One line: `labels` is what `append_label` made.
void append_sample(std::string& out, std::string_view name, std::string_view labels, double value);
void append_histogram(std::string& out, std::string_view name, std::string_view labels,
                      const prometheus::ClientMetric::Histogram& h);

}  // namespace gate::exposition
