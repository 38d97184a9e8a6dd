// The search for special bytes, which looks at many at once, finds what a look at each one finds.
#include "protocol/json/special.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gate::json {
namespace {

template <bool Utf8>
std::size_t found(const std::string& text) {
  const char* begin = text.data();
  return static_cast<std::size_t>(find_special<Utf8>(begin, begin + text.size()) - begin);
}

bool is_special(unsigned byte, bool utf8) {
  return byte == '"' || byte == '\\' || byte < 0x20 || (utf8 && byte >= 0x80);
}

TEST(special, each_byte_is_found_at_each_place) {
  for (std::size_t size = 1; size <= 40; ++size)
    for (std::size_t place = 0; place < size; ++place)
      for (unsigned byte = 0; byte < 256; ++byte) {
        std::string text(size, 'a');
        text[place] = static_cast<char>(byte);
        text.shrink_to_fit();
        ASSERT_EQ(found<true>(text), is_special(byte, true) ? place : size) << size << ' ' << byte;
        ASSERT_EQ(found<false>(text), is_special(byte, false) ? place : size);
      }
}

TEST(special, the_first_of_two_is_found) {
  for (std::size_t first = 0; first < 40; ++first)
    for (std::size_t second = first + 1; second < 40; ++second) {
      std::string text(40, 'a');
      text[first] = '\\';
      text[second] = '"';
      ASSERT_EQ(found<true>(text), first);
    }
}

TEST(special, what_stands_behind_the_end_is_not_looked_at) {
  const std::string quotes(64, '"');
  EXPECT_EQ(find_special<true>(quotes.data(), quotes.data()), quotes.data());
  std::string text = std::string(20, 'a') + quotes;
  for (std::size_t size = 0; size <= 20; ++size)
    EXPECT_EQ(find_special<true>(text.data(), text.data() + size), text.data() + size) << size;
}

}  // namespace
}  // namespace gate::json
