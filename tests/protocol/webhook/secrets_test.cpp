#include "protocol/webhook/secrets.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "protocol/base/base64.hpp"

namespace gate::webhook {
namespace {

std::string secret_refusal(std::string_view secret) {
  const auto checked = check_secret(secret);
  return checked ? "" : checked.error().what;
}

std::string of_key(std::size_t bytes) {
  return std::string(secret_prefix) + base64_encode(std::string(bytes, 'k'));
}

TEST(a_secret, is_not_to_be_guessed) {
  EXPECT_EQ(secret_refusal(std::string(16, 'a')), "");
  EXPECT_EQ(secret_refusal(std::string(256, 'a')), "");
  EXPECT_EQ(secret_refusal("sixteen & spaces, ~"), "");
  EXPECT_EQ(secret_refusal(""), "the secret is shorter than 16 characters");
  EXPECT_EQ(secret_refusal(std::string(15, 'a')), "the secret is shorter than 16 characters");
  EXPECT_EQ(secret_refusal(std::string(257, 'a')), "the secret is longer than 256 characters");
  for (const std::string bad : {"\x1F", "\n", "\r", "\t", "\x7f", "\x80", "\xC3\xA9"})
    EXPECT_EQ(secret_refusal(std::string(16, 'a') + bad), "a secret contains printable ASCII only");
  EXPECT_EQ(secret_refusal(std::string(16, '\0')), "a secret contains printable ASCII only");
}

TEST(a_secret, with_the_prefix_says_a_key) {
  EXPECT_EQ(secret_refusal("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "");
  EXPECT_EQ(secret_refusal(of_key(24)), "");
  EXPECT_EQ(secret_refusal(of_key(64)), "");
  EXPECT_EQ(secret_refusal(of_key(23)), "what follows whsec_ does not stand for 24 to 64 bytes");
  EXPECT_EQ(secret_refusal(of_key(65)), "what follows whsec_ does not stand for 24 to 64 bytes");
  for (const auto* bad : {"whsec_not base64, is it?", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
                          "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa_-", "whsec_=========="})
    EXPECT_EQ(secret_refusal(bad), "what follows whsec_ is not base64 with padding") << bad;
  EXPECT_EQ(secret_refusal("WHSEC_not base64, is it?"), "") << "another case is another secret";
}

TEST(a_secret, is_never_in_what_is_said_of_it) {
  for (const std::string bad : {"whsec_hidden words, these", "hidden", "hidden and long \x01"})
    EXPECT_EQ(secret_refusal(bad).find("hidden"), std::string::npos);
}

TEST(a_secret, is_made_of_chance) {
  std::array<std::uint8_t, 32> random;
  std::iota(random.begin(), random.end(), std::uint8_t{0});
  const auto made = new_secret(random);
  EXPECT_EQ(made, "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
  EXPECT_EQ(secret_refusal(made), "");
  const auto key = key_of(made);
  EXPECT_EQ(key, std::string(random.begin(), random.end()));
}

TEST(a_secret, is_its_bytes_without_the_prefix) {
  EXPECT_EQ(key_of("sixteen characters"), "sixteen characters");
  EXPECT_EQ(key_of("TWZLUTlyOEdLWXFyVHdqVQ=="), "TWZLUTlyOEdLWXFyVHdqVQ==");
}

TEST(a_secret, is_known_by_its_last_four) {
  EXPECT_EQ(hint_of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "LaSw");
  EXPECT_EQ(hint_of(""), "");
}

}  // namespace
}  // namespace gate::webhook
