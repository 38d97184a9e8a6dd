#include "protocol/resp/script.hpp"

#include <gtest/gtest.h>

namespace gate::resp {
namespace {

TEST(resp_script, is_named_by_its_digest) {
  const auto s = make_script("return 1");
  EXPECT_EQ(s->text, "return 1");
  EXPECT_EQ(s->digest, "e0e1f9fabfc9d4800c877a703b823ac0578ff8db") << "as SCRIPT LOAD says";
  EXPECT_EQ(make_script("")->digest, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

}  // namespace
}  // namespace gate::resp
