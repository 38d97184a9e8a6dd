#include "protocol/oauth/form.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::oauth {
namespace {

std::string form_flaw(std::string_view body) {
  const auto f = read_form(body);
  return f ? "" : f.error().what;
}

TEST(form, fields) {
  const auto f = read_form("a=1&b=x+y%20z&c=%C3%A9&d=&e&f=a=b").value();
  ASSERT_EQ(f.size(), 6u);
  EXPECT_EQ(field(f, "a"), "1");
  EXPECT_EQ(field(f, "b"), "x y z");
  EXPECT_EQ(field(f, "c"), "\u00e9");
  EXPECT_EQ(field(f, "d"), "");
  EXPECT_EQ(field(f, "e"), "");
  EXPECT_EQ(field(f, "f"), "a=b");
  EXPECT_EQ(field(f, "g"), "");
  EXPECT_EQ(field(f, "A"), "");
  EXPECT_TRUE(read_form("").value().empty());
  EXPECT_EQ(read_form("&&a=1&&").value().size(), 1u);
  EXPECT_EQ(field(read_form("gr%61nt=%2b%2B").value(), "grant"), "++");
  EXPECT_EQ(field(read_form("a=%00").value(), "a"), std::string_view("\0", 1));
  EXPECT_EQ(field(read_form("a=\xc3\xa9").value(), "a"), "\u00e9") << "unescaped, as some send it";
}

TEST(form, a_name_twice) {
  for (const char* body : {"a=1&a=1", "a=1&b=2&a=", "a&a", "a=1&%61=2", "=1&=2", "a+b=1&a%20b=2"})
    EXPECT_EQ(form_flaw(body), "the form has a field twice") << body;
}

TEST(form, bad_escapes_and_encodings) {
  for (const char* body : {"a=%", "a=%4", "a=%zz", "a=%4g", "%=1", "a=%%41", "a=%C3", "a=%ff",
                           "%ff=1", "a=\xff", "a=%ED%A0%80", "a=%u0041", "a=% 41"})
    EXPECT_EQ(form_flaw(body), "the form has a malformed percent escape or text that is not UTF-8")
        << body;
}

TEST(form, the_number_of_fields_has_a_bound) {
  const auto of = [](std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) append_field(out, std::to_string(i), "x");
    return out;
  };
  EXPECT_EQ(form_flaw(of(limits::form_fields)), "");
  EXPECT_EQ(form_flaw(of(limits::form_fields + 1)), "the form has too many fields");
  EXPECT_EQ(form_flaw(std::string(1'000'000, '&')), "");
}

TEST(form, what_is_appended_is_read) {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  all += "\u00e9\U0001f511";
  std::string body;
  append_field(body, "a b", all);
  append_field(body, all, "");
  EXPECT_EQ(body.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                   "-._*%+=&"),
            body.npos);
  const auto f = read_form(body).value();
  EXPECT_EQ(field(f, "a b"), all);
  EXPECT_EQ(f[1].first, all);
  std::string one;
  append_field(one, "a", "x y&z=1+2/\u00e9");
  EXPECT_EQ(one, "a=x+y%26z%3D1%2B2%2F%C3%A9");
}

TEST(form, basic_credentials_are_escaped_first) {
  // RFC 6749 §2.3.1.
  EXPECT_EQ(basic_credentials("s6BhdRkqt3", "7Fjfp0ZBr1KtDRbnfVdmIw"),
            "Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3");
  EXPECT_EQ(basic_credentials("a:b", "c d"), "Basic YSUzQWI6Yytk");
  EXPECT_EQ(basic_credentials("", ""), "Basic Og==");
}

TEST(form, the_client_of_basic_credentials) {
  const auto client = [](std::string_view text) {
    const auto c = basic_client(text);
    return c ? *c : "! " + c.error().what;
  };
  for (const std::string id :
       {"a", "a:b", "a b", "\u00e9", "https://client.example/x.json", "a+b%"})
    for (const std::string secret : {"", "s", "s:t", "\u00e9 /+"})
      EXPECT_EQ(client(basic_credentials(id, secret)), id);
  EXPECT_EQ(client("bAsIc czZCaGRSa3F0Mzp4"), "s6BhdRkqt3");
  EXPECT_EQ(client("  Basic  YTpi "), "a");
  for (const char* other : {"", "Bearer abc", "Basic", "BasicYTpi", "Digest YTpi"})
    EXPECT_EQ(client(other), "! the Authorization header is not Basic") << other;
  for (const char* bad :
       {"Basic ", "Basic YTp", "Basic YTpi=", "Basic YTpi====", "Basic YQ==", "Basic Y=pi",
        "Basic Y-pi", "Basic YTp_", "Basic YTpi YTpi", "Basic =", "Basic YT==pi", "Basic YTq="})
    EXPECT_TRUE(client(bad).starts_with("! the ")) << bad;
  EXPECT_EQ(client("Basic Og=="), "! the Basic credentials name no client");
  EXPECT_EQ(client("Basic OmE="), "! the Basic credentials name no client");
  EXPECT_EQ(client("Basic JTp4"), "! the Basic credentials name no client") << "a bad escape";
}

TEST(form, errors_quote_nothing) {
  for (const char* body : {"SECRET=1&SECRET=2", "a=SECRET%", "SECRET=%ff"})
    EXPECT_EQ(form_flaw(body).find("SECRET"), std::string::npos);
  EXPECT_EQ(basic_client("Basic SECRET").error().what.find("SECRET"), std::string::npos);
}

}  // namespace
}  // namespace gate::oauth
