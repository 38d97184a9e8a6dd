#include "protocol/mcp/server_features.hpp"

#include <gtest/gtest.h>

#include "protocol/json/scan.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::mcp {
namespace {

constexpr std::string_view everything =
    R"({"tools":{},"prompts":{"listChanged":true},"resources":{"subscribe":true},"logging":{},)"
    R"("completions":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}})";

TEST(server_features, are_those_that_the_server_declares) {
  EXPECT_EQ(read_features("{}", "2025-11-25").bits(), 0);
  EXPECT_EQ(read_features(everything, "2025-11-25").bits(), 511);
  const auto some = read_features(R"({"tools":{},"resources":{}})", "2025-06-18");
  EXPECT_TRUE(some.has(feature::tools));
  EXPECT_TRUE(some.has(feature::resources));
  EXPECT_FALSE(some.has(feature::subscriptions));
  EXPECT_FALSE(some.has(feature::prompts));
}

TEST(server_features, take_nothing_from_what_is_not_an_object) {
  for (auto raw :
       {"", "null", "[]", "7", R"({"tools":true,"prompts":null,"resources":[],"tasks":{"list":1}})",
        R"({"tasks":{"requests":{"tools":[]}}})", R"({"experimental":{"x":{}}})"})
    EXPECT_EQ(read_features(raw, "2025-11-25").bits(), 0) << raw;
}

TEST(server_features, completion_had_no_word_in_the_first_revision) {
  EXPECT_TRUE(read_features("{}", "2024-11-05").has(feature::completions));
  EXPECT_FALSE(read_features("{}", "2025-03-26").has(feature::completions));
}

TEST(server_features, tasks_belong_to_one_revision) {
  EXPECT_EQ(read_features(everything, "2025-06-18"), usual_features);
  EXPECT_EQ(json::member(declare(server_features(511), "2025-06-18"), "tasks"), "");
  EXPECT_EQ(json::member(declare(server_features(511), "2025-11-25"), "tasks"),
            R"({"list":{},"cancel":{},"requests":{"tools":{"call":{}}}})");
  EXPECT_EQ(json::member(declare(server_features(1 + 64), "2025-11-25"), "tasks"),
            R"({"requests":{"tools":{"call":{}}}})");
}

TEST(server_features, what_is_declared_is_valid_and_reads_the_same) {
  for (std::uint16_t bits = 0; bits < 512; ++bits) {
    server_features f(bits);
    // What hangs on something that is not there is not declared.
    if (f.has(feature::subscriptions) && !f.has(feature::resources)) continue;
    if (!f.has(feature::task_calls) && bits >= 128) continue;
    const auto text = declare(f, latest_session_version);
    EXPECT_EQ(json::validate(text), json::fault::none) << text;
    EXPECT_EQ(read_features(text, latest_session_version), f) << text;
  }
}

TEST(server_features, lists_may_always_change) {
  EXPECT_EQ(declare(usual_features, "2025-03-26"),
            R"({"completions":{},"logging":{},"prompts":{"listChanged":true},)"
            R"("resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}})");
}

}  // namespace
}  // namespace gate::mcp
