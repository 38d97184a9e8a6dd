#include "protocol/base/base64.hpp"

#include <gtest/gtest.h>

namespace gate {
namespace {

// RFC 4648 §10, and the two digits that base64url has otherwise.
TEST(base64, is_the_standards) {
  const std::pair<std::string_view, std::string_view> table[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xFB\xFF\xBF", "+/+/"},
      {{"\0", 1}, "AA=="},
  };
  for (const auto& [bytes, text] : table) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), bytes) << text;
  }
}

TEST(base64, has_one_spelling) {
  for (const std::string_view bad :
       {"Zg",     "Zg=",  "Zg===", "Zg====", "Zm9v====", "=",        "==",
        "===",    "====", "Z===",  "Zh==",   "Zm9=",     "Zm9v ",    " Zm9v",
        "Zm9v\n", "Zm-v", "Zm_v",  "Zm=v",   "Z=9v",     "Zg==Zg==", "Zm9\x80"})
    EXPECT_FALSE(base64_decode(bad)) << bad;
}

}  // namespace
}  // namespace gate
