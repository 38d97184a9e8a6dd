#include "protocol/mcp/cursor.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace gate::mcp {
namespace {

cursor_key key_of(std::uint8_t first) {
  cursor_key key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(first + i);
  return key;
}

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST(cursor, what_was_sealed_opens) {
  for (const cursor_content& content :
       {cursor_content{}, cursor_content{1, 200, 0x0123456789ABCDEF, 42},
        cursor_content{255, most, most, most}}) {
    auto text = seal(content, key_of(1));
    EXPECT_EQ(text.size(), 56u);
    EXPECT_EQ(
        text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
        text.npos);
    EXPECT_EQ(open(text, key_of(1)), content);
    EXPECT_EQ(seal(content, key_of(1)), text) << "equal pages have equal cursors";
  }
}

TEST(cursor, another_key_does_not_open) {
  auto text = seal({1, 2, 3, 4}, key_of(1));
  EXPECT_FALSE(open(text, key_of(2)).has_value());
  auto close = key_of(1);
  close[31] ^= 1;
  EXPECT_FALSE(open(text, close).has_value());
}

TEST(cursor, every_flipped_bit_is_noticed) {
  const auto text = seal({3, 400, 0xFEDCBA9876543210, 77}, key_of(9));
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      auto forged = text;
      forged[i] = static_cast<char>(forged[i] ^ (1 << bit));
      EXPECT_FALSE(open(forged, key_of(9)).has_value()) << i << ' ' << bit;
    }
    for (int byte = 0; byte < 256; ++byte) {
      auto forged = text;
      forged[i] = static_cast<char>(byte);
      EXPECT_EQ(open(forged, key_of(9)).has_value(), forged == text) << i << ' ' << byte;
    }
  }
}

TEST(cursor, other_texts_are_refused) {
  const auto text = seal({1, 2, 3, 4}, key_of(1));
  for (std::size_t n = 0; n < text.size(); ++n)
    EXPECT_FALSE(open(text.substr(0, n), key_of(1)).has_value());
  for (const auto& other : {std::string(), text + "A", text + "=", text + "==", " " + text,
                            text + " ", text + text, std::string(56, 'A'), std::string(56, '='),
                            std::string(56, '\0'), std::string(100'000, 'A')})
    EXPECT_FALSE(open(other, key_of(1)).has_value()) << other.substr(0, 80);
}

TEST(cursor, digests_depend_on_order_and_borders) {
  auto digest = [](std::initializer_list<std::string_view> items) {
    auto d = digest_start;
    for (auto i : items) d = extend_digest(d, i);
    return d;
  };
  EXPECT_EQ(digest({"a", "b"}), digest({"a", "b"}));
  EXPECT_NE(digest({"a", "b"}), digest({"b", "a"}));
  EXPECT_NE(digest({"ab", "c"}), digest({"a", "bc"}));
  EXPECT_NE(digest({"ab"}), digest({"a", "b"}));
  EXPECT_NE(digest({""}), digest({}));
  EXPECT_NE(digest({"", ""}), digest({""}));
  EXPECT_NE(digest({std::string(256, 'x')}), digest({std::string(257, 'x')}));
}

}  // namespace
}  // namespace gate::mcp
