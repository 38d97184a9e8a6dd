#include "protocol/fleet/stream_record.hpp"

#include <gtest/gtest.h>

#include "protocol/fleet/call_record.hpp"
#include "protocol/limits.hpp"

namespace gate::fleet {
namespace {

const resumption wish{7, "12-34"};
const stream_piece a_piece{7, 2, stream_piece::what::events, "id: 1-2\ndata: {}\n\n"};
const stream_mark a_mark{7, 1'000'000'000'000, true};

TEST(stream_records, come_back_as_they_were) {
  EXPECT_EQ(read_resumption(encode(wish)), wish);
  EXPECT_EQ(read_stream_piece(encode(a_piece)), a_piece);
  EXPECT_EQ(read_stream_mark(encode(a_mark)), a_mark);
  EXPECT_EQ(read_resumption(encode(resumption{})), resumption{});
  EXPECT_EQ(read_stream_piece(encode(stream_piece{})), stream_piece{});
  EXPECT_EQ(read_stream_mark(encode(stream_mark{})), stream_mark{});
  for (auto is = 0; is <= static_cast<int>(stream_piece::what::ends); ++is) {
    const stream_piece p{1, 2, static_cast<stream_piece::what>(is), "x"};
    EXPECT_EQ(read_stream_piece(encode(p)), p);
  }
}

TEST(stream_records, are_whole_or_none) {
  const auto check = [](const std::string& bytes, auto read) {
    for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_FALSE(read(bytes.substr(0, i))) << i;
    EXPECT_FALSE(read(bytes + '\0'));
  };
  check(encode(wish), read_resumption);
  check(encode(a_piece), read_stream_piece);
  check(encode(a_mark), read_stream_mark);
  EXPECT_FALSE(read_stream_piece(encode(wish)));
  EXPECT_FALSE(read_stream_mark(encode(a_piece)));
  EXPECT_FALSE(read_resumption(encode(a_mark)));
  EXPECT_FALSE(read_settlement(encode(a_piece)));
}

TEST(stream_records, have_no_words_that_nobody_knows) {
  auto piece = encode(a_piece);
  piece[17] = 7;
  EXPECT_FALSE(read_stream_piece(piece));
  piece[17] = 6;
  EXPECT_TRUE(read_stream_piece(piece));
  auto mark = encode(a_mark);
  mark.back() = 2;
  EXPECT_FALSE(read_stream_mark(mark));
}

TEST(stream_records, are_bounded) {
  EXPECT_TRUE(read_resumption(encode({1, std::string(limits::fleet_name_bytes, 'x')})));
  EXPECT_FALSE(read_resumption(encode({1, std::string(limits::fleet_name_bytes + 1, 'x')})));
  stream_piece p{1, 2, stream_piece::what::events, std::string(limits::fleet_word_bytes + 1, 'x')};
  EXPECT_FALSE(read_stream_piece(encode(p)));
  p.text.pop_back();
  EXPECT_TRUE(read_stream_piece(encode(p)));
}

}  // namespace
}  // namespace gate::fleet
