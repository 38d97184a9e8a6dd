#include "protocol/mcp/stateless/envelope.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::mcp::stateless {
namespace {

constexpr std::string_view good = R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                                  R"("io.modelcontextprotocol/clientCapabilities":{"roots":{}},)"
                                  R"("io.modelcontextprotocol/logLevel":"info","progressToken":1})";

TEST(envelope, is_read) {
  const auto e = read_envelope(envelope_members(good));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->version, "2026-07-28");
  EXPECT_EQ(e->capabilities, R"({"roots":{}})");
  EXPECT_EQ(e->log_level, R"("info")");
}

TEST(envelope, needs_no_client_info_nor_log_level) {
  const auto e =
      read_envelope(envelope_members(R"({"io.modelcontextprotocol/protocolVersion":"2030-01-01",)"
                                     R"("io.modelcontextprotocol\/clientCapabilities":{}})"));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->version, "2030-01-01") << "whether it is known is not its business";
  EXPECT_EQ(e->log_level, "");
}

TEST(envelope, says_which_key_is_wrong) {
  const std::string v = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
  const std::string c = R"("io.modelcontextprotocol/clientCapabilities":{})";
  const auto meta = [](std::string members) { return "{" + members + "}"; };
  const auto what = [](const std::string& raw) {
    const auto e = read_envelope(envelope_members(raw));
    return e ? std::string("nothing") : e.error().what;
  };
  const std::string at = R"(params._meta["io.modelcontextprotocol/)";
  EXPECT_EQ(what(meta(c)), at + R"(protocolVersion"] is required)");
  EXPECT_EQ(what(meta(v)), at + R"(clientCapabilities"] is required)");
  EXPECT_EQ(what(meta(v + "," + v + "," + c)), at + R"(protocolVersion"] is there twice)");
  for (const auto& bad : {std::string("7"), std::string("{}"), std::string("null"),
                          '"' + std::string(limits::version_bytes, 'x') + '"'})
    EXPECT_EQ(what(meta(R"("io.modelcontextprotocol/protocolVersion":)" + bad + "," + c)),
              at + R"(protocolVersion"] must be a short string)");
  for (const std::string bad : {"7", "[]", "null", R"("{}")"})
    EXPECT_EQ(what(meta(v + R"(,"io.modelcontextprotocol/clientCapabilities":)" + bad)),
              at + R"(clientCapabilities"] must be an object)");
  for (const std::string bad :
       {R"("me")", "{}", R"({"name":"me"})", R"({"name":"me","version":1})"})
    EXPECT_EQ(what(meta(v + "," + c + R"(,"io.modelcontextprotocol/clientInfo":)" + bad)),
              at + R"(clientInfo"] must be an object with name and version)");
  for (const std::string bad : {R"("loud")", "1", "null"})
    EXPECT_EQ(what(meta(v + "," + c + R"(,"io.modelcontextprotocol/logLevel":)" + bad)),
              at + R"(logLevel"] must be one of debug, info, notice, warning, error, critical, )"
                   "alert, emergency");
  const std::string large = R"({"x":")" + std::string(limits::client_info_bytes, 'x') + "\"}";
  EXPECT_EQ(what(meta(v + R"(,"io.modelcontextprotocol/clientCapabilities":)" + large)),
            at + R"(clientCapabilities"] is too large)");
}

TEST(envelope, is_there_if_a_version_is_named) {
  EXPECT_TRUE(envelope_members(good).name_version());
  EXPECT_TRUE(
      envelope_members(R"({"io.modelcontextprotocol/protocolVersion":null})").name_version());
  EXPECT_FALSE(envelope_members("").name_version());
  EXPECT_FALSE(envelope_members("{}").name_version());
  EXPECT_FALSE(
      envelope_members(R"({"x":{"io.modelcontextprotocol/protocolVersion":"1"}})").name_version());
}

TEST(envelope, is_found_with_what_stands_beside_it) {
  EXPECT_FALSE(envelope_members(good).alone);
  EXPECT_TRUE(envelope_members("").alone);
  EXPECT_TRUE(envelope_members("{}").alone);
  EXPECT_TRUE(envelope_members(R"({"io.modelcontextprotocol\/logLevel":"info"})").alone);
  EXPECT_EQ(envelope_members(good).client, "");
}

TEST(envelope, is_taken_off_with_a_token_of_ours) {
  constexpr std::string_view version = R"("io.modelcontextprotocol\/protocolVersion":"x")";
  const auto left = [&](const std::string& members, std::string_view ours = {}) {
    const auto meta = "{" + members + "}";
    return without_envelope(meta, json::member(meta, "progressToken"), ours);
  };
  const std::string v(version);
  EXPECT_EQ(left(v), "{}");
  EXPECT_EQ(left(R"("a": 1.0 , "b":{"c":7})"), R"({"a":1.0,"b":{"c":7}})");
  EXPECT_EQ(left(v + R"(,"a":1.0,"progressToken":7)", "99"), R"({"a":1.0,"progressToken":99})");
  EXPECT_EQ(left(R"("progressToken":"t",)" + v + R"(,"b":"t")", R"("u")"),
            R"({"progressToken":"u","b":"t"})");
}

/// Params in two pieces, of which some bytes between are left out, with another `_meta`.
std::string joined(std::string_view first, std::string_view second, std::string_view meta) {
  const auto p = with_meta("HEAD ", first, second, meta, "{new}");
  return p.before + std::string(p.first) + std::string(p.second) + p.after;
}

TEST(envelope, stands_where_there_was_a_meta) {
  for (const std::string text :
       {R"({"name":"a__b","_meta":{"x":1},"z":1})", R"({"_meta":{"x":1},"name":"a__b","z":1})",
        R"({ "_meta" : {"x":1} , "name":"a__b"})"}) {
    const std::string_view all = text;
    const auto cut = all.find("a__");
    const auto meta = all.substr(all.find("{\"x\""), 7);
    auto want = "HEAD " + text + "}";
    want.replace(want.find(meta), meta.size(), "{new}");
    EXPECT_EQ(joined(all, {}, meta), want);
    want.erase(want.find("a__"), 3);
    EXPECT_EQ(joined(all.substr(0, cut), all.substr(cut + 3), meta), want);
  }
}

TEST(envelope, stands_in_front_where_there_was_no_meta) {
  EXPECT_EQ(joined({}, {}, {}), R"(HEAD {"_meta":{new}}})");
  EXPECT_EQ(joined("{}", {}, {}), R"(HEAD {"_meta":{new}}})");
  EXPECT_EQ(joined("{ }", {}, {}), R"(HEAD {"_meta":{new} }})");
  EXPECT_EQ(joined(R"({ "name":"x" })", {}, {}), R"(HEAD {"_meta":{new}, "name":"x" }})");
  EXPECT_EQ(joined(R"({"name":")", R"(x"})", {}), R"(HEAD {"_meta":{new},"name":"x"}})");
}

TEST(envelope, of_ours_says_what_was_meant) {
  const auto meta = write_meta(R"({"roots":{}})", R"("info")", R"({ "a":1.0})");
  EXPECT_EQ(json::validate(meta), json::fault::none) << meta;
  const auto e = read_envelope(envelope_members(meta));
  ASSERT_TRUE(e) << meta;
  EXPECT_EQ(e->version, "2026-07-28");
  EXPECT_EQ(e->capabilities, R"({"roots":{}})");
  EXPECT_EQ(e->log_level, R"("info")");
  EXPECT_TRUE(meta.ends_with(R"(, "a":1.0})")) << meta;
  EXPECT_EQ(write_meta("{}", "").find("logLevel"), std::string::npos);
  EXPECT_EQ(json::validate(write_meta("{}", "", "{ }")), json::fault::none);
}

/// A large argument is sent from where it came.
TEST(envelope, copies_no_more_than_one_side_of_it) {
  const auto text = R"({"name":"x","arguments":")" + std::string(100'000, 'x') + R"(","_meta":{}})";
  const std::string_view meta = std::string_view(text).substr(text.size() - 3, 2);
  for (const auto of : {meta, std::string_view{}}) {
    const auto p = with_meta("HEAD ", text, {}, of, "{new}");
    EXPECT_LT(p.before.size() + p.after.size(), 100U);
  }
}

}  // namespace
}  // namespace gate::mcp::stateless
