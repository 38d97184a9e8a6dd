// What the server says that is no message, and whose requests end by it.
#include <gtest/gtest.h>

#include "tests/shim/support/shim_world.hpp"

namespace gate::sim {
namespace {

std::string asked(std::string_view id) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"method":"tools/call","params":{"name":"t"}})";
}
std::string answered(std::string_view id) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"result":{"content":[]}})";
}

struct nonsense : ::testing::Test, shim_world {};

TEST_F(nonsense, lines_that_are_no_message_are_dropped_counted_and_logged) {
  const auto s = open();
  const auto r = post(asked("1"), s);
  say(latest(),
      {"listening on stdio", "{}", R"({"jsonrpc":"2.0","id":null,"result":{}})", answered("1")});
  EXPECT_EQ(r->body, answered("1"));
  EXPECT_EQ(metric(R"(gate_stdio_lines_dropped_total{stream="stdout"})"), 3);
  EXPECT_EQ(logged("that is no message"), 3U);
  say(latest(), std::vector<std::string>(1000, "x"));
  EXPECT_EQ(metric(R"(gate_stdio_lines_dropped_total{stream="stdout"})"), 1003);
  EXPECT_LE(logged("that is no message"), 110U);
}

TEST_F(nonsense, an_answer_that_is_none_ends_its_request) {
  const auto s = open();
  const auto a = post(asked("1"), s), b = post(asked("2"), s);
  say(latest(), {R"({"jsonrpc":"2.0","id":1,"result":{},"error":null})"});
  EXPECT_EQ(a->status, 502);
  EXPECT_NE(a->body.find("the server's answer is not valid"), std::string::npos) << a->body;
  EXPECT_FALSE(b->done());
  // Nobody's answer, and a question that is none.
  say(latest(), {R"({"id":7,"result":{}})", R"({"jsonrpc":"2.0","id":2,"method":5})"});
  EXPECT_FALSE(b->done());
}

TEST_F(nonsense, answers_in_a_line_that_is_none_end_their_requests) {
  const auto s = open();
  const std::string odd[] = {answered("1") + '\0', answered("1") + " {",
                             "\xEF\xBB\xBF" + answered("1"),
                             R"({"jsonrpc":"2.0","method":"x"})" + answered("1")};
  for (const auto& line : odd) {
    const auto a = post(asked("1"), s);
    say(latest(), {line});
    EXPECT_EQ(a->status, 502) << line;
  }
  const auto a = post(asked("1"), s), b = post(asked("2"), s), c = post(asked("3"), s);
  say(latest(), {answered("1") + answered("2")});
  EXPECT_EQ(a->status, 502);
  EXPECT_EQ(b->status, 502);
  EXPECT_EQ(c->status, 0) << "nobody has answered it";
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "{}";
  say(latest(), {many + answered("3")});
  EXPECT_EQ(c->status, 0) << "so far behind nobody looks";
  say(latest(), {answered("3")});
  EXPECT_EQ(c->status, 200);
}

}  // namespace
}  // namespace gate::sim
