#include "config/policy/subjects.hpp"

#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

// --- gates and alternatives, by enumeration ------------------------------------------------------

/// What a selector says about the caller: it is not given, or fits, or does not.
enum class says : std::uint8_t { nothing, yes, no };

TEST(subjects, gates_are_and_alternatives_are_or) {
  const auto who = someone(R"({"org": "acme"})");
  const auto all = {says::nothing, says::yes, says::no};
  for (auto subs : all) {
    for (auto groups : all) {
      for (auto issuers : all) {
        for (auto claims : all) {
          subjects s;
          if (subs != says::nothing) s.subs = {"x", subs == says::yes ? "ann" : "bob"};
          if (groups != says::nothing) s.groups = {"x", groups == says::yes ? "ops" : "hr"};
          if (issuers != says::nothing) {
            s.issuers = {"https://x", issuers == says::yes ? "https://i" : "https://j"};
          }
          if (claims != says::nothing) s.claims["org"] = claims == says::yes ? "acme" : "other";
          const bool none = subs == says::nothing && groups == says::nothing;
          const bool empty = none && issuers == says::nothing && claims == says::nothing;
          const bool gates = issuers != says::no && claims != says::no;
          const bool expected =
              !empty && gates && (none || subs == says::yes || groups == says::yes);
          EXPECT_EQ(means(s, &who), expected)
              << int(subs) << int(groups) << int(issuers) << int(claims);
          EXPECT_FALSE(means(s, nullptr));
        }
      }
    }
  }
}

TEST(subjects, are_compared_byte_for_byte) {
  const auto who = someone();
  EXPECT_FALSE(means({.subs = {"Ann"}}, &who));
  EXPECT_FALSE(means({.subs = {"an"}}, &who));
  EXPECT_FALSE(means({.groups = {"dev "}}, &who));
  EXPECT_FALSE(means({.issuers = {"https://i/"}}, &who));
  EXPECT_FALSE(means({.subs = {"*"}, .groups = {"*"}}, &who));
}

TEST(subjects, every_claim_must_fit) {
  const auto who = someone(R"({"org": "acme", "level": 3, "admin": true})");
  EXPECT_TRUE(
      means({.claims = {{"org", "acme"}, {"level", std::int64_t{3}}, {"admin", true}}}, &who));
  EXPECT_FALSE(means({.claims = {{"org", "acme"}, {"level", std::int64_t{4}}}}, &who));
  EXPECT_FALSE(means({.claims = {{"org", "acme"}, {"other", true}}}, &who));
}

// --- one claim -----------------------------------------------------------------------------------

struct claim_case {
  std::string_view token;  ///< the claim's raw value
  claim_value wanted;
  bool expected;
};

/// By itself, in an array, and not in an array of arrays.
void expect_claims(const std::vector<claim_case>& cases) {
  for (const auto& [token, wanted, expected] : cases) {
    const subjects s{.claims = {{"c", wanted}}};
    const std::string raw(token);
    const auto alone = someone(R"({"before": [1], "c": )" + raw + "}");
    const auto listed = someone(R"({"c": [ "other" , {"a":[]}, null, )" + raw + "]}");
    const auto nested = someone(R"({"c": [["other"], [)" + raw + "]]}");
    EXPECT_EQ(means(s, &alone), expected) << token << " " << word_of(wanted);
    EXPECT_EQ(means(s, &listed), expected) << token << " " << word_of(wanted);
    EXPECT_FALSE(means(s, &nested)) << token;
  }
}

constexpr std::int64_t one = 1;

TEST(subjects, strings_and_types_are_equal_as_in_json) {
  expect_claims({
      {R"("x")", "x", true},
      {R"("X")", "x", false},
      {R"("")", "", true},
      {R"("a\u0062\/\n")", "ab/\n", true},
      {R"("\ud83d\ude00")", "\xF0\x9F\x98\x80", true},
      {"\"\xC3\xA9\"", "\xC3\xA9", true},
      {"\"\xC3\"", "\xC3", false},  // not UTF-8: no string at all
      {R"("1")", one, false},
      {"1", "1", false},
      {"true", one, false},
      {"1", true, false},
      {"true", true, true},
      {"false", false, true},
      {"0", false, false},
      {"null", false, false},
      {R"("true")", true, false},
      {"true", "true", false},
      {R"({"x": 1})", one, false},
      {R"({"x": 1})", "x", false},
  });
}

TEST(subjects, numbers_are_equal_as_in_json) {
  const std::int64_t large = 9'007'199'254'740'993;  // no double is this number
  expect_claims({
      {"1", one, true},
      {"1.0", one, true},
      {"1.00e0", one, true},
      {"10e-1", one, true},
      {"0.1E+1", one, true},
      {"0.01e2", one, true},
      {"-1", one, false},
      {"11", one, false},
      {"10", one, false},
      {"1.01", one, false},
      {"false", true, false},
      {"0", std::int64_t{0}, true},
      {"-0", std::int64_t{0}, true},
      {"-0.0e-7", std::int64_t{0}, true},
      {"0e999999999999999999999", std::int64_t{0}, true},
      {"100", std::int64_t{100}, true},
      {"1e2", std::int64_t{100}, true},
      {"-150", std::int64_t{-150}, true},
      {"-1.5e2", std::int64_t{-150}, true},
      {"9007199254740993", large, true},
      {"9007199254740993.0", large, true},
      {"9007199254740992", large, false},
      {"9007199254740992.0", large, false},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max(), true},
      {"9223372036854775808", std::numeric_limits<std::int64_t>::max(), false},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min(), true},
      {"0.5", 0.5, true},
      {"5e-1", 0.5, true},
      {"0.1", 0.1, true},
      {"0.10", 0.1, true},
      {"0.1000000000000000055511151231257827", 0.1, false},
      {"-2.75", -2.75, true},
      {"1e-7", 1e-7, true},
      {"1e999999999999999999999", one, false},
      {"1e2000000000", one, false},
      {"1e-999999999999999999999", one, false},
  });
}

TEST(subjects, claims_that_nothing_equals) {
  const subjects s{.claims = {{"c", "x"}}};
  for (const auto* claims :
       {R"({})", R"({"c": []})", R"({"C": "x"})", R"({"d": {"c": "x"}})", R"({"c": "x")",
        R"(["c"])", "", "null", R"({"c": "x"} x)", R"({"c": ["x"})"}) {
    const auto who = someone(claims);
    EXPECT_FALSE(means(s, &who)) << claims;
  }
  EXPECT_TRUE(words_of(R"(["x"] x)").empty());
  EXPECT_TRUE(words_of(R"(["x")").empty());
  // Powers beyond all bounds are equal to nothing, not even to each other.
  EXPECT_TRUE(words_of("1e99999999999999999999").empty());
  EXPECT_TRUE(words_of("[1e99999999999999999999, -3e-1000000001]").empty());
}

TEST(subjects, claims_are_found_by_their_name) {
  const auto who = someone(R"({"https:\/\/x\u002ey/role": "r", "": "empty", "a.b": 1,
                               "a": {"b": 2}})");
  EXPECT_TRUE(means({.claims = {{"https://x.y/role", "r"}}}, &who));
  EXPECT_TRUE(means({.claims = {{"", "empty"}}}, &who));
  EXPECT_TRUE(means({.claims = {{"a.b", std::int64_t{1}}}}, &who));
  EXPECT_FALSE(means({.claims = {{"a.b", std::int64_t{2}}}}, &who));
}

TEST(subjects, words_of_types_differ) {
  EXPECT_NE(word_of("1"), word_of(std::int64_t{1}));
  EXPECT_NE(word_of("b1"), word_of(true));
  EXPECT_NE(word_of(true), word_of(false));
  EXPECT_EQ(word_of(1.0), word_of(std::int64_t{1}));
  EXPECT_EQ(words_of(R"(["a", 1, true, null, {}, [], "a"])"),
            (std::vector<std::string>{"sa", "n1e0", "b1", "sa"}));
}

// --- sizes ---------------------------------------------------------------------------------------

TEST(subjects, many_groups_and_many_questions) {
  auto who = someone();
  who.groups.clear();
  for (int i = 0; i < 10'000; ++i) who.groups.push_back("group-" + std::to_string(i));
  caller facts(who);
  int meant = 0;
  for (int i = 0; i < 20'000; i += 2) {
    meant += facts.meant_by({.groups = {"group-" + std::to_string(i), "none"}}) ? 1 : 0;
  }
  EXPECT_EQ(meant, 5'000);
}

TEST(subjects, many_claims_and_many_questions) {
  std::string claims = R"({"list": [0)";
  for (int i = 1; i < 10'000; ++i) claims += ',' + std::to_string(i);
  claims += ']';
  for (int i = 0; i < 5'000; ++i) claims += ",\"c" + std::to_string(i) + "\": " + std::to_string(i);
  const auto who = someone(claims + '}');
  caller facts(who);
  for (std::int64_t i = 0; i < 5'000; ++i) {
    ASSERT_TRUE(facts.meant_by({.claims = {{"c" + std::to_string(i), i}, {"list", i}}}));
    ASSERT_FALSE(facts.meant_by({.claims = {{"list", i + 10'000}}}));
  }
}

}  // namespace
}  // namespace gate::config
