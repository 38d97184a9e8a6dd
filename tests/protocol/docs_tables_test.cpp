// The tables of docs/errors.md, docs/metrics.md and docs/operations.md against the tables they are
// made from.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/limits.hpp"
#include "protocol/mcp/http_rules.hpp"
#include "protocol/metrics.hpp"
#include "protocol/refusals.hpp"
#include "tests/support/generated.hpp"

namespace gate {
namespace {

using namespace testing;

/// One row a reason, in the order of the enum.
std::string refusal_table() {
  std::string out = row_of("Reason", "HTTP", "Code", "Stateless code", "Audit outcome",
                           "Rejection metric", "Transient");
  out += "|---|---|---|---|---|---|---|\n";
  for (const auto& r : refusals)
    out += row_of(code(r.word), std::to_string(r.http_status), std::to_string(r.session_code),
                  std::to_string(r.stateless_code), code(audit::to_string(r.outcome)),
                  code(to_string(r.rejection)), r.transient ? "yes" : "no");
  return out;
}

/// One row a word of -32041.
std::string no_answer_table() {
  std::string out = row_of("WHY", "Meaning") + "|---|---|\n";
  for (const auto& r : no_answers) out += row_of(code(r.word), std::string(r.means));
  return out;
}

/// One row a refusal of the token endpoint.
std::string token_table() {
  std::string out = row_of("Status", "`error`", "When", "Audit outcome", "Rejection metric");
  out += "|---|---|---|---|---|\n";
  for (const auto& r : token_denials)
    out += row_of(std::to_string(r.http_status), code(r.error), std::string(r.when),
                  code(audit::to_string(r.outcome)), code(to_string(r.rejection)));
  return out;
}

std::string_view name_of(metric_type t) {
  switch (t) {
    case metric_type::counter:
      return "counter";
    case metric_type::gauge:
      return "gauge";
    case metric_type::histogram:
      return "histogram";
  }
  return "";
}

/// One row a metric, in the order of the enum.
std::string metric_table() {
  std::string out = row_of("Metric", "Type", "Labels", "Meaning");
  out += "|---|---|---|---|\n";
  for (const auto& m : metric_catalogue) {
    std::string labels;
    for (auto label : m.labels)
      if (!label.empty()) labels += (labels.empty() ? "" : ", ") + code(label);
    for (const auto& value : m.values)
      labels += (&value == &m.values.front() ? ": " : ", ") + code(value);
    out += row_of(code(m.name), std::string(name_of(m.type)), labels, std::string(m.help));
  }
  return out;
}

std::string with_commas(std::uint64_t n) {
  auto out = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(out.size()) - 3; at > 0; at -= 3)
    out.insert(static_cast<std::size_t>(at), ",");
  return out;
}

/// In the largest unit that it is a whole number of. (Nobody says 1 min.)
std::string text_of(const limits::amount& a) {
  struct step {
    std::uint64_t one;
    std::uint64_t least;  ///< how many there must be
    const char* name;
  };
  constexpr std::uint64_t second = 1'000'000;
  static const std::vector<step> sizes{
      {1024 * 1024, 1, " MiB"}, {1024, 1, " KiB"}, {1, 0, " bytes"}};
  static const std::vector<step> times{{24 * 3600 * second, 2, " days"},
                                       {3600 * second, 1, " h"},
                                       {60 * second, 2, " min"},
                                       {second, 1, " s"},
                                       {1000, 1, " ms"},
                                       {1, 0, " µs"}};
  if (a.in == limits::amount::unit::number) return with_commas(a.value);
  for (const auto& s : a.in == limits::amount::unit::bytes ? sizes : times)
    if (a.value % s.one == 0 && a.value / s.one >= s.least)
      return with_commas(a.value / s.one) + s.name;
  return {};
}

/// One row a bound, under those of its topic.
std::string limits_table() {
  std::string out = row_of("Limit", "Value", "At it") + "|---|---|---|\n";
  for (const auto& t : limits::table) {
    out += row_of("**" + std::string(t.title) + "**", "", "");
    for (const auto& r : t.rows) out += row_of(code(r.name), text_of(r.much), std::string(r.at));
  }
  return out;
}

TEST(docs_tables, operations_page_lists_every_limit) {
  expect_fresh("docs/operations.md", "limits", limits_table());
}

TEST(docs_tables, errors_page_lists_every_refusal) {
  expect_fresh("docs/errors.md", "refusals", refusal_table());
}

/// A row a rule, in the order of the enum.
std::string http_rule_table() {
  std::string out = row_of("Reason", "Message", "In `gate-stdio`", "With");
  out += "|---|---|---|---|\n";
  const auto said = [](std::string_view sentence) {
    const bool more = sentence.empty() || sentence.ends_with(' ');
    return code(std::string(sentence) + (more ? "…" : ""));
  };
  for (const auto& r : mcp::http_rules) {
    const auto headers = r.headers.substr(0, r.headers.find('\r'));
    const std::string other = r.who == mcp::followed_by::gate         ? "–"
                              : r.who == mcp::followed_by::gate_stdio ? "there only"
                              : r.gate_stdio.empty()                  ? "the same"
                                                                      : said(r.gate_stdio);
    out += row_of(code(row(r.why).word), said(r.sentence), other, code(headers));
  }
  return out;
}

TEST(docs_tables, errors_page_lists_every_rule_of_mcp_over_http) {
  expect_fresh("docs/errors.md", "http rules", http_rule_table());
}

TEST(docs_tables, errors_page_lists_why_an_upstream_gives_no_answer) {
  expect_fresh("docs/errors.md", "no answer", no_answer_table());
}

TEST(docs_tables, errors_page_lists_what_the_token_endpoint_answers) {
  expect_fresh("docs/errors.md", "token endpoint", token_table());
}

TEST(docs_tables, metrics_page_lists_every_metric) {
  expect_fresh("docs/metrics.md", "metrics", metric_table());
}

}  // namespace
}  // namespace gate
