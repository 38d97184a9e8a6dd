#include "transport/http/read_scratch.hpp"

#include <gtest/gtest.h>

namespace gate::http {
namespace {

TEST(read_scratch, is_one_piece_of_its_size) {
  read_scratch s;
  EXPECT_EQ(s.buffer().size(), read_scratch::bytes);
  EXPECT_EQ(s.buffer().data(), s.data());
  auto* bytes = static_cast<char*>(s.buffer().data());
  bytes[0] = 'a';
  bytes[read_scratch::bytes - 1] = 'z';
  EXPECT_EQ(s.data()[0], 'a');
  EXPECT_EQ(s.data()[read_scratch::bytes - 1], 'z');
}

}  // namespace
}  // namespace gate::http
