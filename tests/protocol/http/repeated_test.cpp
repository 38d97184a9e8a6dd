#include "protocol/http/repeated.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gate::http {
namespace {

TEST(repeated, headers_that_say_two_things_are_named) {
  for (const auto name : said_once) {
    const std::string lower = [&] {
      std::string out(name);
      for (auto& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
      return out;
    }();
    const auto other = "X-" + lower;
    using list = std::vector<header>;
    for (const auto& two : {list{{name, "a"}, {name, "b"}}, list{{name, "a"}, {lower, "b"}},
                            list{{name, "a"}, {"X", "y"}, {name, "a"}, {name, ""}},
                            list{{name, ""}, {name, "a"}}, list{{name, "a"}, {name, "A"}}})
      EXPECT_EQ(contradiction(two), name);
    for (const auto& one : {list{}, list{{name, "a"}}, list{{name, "a"}, {lower, "a"}},
                            list{{name, "a"}, {other, "b"}}})
      EXPECT_EQ(contradiction(one), "");
  }
  const std::vector<header> lists{{"Accept", "a"}, {"Accept", "b"}, {"Via", "a"}, {"Via", "b"}};
  EXPECT_EQ(contradiction(lists), "");
}

}  // namespace
}  // namespace gate::http
