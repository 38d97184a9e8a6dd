// Texts that are made of what a command line is: config/options/described.hpp, manual.hpp,
// completions.hpp. Those of our programs are compared with files (tests/packages); here it is what
// their tables do not have.
#include "config/options/described.hpp"

#include <gtest/gtest.h>

#include "config/options/completions.hpp"
#include "config/options/manual.hpp"

namespace gate::config {
namespace {

testing::AssertionResult has(const std::string& text, std::string_view part) {
  if (text.find(part) != text.npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << '"' << part << "\" is not in\n" << text;
}

described_program odd() {
  return {"a-b",
          "it's \\ odd",
          "a-b [options]\n       X=1 a-b",
          "0 ok, fine, 2 wrong",
          {{"--it", "WORD", "that's [it]: \\", "x", {"one", "two"}},
           {"--in", "DIR", ".hidden", "", {}},
           {"--out", "FILE", "…", "", {}},
           {"--free", "N", "a number", "", {}},
           {"--flag", "", "a flag", "", {}}},
          false,
          false};
}

TEST(described, help_has_a_line_an_option) {
  EXPECT_TRUE(has(help_text(odd()), "\n  --it WORD   that's [it]: \\ (x)\n"));
  EXPECT_TRUE(
      has(help_text(described_commands{"p", "it", "p C", "0 ok", {odd()}}), "\n  --version"));
}

TEST(described, the_kind_of_a_value_is_in_its_placeholder) {
  const auto p = odd();
  EXPECT_EQ(value_kind_of(p.options[1]), value_kind::folder);
  EXPECT_EQ(value_kind_of(p.options[2]), value_kind::file);
  EXPECT_EQ(value_kind_of(p.options[3]), value_kind::word);
}

TEST(manual, what_roff_would_take_for_its_own_is_escaped) {
  const auto page = manual(odd(), {"It.\n\n.so x", {}, ""});
  EXPECT_TRUE(has(page, "\n.TH A-B 1 \"@DATE@\" \"gate @VERSION@\"\n"));
  EXPECT_TRUE(has(page, "\na\\-b \\- it\\(aqs \\e odd\n"));
  EXPECT_TRUE(has(page, "\n.PP\n\\&.so x\n"));
  EXPECT_TRUE(has(page, "\n\\&.hidden.\n"));
  EXPECT_TRUE(has(page, "\n.br\nX=1 a\\-b\n"));
  EXPECT_EQ(page.find("…"), page.npos);
}

TEST(manual, an_exit_code_is_what_begins_with_a_number) {
  const auto page = manual(odd(), {"It.", {}, ""});
  EXPECT_TRUE(has(page, ".TP\n\\fB0\\fR\nok, fine\n.TP\n\\fB2\\fR\nwrong\n"));
}

TEST(manual, of_the_document_has_an_entry_a_row) {
  const auto page = document_manual(
      "### `a[]`\n\nAll.\n\n| Field | Type | Default | Change | Meaning |\n|---|---|---|---|---|\n"
      "| `x.y` | string | `q` | live | What `it` is. |\n| `z` | integer | required | live | Z. |\n",
      {"It.", {}, ""});
  EXPECT_TRUE(has(page, ".SS a[]\nAll.\n.TP\n\\fBx.y\\fR (string; default q)\nWhat it is.\n"));
  EXPECT_TRUE(has(page, "\\fBz\\fR (integer; required)\nZ.\n"));
}

TEST(completions, what_a_shell_would_take_for_its_own_is_escaped) {
  EXPECT_TRUE(has(zsh_completion(odd()), R"('--it=[that'\''s \[it\]\: \\]:WORD:(one two)')"));
  EXPECT_TRUE(has(zsh_completion(odd()), "'--in=[.hidden]:DIR:_files -/'"));
  EXPECT_TRUE(has(fish_completion(odd()), R"(-l it -x -a 'one two' -d 'that\'s [it]: \\')"));
  EXPECT_TRUE(has(bash_completion(odd()), "--it) mapfile -t COMPREPLY < <(compgen -W 'one two'"));
  EXPECT_TRUE(has(bash_completion(odd()), "complete -F _a_b a-b\n"));
}

}  // namespace
}  // namespace gate::config
