#include "protocol/mcp/stateless/request_state.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "protocol/base/base64url.hpp"

namespace gate::mcp::stateless {
namespace {

constexpr state_key key{1, 2, 3};
constexpr state_nonce nonce{9, 8, 7};

request_state some() {
  request_state s;
  s.unit = 3;
  s.call = 0x0123456789ABCDEF;
  s.round = 7;
  s.instance.fill('I');
  s.expires = 1'234'567'890'123;
  for (std::size_t i = 0; i < s.binding.size(); ++i) s.binding[i] = static_cast<std::uint8_t>(i);
  return s;
}

TEST(request_state, opens_as_it_was_sealed) {
  auto s = some();
  EXPECT_EQ(open(seal(s, key, nonce), key), s);
  s = {};
  EXPECT_EQ(open(seal(s, key, nonce), key), s);
  s.unit = 255;
  s.call = s.expires = std::numeric_limits<std::uint64_t>::max();
  s.round = std::numeric_limits<std::uint32_t>::max();
  s.binding.fill(255);
  s.instance.fill(255);
  EXPECT_EQ(open(seal(s, key, nonce), key), s);
}

TEST(request_state, is_of_one_length_and_another_each_time) {
  const auto text = seal(some(), key, nonce);
  EXPECT_EQ(text.size(), request_state_text);
  EXPECT_NE(text, seal(some(), key, state_nonce{1}));
  EXPECT_EQ(
      text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
      text.npos);
}

TEST(request_state, says_nothing_but_its_unit) {
  auto s = some();
  s.binding.fill('A');
  const auto bytes = base64url_decode(seal(s, key, nonce)).value();
  EXPECT_EQ(bytes[0], 3);
  EXPECT_EQ(bytes.find("AAAA"), bytes.npos);
}

TEST(request_state, does_not_open_with_any_other_bit) {
  const auto sealed = base64url_decode(seal(some(), key, nonce)).value();
  for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
    auto other = sealed;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(open(base64url_encode(other), key)) << bit;
  }
}

TEST(request_state, does_not_open_with_any_other_character) {
  const auto text = seal(some(), key, nonce);
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int c = 0; c < 256; ++c) {
      auto other = text;
      other[at] = static_cast<char>(c);
      EXPECT_EQ(open(other, key).has_value(), other == text) << at << ' ' << c;
    }
}

TEST(request_state, does_not_open_cut_or_lengthened) {
  const auto text = seal(some(), key, nonce);
  for (std::size_t n = 0; n < text.size(); ++n) {
    EXPECT_FALSE(open(text.substr(0, n), key)) << n;
    EXPECT_FALSE(open(text.substr(text.size() - n), key)) << n;
  }
  for (const auto more : {"A", "AAA", "AAAA", "=", "\n"}) {
    EXPECT_FALSE(open(text + more, key));
    EXPECT_FALSE(open(more + text, key));
  }
  EXPECT_FALSE(open(text + text, key));
}

TEST(request_state, does_not_open_with_another_key) {
  const auto text = seal(some(), key, nonce);
  for (std::size_t bit = 0; bit < key.size() * 8; ++bit) {
    auto other = key;
    other[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_FALSE(open(text, other)) << bit;
  }
}

TEST(request_state, names_its_unit_to_whoever_can_not_open_it) {
  for (int unit = 0; unit < 256; ++unit) {
    auto s = some();
    s.unit = static_cast<std::uint8_t>(unit);
    EXPECT_EQ(unit_of_state(seal(s, key, nonce)), unit);
  }
  const auto text = seal(some(), key, nonce);
  EXPECT_FALSE(unit_of_state(""));
  EXPECT_FALSE(unit_of_state(text + "A"));
  EXPECT_FALSE(unit_of_state(text.substr(1)));
  EXPECT_FALSE(unit_of_state(text.substr(1) + "="));
}

TEST(request_state, is_found_in_a_body) {
  const auto text = seal(some(), key, nonce);
  const auto named = [&](std::string_view before, std::string_view behind = "\"}") {
    return unit_named_in(std::string(before) + text + std::string(behind));
  };
  EXPECT_EQ(named(R"({"requestState":")"), 3);
  EXPECT_EQ(named("{\"requestState\" :\r\n\t \""), 3);
  EXPECT_EQ(named(R"({"a":{"requestState":7,"requestState":"x"},"requestState":")"), 3)
      << "what has not the form is passed over";
  EXPECT_FALSE(named(R"({"requestStat":")"));
  EXPECT_FALSE(named(R"({"requestState":)"));
  EXPECT_FALSE(named(R"({"requestState")"));
  EXPECT_FALSE(named(R"({"requestState":")", "A\"}")) << "it is longer";
  EXPECT_FALSE(named(R"({"requestState":")", "")) << "the body ends";
  EXPECT_FALSE(unit_named_in(""));
  EXPECT_FALSE(unit_named_in(R"("requestState")"));
}

}  // namespace
}  // namespace gate::mcp::stateless
