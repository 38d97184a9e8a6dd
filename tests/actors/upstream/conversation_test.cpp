#include "actors/upstream/conversation.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

constexpr std::string_view good_result =
    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{}})";

fetched ok(std::string session_id = {}) {
  fetched f;
  f.status = 200;
  f.session_id = std::move(session_id);
  return f;
}

struct a_handshake : ::testing::Test {
  bool read(const fetched& f, const std::string& text) {
    why = {};
    return read_handshake(f, &text, why).has_value();
  }
  static std::string response(std::string_view rest) {
    return R"({"jsonrpc":"2.0","id":1,)" + std::string(rest) + "}";
  }
  unfit why;
};

TEST_F(a_handshake, is_read) {
  const auto text = response(R"("result":)" + std::string(good_result));
  const auto got = read_handshake(ok("s"), &text, why);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->version, "2025-11-25");
  EXPECT_TRUE(got->offers(mcp::list_kind::tools));
}

TEST_F(a_handshake, that_is_none_says_what_it_is) {
  auto f = ok();
  f.status = 404;
  EXPECT_FALSE(read(f, "x"));
  EXPECT_EQ(why.detail, "initialize was answered with HTTP 404");
  EXPECT_EQ(why.health, "HTTP 404 for initialize");
  EXPECT_FALSE(read_handshake(ok(), nullptr, why));
  EXPECT_EQ(why.health, "HTTP 200 for initialize");
  EXPECT_FALSE(read(ok(), "<html>"));
  EXPECT_EQ(why.health, "the answer to initialize is not JSON-RPC");
  EXPECT_FALSE(read(ok(), response(R"("error":{"code":-32602,"message":"no"})")));
  EXPECT_EQ(why.detail, "initialize was refused with the error -32602");
  EXPECT_EQ(why.health, "error -32602 for initialize");
  EXPECT_FALSE(read(ok(), response(R"("result":{"capabilities":{}})")));
  EXPECT_EQ(why.detail, why.health);
  EXPECT_FALSE(read(ok("with space"), response(R"("result":)" + std::string(good_result))));
  EXPECT_EQ(why.health, "its session id is not visible ASCII");
}

TEST(a_conversation, shows_what_was_agreed_on_and_the_credential) {
  conversation it;
  it.begin();
  it.make_headers("Authorization: x\r\n");
  EXPECT_EQ(*it.headers(),
            "Content-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\nAuthorization: x\r\n");
  handshake agreed;
  agreed.version = "2025-11-25";
  it.agree(agreed, "s1");
  it.make_headers("Authorization: x\r\n");
  EXPECT_EQ(*it.headers(),
            "Content-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\nMcp-Session-Id: s1\r\n"
            "MCP-Protocol-Version: 2025-11-25\r\nAuthorization: x\r\n");
  EXPECT_EQ(*it.stream_headers("Authorization: x\r\n", "e1"),
            "Accept: text/event-stream\r\nMcp-Session-Id: s1\r\n"
            "MCP-Protocol-Version: 2025-11-25\r\nAuthorization: x\r\nLast-Event-ID: e1\r\n");
}

TEST(a_conversation, is_another_one_after_each_handshake) {
  conversation it;
  EXPECT_EQ(it.epoch(), 0u);
  it.agree({}, "s1");
  const auto first = it.name(7);
  it.begin();
  EXPECT_TRUE(it.id().empty());
  it.agree({}, "");
  EXPECT_NE(it.name(7), first);
  EXPECT_EQ(conversation::session_of(first), 7u);
  EXPECT_EQ(conversation::session_of(it.name(7)), 7u);
}

TEST(a_conversation, hears_its_name_before_it_is_agreed_on_if_that_fits_into_a_header) {
  conversation it;
  it.named("a b");
  EXPECT_TRUE(it.id().empty());
  it.named("s1");
  it.named("");
  EXPECT_EQ(it.id(), "s1");
  it.agree({}, "");
  EXPECT_EQ(it.id(), "s1");
  it.forget();
  EXPECT_TRUE(it.id().empty());
}

}  // namespace
}  // namespace gate::upstream
