#include "config/tenants/tenants.hpp"

#include <random>

#include "config/policy/subjects.hpp"
#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;
using state = tenant_index::state;

std::vector<tenant> tenants_for(const std::vector<subjects>& all) {
  std::vector<tenant> out;
  for (const auto& s : all) {
    auto& t = out.emplace_back();
    t.id = "t" + std::to_string(out.size());
    t.subjects = s;
  }
  return out;
}

/// The answer in a word: `none`, `0`, or `0+2`.
std::string answer(const tenant_index& in, const oauth::principal* who) {
  const auto r = in.resolve(who);
  if (r.what == state::none) return "none";
  if (r.what == state::found) return std::to_string(r.index);
  return std::to_string(r.index) + "+" + std::to_string(r.other);
}

std::string answer(const std::vector<subjects>& all, const oauth::principal& who) {
  return answer(tenant_index(tenants_for(all)), &who);
}

TEST(tenants, none_without_tenants_or_caller) {
  const auto who = someone();
  EXPECT_EQ(answer(tenant_index(), &who), "none");
  EXPECT_EQ(answer(tenant_index(std::vector<tenant>{}), &who), "none");
  const tenant_index in(tenants_for({{.subs = {"ann"}}}));
  EXPECT_EQ(answer(in, &who), "0");
  EXPECT_EQ(answer(in, nullptr), "none");
}

TEST(tenants, each_selector_finds) {
  const auto who = someone(R"({"org": "acme", "level": 2.0, "beta": true,
                               "teams": ["red", 7, false]})");
  const std::vector<subjects> finding{
      {.subs = {"ann"}},
      {.subs = {"bob", "ann"}},
      {.groups = {"ops"}},
      {.groups = {"hr", "dev"}},
      {.issuers = {"https://i"}},
      {.issuers = {"https://j", "https://i"}},
      {.claims = {{"org", "acme"}}},
      {.claims = {{"level", std::int64_t{2}}}},
      {.claims = {{"beta", true}}},
      {.claims = {{"teams", "red"}}},
      {.claims = {{"teams", std::int64_t{7}}}},
      {.claims = {{"teams", false}}},
      {.claims = {{"org", "acme"}, {"teams", "red"}}},
      {.subs = {"bob"}, .groups = {"dev"}},
      {.groups = {"dev"}, .issuers = {"https://i"}, .claims = {{"org", "acme"}}},
  };
  const std::vector<subjects> missing{
      {},
      {.subs = {"bob"}},
      {.groups = {"hr"}},
      {.issuers = {"https://j"}},
      {.claims = {{"org", "other"}}},
      {.claims = {{"level", "2"}}},
      {.claims = {{"teams", "blue"}}},
      {.claims = {{"org", "acme"}, {"teams", "blue"}}},
      {.groups = {"dev"}, .issuers = {"https://j"}},
      {.subs = {"bob"}, .claims = {{"org", "acme"}}},
  };
  for (std::size_t i = 0; i < finding.size(); ++i) {
    EXPECT_EQ(answer({finding[i]}, who), "0") << i;
    auto all = missing;
    all.push_back(finding[i]);
    EXPECT_EQ(answer(all, who), std::to_string(missing.size())) << i;
    for (std::size_t j = 0; j < finding.size(); ++j) {
      EXPECT_EQ(answer({finding[i], {}, finding[j]}, who), "0+2") << i << " " << j;
    }
  }
  EXPECT_EQ(answer(missing, who), "none");
}

/// The same word of another kind, or of another claim, is another word.
TEST(tenants, words_of_different_kinds_do_not_meet) {
  auto who = someone(R"({"x": "v", "a": "b1", "1:x": "v", "n": "n1e0"})");
  who.issuer = who.subject = "x";
  who.groups = {"x"};
  const std::vector<subjects> all{
      {.subs = {"gx"}},
      {.subs = {"ix"}},
      {.groups = {"sx"}},
      {.issuers = {"sx"}},
      {.groups = {"c1:xsv"}},
      {.subs = {"c1:xsv"}},
      {.claims = {{"x", true}}},
      {.claims = {{"a", true}}},
      {.claims = {{"xs", "v"}}},
      {.claims = {{"", "xsv"}}},
      {.claims = {{"n", std::int64_t{1}}}},
  };
  EXPECT_EQ(answer(all, who), "none");
  EXPECT_EQ(answer({{.claims = {{"1:x", "v"}}}}, who), "0");
}

TEST(tenants, a_tenant_is_not_ambiguous_with_itself) {
  const auto who = someone(R"({"teams": ["red", "blue", "red"]})");
  EXPECT_EQ(answer({{.subs = {"ann", "ann"}, .groups = {"dev", "ops"}}}, who), "0");
  EXPECT_EQ(answer({{.claims = {{"teams", "red"}}}}, who), "0");
}

TEST(tenants, claims_that_can_not_be_read_select_nobody) {
  const std::vector<subjects> all{{.claims = {{"org", "acme"}}}};
  for (const auto* claims : {"", "[]", R"({"org": "acme")", R"({"org": {"org": "acme"}})",
                             R"({"org": [["acme"]]})", R"({"Org": "acme"})"}) {
    EXPECT_EQ(answer(all, someone(claims)), "none") << claims;
  }
  EXPECT_EQ(answer(all, someone(R"({"\u006frg": ["\u0061cme"]})")), "0");
}

// --- against the definition ----------------------------------------------------------------------

subjects random_subjects(std::mt19937& dice) {
  const auto maybe = [&dice](text_list& list, const char* prefix) {
    for (auto n = dice() % 3; n > 0; --n) list.push_back(prefix + std::to_string(dice() % 4));
  };
  subjects out;
  if (dice() % 2 == 0) maybe(out.subs, "s");
  if (dice() % 2 == 0) maybe(out.groups, "g");
  if (dice() % 3 == 0) maybe(out.issuers, "i");
  if (dice() % 3 == 0) {
    out.claims["c" + std::to_string(dice() % 2)] = static_cast<std::int64_t>(dice() % 3);
  }
  if (dice() % 4 == 0) out.claims["d"] = "v" + std::to_string(dice() % 3);
  return out;
}

oauth::principal random_caller(std::mt19937& dice) {
  const auto any = [&dice](unsigned n) { return std::to_string(dice() % n); };
  oauth::principal out;
  out.issuer = "i" + any(4);
  out.subject = "s" + any(4);
  out.groups.clear();
  for (auto n = dice() % 3; n > 0; --n) out.groups.push_back("g" + any(4));
  out.claims = R"({"c0": )" + any(3) + R"(, "c1": [)" + any(3) + ',' + any(3) + R"(], "d": "v)" +
               any(3) + "\"}";
  return out;
}

TEST(tenants, are_those_that_the_definition_says) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 dice(seed);
    std::vector<subjects> all(1 + dice() % 8);
    for (auto& s : all) s = random_subjects(dice);
    const tenant_index in(tenants_for(all));
    for (int i = 0; i < 40; ++i) {
      const auto who = random_caller(dice);
      std::vector<std::size_t> meant;
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (means(all[j], &who)) meant.push_back(j);
      }
      const auto r = in.resolve(&who);
      ASSERT_EQ(r.what, meant.empty()       ? state::none
                        : meant.size() == 1 ? state::found
                                            : state::ambiguous)
          << seed;
      if (meant.empty()) continue;
      ASSERT_TRUE(means(all[r.index], &who)) << seed;
      if (r.what != state::ambiguous) continue;
      ASSERT_TRUE(means(all[r.other], &who)) << seed;
      ASSERT_LT(r.index, r.other) << seed;
    }
  }
}

// --- sizes ---------------------------------------------------------------------------------------

/// All shapes at once, a shared gate among them: whichever word is shared by all, another one is
/// asked for. If tenants were tried one by one, this test would run for minutes.
TEST(tenants, ten_thousand_are_told_apart) {
  std::vector<subjects> all;
  constexpr int many = 10'000;
  for (int i = 0; i < many; ++i) {
    const auto n = std::to_string(i);
    switch (i % 4) {
      case 0:
        all.push_back({.issuers = {"https://i"}, .claims = {{"org", "acme"}, {"team", "t" + n}}});
        break;
      case 1:
        all.push_back({.groups = {"g" + n, "h" + n}, .issuers = {"https://i"}});
        break;
      case 2:
        all.push_back({.groups = {"admins"}, .claims = {{"team", "t" + n}}});
        break;
      default:
        all.push_back({.subs = {"s" + n}, .claims = {{"org", "acme"}}});
    }
  }
  const tenant_index in(tenants_for(all));
  for (int i = 0; i < many; ++i) {
    const auto n = std::to_string(i);
    auto who = someone(R"({"org": "acme", "team": ")" +
                       std::string(i % 4 == 1 || i % 4 == 3 ? "none" : "t" + n) + "\"}");
    who.groups = {"admins"};
    if (i % 4 == 1) who.groups.push_back("h" + n);
    if (i % 4 == 3) who.subject = "s" + n;
    ASSERT_EQ(answer(in, &who), n);
  }
}

TEST(tenants, a_caller_with_ten_thousand_groups) {
  std::vector<subjects> all;
  for (int i = 0; i < 10'000; ++i) {
    // All are looked at, and none is meant: their gates are closed.
    all.push_back({.groups = {"g" + std::to_string(i), "h" + std::to_string(i)},
                   .claims = {{"open", true}, {"list", "none"}}});
  }
  auto who = someone();
  std::string list;
  for (int i = 0; i < 10'000; ++i) {
    who.groups.push_back("g" + std::to_string(i));
    list += "\"item" + std::to_string(i) + "\",";
  }
  who.claims = R"({"open": [true], "list": [)" + list + "0]}";
  all.push_back({.groups = {"g9999"}, .claims = {{"list", "item77"}}});
  const tenant_index in(tenants_for(all));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(answer(in, &who), "10000");
}

}  // namespace
}  // namespace gate::config
