#include "actors/upstream/call_parts.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

/// As stage 4 leaves a call whose name has lost its prefix.
struct parts_of_a_call : ::testing::Test {
  const std::string params =
      R"({"_meta":{"progressToken":"t","a":1},"name":"a__x","arguments":{},"extra":1})";
  invoke call;

  parts_of_a_call() {
    const auto prefix = params.find("a__x");
    call.first = std::string_view(params).substr(0, prefix);
    call.second = std::string_view(params).substr(prefix + 3);
    call.meta = json::member(params, "_meta");
    call.token = json::member(call.meta, "progressToken");
  }
};

TEST_F(parts_of_a_call, are_where_they_came) {
  const call_parts c(call);
  EXPECT_EQ(c.first.data(), params.data());
  EXPECT_EQ(c.joined(),
            R"({"_meta":{"progressToken":"t","a":1},"name":"x","arguments":{},"extra":1})");
}

TEST_F(parts_of_a_call, are_parts_of_what_the_params_become) {
  call_parts c(call);
  c.become(R"({"new":1,"name":"x","_meta":{"progressToken":"t","a":1}})");
  EXPECT_EQ(c.second, "");
  EXPECT_EQ(c.meta, R"({"progressToken":"t","a":1})");
  EXPECT_EQ(c.token, R"("t")");
  EXPECT_GE(c.meta.data(), c.first.data()) << "views into the new text";
  EXPECT_LT(c.token.data(), c.first.data() + c.first.size());
  EXPECT_TRUE(c.keep);
}

TEST_F(parts_of_a_call, may_be_none) {
  call_parts c{invoke{}};
  EXPECT_EQ(c.joined(), "{}");
  c.become(R"({"requestState":"s"})");
  EXPECT_EQ(c.first, R"({"requestState":"s"})");
  EXPECT_EQ(c.meta, "");
  EXPECT_EQ(c.token, "");
}

}  // namespace
}  // namespace gate::upstream
