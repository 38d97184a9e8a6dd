#include "protocol/mcp/stateless/known_envelopes.hpp"

#include <gtest/gtest.h>

#include "protocol/mcp/stateless/envelope.hpp"

namespace gate::mcp::stateless {
namespace {

std::string said(std::string_view capabilities, std::string_view more = "") {
  return R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
         R"("io.modelcontextprotocol/clientCapabilities":)" +
         std::string(capabilities) + std::string(more) + "}";
}

TEST(known_envelopes, are_read_once) {
  known_envelopes it;
  const auto text = said(R"({"roots":{}})", R"(,"io.modelcontextprotocol/logLevel":"info")");
  const auto first = it.read(text);
  ASSERT_TRUE(first.it);
  EXPECT_TRUE(first.named);
  EXPECT_EQ(first.it->version, "2026-07-28");
  EXPECT_EQ(*first.it->capabilities, R"({"roots":{}})");
  EXPECT_EQ(first.it->log_level, R"("info")");
  EXPECT_EQ(first.it->asked_by, asked_by(R"({"roots":{}})"));
  EXPECT_FALSE(first.it->takes_tasks);
  EXPECT_TRUE(first.it->alone);
  EXPECT_EQ(it.read(std::string(text)).it, first.it) << "the same bytes, elsewhere";
}

TEST(known_envelopes, are_told_apart_by_every_byte) {
  known_envelopes it;
  // More than there are places, twice.
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 500; ++i) {
      const auto capabilities = R"({"experimental":{"x":)" + std::to_string(i) + "}}";
      const auto read = it.read(said(capabilities));
      ASSERT_TRUE(read.it);
      EXPECT_EQ(*read.it->capabilities, capabilities);
    }
}

TEST(known_envelopes, that_have_company_or_are_long_are_read_each_time) {
  known_envelopes it;
  const auto company = said("{}", R"(,"progressToken":1)");
  EXPECT_FALSE(it.read(company).it->alone);
  EXPECT_NE(it.read(company).it, it.read(company).it);
  const auto large = said(R"({"experimental":{"x":")" + std::string(2100, 'x') + R"("}})");
  EXPECT_NE(it.read(large).it, it.read(large).it);
}

TEST(known_envelopes, that_are_not_good_are_told_so_each_time) {
  known_envelopes it;
  for (int i = 0; i < 2; ++i) {
    const auto bad = it.read(said("[]"));
    EXPECT_TRUE(bad.named);
    EXPECT_FALSE(bad.it);
    EXPECT_EQ(bad.flaw, read_envelope(envelope_members(said("[]"))).error().what);
    for (const std::string_view none : {"", "{}", R"({"progressToken":1})", "[]"}) {
      const auto other = it.read(none);
      EXPECT_FALSE(other.named) << none;
      EXPECT_FALSE(other.it) << none;
    }
  }
}

TEST(known_envelopes, say_whether_their_client_takes_tasks) {
  known_envelopes it;
  const auto text = said(R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})");
  EXPECT_TRUE(it.read(text).it->takes_tasks);
  EXPECT_TRUE(it.read(text).it->takes_tasks);
}

}  // namespace
}  // namespace gate::mcp::stateless
