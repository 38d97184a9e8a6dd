#include "transport/http/send_buffer.hpp"

#include <gtest/gtest.h>

namespace gate::http {
namespace {

constexpr std::size_t kib = 1024;

TEST(send_buffer, gives_back_what_was_taken_behind_a_reader_that_never_catches_up) {
  send_buffer b;
  std::string told, taken;
  std::size_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string piece(7 * kib, static_cast<char>('a' + i % 26));
    b.append(piece);
    told += piece;
    if (b.size() < 300 * kib) continue;
    taken += b.rest().substr(0, 7 * kib);
    b.sent(7 * kib);
    ASSERT_FALSE(b.empty());
    most = std::max(most, b.held());
  }
  EXPECT_LT(most, 2048 * kib);
  EXPECT_TRUE(told.starts_with(taken));
  EXPECT_EQ(told.substr(taken.size()), b.rest());
}

TEST(send_buffer, keeps_little_when_it_is_empty) {
  send_buffer b;
  b.append(std::string(10'000 * kib, 'x'));
  EXPECT_GE(b.held(), 10'000 * kib);
  b.sent(9000 * kib);
  EXPECT_LE(b.held(), 2000 * kib);
  EXPECT_EQ(b.size(), 1000 * kib);
  b.sent(1000 * kib);
  EXPECT_TRUE(b.empty());
  EXPECT_EQ(b.held(), 0U);
  b.append("small");
  EXPECT_EQ(b.rest(), "small");
  EXPECT_EQ(b.held(), 0U) << "what every connection may have is not counted";
}

}  // namespace
}  // namespace gate::http
