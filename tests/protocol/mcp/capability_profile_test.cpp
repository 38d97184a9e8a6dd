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
  EXPECT_EQ(read_profile(R"({"roots":{"listChanged":true},"sampling":{"tools":{}}})"),
            read_profile(R"({"sampling":{},"experimental":{"x":1},"roots":{}})"));
}

TEST(capability_profile, declares_what_it_was_read_from) {
  std::set<std::string> all;
  for (std::size_t p = 0; p < capability_profiles; ++p) {
    const auto raw = profile_capabilities(static_cast<capability_profile>(p));
    EXPECT_EQ(json::validate(raw), json::fault::none) << raw;
    EXPECT_EQ(read_profile(raw), p) << raw;
    all.insert(raw);
  }
  EXPECT_EQ(all.size(), capability_profiles);
}

}  // namespace
}  // namespace gate::mcp
