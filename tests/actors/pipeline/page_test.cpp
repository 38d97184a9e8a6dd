#include "actors/pipeline/page.hpp"

#include <gtest/gtest.h>

#include "protocol/json/scan.hpp"
#include "simulations/world/fake_exchange.hpp"
#include "tests/actors/pipeline/fake_desk.hpp"

namespace gate::pipeline {
namespace {

/// Ten items, three a page.
struct ten final : listing {
  explicit ten(std::uint64_t digest) : digest_(digest) {}
  bool partial() const override { return false; }
  mcp::cursor_content identity() const override { return {1, 0, digest_, 42}; }
  std::optional<page> at(std::uint64_t offset) override {
    if (offset >= 10) return {};
    page out{std::make_shared<const std::string>("{\"from\":" + std::to_string(offset)),
             std::min<std::uint64_t>(3, 10 - offset),
             {}};
    if (offset + 3 < 10) out.next = offset + 3;
    return out;
  }
  std::string beside(bool first) const override { return first ? R"(,"first":1)" : R"(,"rest":1)"; }
  bool has_meta(bool) const override { return false; }
  mcp::list_caching caching() const override { return {}; }
  std::uint64_t digest_;
};

struct a_page : ::testing::Test {
  sim::fake_exit_door exits;
  mcp::cursor_key key{1, 2, 3};

  /// The page at this cursor (of the JSON text), or the refusal.
  std::string cut(const std::string& raw_cursor, std::uint64_t digest = 7) {
    const auto r = std::make_shared<sim::receipt>();
    call c(std::make_shared<sim::fake_exchange>(r, http_request{}), exits, nullptr, {});
    c.message.cursor = raw_cursor;
    c.list = std::make_unique<ten>(digest);
    const auto no = cut_page(c, key);
    served = c.ticket.notes().items_served;
    c.ticket.spend({});
    if (no) return no->message;
    next.clear();
    json::unquote(json::member(std::string(c.result) + c.tail, "nextCursor"), next);
    return std::string(c.result) + (next.empty() ? "" : "+") +
           (c.tail.ends_with(R"("first":1})")  ? " first"
            : c.tail.ends_with(R"("rest":1})") ? " rest"
                                               : " nothing");
  }
  std::string next;
  std::optional<std::uint64_t> served;
};

constexpr auto expired = "invalid or expired cursor: restart the list from the beginning";

TEST_F(a_page, leads_to_the_next_one) {
  EXPECT_EQ(cut(""), R"({"from":0+ first)");
  EXPECT_EQ(cut(json::quoted(next)), R"({"from":3+ rest)");
  EXPECT_EQ(served, 3U);
  EXPECT_EQ(cut(json::quoted(next)), R"({"from":6+ rest)");
  EXPECT_EQ(cut(json::quoted(next)), R"({"from":9 rest)") << "the last";
  EXPECT_EQ(served, 1U);
}

TEST_F(a_page, is_of_the_list_that_the_cursor_is_of) {
  cut("");
  const auto cursor = json::quoted(next);
  EXPECT_EQ(cut(cursor, 8), expired) << "the list has changed";
  key[0] = 9;
  EXPECT_EQ(cut(cursor), expired) << "somebody else's seal";
}

TEST_F(a_page, has_no_cursor_that_was_not_given_out) {
  for (const auto* raw : {"1", "null", R"("")", R"("0")", R"("\ud800")", "{}", R"("AAAA")"})
    EXPECT_EQ(cut(raw), expired) << raw;
  EXPECT_EQ(cut(json::quoted(mcp::seal({1, 10, 7, 42}, key))), expired) << "beyond the end";
  EXPECT_EQ(cut(json::quoted(mcp::seal({2, 3, 7, 42}, key))), expired) << "of another kind";
  EXPECT_EQ(cut(json::quoted(mcp::seal({1, 3, 7, 43}, key))), expired) << "another principal's";
}

}  // namespace
}  // namespace gate::pipeline
