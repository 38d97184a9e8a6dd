#include "protocol/fleet/vault.hpp"

#include <gtest/gtest.h>

namespace gate::fleet {
namespace {

constexpr vault::nonce once{1, 2, 3};
const vault ours("a secret of at least thirty-two characters");

TEST(vault, opens_what_it_has_sealed) {
  for (const std::string& text : {std::string{}, std::string("a"), std::string(100'000, 'x')}) {
    const auto sealed = ours.seal(text, "it", once);
    EXPECT_EQ(sealed.size(), text.size() + vault::overhead);
    EXPECT_EQ(ours.open(sealed, "it"), text);
  }
}

TEST(vault, shows_nothing_of_it) {
  const auto sealed = ours.seal("issuer and subject", "it", once);
  EXPECT_EQ(sealed.find("issuer"), std::string::npos);
  EXPECT_NE(sealed.substr(12), ours.seal("issuer and subject", "other", once).substr(12))
      << "with one nonce, about something else";
}

TEST(vault, opens_nothing_else) {
  const auto sealed = ours.seal("text", "it", once);
  EXPECT_FALSE(ours.open(sealed, "other")) << "it was put elsewhere";
  EXPECT_FALSE(vault("another secret, as long as that one is").open(sealed, "it"));
  EXPECT_FALSE(ours.open("", "it"));
  EXPECT_FALSE(ours.open(sealed + "x", "it"));
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    auto forged = sealed;
    forged[i] = static_cast<char>(forged[i] ^ 1);
    EXPECT_FALSE(ours.open(forged, "it")) << i;
    EXPECT_FALSE(ours.open(sealed.substr(0, i), "it")) << i;
  }
}

TEST(vault, is_the_same_for_the_same_secret) {
  const vault again("a secret of at least thirty-two characters");
  EXPECT_EQ(again, ours);
  EXPECT_EQ(again.open(ours.seal("text", "it", once), "it"), "text");
  EXPECT_NE(vault("another"), ours);
}

/// What is in a store now is to be read by the next version as well.
TEST(vault, is_the_same_for_ever) {
  std::string hex;
  for (const char c : ours.seal("text", "it", once)) {
    constexpr std::string_view digits = "0123456789abcdef";
    hex += digits[static_cast<std::uint8_t>(c) >> 4U];
    hex += digits[static_cast<std::uint8_t>(c) & 15U];
  }
  EXPECT_EQ(hex, "0102030000000000000000001aa9241213312a35557c8877e6e6cfb9ace3b3db");
}

}  // namespace
}  // namespace gate::fleet
