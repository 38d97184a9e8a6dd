#include "protocol/audit/event.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "protocol/http/ascii.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/json/text_writer.hpp"
#include "protocol/limits.hpp"

namespace gate::audit {

namespace {

using json::text_writer;

/// The last `Width` digits of `value` at `to`.
template <std::size_t Width>
void write_digits(char* to, std::uint64_t value) {
  for (auto i = Width; i-- > 0; value /= 10) to[i] = static_cast<char>('0' + value % 10);
}

/// The beginning of a text that is too long, without half a character at its end.
std::string_view whole_characters(std::string_view text) {
  auto end = limits::audit_text_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

/// Writes the members of one object. A key is written with what stands around it: `"name":`.
class object_writer {
 public:
  explicit object_writer(text_writer& out) : out_(out) { out_.put('{'); }

  text_writer& key(std::string_view quoted) {
    if (!first_) out_.put(',');
    first_ = false;
    out_.put(quoted);
    return out_;
  }
  void text(std::string_view quoted, std::string_view value) {
    if (value.empty()) return;
    if (value.size() <= limits::audit_text_bytes) return key(quoted).quoted(value);
    key(quoted).quoted(std::string(whole_characters(value)) + " …");
  }
  void end() { out_.put('}'); }

 private:
  text_writer& out_;
  bool first_ = true;
};

/// Milliseconds with as many of three decimals as say something: 1.5, 0.042, 7.
void put_milliseconds(text_writer& out, std::chrono::microseconds t) {
  const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(t.count(), 0));
  out.put(us / 1000);
  auto part = us % 1000;
  if (part == 0) return;
  std::array<char, 4> text{'.'};
  write_digits<3>(text.data() + 1, part);
  std::size_t decimals = 3;
  while (text[decimals] == '0') --decimals;
  out.put(text, 1 + decimals);
}

/// Raw JSON on one line: line breaks can only stand between tokens.
void put_one_line(text_writer& out, std::string raw) {
  std::ranges::replace_if(
      raw, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  out.put(raw);
}

void put_rfc3339(text_writer& out, std::chrono::system_clock::time_point t) {
  using namespace std::chrono;
  const auto ms = floor<milliseconds>(t);
  const auto day = floor<days>(ms);
  const year_month_day date(day);
  const hh_mm_ss time(ms - day);
  std::array<char, 24> text{'0', '0', '0', '0', '-', '0', '0', '-', '0', '0', 'T', '0',
                            '0', ':', '0', '0', ':', '0', '0', '.', '0', '0', '0', 'Z'};
  const auto two = [&text](std::size_t at, auto value) {
    write_digits<2>(text.data() + at, static_cast<std::uint64_t>(value));
  };
  write_digits<4>(text.data(), static_cast<std::uint64_t>(std::max(0, int{date.year()})));
  two(5, unsigned{date.month()});
  two(8, unsigned{date.day()});
  two(11, time.hours().count());
  two(14, time.minutes().count());
  two(17, time.seconds().count());
  write_digits<3>(text.data() + 20, static_cast<std::uint64_t>(time.subseconds().count()));
  out.put(text, text.size());
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

/// A number that is none of a double's, or one that some readers find too long.
bool is_beyond_readers(std::string_view number) {
  constexpr std::size_t longest = 64;
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  return number.size() > longest || read.ec != std::errc{};
}

/// What JSON allows and strict readers do not take, so that the whole line would be lost to them;
/// empty: nothing. `raw` is valid.
std::string_view strange_part(std::string_view raw) {
  std::string_view out;
  const auto look = [&out](std::string_view value) {
    if (out.empty()) out = strange_part(value);
  };
  json::cursor c(raw, {limits::json_depth, true});
  if (raw.starts_with('{')) {
    std::set<std::string, std::less<>> names;
    std::string name;
    json::members(c, [&](std::string_view key, json::cursor& at) {
      if (!json::unquote('"' + std::string(key) + '"', name)) name = key;
      if (!names.insert(name).second) out = "a name twice";
      if (name.find('\0') != name.npos) out = "U+0000";
      look(at.value(1));
    });
  } else if (raw.starts_with('[')) {
    json::elements(c, [&](json::cursor& at) { look(at.value(1)); });
  } else if (raw.starts_with('"')) {
    std::string said;
    if (json::unquote(raw, said) && said.find('\0') != said.npos) out = "U+0000";
  } else if (raw.starts_with('-') || (raw[0] >= '0' && raw[0] <= '9')) {
    if (is_beyond_readers(raw)) out = "a number out of range";
  }
  return out;
}

/// Why it can not be told; empty: it can. (Where others read it, it is one level deeper.)
std::string_view untellable(std::string_view raw) {
  if (raw.size() > limits::audit_usage_bytes) return "too long";
  switch (json::validate(raw, {limits::json_depth / 2, true})) {
    case json::fault::none:
      return has_lone_surrogate(raw) ? "a lone surrogate" : strange_part(http::trim(raw));
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
  std::string out;
  {
    text_writer to(out);
    put_rfc3339(to, t);
  }
  return out;
}

void append_line(std::string& out, const event& e) {
  text_writer to(out);
  object_writer w(to);
  w.key(R"("time":")");
  put_rfc3339(to, e.time);
  to.put('"');
  w.text(R"("principal":)", e.principal);
  w.text(R"("issuer":)", e.issuer);
  w.text(R"("method":)", e.method);
  w.text(R"("name":)", e.name);
  w.text(R"("upstream":)", e.upstream);
  if (!e.owner_org.empty() || !e.owner_team.empty()) {
    object_writer owner(w.key(R"("owner":)"));
    owner.text(R"("org":)", e.owner_org);
    owner.text(R"("team":)", e.owner_team);
    owner.end();
  }
  w.text(R"("decision":)", to_string(e.decision));
  w.text(R"("ruleId":)", e.rule_id);
  w.text(R"("outcome":)", to_string(e.outcome));
  w.text(R"("error":)", e.error);
  put_milliseconds(w.key(R"("latencyMs":)"), e.latency);
  w.text(R"("tenant":)", e.tenant);
  w.key(R"("upstreamCalls":)").put(e.upstream_calls);
  if (e.items_served) w.key(R"("itemsServed":)").put(*e.items_served);
  if (trace::is_id(e.trace)) w.text(R"("traceId":)", trace::hex(e.trace));
  if (!e.usage.empty()) put_one_line(w.key(R"("usage":)"), tellable_usage(e.usage));
  w.end();
  to.put('\n');
}

}  // namespace gate::audit
