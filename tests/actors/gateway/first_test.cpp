#include "tests/support/world.hpp"

namespace gate {
namespace {

using namespace testing;

TEST(gateway, answers_the_happy_path_byte_for_byte) {
  world w;
  client c(w);
  auto hello = c.request("\"i\"", "initialize",
                         R"({"protocolVersion":"2025-06-18","capabilities":{}})");
  EXPECT_EQ(hello->status, 200);
  EXPECT_EQ(hello->body, "");
  for (auto& l : w.log()) std::cerr << l << "\n";
  for (auto& l : w.audit()) std::cerr << l << "\n";
}

}  // namespace
}  // namespace gate
