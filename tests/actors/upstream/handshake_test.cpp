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

TEST(discover, agrees_on_a_revision_that_both_speak) {
  const auto h =
      read_discover_result(R"({"supportedVersions":["2025-11-25","2026-07-28","2030-01-01"],)"
                           R"("capabilities":{"tools":{}},"instructions":"i"})");
  ASSERT_TRUE(h);
  EXPECT_EQ(h->version, "2026-07-28");
  EXPECT_EQ(h->era, mcp::era::stateless);
  EXPECT_TRUE(h->offers(mcp::list_kind::tools));
  EXPECT_FALSE(h->offers(mcp::list_kind::prompts));
  EXPECT_EQ(h->instructions, R"("i")");
  for (auto text :
       {"{}", "7", R"({"supportedVersions":"2026-07-28","capabilities":{}})",
        R"({"supportedVersions":["2025-11-25"],"capabilities":{}})",
        R"({"supportedVersions":[],"capabilities":{}})", R"({"supportedVersions":["2026-07-28"]})"})
    EXPECT_FALSE(read_discover_result(text)) << text;
}

TEST(another_generation, is_told_by_answers_and_not_by_failures) {
  const auto error = [](std::string_view code) {
    return R"({"code":)" + std::string(code) + R"(,"message":"m"})";
  };
  for (const auto status : {400, 404, 405, 406, 415})
    EXPECT_TRUE(is_other_era(status, "")) << status;
  for (const auto status : {401, 403, 429, 500, 502, 503}) EXPECT_FALSE(is_other_era(status, ""));
  EXPECT_TRUE(is_other_era(200, error("-32601")));
  EXPECT_FALSE(is_other_era(200, ""));
  EXPECT_FALSE(is_other_era(400, error("-32020")));
  EXPECT_FALSE(is_other_era(400, error("-32021")));
  EXPECT_TRUE(is_other_era(400, error("-32022")));
}

TEST(another_generation, may_answer_in_the_place_of_the_one_agreed_with) {
  const auto body = [](std::string_view code) {
    return R"({"jsonrpc":"2.0","error":{"code":)" + std::string(code) + R"(,"message":"m"}})";
  };
  using enum mcp::era;
  for (const auto code : {"-32020", "-32021", "-32022"}) {
    EXPECT_TRUE(speaks_another(session, 400, body(code)));
    EXPECT_EQ(speaks_another(stateless, 400, body(code)), code == std::string_view("-32022"));
  }
  EXPECT_FALSE(speaks_another(session, 400, body("-32600")));
  EXPECT_FALSE(speaks_another(session, 404, ""));
  EXPECT_TRUE(speaks_another(stateless, 404, ""));
  EXPECT_TRUE(speaks_another(stateless, 400, body("-32000")));
  EXPECT_FALSE(speaks_another(stateless, 404, body("-32601")));
  EXPECT_FALSE(speaks_another(stateless, 400, body("-32602")));
  EXPECT_FALSE(speaks_another(stateless, 503, ""));
  EXPECT_FALSE(speaks_another(stateless, 400, body("-32603"))) << "it may have been processed";
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
