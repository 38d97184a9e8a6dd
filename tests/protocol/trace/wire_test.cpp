#include "protocol/trace/wire.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

namespace gate::trace::wire {
namespace {

using member = reader::member;

template <class N>
void fixed(std::string& out, unsigned field, N value) {
  std::array<char, number_most> room;
  out.append(room.data(), wire::fixed(room.data(), field, value));
}
void varint(std::string& out, std::uint64_t value) {
  std::array<char, number_most> room;
  out.append(room.data(), wire::varint(room.data(), value));
}

TEST(a_message, is_read_as_it_was_written) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{127}, std::uint64_t{128},
        std::uint64_t{300}, std::uint64_t{1} << 35, std::numeric_limits<std::uint64_t>::max()}) {
    std::string out;
    number(out, 3, value);
    text(out, 16, "abc");
    fixed(out, 7, value);
    fixed(out, 8, static_cast<std::uint32_t>(value));
    reader r(out);
    member m;
    ASSERT_TRUE(r.next(m));
    EXPECT_EQ(m.field, 3U);
    EXPECT_EQ(m.number, value);
    ASSERT_TRUE(r.next(m));
    EXPECT_EQ(m.field, 16U);
    EXPECT_EQ(m.inside, "abc");
    ASSERT_TRUE(r.next(m));
    EXPECT_EQ(m.number, value);
    ASSERT_TRUE(r.next(m));
    EXPECT_EQ(m.number, value & 0xFFFFFFFF);
    EXPECT_FALSE(r.next(m));
    std::string alone;
    varint(alone, value);
    EXPECT_EQ(varint_size(value), alone.size());
  }
  std::string out;
  text(out, 16, "abc");
  EXPECT_EQ(bytes_size(16, 3), out.size());
}

TEST(a_message, that_is_cut_off_ends_there) {
  std::string whole;
  text(whole, 1, "abcdef");
  fixed(whole, 2, std::uint64_t{7});
  number(whole, 3, 300);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    reader r(std::string_view(whole).substr(0, n));
    std::size_t members = 0;
    for (member m; r.next(m);) ++members;
    EXPECT_LT(members, 3U);
  }
}

TEST(a_message, that_is_none_ends_at_once) {
  for (const auto& bad : {std::string("\x0B", 1), std::string("\x0A\xFF\xFF\xFF\xFF\x7F", 6),
                          std::string(20, '\xFF'), std::string("\x0F\x01", 2)}) {
    reader r(bad);
    member m;
    EXPECT_FALSE(r.next(m));
  }
}

}  // namespace
}  // namespace gate::trace::wire
