#include "actors/upstream/spoken.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

TEST(spoken, text_that_is_not_utf_8_is_no_message_but_may_have_been_meant_as_an_answer) {
  const std::string broken = "{\"jsonrpc\":\"2.0\",\"result\":\"\xFF\",\"id\":7}";
  EXPECT_FALSE(read_message(broken));
  EXPECT_TRUE(read_any_bytes(broken));
  EXPECT_TRUE(meant_as_answer(broken, 7));
  EXPECT_FALSE(meant_as_answer(broken, 8));
  for (const std::string other :
       {"{\"jsonrpc\":\"2.0\",\"method\":\"\xFF\",\"id\":7}", "{", "",
        "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":7,\"params\":{\"x\":\"\xFF\"}}"})
    EXPECT_FALSE(meant_as_answer(other, 7)) << other;
  EXPECT_TRUE(read_message("{\"jsonrpc\":\"2.0\",\"result\":\"\xC3\xA9\",\"id\":7}"));
}

TEST(spoken, it_may_be_nested_deeper_than_what_clients_say) {
  const auto deep = [](std::size_t n) {
    return R"({"jsonrpc":"2.0","id":1,"result":)" + std::string(n, '[') + std::string(n, ']') + "}";
  };
  EXPECT_TRUE(read_message(deep(limits::json_depth + 1)));
  EXPECT_TRUE(read_message(deep(limits::upstream_json_depth - 1)));
  EXPECT_FALSE(read_message(deep(limits::upstream_json_depth)));
}

}  // namespace
}  // namespace gate::upstream
