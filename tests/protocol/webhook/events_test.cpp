#include "protocol/webhook/events.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gate::webhook {
namespace {

TEST(events, have_the_names_that_receivers_know) {
  EXPECT_EQ(name_of(event_type::deploy_success), "deploy.success");
  EXPECT_EQ(name_of(event_type::deploy_failed), "deploy.failed");
  EXPECT_EQ(name_of(event_type::activation_error), "activation.error");
  EXPECT_EQ(name_of(event_type::rollback_success), "rollback.success");
  EXPECT_EQ(name_of(event_type::usage_threshold), "usage.threshold");
  for (const auto name : event_names) {
    const auto type = event_named(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(name_of(*type), name);
  }
}

TEST(events, of_other_names_are_none) {
  for (const auto* name : {"", "*", "deploy", "deploy.", "deploy.Success", "DEPLOY.SUCCESS",
                           " deploy.success", "deploy.success ", "deploy_success", "deploy.*"})
    EXPECT_FALSE(event_named(name)) << name;
  EXPECT_FALSE(event_named(std::string_view("deploy.success\0", 15)));
}

TEST(events, are_a_bit_each) {
  std::set<event_mask> seen;
  event_mask all = 0;
  for (std::size_t i = 0; i < event_names.size(); ++i) {
    const auto type = static_cast<event_type>(i);
    seen.insert(mask_of(type));
    all = static_cast<event_mask>(all | mask_of(type));
    EXPECT_EQ(mask_of(event_names[i]), mask_of(type));
    EXPECT_TRUE(wants(mask_of(type), type));
    EXPECT_TRUE(wants(every_event, type));
    EXPECT_FALSE(wants(static_cast<event_mask>(every_event & ~mask_of(type)), type));
  }
  EXPECT_EQ(seen.size(), event_names.size());
  EXPECT_EQ(all, every_event);
  EXPECT_EQ(mask_of("*"), every_event);
  EXPECT_FALSE(mask_of("**"));
  EXPECT_FALSE(mask_of(""));
}

TEST(events, are_named_as_they_were_asked_for) {
  for (unsigned mask = 0; mask < every_event; ++mask) {
    event_mask back = 0;
    for (const auto name : names_of(static_cast<event_mask>(mask)))
      back = static_cast<event_mask>(back | *mask_of(name));
    EXPECT_EQ(back, mask);
  }
  EXPECT_EQ(names_of(every_event), std::vector<std::string_view>{"*"});
  EXPECT_EQ(names_of(0xFF), std::vector<std::string_view>{"*"}) << "bits of no event say nothing";
  EXPECT_EQ(names_of(0b10010), (std::vector<std::string_view>{"deploy.failed", "usage.threshold"}));
}

}  // namespace
}  // namespace gate::webhook
