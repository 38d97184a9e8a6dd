#include "config/options/options.hpp"

#include <gtest/gtest.h>

#include "config/options/kinds.hpp"

namespace gate::config {
namespace {

enum class color { red, green, blue };
constexpr word_table<color, 3> colors{
    {{"red", color::red}, {"green", color::green}, {"blue", color::blue}}};
enum class task { run, look, list, help };

struct chosen {
  task what = task::run;
  std::string name = "nobody";
  std::string place;
  int count = 3;
  double share = 0.5;
  color shade = color::green;
  bool loud = false;
  std::string odd;
  std::vector<std::string> rest, command;
};

option_failure read_odd(chosen& c, std::string_view text) {
  if (text.size() % 2 == 0) return "expected an odd number of letters";
  c.odd = text;
  return std::nullopt;
}

using c = chosen;
constexpr std::array<option<chosen>, 11> rows{{
    {"--name", "NAME", "whose it is", as_text<&c::name>()},
    {"--place", "PLACE", "where it is", as_text<&c::place>(), "here"},
    {"--count", "N", "how many, {}", as_number<&c::count, -2, 7>()},
    {"--share", "S", "of all", as_number<&c::share, 0, 1>()},
    {"--shade", "SHADE", "{}", as_word<&c::shade, colors>()},
    {"--loud", "", "says more", as_flag<&c::loud>()},
    {"--odd", "WORD", "a word", read_by<read_odd>()},
    {"--look", "", "looks", as_action<&c::what, task::look>()},
    {"--list", "", "lists", as_action<&c::what, task::list>()},
    {"--secret", "", "is not told", as_flag<&c::loud>(), {}, false},
    {"--help", "", "this text", as_help<&c::what, task::help>()},
}};
constexpr program<chosen> strict{"prog", "a program", "prog [options]", "0 ok", rows};
constexpr program<chosen> lenient{.name = "prog",
                                  .about = "a program",
                                  .usage = "prog [options] THING... -- COMMAND",
                                  .exit_codes = "0 ok",
                                  .options = rows,
                                  .one_action = false,
                                  .command = &chosen::command,
                                  .operands = &chosen::rest};

using words = std::vector<const char*>;

chosen good(const words& args, const program<chosen>& p = strict) {
  auto r = parse(p, args);
  if (const auto* wrong = std::get_if<usage_error>(&r)) {
    ADD_FAILURE() << wrong->what;
    return {};
  }
  return std::get<chosen>(r);
}

std::string bad(const words& args, const program<chosen>& p = strict) {
  auto r = parse(p, args);
  if (const auto* wrong = std::get_if<usage_error>(&r)) return wrong->what;
  ADD_FAILURE() << "accepted";
  return {};
}

TEST(options, of_every_kind_in_both_spellings) {
  for (const auto& args :
       {words{"--name", "x", "--count", "-2", "--share", "0.25", "--shade", "blue", "--odd", "abc",
              "--loud"},
        words{"--name=x", "--count=-2", "--share=0.25", "--shade=blue", "--odd=abc", "--loud"}}) {
    const auto o = good(args);
    EXPECT_EQ(o.name, "x");
    EXPECT_EQ(o.count, -2);
    EXPECT_EQ(o.share, 0.25);
    EXPECT_EQ(o.shade, color::blue);
    EXPECT_EQ(o.odd, "abc");
    EXPECT_TRUE(o.loud);
  }
}

TEST(options, that_are_not_given_are_as_they_were) {
  const auto o = good({});
  EXPECT_EQ(o.what, task::run);
  EXPECT_EQ(o.name, "nobody");
  EXPECT_EQ(o.count, 3);
  EXPECT_FALSE(o.loud);
}

TEST(options, are_taken_in_order) {
  EXPECT_EQ(good({"--name", "a", "--name=b"}).name, "b") << "the last one wins";
  EXPECT_EQ(good({"--name", "a=b"}).name, "a=b");
  EXPECT_EQ(good({"--name=a=b"}).name, "a=b");
  EXPECT_EQ(good({"--name", "-"}).name, "-") << "one dash makes no option";
}

TEST(options, out_of_bounds) {
  struct row {
    words args;
    std::string_view what;
  };
  for (const auto& r :
       {row{{"--count", "8"}, "--count: expected a number from -2 to 7, found \"8\""},
        row{{"--count", "-3"}, "--count: expected a number from -2 to 7, found \"-3\""},
        row{{"--count", "1x"}, "--count: expected a number from -2 to 7, found \"1x\""},
        row{{"--count", " 1"}, "--count: expected a number from -2 to 7, found \" 1\""},
        row{{"--count=99999999999999999999"},
            "--count: expected a number from -2 to 7, found \"99999999999999999999\""},
        row{{"--share", "1.5"}, "--share: expected a number from 0 to 1, found \"1.5\""},
        row{{"--share", "nan"}, "--share: expected a number from 0 to 1, found \"nan\""},
        row{{"--shade", "pink"}, "--shade: expected one of red, green, blue, found \"pink\""},
        row{{"--odd", "ab"}, "--odd: expected an odd number of letters, found \"ab\""},
        row{{"--name"}, "--name needs a value: --name NAME"},
        row{{"--name="}, "--name needs a value: --name NAME"},
        row{{"--name", ""}, "--name needs a value: --name NAME"},
        row{{"--name", "--loud"}, "--name needs a value: --name NAME"},
        row{{"--loud=1"}, "--loud takes no value"},
        row{{"--help=1"}, "--help takes no value"},
        row{{"--naem", "x"}, "unknown option --naem; did you mean --name?; see prog --help"},
        row{{"--secrets"}, "unknown option --secrets; see prog --help"},  // it is not told
        row{{"-x"}, "unknown option -x; see prog --help"},
        row{{"--"}, "unknown option --; see prog --help"},
        row{{"x"}, "unexpected argument \"x\"; see prog --help"},
        row{{""}, "unexpected argument \"\"; see prog --help"},
        row{{"--look", "--list"}, "--look and --list exclude each other: give one of them"}})
    EXPECT_EQ(bad(r.args), r.what);
}

TEST(options, that_say_where_arguments_belong) {
  auto hinting = strict;
  hinting.stray_hint = "things follow the word thing";
  EXPECT_EQ(bad({"x"}, hinting),
            "unexpected argument \"x\"; things follow the word thing; see prog --help");
}

TEST(options, that_choose_what_is_done) {
  EXPECT_EQ(good({"--look"}).what, task::look);
  EXPECT_EQ(good({"--look", "--look"}).what, task::look);
  EXPECT_EQ(good({"--look", "--list"}, lenient).what, task::list);
  for (const auto& p : {strict, lenient}) {
    EXPECT_EQ(good({"--look", "--help"}, p).what, task::help);
    EXPECT_EQ(good({"--help", "--look"}, p).what, task::help) << "whatever else is chosen";
    EXPECT_EQ(good({"--help", "--look", "--list"}, p).what, task::help);
  }
}

TEST(options, and_what_is_none) {
  const auto o =
      good({"a", "--count", "1", "b=c", "", "--", "run", "--count", "2", "--", "x"}, lenient);
  EXPECT_EQ(o.rest, (std::vector<std::string>{"a", "b=c", ""}));
  EXPECT_EQ(o.count, 1);
  EXPECT_EQ(o.command, (std::vector<std::string>{"run", "--count", "2", "--", "x"}));
  EXPECT_EQ(bad({"-x"}, lenient), "unknown option -x; see prog --help");
}

TEST(options, are_told_by_their_rows) {
  EXPECT_EQ(help_of(strict),
            "prog - a program\n"
            "\n"
            "usage: prog [options]\n"
            "\n"
            "options:\n"
            "  --name NAME    whose it is (nobody)\n"
            "  --place PLACE  where it is (here)\n"
            "  --count N      how many, -2 to 7 (3)\n"
            "  --share S      of all (0.5)\n"
            "  --shade SHADE  red, green or blue (green)\n"
            "  --loud         says more\n"
            "  --odd WORD     a word\n"
            "  --look         looks\n"
            "  --list         lists\n"
            "  --help         this text\n"
            "\n"
            "exit codes: 0 ok\n");
}

}  // namespace
}  // namespace gate::config
