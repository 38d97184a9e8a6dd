#include "actors/upstream/handshake.hpp"

#include <gtest/gtest.h>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

TEST(handshake, offers_the_latest_session_revision_and_no_meta) {
  const auto params = initialize_params("{\"roots\":{}}");
  EXPECT_EQ(json::member(params, "protocolVersion"), R"("2025-11-25")");
  EXPECT_EQ(json::member(params, "capabilities"), R"({"roots":{}})");
  EXPECT_EQ(json::member(params, "_meta"), "");
}

TEST(handshake, takes_every_session_revision) {
  for (std::string v : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    auto h = read_initialize_result(R"({"capabilities":{},"protocolVersion":")" + v + "\"}");
    ASSERT_TRUE(h) << v;
    EXPECT_EQ(h->version, v);
    EXPECT_FALSE(h->features.has(mcp::feature::tools));
  }
  auto h =
      read_initialize_result(R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{}}})");
  ASSERT_TRUE(h);
  EXPECT_TRUE(h->features.has(mcp::feature::tools));
  EXPECT_TRUE(h->offers(mcp::list_kind::tools));
  EXPECT_FALSE(h->offers(mcp::list_kind::prompts));
}

TEST(handshake, keeps_what_the_server_says_of_itself_within_bounds) {
  const auto read = [](std::string instructions) {
    return read_initialize_result(
               R"({"protocolVersion":"2025-06-18","capabilities":{},"instructions":)" +
               instructions + "}")
        ->instructions;
  };
  EXPECT_EQ(read(R"("be \u0022kind\u0022")"), R"("be \u0022kind\u0022")");
  EXPECT_EQ(read("null"), "");
  EXPECT_EQ(read("7"), "");
  EXPECT_EQ(read('"' + std::string(limits::instructions_bytes, 'x') + '"'), "");
}

TEST(handshake, refuses_what_is_no_answer_to_it) {
  for (auto text :
       {"{}", "null", "7", "[]", R"({"protocolVersion":7,"capabilities":{}})",
        R"({"protocolVersion":"2026-07-28","capabilities":{}})",
        R"({"protocolVersion":"","capabilities":{}})", R"({"protocolVersion":"2025-06-18"})",
        R"({"protocolVersion":"2025-06-18","capabilities":[]})",
        R"({"protocolVersion":"2025-06-18","capabilities":null})"})
    EXPECT_FALSE(read_initialize_result(text)) << text;
}

TEST(handshake, does_not_repeat_a_long_version_in_its_message) {
  auto h = read_initialize_result(R"({"capabilities":{},"protocolVersion":")" +
                                  std::string(100'000, 'x') + "\"}");
  ASSERT_FALSE(h);
  EXPECT_LT(h.error().what.size(), 200U);
}

TEST(lost_session, is_404_or_a_400_that_speaks_of_the_session) {
  EXPECT_TRUE(is_lost_session(404, ""));
  EXPECT_TRUE(is_lost_session(400, "Bad Request: No valid session ID provided"));
  EXPECT_TRUE(is_lost_session(400, R"({"error":"unknown SESSION"})"));
  EXPECT_FALSE(is_lost_session(400, "malformed"));
  EXPECT_FALSE(is_lost_session(400, std::string(5000, ' ') + "session"));
  EXPECT_FALSE(is_lost_session(500, "session"));
  EXPECT_FALSE(is_lost_session(200, "session"));
}

TEST(session_id, is_visible_ascii_of_a_sane_length) {
  EXPECT_TRUE(is_session_id("!~azAZ09-"));
  EXPECT_TRUE(is_session_id(std::string(1024, 'x')));
  EXPECT_FALSE(is_session_id(""));
  EXPECT_FALSE(is_session_id(std::string(1025, 'x')));
  for (char c : {' ', '\r', '\n', '\t', '\0', '\x7f', '\x80'})
    EXPECT_FALSE(is_session_id(std::string("a") + c)) << int(c);
}

}  // namespace
}  // namespace gate::upstream
