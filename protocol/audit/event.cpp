#include "protocol/audit/event.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

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

/// The beginning of a text that is too long, without half a character at its end.
std::string_view whole_characters(std::string_view text) {
  auto end = limits::audit_text_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
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
    if (value.empty()) return;
    if (value.size() <= limits::audit_text_bytes) return json::append_quoted(key(name), value);
    json::append_quoted(key(name), std::string(whole_characters(value)) + " …");
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

/// `\uD83D` and the like without its other half: strict readers refuse the whole line.
bool has_lone_surrogate(std::string_view raw) {
  const auto unit = [raw](std::size_t at) {
    unsigned value = 0;
    if (raw.size() < at + 6 || raw.substr(at, 2) != "\\u") return value;
    std::from_chars(raw.data() + at + 2, raw.data() + at + 6, value, 16);
    return value;
  };
  for (auto at = raw.find('\\'); at != raw.npos; at = raw.find('\\', at)) {
    const auto first = unit(at), second = unit(at + 6);
    const bool high = first >= 0xD800 && first < 0xDC00, low = first >= 0xDC00 && first < 0xE000;
    if (low || (high && (second < 0xDC00 || second >= 0xE000))) return true;
    at += high ? 12 : 2;
  }
  return false;
}

/// Why it can not be told; empty: it can.
std::string_view untellable(std::string_view raw) {
  if (raw.size() > limits::audit_usage_bytes) return "too long";
  switch (json::validate(raw, {limits::json_depth, true})) {
    case json::fault::none:
      return has_lone_surrogate(raw) ? "a lone surrogate" : "";
    case json::fault::depth:
      return "nested too deeply";
    case json::fault::encoding:
      return "not UTF-8";
    default:
      return "not JSON";
  }
}

std::string_view to_string(decision d) noexcept {
  return d == decision::allow ? "allow" : d == decision::deny ? "deny" : "";
}

}  // namespace

std::string usage_marker(std::string_view why, std::size_t bytes) {
  return R"({"omitted":")" + std::string(why) + R"(","bytes":)" + std::to_string(bytes) + "}";
}

std::string tellable_usage(std::string_view raw) {
  const auto why = untellable(raw);
  return why.empty() ? std::string(raw) : usage_marker(why, raw.size());
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
  if (!e.owner_org.empty() || !e.owner_team.empty()) {
    object_writer owner(w.key("owner"));
    owner.text("org", e.owner_org);
    owner.text("team", e.owner_team);
    owner.end();
  }
  w.text("decision", to_string(e.decision));
  w.text("ruleId", e.rule_id);
  w.text("outcome", to_string(e.outcome));
  w.text("error", e.error);
  append_milliseconds(w.key("latencyMs"), e.latency);
  w.text("tenant", e.tenant);
  w.number("upstreamCalls", e.upstream_calls);
  if (e.items_served) w.number("itemsServed", *e.items_served);
  if (trace::is_id(e.trace)) w.text("traceId", trace::hex(e.trace));
  if (!e.usage.empty()) append_one_line(w.key("usage"), tellable_usage(e.usage));
  w.end();
  out += '\n';
}

}  // namespace gate::audit
