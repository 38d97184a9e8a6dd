#include "simulations/recording/table.hpp"

#include <algorithm>
#include <cstdio>

#include "protocol/json/scan.hpp"
#include "simulations/recording/moment.hpp"
#include "simulations/recording/printable.hpp"

namespace gate::recording {
namespace {

enum cell : std::size_t {
  cell_time,
  cell_client,
  cell_principal,
  cell_session,
  cell_method,
  cell_name,
  cell_upstream,
  cell_outcome,
  cell_ms,
  cell_rule
};
constexpr std::array<std::string_view, table::cells> titles{
    "time", "client",   "principal", "session", "method",
    "name", "upstream", "outcome",   "ms",      "rule"};

/// Beyond it a name is cut off where there is a terminal.
constexpr std::size_t widest_cell = 60;
constexpr std::size_t narrowest_cell = 8;

std::string decimal(double value, int places) {
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%.*f", places, value);
  return out.data();
}

std::string milliseconds_text(std::uint64_t us) {
  return decimal(static_cast<double>(us) / 1000, 1);
}

std::string seconds_text(std::uint64_t us) {
  return decimal(static_cast<double>(us) / 1e6, 6);
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& w : words) out += (out.empty() ? "" : ",") + w;
  return out;
}

std::string_view word_of(ending end) {
  for (const auto& [word, why] : endings)
    if (why == end) return word;
  return {};
}

void append_member(std::string& out, std::string_view name, std::string_view json) {
  if (out.back() != '{') out += ',';
  json::append_quoted(out, name);
  out.append(":").append(json);
}

void append_text(std::string& out, std::string_view name, std::string_view text) {
  if (!text.empty()) append_member(out, name, json::quoted(text));
}

}  // namespace

void table::add(const call& c) {
  row r;
  r.at = c.at;
  r.text[cell_time] = seconds_text(c.at);
  r.text[cell_client] = printable(c.client);
  r.text[cell_principal] = printable(c.principal);
  r.text[cell_session] = printable(c.session);
  r.text[cell_method] = c.operation ? "(" + printable(c.method) + ")" : printable(c.method);
  r.text[cell_name] = printable(c.name);
  r.text[cell_upstream] = printable(joined(c.upstreams));
  r.text[cell_outcome] = printable(c.outcome);
  if (!c.operation) r.text[cell_ms] = c.took ? milliseconds_text(*c.took) : "-";
  r.text[cell_rule] = printable(c.rule);
  rows_.push_back(std::move(r));
}

/// Columns are as wide as what stands in them; where the terminal is narrower, the widest ones
/// give.
void table::fit() {
  for (const auto& r : rows_)
    for (std::size_t i = 0; i < cells; ++i)
      if (!r.text[i].empty())
        widths_[i] = std::max({widths_[i], columns_of(r.text[i]), titles[i].size()});
  if (columns_ == 0) return;
  std::size_t all = 0;
  for (auto& w : widths_) {
    w = std::min(w, widest_cell);
    all += w == 0 ? 0 : w + 2;
  }
  while (all > columns_ + 2) {
    const auto widest = std::ranges::max_element(widths_);
    if (*widest <= narrowest_cell) return;
    --*widest;
    --all;
  }
}

std::string table::line(const std::array<std::string, cells>& text) const {
  std::string out;
  for (std::size_t i = 0; i < cells; ++i) {
    if (widths_[i] == 0) continue;
    if (!out.empty()) out += "  ";
    const auto shown = cut_to(text[i], widths_[i]);
    const std::string blanks(widths_[i] - std::min(columns_of(shown), widths_[i]), ' ');
    // Numbers stand on the right.
    const bool right = i == cell_ms || i == cell_time;
    out += right ? blanks + shown : shown + blanks;
  }
  out.resize(out.find_last_not_of(' ') + 1);
  return out + '\n';
}

std::string table::take() {
  if (rows_.empty()) return {};
  fit();
  std::ranges::stable_sort(rows_, {}, &row::at);
  std::array<std::string, cells> heads;
  std::ranges::copy(titles, heads.begin());
  std::string out;
  if (auto heading = line(heads); heading != heading_) {
    out = heading;
    heading_ = std::move(heading);
  }
  for (const auto& r : rows_) out += line(r.text);
  rows_.clear();
  return out;
}

std::string summary_line(const story_counts& counts, const preamble& first, ending end) {
  auto out = std::to_string(counts.calls) + (counts.calls == 1 ? " call" : " calls");
  std::string list;
  for (const auto& [outcome, n] : counts.outcomes)
    list += (list.empty() ? ": " : ", ") + std::to_string(n) + " " +
            printable(outcome.empty() ? std::string_view("-") : outcome);
  out += list + "; " + std::to_string(counts.fetches) +
         (counts.fetches == 1 ? " fetch; " : " fetches; ") +
         decimal(static_cast<double>(counts.last_at) / 1e6, 3) + " s from " +
         printable(first.started) + ", gate " + printable(first.version);
  if (counts.strange_audits > 0)
    out += "; " + std::to_string(counts.strange_audits) + " audit events of no call here";
  if (end != ending::none) out += "; ends by " + std::string(word_of(end));
  return out + '\n';
}

std::string json_line(const call& c, const preamble& first) {
  std::string out = "{";
  append_member(out, "t", std::to_string(c.at));
  append_text(out, "time", later(first.started, c.at));
  append_member(out, "unit", std::to_string(c.unit));
  if (c.operation) {
    append_text(out, "operation", c.method);
    return out + "}\n";
  }
  append_member(out, "n", std::to_string(c.number));
  append_text(out, "client", c.client);
  append_text(out, "principal", c.principal);
  append_text(out, "session", c.session);
  append_text(out, "method", c.method);
  append_text(out, "name", c.name);
  std::string upstreams = "[";
  for (const auto& u : c.upstreams) {
    if (upstreams.size() > 1) upstreams += ',';
    json::append_quoted(upstreams, u);
  }
  append_member(out, "upstreams", upstreams + "]");
  append_text(out, "outcome", c.outcome);
  if (c.status != 0) append_member(out, "status", std::to_string(c.status));
  if (c.took) append_member(out, "ms", decimal(static_cast<double>(*c.took) / 1000, 3));
  append_text(out, "rule", c.rule);
  append_text(out, "tenant", c.tenant);
  append_text(out, "error", c.error);
  append_member(out, "audited", c.audited ? "true" : "false");
  return out + "}\n";
}

std::string json_summary(const story_counts& counts, const preamble& first, ending end) {
  std::string outcomes = "{";
  for (const auto& [outcome, n] : counts.outcomes)
    append_member(outcomes, outcome, std::to_string(n));
  std::string out = "{";
  append_text(out, "version", first.version);
  append_text(out, "started", first.started);
  append_member(out, "units", std::to_string(first.units));
  append_member(out, "calls", std::to_string(counts.calls));
  append_member(out, "outcomes", outcomes + "}");
  append_member(out, "fetches", std::to_string(counts.fetches));
  append_member(out, "audits", std::to_string(counts.audits));
  append_member(out, "audits_of_no_call", std::to_string(counts.strange_audits));
  append_member(out, "last_t", std::to_string(counts.last_at));
  append_text(out, "end", word_of(end));
  return "{\"summary\":" + out + "}}\n";
}

}  // namespace gate::recording
