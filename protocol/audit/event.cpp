#include "protocol/audit/event.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/json/scan.hpp"

namespace gate::audit {

namespace {

void append_number(std::string& out, std::uint64_t value) {
  std::array<char, 24> digits;
  out.append(digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr);
}

/// `value` with at least `width` digits.
void append_padded(std::string& out, std::uint64_t value, std::size_t width) {
  auto begin = out.size();
  append_number(out, value);
  auto written = out.size() - begin;
  if (written < width) out.insert(begin, width - written, '0');
}

/// Writes the members of one object; keys are literals that need no escapes.
class object_writer {
 public:
  explicit object_writer(std::string& out) : out_(out) { out_ += '{'; }

  std::string& key(std::string_view name) {
    if (out_.back() != '{') out_ += ',';
    out_ += '"';
    out_ += name;
    out_ += "\":";
    return out_;
  }
  void text(std::string_view name, std::string_view value) {
    if (!value.empty()) json::append_quoted(key(name), value);
  }
  void number(std::string_view name, std::uint64_t value) { append_number(key(name), value); }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
};

/// Milliseconds with as many of three decimals as say something: 1.5, 0.042, 7.
void append_milliseconds(std::string& out, std::chrono::microseconds t) {
  auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(t.count(), 0));
  append_number(out, us / 1000);
  if (us % 1000 == 0) return;
  out += '.';
  append_padded(out, us % 1000, 3);
  out.erase(out.find_last_not_of('0') + 1);
}

/// Raw JSON on one line: line breaks can only stand between tokens.
void append_one_line(std::string& out, std::string_view raw) {
  auto begin = out.size();
  out += raw;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
      [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

std::string_view to_string(decision d) noexcept {
  return d == decision::allow ? "allow" : d == decision::deny ? "deny" : "";
}

}  // namespace

std::string_view to_string(outcome o) noexcept {
  switch (o) {
    case outcome::ok:
      return "ok";
    case outcome::error:
      return "error";
    case outcome::denied:
      return "denied";
    case outcome::rate_limited:
      return "rate_limited";
    case outcome::unauthenticated:
      return "unauthenticated";
    case outcome::upstream_down:
      return "upstream_down";
    case outcome::forbidden:
      return "forbidden";
    case outcome::budget_exhausted:
      return "budget_exhausted";
  }
  return "error";
}

std::string rfc3339(std::chrono::system_clock::time_point t) {
  using namespace std::chrono;
  auto ms = floor<milliseconds>(t);
  auto day = floor<days>(ms);
  year_month_day date(day);
  hh_mm_ss time(ms - day);
  std::string out;
  append_padded(out, static_cast<std::uint64_t>(std::max(0, static_cast<int>(date.year()))), 4);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  append_padded(out, static_cast<std::uint64_t>(time.hours().count()), 2);
  out += ':';
  append_padded(out, static_cast<std::uint64_t>(time.minutes().count()), 2);
  out += ':';
  append_padded(out, static_cast<std::uint64_t>(time.seconds().count()), 2);
  out += '.';
  append_padded(out, static_cast<std::uint64_t>(time.subseconds().count()), 3);
  out += 'Z';
  return out;
}

void append_line(std::string& out, const event& e) {
  object_writer w(out);
  w.text("time", rfc3339(e.time));
  w.text("principal", e.principal);
  w.text("issuer", e.issuer);
  w.text("method", e.method);
  w.text("name", e.name);
  w.text("upstream", e.upstream);
  w.text("decision", to_string(e.decision));
  w.text("ruleId", e.rule_id);
  w.text("outcome", to_string(e.outcome));
  w.text("error", e.error);
  append_milliseconds(w.key("latencyMs"), e.latency);
  w.text("tenant", e.tenant);
  w.number("upstreamCalls", e.upstream_calls);
  if (e.items_served) w.number("itemsServed", *e.items_served);
  if (!e.usage.empty()) append_one_line(w.key("usage"), e.usage);
  w.end();
  out += '\n';
}

}  // namespace gate::audit
