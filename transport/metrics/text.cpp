#include "transport/metrics/text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace gate::exposition {
namespace {

void append_number(std::string& out, double x) {
  if (std::isnan(x)) {
    out += "NaN";
    return;
  }
  if (std::isinf(x)) {
    out += x < 0 ? "-Inf" : "+Inf";
    return;
  }
  // As people write it, not 5e-04 or 1e+05: the bounds of buckets are labels.
  constexpr double large = 1e15, small = 1e-5;
  const auto size = std::abs(x);
  const bool plain = size == 0 || (size >= small && size < large);
  std::array<char, 40> text{};
  const auto end = plain ? std::to_chars(text.begin(), text.end(), x, std::chars_format::fixed)
                         : std::to_chars(text.begin(), text.end(), x);
  out.append(text.begin(), end.ptr);
}

std::string_view name_of(metric_type t) {
  switch (t) {
    case metric_type::counter:
      return "counter";
    case metric_type::gauge:
      return "gauge";
    case metric_type::histogram:
      break;
  }
  return "histogram";
}

void append_series(std::string& out, std::string_view name, std::string_view suffix,
                   std::string_view labels) {
  out += name;
  out += suffix;
  if (!labels.empty()) (out += '{') += labels;
}

void append_value(std::string& out, bool braced, double value) {
  out += braced ? "} " : " ";
  append_number(out, value);
  out += '\n';
}

}  // namespace

void append_label(std::string& out, std::string_view name, std::string_view value) {
  if (!out.empty()) out += ',';
  (out += name) += "=\"";
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  out += '"';
}

void append_head(std::string& out, const metric_row& r) {
  ((((out += "# HELP ") += r.name) += ' ') += r.help) += '\n';
  ((((out += "# TYPE ") += r.name) += ' ') += name_of(r.type)) += '\n';
}

void append_sample(std::string& out, std::string_view name, std::string_view labels, double value) {
  append_series(out, name, "", labels);
  append_value(out, !labels.empty(), value);
}

void append_histogram(std::string& out, std::string_view name, std::string_view labels,
                      const prometheus::ClientMetric::Histogram& h) {
  append_series(out, name, "_count", labels);
  append_value(out, !labels.empty(), static_cast<double>(h.sample_count));
  append_series(out, name, "_sum", labels);
  append_value(out, !labels.empty(), h.sample_sum);
  for (const auto& b : h.bucket) {
    ((out += name) += "_bucket{") += labels;
    out += labels.empty() ? "le=\"" : ",le=\"";
    append_number(out, b.upper_bound);
    out += '"';
    append_value(out, true, static_cast<double>(b.cumulative_count));
  }
}

}  // namespace gate::exposition
