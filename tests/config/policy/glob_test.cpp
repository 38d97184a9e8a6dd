#include "config/policy/glob.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gate::config {
namespace {

/// All words of up to `longest` letters of `alphabet`.
std::vector<std::string> words(std::string_view alphabet, std::size_t longest) {
  std::vector<std::string> out{""};
  for (std::size_t from = 0, size = 0; size < longest; ++size) {
    const auto to = out.size();
    for (; from < to; ++from) {
      for (char c : alphabet) out.push_back(out[from] + c);
    }
  }
  return out;
}

/// The definition, read aloud: slow, and obviously right.
bool by_definition(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] != '*') {
    return !text.empty() && text[0] == pattern[0] &&
           by_definition(pattern.substr(1), text.substr(1));
  }
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (by_definition(pattern.substr(1), text.substr(i))) return true;
  }
  return false;
}

TEST(glob, all_short_patterns_and_texts) {
  const auto texts = words("ab", 6);
  for (const auto& pattern : words("ab*", 5)) {
    const glob g(pattern);
    for (const auto& text : texts) {
      const bool expected = by_definition(pattern, text);
      ASSERT_EQ(g.matches(text), expected) << pattern << " ~ " << text;
      ASSERT_EQ(g.matches(text, glob::traits_of(text)), expected) << pattern << " ~ " << text;
    }
  }
}

/// Long texts are searched in another way.
TEST(glob, all_short_patterns_and_long_texts) {
  const std::string filler(100, 'c');
  for (const auto& pattern : words("ab*", 4)) {
    for (const auto& word : words("ab", 4)) {
      for (const auto& text :
           {word + filler, filler + word, word + filler + word, filler + word + filler}) {
        ASSERT_EQ(glob(pattern).matches(text), by_definition(pattern, text))
            << pattern << " ~ " << text;
      }
    }
  }
}

struct example {
  std::string_view pattern;
  std::string_view text;
  bool expected;
};

TEST(glob, examples) {
  for (const auto& [pattern, text, expected] : std::vector<example>{
           {"get_*", "get_issue", true},
           {"get_*", "get_", true},
           {"get_*", "GET_issue", false},
           {"get_*", "xget_issue", false},
           {"*_issue", "get_issue", true},
           {"*_issue", "get_issues", false},
           {"*", "", true},
           {"", "", true},
           {"", "x", false},
           {"a?c", "abc", false},  // no other signs
           {"a?c", "a?c", true},
           {"[ab]", "a", false},
           {"a.c", "abc", false},
           {"a\\*c", "a\\xc", true},  // no escape
           {"a\\*c", "a*c", false},
           {"file:///srv/*/notes", "file:///srv/a/b/notes", true},
           {"ab*ba", "aba", false},  // the ends do not share bytes
           {"ab*ba", "abba", true},
           {"a*b*c", "acb", false},
           {"\xC3\xA9*", "\xC3\xA9t\xC3\xA9", true},
       }) {
    EXPECT_EQ(glob(pattern).matches(text), expected) << pattern << " ~ " << text;
  }
  EXPECT_TRUE(glob(std::string_view("a\0*", 3)).matches(std::string_view("a\0b", 3)));
  EXPECT_FALSE(glob(std::string_view("a\0b", 3)).matches("a"));
}

TEST(glob, exact_ones_are_told) {
  EXPECT_TRUE(glob("abc").exact());
  EXPECT_EQ(glob("abc").text(), "abc");
  EXPECT_TRUE(glob("").exact());
  EXPECT_FALSE(glob("abc*").exact());
}

/// A plain search compares each of these patterns anew at each of a million places. If matching
/// were not linear, this test would run for minutes.
TEST(glob, hostile_texts_cost_their_length) {
  const std::string many(1'000'000, 'a');
  for (const auto& needle : {std::string(1'000, 'a') + 'b', 'b' + std::string(1'000, 'a'),
                             std::string(500, 'a') + 'b' + std::string(500, 'a')}) {
    EXPECT_FALSE(glob('*' + needle + '*').matches(many));
  }
  std::string stars;
  for (int i = 0; i < 500; ++i) stars += "*a";
  EXPECT_TRUE(glob(stars + '*').matches(many));
  EXPECT_FALSE(glob(stars + "*b*").matches(many));
}

TEST(glob, traits_rule_out_and_never_in) {
  EXPECT_EQ(glob::traits_of(""), 0U);
  EXPECT_EQ(glob::traits_of("a"), 0U);
  EXPECT_EQ(glob("a*b*c").needs(), 0U);
  EXPECT_EQ(glob("ab*cd*ef").needs(),
            glob::traits_of("ab") | glob::traits_of("cd") | glob::traits_of("ef"));
  EXPECT_FALSE(glob("ab*").matches("ba", glob::traits_of("ab")));
  EXPECT_FALSE(glob("ab*").matches("abc", 0));
  const std::string bytes("\x00\xFF\x80\x7F", 4);
  EXPECT_TRUE(glob('*' + bytes + '*').matches("x" + bytes, glob::traits_of("x" + bytes)));
}

// --- templates -----------------------------------------------------------------------------------

/// What `uri_template` may become, up to some length: each expression any word.
std::set<std::string> expansions(std::string_view uri_template,
                                 const std::vector<std::string>& fills) {
  const auto open = uri_template.find('{');
  if (open == std::string_view::npos) return {std::string(uri_template)};
  const auto close = uri_template.find('}', open);
  std::set<std::string> out;
  for (const auto& rest : expansions(uri_template.substr(close + 1), fills)) {
    for (const auto& fill : fills) {
      out.insert(std::string(uri_template.substr(0, open)) + fill + rest);
    }
  }
  return out;
}

/// By trying all texts that the template may become: those long enough to hold the pattern's
/// letters show whether there is one.
TEST(glob, all_short_patterns_and_templates) {
  const auto fills = words("ab", 3);
  std::vector<std::string> templates;
  for (const auto& shape : words("abX", 3)) {
    std::string text;
    for (char c : shape) text += c == 'X' ? "{x}" : std::string(1, c);
    templates.push_back(std::move(text));
  }
  for (const auto& t : templates) {
    const auto all = expansions(t, fills);
    for (const auto& pattern : words("ab*", 3)) {
      const bool expected = std::any_of(all.begin(), all.end(), [&](const std::string& text) {
        return by_definition(pattern, text);
      });
      ASSERT_EQ(glob(pattern).meets_template(t), expected) << pattern << " ~ " << t;
    }
  }
}

TEST(glob, template_examples) {
  for (const auto& [pattern, uri_template, expected] : std::vector<example>{
           {"file:///public/*", "file:///{path}", true},
           {"file:///public/*", "file:///pub{path}", true},
           {"file:///public/*", "file:///private/{path}", false},
           {"file:///public/*", "{+uri}", true},
           {"file:///public/x", "file:///{path}", true},
           {"file:///public/x", "file:///{path}/y", false},
           {"file:///public/x", "file:///public/x", true},
           {"file:///public/x", "file:///public/y", false},
           {"*.txt", "file:///{path}.md", false},
           {"*.txt", "file:///{path}t", true},
           {"*.txt", "file:///{path}", true},
           {"*b*", "a{x}c", true},
           {"ab*bc", "ab{x}c", true},
           {"", "{x}", true},
           {"", "a{x}", false},
           {"", "", true},
           // The ends of an exact name do not share bytes.
           {"aba", "ab{x}ba", false},
           {"abba", "ab{x}ba", true},
           {"axbyc", "a{x}b{y}c", true},
           {"axyc", "a{x}b{y}c", false},
           {"a*c", "a{x}{y}c", true},
           // `*` in a template is itself; so is a template with a brace that is never closed.
           {"a*b", "a*b", true},
           {"aXb", "a*b", false},
           {"a{x", "a{x", true},
           {"axx", "a{x", false},
           {"abc{", "a{x}c{", false},
           {"a{x}c{", "a{x}c{", true},
           {"a{*", "a{x", true},
           {"a}b", "a}b", true},
           {"a", "{}a", true},
           // An expression ends at the first closing brace.
           {"x}", "{a{b}}", true},
       }) {
    EXPECT_EQ(glob(pattern).meets_template(uri_template), expected)
        << pattern << " ~ " << uri_template;
  }
}

TEST(glob, hostile_templates_cost_their_length) {
  std::string pieces;
  for (int i = 0; i < 2'000; ++i) pieces += "{x}a";
  std::string stars;
  for (int i = 0; i < 500; ++i) stars += "*a";
  const std::string exact(1'000, 'a');
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(glob(stars).meets_template(pieces));
    EXPECT_FALSE(glob(stars + 'b').meets_template(pieces));
    EXPECT_FALSE(glob(exact).meets_template(pieces));
    EXPECT_TRUE(glob(exact + exact).meets_template(pieces));
    EXPECT_FALSE(glob(stars).meets_template(std::string(8'192, '{')));
  }
}

}  // namespace
}  // namespace gate::config
