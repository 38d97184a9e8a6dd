#include "actors/identity/token_memory.hpp"

#include <gtest/gtest.h>

namespace gate::identity {
namespace {

using namespace std::chrono_literals;

digest digest_of(std::string_view token) {
  static const sha256 digest;
  return digest(token);
}

struct a_token_memory : ::testing::Test {
  void remember(const std::string& token, std::size_t issuer = 0) {
    auto a = std::make_shared<access>();
    a->tenant = token;
    it.remember(digest_of(token), {a, 1, issuer, t + 1h});
  }
  std::string find(const std::string& token) {
    auto* e = it.find(digest_of(token), t);
    return e ? e->access->tenant : "";
  }
  token_memory it{8};
  std::chrono::system_clock::time_point t{20'000h};
};

TEST_F(a_token_memory, finds_what_it_was_told_until_it_ends) {
  remember("one");
  EXPECT_EQ(find("one"), "one");
  EXPECT_EQ(find("two"), "");
  t += 59min;
  EXPECT_EQ(find("one"), "one");
  t += 1min;
  EXPECT_EQ(find("one"), "");
  EXPECT_EQ(it.size(), 0U);
}

TEST_F(a_token_memory, is_bounded_and_keeps_what_is_used) {
  for (int i = 0; i < 1000; ++i) {
    remember("used");
    remember(std::to_string(i));
    EXPECT_EQ(find("used"), "used");
    EXPECT_LE(it.size(), 8U);
  }
  EXPECT_EQ(find("0"), "");
  EXPECT_EQ(find("999"), "999");
}

TEST(a_small_token_memory, is_bounded_in_bytes_too) {
  token_memory it(1000, 100'000);
  const std::chrono::system_clock::time_point t{20'000h};
  for (int i = 0; i < 100; ++i) {
    auto who = std::make_shared<caller>();
    who->token = std::string(16'000, 'x');
    auto a = std::make_shared<access>();
    a->caller = who;
    it.remember(digest_of(std::to_string(i)), {a, 1, 0, t + 1h});
    EXPECT_LE(it.size(), 8U);
  }
  EXPECT_TRUE(it.find(digest_of("99"), t));
}

TEST_F(a_token_memory, forgets_one_issuer_and_no_other) {
  remember("a", 0);
  remember("b", 1);
  it.forget_issuer(0);
  EXPECT_EQ(find("a"), "");
  EXPECT_EQ(find("b"), "b");
}

}  // namespace
}  // namespace gate::identity
