#include "protocol/base/base64url.hpp"

#include <gtest/gtest.h>

#include <random>

namespace gate {
namespace {

TEST(base64url, known_texts) {
  // RFC 4648 §10, without the padding.
  for (const auto& [plain, text] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"", ""},
           {"f", "Zg"},
           {"fo", "Zm8"},
           {"foo", "Zm9v"},
           {"foob", "Zm9vYg"},
           {"fooba", "Zm9vYmE"},
           {"foobar", "Zm9vYmFy"},
           // RFC 7515 appendix C
           {"\x03\xec\xff\xe0\xc1", "A-z_4ME"}}) {
    EXPECT_EQ(base64url_encode(plain), text);
    EXPECT_EQ(base64url_decode(text), plain);
  }
}

TEST(base64url, every_content_has_one_spelling) {
  // All texts of two digits are one byte or nothing; of those that are a byte, each is another.
  constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  int good = 0;
  for (char a : alphabet)
    for (char b : alphabet) {
      const std::string text{a, b};
      const auto back = base64url_decode(text);
      if (!back) continue;
      ++good;
      EXPECT_EQ(base64url_encode(*back), text);
    }
  EXPECT_EQ(good, 256);
  int three = 0;
  for (char c : alphabet) three += base64url_decode(std::string("AB") + c).has_value();
  EXPECT_EQ(three, 16);
}

TEST(base64url, every_length_and_byte_goes_round) {
  std::mt19937 random(7);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string bytes(size, '\0');
    for (char& b : bytes) b = static_cast<char>(random());
    const auto text = base64url_encode(bytes);
    EXPECT_EQ(text.size(), (size * 4 + 2) / 3);
    EXPECT_EQ(base64url_decode(text), bytes);
  }
}

TEST(base64url, other_characters_are_refused_wherever_they_stand) {
  for (int c = 0; c < 256; ++c) {
    const char wrong = static_cast<char>(c);
    const bool digit = (wrong >= '0' && wrong <= '9') || (wrong >= 'A' && wrong <= 'Z') ||
                       (wrong >= 'a' && wrong <= 'z') || wrong == '-' || wrong == '_';
    for (std::size_t size : {2, 3, 4, 6, 7, 8})
      for (std::size_t at = 0; at < size; ++at) {
        std::string text(size, 'A');
        text[at] = wrong;
        if (!digit) {
          EXPECT_FALSE(base64url_decode(text).has_value()) << c << ' ' << at;
        } else if (at + 1 < size || size % 4 == 0) {
          EXPECT_TRUE(base64url_decode(text).has_value()) << c << ' ' << at;
        }
      }
  }
}

TEST(base64url, impossible_texts_are_refused) {
  for (std::string_view text : {"A", "AAAAA", "Zg==", "Zm8=", "Zm9v\n", " Zm9v", "Zm 9v", "Zh",
                                "Zm9", "Zm+v", "Zm/v", "====", "="})
    EXPECT_FALSE(base64url_decode(text).has_value()) << text;
  EXPECT_FALSE(base64url_decode(std::string_view("Zm9\0", 4)).has_value());
}

}  // namespace
}  // namespace gate
