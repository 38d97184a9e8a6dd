#include "config/options/listening.hpp"

#include <gtest/gtest.h>

namespace gate::config {
namespace {

TEST(listening, is_for_this_machine_only_on_loopback) {
  for (const char* host : {"127.0.0.1", "127.0.0.2", "::1", "localhost"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host :
       {"0.0.0.0", "::", "10.0.0.1", "example.com", "128.0.0.1", "127.evil.com", "a.localhost"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

TEST(listening, has_a_url) {
  EXPECT_EQ(url_of("127.0.0.1", 80), "http://127.0.0.1:80");
  EXPECT_EQ(url_of("::1", 8092), "http://[::1]:8092");
}

TEST(listening, knows_what_a_variable_may_be_called) {
  EXPECT_TRUE(is_variable_name("TOKEN_1"));
  for (const std::string_view no :
       {std::string_view(""), std::string_view("A=B"), std::string_view("A\0B", 3)})
    EXPECT_FALSE(is_variable_name(no)) << no;
}

TEST(listening, takes_secrets_without_what_surrounds_them) {
  EXPECT_EQ(without_blanks(" \t a b\r\n"), "a b");
  EXPECT_EQ(without_blanks(" \n"), "");
}

}  // namespace
}  // namespace gate::config
