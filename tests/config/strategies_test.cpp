#include "config/strategies.hpp"

#include <gtest/gtest.h>

#include <set>

#include "config/describe.hpp"

namespace gate::config {
namespace {

struct member_keys {
  std::set<std::string_view> all;
  template <class M>
  void operator()(M upstream_auth::*, const field& f) {
    all.insert(f.key);
  }
};

TEST(a_strategy, names_members_that_the_document_has) {
  member_keys known;
  describe(known, of<upstream_auth>{});
  std::set<std::string_view> used{"strategy"};
  for (const auto& s : strategies) {
    for (const auto key : s.needs) {
      if (key.empty()) continue;
      EXPECT_TRUE(known.all.contains(*used.insert(key).first)) << s.name << key;
    }
    for (const auto key : s.takes) {
      if (key.empty()) continue;
      EXPECT_TRUE(known.all.contains(*used.insert(key).first)) << s.name << key;
    }
  }
  EXPECT_EQ(used, known.all) << "a member that no strategy takes can not be given";
}

TEST(a_strategy, is_called_what_its_row_says) {
  for (const auto& s : strategies) EXPECT_EQ(name_of(s.what), s.name);
}

TEST(a_strategy, asks_an_authorization_server_if_its_row_has_a_request) {
  for (const auto& s : strategies) EXPECT_EQ(is_granted(s.what), s.request != nullptr) << s.name;
  EXPECT_TRUE(is_granted(auth_strategy::client_credentials));
  EXPECT_TRUE(is_granted(auth_strategy::token_exchange));
  EXPECT_FALSE(is_granted(auth_strategy::none));
  EXPECT_FALSE(is_granted(auth_strategy::fixed));
  EXPECT_FALSE(is_granted(auth_strategy::passthrough));
}

}  // namespace
}  // namespace gate::config
