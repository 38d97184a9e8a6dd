#include "protocol/mcp/capability_profile.hpp"

#include <gtest/gtest.h>

#include <set>

#include "protocol/json/scan.hpp"

namespace gate::mcp {
namespace {

TEST(capability_profile, of_nothing_is_nothing) {
  for (auto raw : {"{}", "", "null", "[]", R"({"x":{}})", R"({"sampling":true,"roots":null})"})
    EXPECT_EQ(read_profile(raw), 0) << raw;
  EXPECT_EQ(profile_capabilities(0), "{}");
}

TEST(capability_profile, knows_forms_from_urls) {
  const auto form = read_profile(R"({"elicitation":{}})");
  EXPECT_NE(form, 0);
  EXPECT_EQ(read_profile(R"({"elicitation":{"form":{}}})"), form);
  const auto url = read_profile(R"({"elicitation":{"url":{}}})");
  EXPECT_EQ(form & url, 0);
  EXPECT_EQ(read_profile(R"({"elicitation":{"url":{},"form":{}}})"), form | url);
}

TEST(capability_profile, is_the_same_for_clients_that_are_alike) {
  EXPECT_EQ(read_profile(R"({"roots":{"listChanged":true},"sampling":{"context":{}}})"),
            read_profile(R"({"sampling":{},"experimental":{"x":1},"roots":{}})"));
}

TEST(capability_profile, knows_sampling_with_tools) {
  const auto plain = read_profile(R"({"sampling":{}})");
  const auto tools = read_profile(R"({"sampling":{"tools":{},"context":{}}})");
  EXPECT_NE(tools, plain);
  EXPECT_EQ(tools & plain, plain) << "whoever can do more is shown what the other is, at least";
  EXPECT_EQ(read_profile(R"({"sampling":{"tools":true}})"), plain);
  EXPECT_EQ(profile_capabilities(tools), R"({"sampling":{"tools":{}}})");
  EXPECT_EQ(read_profile(R"({"tools":{}})"), 0);
}

TEST(capability_profile, declares_what_it_was_read_from) {
  std::set<std::string> all;
  const auto tools_only = static_cast<capability_profile>(
      read_profile(R"({"sampling":{"tools":{}}})") - read_profile(R"({"sampling":{}})"));
  std::size_t possible = 0;
  for (std::size_t p = 0; p < capability_profiles; ++p) {
    if ((p & tools_only) && !(p & read_profile(R"({"sampling":{}})"))) continue;
    ++possible;
    const auto raw = profile_capabilities(static_cast<capability_profile>(p));
    EXPECT_EQ(json::validate(raw), json::fault::none) << raw;
    EXPECT_EQ(read_profile(raw), p) << raw;
    all.insert(raw);
  }
  EXPECT_EQ(all.size(), possible);
}

}  // namespace
}  // namespace gate::mcp
