#include "protocol/base/sha256.hpp"

#include <gtest/gtest.h>

namespace gate {
namespace {

std::string hex(const sha256_digest& d) {
  std::string out;
  for (auto byte : d) {
    char text[3];
    std::snprintf(text, sizeof text, "%02x", byte);
    out += text;
  }
  return out;
}

// The examples of FIPS 180-4's companion page, and of nothing.
TEST(sha_256, is_the_standards_again_and_again) {
  const sha256 it;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(hex(it("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hex(it("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hex(it(std::string(1'000'000, 'a'))),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }
}

}  // namespace
}  // namespace gate
