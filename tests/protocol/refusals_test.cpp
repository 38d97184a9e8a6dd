#include "protocol/refusals.hpp"

#include <gtest/gtest.h>

namespace gate {
namespace {

TEST(the_data_of_a_refusal, tells_its_reason_and_nothing_that_is_not_known) {
  EXPECT_EQ(refusal_data({reason::internal, "secret", {}, -1}),
            R"({"gate":{"reason":"internal"}})");
}

TEST(the_data_of_a_refusal, tells_all_that_is_known) {
  refusal r;
  r.why = reason::budget_exhausted;
  r.upstream = "notes";
  r.retry_after_ms = 0;
  r.resets_at = "2026-12-01T00:00:00Z";
  r.tenant = R"(a "b")";
  r.more = R"("supported":["x"])";
  EXPECT_EQ(refusal_data(r),
            R"({"gate":{"reason":"budget_exhausted","upstream":"notes","retryAfterMs":0,)"
            R"("resetsAt":"2026-12-01T00:00:00Z","tenant":"a \"b\""},"supported":["x"]})");
}

TEST(the_data_of_a_refusal, has_the_word_of_each_row) {
  for (const auto& how : refusals) {
    refusal r;
    r.why = how.reason;
    EXPECT_EQ(refusal_data(r), R"({"gate":{"reason":")" + std::string(how.word) + R"("}})");
  }
}

TEST(an_upstream_without_an_answer, is_named_with_the_word_of_why) {
  const auto r = unavailable_upstream("a", no_answer::crowded);
  EXPECT_EQ(r.message, R"(upstream "a" unavailable (too many requests are in flight))");
  EXPECT_EQ(r.upstream, "a");
  EXPECT_EQ(row(r.why).session_code, -32041);
}

TEST(upstreams_without_an_answer, are_named_in_the_message_alone) {
  for (const auto& r : {unavailable_upstreams("a, b"), unavailable_task("a, b")}) {
    EXPECT_TRUE(r.message.ends_with(": a, b")) << r.message;
    EXPECT_EQ(refusal_data(r), R"({"gate":{"reason":"upstream_down"}})");
  }
}

TEST(what_the_gateway_refuses_before_the_token_endpoint, is_told_in_its_words) {
  EXPECT_EQ(row(token_denial_of(reason::overloaded)).error, "temporarily_unavailable");
  EXPECT_EQ(row(token_denial_of(reason::body_too_large)).error, "invalid_request");
}

TEST(the_id_of_a_refusal, is_told_where_it_is_an_answer_to_a_request) {
  for (const auto& how : refusals) {
    const bool answer =
        how.http_status == 200 || how.reason == reason::unsupported_era ||
        how.reason == reason::header_mismatch || how.reason == reason::envelope_invalid ||
        how.reason == reason::capability_missing || how.reason == reason::server_failed;
    EXPECT_EQ(carries_id(how.reason), answer) << how.word;
  }
  EXPECT_FALSE(carries_id(reason::session_unknown));
  EXPECT_FALSE(carries_id(reason::invalid_request));
}

TEST(a_refusal, is_told_in_the_codes_of_the_clients_generation) {
  using mcp::era;
  EXPECT_EQ(error_code(reason::policy_denied, era::session), -32042);
  EXPECT_EQ(error_code(reason::policy_denied, era::stateless), -31042);
  EXPECT_EQ(http_status(reason::policy_denied, era::stateless), 200);
  EXPECT_EQ(http_status(reason::method_unknown, era::session), 200);
  EXPECT_EQ(http_status(reason::method_unknown, era::stateless), 404);
  // MCP 2026-07-28 /basic, Error Codes: these are the specification's own.
  for (const auto& r : refusals) {
    const auto code = r.stateless_code;
    const bool reserved = code <= -32020 && code >= -32099;
    EXPECT_TRUE(!reserved || (code <= -32020 && code >= -32022)) << r.word;
    EXPECT_NE(code, -32002) << r.word;
  }
}

}  // namespace
}  // namespace gate
