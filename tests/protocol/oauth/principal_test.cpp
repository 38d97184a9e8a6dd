#include "protocol/oauth/principal.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gate::oauth {
namespace {

TEST(principal, the_key_is_stable) {
  // Cursors and shared stores outlive a process: this number may not change between versions.
  // printf '\0\0\0\0\0\0\0\1i\0\0\0\0\0\0\0\1s' | sha256sum
  EXPECT_EQ(principal_key("i", "s"), 0xa889c7792485b45eull);
}

TEST(principal, the_parts_can_not_run_into_each_other) {
  std::set<std::uint64_t> keys;
  int count = 0;
  for (const auto& [i, s] :
       std::initializer_list<std::pair<std::string, std::string>>{{"ab", "c"},
                                                                  {"a", "bc"},
                                                                  {"", "abc"},
                                                                  {"abc", ""},
                                                                  {"c", "ab"},
                                                                  {"", ""},
                                                                  {"ab", std::string("\0c", 2)},
                                                                  {std::string("ab\0", 3), "c"},
                                                                  {std::string(8, '\0'), ""},
                                                                  {"", std::string(8, '\0')},
                                                                  {"ab", "C"}}) {
    const auto key = principal_key(i, s);
    EXPECT_NE(key, 0u);
    keys.insert(key);
    ++count;
  }
  EXPECT_EQ(keys.size(), static_cast<std::size_t>(count));
}

TEST(principal, the_same_party) {
  principal a{"i", "s", {"g"}, "{}", {}, principal_key("i", "s")};
  principal b{"i", "s", {}, R"({"x":1})", {}, principal_key("i", "s")};
  EXPECT_TRUE(a.same_as(b));
  b.subject = "t";
  EXPECT_FALSE(a.same_as(b)) << "equal keys alone do not make them the same";
  b = a;
  b.issuer = "j";
  EXPECT_FALSE(a.same_as(b));
}

}  // namespace
}  // namespace gate::oauth
