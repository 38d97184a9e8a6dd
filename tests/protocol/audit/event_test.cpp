#include "protocol/audit/event.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <random>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::audit {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

constexpr std::chrono::system_clock::time_point moment =
    sys_days{std::chrono::year{2026} / 11 / 21} + 9h + 30min + 123456us;

std::string line(const event& e) {
  std::string out;
  append_line(out, e);
  return out;
}

TEST(audit_line, says_the_trace_if_there_is_one) {
  event e;
  EXPECT_EQ(line(e).find("traceId"), std::string::npos);
  e.trace[0] = 0x4b;
  e.trace[15] = 7;
  EXPECT_NE(line(e).find(R"("traceId":"4b000000000000000000000000000007")"), std::string::npos);
}

TEST(audit_line, everything) {
  event e;
  e.time = moment;
  e.principal = "alice \"a\"";
  e.issuer = "https://idp.example";
  e.method = "tools/call";
  e.name = "files__read\n";
  e.upstream = "files";
  e.decision = decision::allow;
  e.rule_id = "readers";
  e.outcome = outcome::ok;
  e.error = "none";
  e.latency = 12340us;
  e.tenant = "acme";
  e.upstream_calls = 2;
  e.items_served = 0;
  e.usage = "{\"tokens\":1.0,\r\n\"big\":1e300}";
  EXPECT_EQ(
      line(e),
      R"({"time":"2026-11-21T09:30:00.123Z","principal":"alice \"a\"","issuer":"https://idp.example",)"
      R"("method":"tools/call","name":"files__read\n","upstream":"files","decision":"allow",)"
      R"("ruleId":"readers","outcome":"ok","error":"none","latencyMs":12.34,"tenant":"acme",)"
      R"("upstreamCalls":2,"itemsServed":0,"usage":{"tokens":1.0,  "big":1e300}})"
      "\n");
}

TEST(audit_line, absent_members_are_left_out) {
  event e;
  e.time = moment;
  e.method = "http";
  e.outcome = outcome::forbidden;
  e.error = "forbidden_host";
  EXPECT_EQ(line(e), R"({"time":"2026-11-21T09:30:00.123Z","method":"http","outcome":"forbidden",)"
                     R"("error":"forbidden_host","latencyMs":0,"upstreamCalls":0})"
                     "\n");
}

TEST(audit_line, is_one_line_of_json_whatever_it_says) {
  event e;
  e.principal = std::string("\0\n\r\xFF\xE2\x80\xA8", 7);
  e.name = "\"}\n{\"forged\":1";
  e.decision = decision::deny;
  auto text = line(e);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  boost::json::error_code error;
  auto value = boost::json::parse(text, error);
  ASSERT_FALSE(error) << text;
  EXPECT_EQ(value.at("name").as_string(), e.name);
  EXPECT_EQ(value.at("decision").as_string(), "deny");
}

std::string usage_of(std::string raw) {
  event e;
  e.usage = std::move(raw);
  const auto text = line(e);
  boost::json::error_code error;
  boost::json::parse_options strict;
  strict.max_depth = 200;
  boost::json::parse(text, error, {}, strict);
  EXPECT_FALSE(error) << text;
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const auto from = text.find("\"usage\":");
  return from == text.npos ? "" : text.substr(from + 8, text.size() - from - 10);
}

TEST(audit_line, usage_is_told_verbatim_or_not_at_all) {
  EXPECT_EQ(usage_of(R"({"a":[1,2.50,-0e1]})"), R"({"a":[1,2.50,-0e1]})");
  EXPECT_EQ(usage_of(R"("\ud83d\ude00")"), R"("\ud83d\ude00")");
  EXPECT_EQ(usage_of("\"\xF0\x9F\x98\x80\""), "\"\xF0\x9F\x98\x80\"");
  EXPECT_EQ(usage_of("\"\xFF\""), R"({"omitted":"not UTF-8","bytes":3})");
  EXPECT_EQ(usage_of(R"("\ud800")"), R"({"omitted":"a lone surrogate","bytes":8})");
  EXPECT_EQ(usage_of(R"("\ude00\ud83d")"), R"({"omitted":"a lone surrogate","bytes":14})");
  EXPECT_EQ(usage_of(R"("\\ud800")"), R"("\\ud800")") << "a backslash, then letters";
  EXPECT_EQ(usage_of(R"({"a":[1.7976931348623157e308,-12345678901234567890.5e-3]})"),
            R"({"a":[1.7976931348623157e308,-12345678901234567890.5e-3]})");
  for (const std::string& number :
       {std::string("1e999"), std::string("-1e400"), std::string("1e-999"), std::string(65, '9')})
    for (const std::string& raw :
         {number, "[" + number + "]", R"({"a":{"b":[0, )" + number + "]}}"})
      EXPECT_EQ(usage_of(raw), R"({"omitted":"a number out of range","bytes":)" +
                                   std::to_string(raw.size()) + "}");
  for (const std::string raw : {R"({"a":1,"a":2})", R"([{"a":1,"\u0061":2}])"})
    EXPECT_EQ(usage_of(raw),
              R"({"omitted":"a name twice","bytes":)" + std::to_string(raw.size()) + "}");
  EXPECT_EQ(usage_of(R"({"a":{"a":1},"b":{"a":1}})"), R"({"a":{"a":1},"b":{"a":1}})");
  EXPECT_EQ(usage_of(R"("x\u0000y")"), R"({"omitted":"U+0000","bytes":10})");
  EXPECT_EQ(usage_of(R"({"x\u0000":1})"), R"({"omitted":"U+0000","bytes":13})");
  EXPECT_EQ(usage_of("{"), R"({"omitted":"not JSON","bytes":1})");
  EXPECT_EQ(usage_of(R"(1,"forged":2)"), R"({"omitted":"not JSON","bytes":12})");
  const auto text = [](std::size_t bytes) { return '"' + std::string(bytes - 2, 'x') + '"'; };
  EXPECT_EQ(usage_of(text(limits::audit_usage_bytes)), text(limits::audit_usage_bytes));
  EXPECT_EQ(usage_of(text(limits::audit_usage_bytes + 1)),
            R"({"omitted":"too long","bytes":16385})");
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_EQ(usage_of(nested(limits::json_depth / 2)), nested(limits::json_depth / 2));
  EXPECT_EQ(usage_of(nested(65)), R"({"omitted":"nested too deeply","bytes":130})");
}

/// Every line is one of strict JSON in UTF-8, whatever callers and upstreams say.
TEST(audit_line, is_valid_for_every_byte_and_many_strange_texts) {
  std::vector<std::string> strange{
      "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\\ud800", "\\u0000", "\"", "\\",
      "}",        ",\"x\":1"};
  for (int b = 0; b < 256; ++b) strange.emplace_back(1, static_cast<char>(b));
  std::mt19937 dice(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t n = dice() % 6; n > 0; --n) text += strange[dice() % strange.size()];
    event e;
    e.name = e.error = e.principal = e.method = e.owner_org = e.owner_team = text;
    usage_of(i % 2 ? text : '"' + text + '"');
    const auto written = line(e);
    boost::json::error_code error;
    boost::json::parse(written, error);
    ASSERT_FALSE(error) << written;
    ASSERT_EQ(json::validate(written.substr(0, written.size() - 1)), json::fault::none) << written;
    ASSERT_EQ(written.find('\n'), written.size() - 1);
  }
}

TEST(audit_line, texts_are_cut_off_between_characters) {
  event e;
  e.name = std::string(limits::audit_text_bytes - 1, 'x') + "\xF0\x9F\x98\x80 and more";
  const auto value = boost::json::parse(line(e)).at("name").as_string();
  EXPECT_EQ(value, std::string(limits::audit_text_bytes - 1, 'x') + " \u2026");
  e.name = std::string(limits::audit_text_bytes, 'x');
  EXPECT_EQ(boost::json::parse(line(e)).at("name").as_string(), e.name);
}

TEST(audit_line, says_who_owns_the_upstream) {
  event e;
  e.upstream = "a";
  EXPECT_EQ(line(e).find("owner"), std::string::npos);
  e.owner_team = "t";
  EXPECT_NE(line(e).find(R"("upstream":"a","owner":{"team":"t"},)"), std::string::npos);
  e.owner_org = "o";
  EXPECT_NE(line(e).find(R"("owner":{"org":"o","team":"t"},)"), std::string::npos);
}

TEST(audit_line, appends) {
  std::string out = "before\n";
  append_line(out, {});
  append_line(out, {});
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3);
  EXPECT_TRUE(out.starts_with("before\n{"));
}

TEST(audit_line, latency_has_up_to_three_decimals) {
  auto latency = [](std::chrono::microseconds us) {
    event e;
    e.latency = us;
    auto text = line(e);
    auto from = text.find("latencyMs\":") + 11;
    return text.substr(from, text.find(',', from) - from);
  };
  EXPECT_EQ(latency(0us), "0");
  EXPECT_EQ(latency(1us), "0.001");
  EXPECT_EQ(latency(10us), "0.01");
  EXPECT_EQ(latency(100us), "0.1");
  EXPECT_EQ(latency(1000us), "1");
  EXPECT_EQ(latency(10000us), "10");
  EXPECT_EQ(latency(1234567us), "1234.567");
  EXPECT_EQ(latency(-5us), "0");
}

TEST(audit_line, names_of_outcomes) {
  EXPECT_EQ(to_string(outcome::ok), "ok");
  EXPECT_EQ(to_string(outcome::error), "error");
  EXPECT_EQ(to_string(outcome::denied), "denied");
  EXPECT_EQ(to_string(outcome::rate_limited), "rate_limited");
  EXPECT_EQ(to_string(outcome::unauthenticated), "unauthenticated");
  EXPECT_EQ(to_string(outcome::upstream_down), "upstream_down");
  EXPECT_EQ(to_string(outcome::forbidden), "forbidden");
  EXPECT_EQ(to_string(outcome::budget_exhausted), "budget_exhausted");
}

TEST(audit_time, rfc3339) {
  EXPECT_EQ(rfc3339({}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(moment), "2026-11-21T09:30:00.123Z");
  EXPECT_EQ(rfc3339(sys_days{std::chrono::year{2028} / 2 / 29} + 23h + 59min + 59s + 999999us),
            "2028-02-29T23:59:59.999Z");
  EXPECT_EQ(rfc3339(sys_days{std::chrono::year{1969} / 12 / 31} + 23h + 59min + 59s + 1ms),
            "1969-12-31T23:59:59.001Z");
}

}  // namespace
}  // namespace gate::audit
