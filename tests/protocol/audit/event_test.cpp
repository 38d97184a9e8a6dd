#include "protocol/audit/event.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

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
  e.usage = "{\"tokens\":1.0,\r\n\"big\":1e400}";
  EXPECT_EQ(
      line(e),
      R"({"time":"2026-11-21T09:30:00.123Z","principal":"alice \"a\"","issuer":"https://idp.example",)"
      R"("method":"tools/call","name":"files__read\n","upstream":"files","decision":"allow",)"
      R"("ruleId":"readers","outcome":"ok","error":"none","latencyMs":12.34,"tenant":"acme",)"
      R"("upstreamCalls":2,"itemsServed":0,"usage":{"tokens":1.0,  "big":1e400}})"
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
