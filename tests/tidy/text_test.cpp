#include "tests/tidy/text.hpp"

#include <gtest/gtest.h>

namespace gate::tidy {
namespace {

TEST(mask, keeps_code_and_comments_apart) {
  const auto m = mask("int a; // b \"c\"\nf(\"// d\", 'e'); /* g\nh */ i");
  EXPECT_EQ(m.code, "int a;         \nf(\"    \", ' ');     \n     i");
  EXPECT_EQ(m.comments, "       // b \"c\"\n                /* g\nh */  ");
}

TEST(mask, literals) {
  for (std::string_view text :
       {"R\"(a \" // b)\"; x", "R\"z(a )\" )\" )z\"; x", "\"a \\\" b\"; x", "'\\''; x", "20'000; x",
        "u8R\"(\")\"; x", "0xF'F; x", "u8'a'; x", "'\"'; x"}) {
    const auto code = mask(text).code;
    EXPECT_TRUE(code.ends_with("; x")) << text << " -> " << code;
    EXPECT_EQ(code.size(), text.size());
  }
}

TEST(text, columns_are_code_points) {
  EXPECT_EQ(columns("abc"), 3U);
  EXPECT_EQ(columns("\xC3\xA9\xE2\x80\xA6"), 2U);
}

TEST(text, lines) {
  EXPECT_EQ(lines_of("a\n\nb\n").size(), 3U);
  EXPECT_EQ(lines_of("").size(), 0U);
  EXPECT_EQ(line_at("a\nb\nc", 2), 2U);
}

TEST(find_all, whole_words_and_any_space) {
  EXPECT_EQ(find_all("getenv my_getenv getenvs getenv", "getenv").size(), 2U);
  EXPECT_EQ(find_all("catch(...) catch (\n... )", "catch ( ... )").size(), 2U);
  EXPECT_EQ(find_all("[=] [=, this] [ = ] x[a] = b", "[ =").size(), 3U);
}

TEST(find_calls, only_free_functions) {
  for (std::string_view text : {"rand()", "std::rand()", "::rand ()", "return rand();", "= rand()"})
    EXPECT_EQ(find_calls(text, "rand").size(), 1U) << text;
  for (std::string_view text :
       {"a.rand()", "a->rand()", "my::rand()", "int rand()", "rand", "grand()"})
    EXPECT_EQ(find_calls(text, "rand").size(), 0U) << text;
}

TEST(includes_of, only_directives) {
  const auto found = includes_of(
      "#include <array>\n"
      "// #include <in_a_comment>\n"
      "#  include \"a/b.hpp\"  // why\n"
      "const char* text = R\"(\n#include <in_a_literal>\n)\";\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].path, "array");
  EXPECT_FALSE(found[0].quoted);
  EXPECT_EQ(found[1].path, "a/b.hpp");
  EXPECT_TRUE(found[1].quoted);
  EXPECT_EQ(found[1].line, 3U);
}

struct shape {
  std::string_view code;
  std::string_view name;  ///< empty: no function
  std::size_t first;
  std::size_t last;
};

constexpr shape shapes[] = {
    {"void f() {\n}\n", "f", 1, 2},
    {"namespace a::b {\nvoid c::f() const noexcept {\n}\n}\n", "f", 2, 3},
    {"class a : public b {\n public:\n  a(int x)\n      : x_(x), y_{1} {\n  }\n};\n", "a", 3, 5},
    {"a::a() : x_{1} {\n}\n", "a", 1, 2},
    {"template <class t>\nauto f(t x) -> std::vector<t> {\n}\n", "f", 1, 3},
    {"void f(options o = {}) {\n  if (x) {\n  }\n}\n", "f", 1, 4},
    {"void f() {\n  g([](int x) {\n  });\n  a b{1};\n}\n", "f", 1, 5},
    {"// a comment\n\n[[nodiscard]] int f() {\n}\n", "f", 3, 4},
    {"TEST(a, b) {\n}\n", "TEST(a, b)", 1, 2},
    {"bool operator==(const a&) const {\n}\n", "operator==", 1, 2},
    {"constexpr auto f = [](int x) {\n};\n", "f", 1, 2},
    {"int f() {\n  return '{' + sizeof \"{\" /* { */;  // {\n}\n", "f", 1, 3},
    {"#define M(x) {\\\n  {\nint f() {\n}\n", "f", 3, 4},
    {"BEGIN_TYPES(a, b)\nnamespace c {\nint f() {\n}\n}\n", "f", 3, 4},
    {"int a[] = {\n1, 2};\nint b{3};\n", "", 0, 0},
    {"const table t{{\n{1, f(2)},\n}};\n", "", 0, 0},
    {"enum class e : std::uint8_t {\na,\n};\nstruct s {\nint x = 1;\n};\n", "", 0, 0},
    {"extern \"C\" {\nvoid f();\n}\n", "", 0, 0},
};

TEST(functions_of, every_shape) {
  for (const auto& s : shapes) {
    const auto found = functions_of(s.code);
    EXPECT_TRUE(found.balanced) << s.code;
    ASSERT_EQ(found.functions.size(), s.name.empty() ? 0U : 1U) << s.code;
    if (s.name.empty()) continue;
    EXPECT_EQ(found.functions[0].name, s.name) << s.code;
    EXPECT_EQ(found.functions[0].first_line, s.first) << s.code;
    EXPECT_EQ(found.functions[0].last_line, s.last) << s.code;
  }
}

TEST(functions_of, admits_what_it_can_not_read) {
  EXPECT_FALSE(functions_of("void f() {\n").balanced);
  EXPECT_FALSE(functions_of("}\n").balanced);
}

}  // namespace
}  // namespace gate::tidy
