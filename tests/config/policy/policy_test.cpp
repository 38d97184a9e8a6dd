#include "config/policy/policy.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "config/policy/subjects.hpp"
#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

const text_list two{"a", "b"};

oauth::principal caller_named(std::string subject, text_list groups = {}) {
  oauth::principal out;
  out.issuer = "https://i";
  out.subject = std::move(subject);
  out.groups = std::move(groups);
  out.claims = "{}";
  out.key = 1;
  return out;
}

/// The policy of a document with upstreams `a` and `b`, from the text of its policy section.
std::optional<policy_section> section_of(std::string_view text) {
  auto p = load(patched(secured, R"({"policy": )" + std::string(text) + "}"));
  EXPECT_EQ(lines(p.problems), std::vector<std::string>{});
  return p.doc.policy;
}

view_ptr view_of(std::string_view section, const oauth::principal* who = nullptr,
                 const text_list* visible = nullptr) {
  return policy(section_of(section), two).make_view(who, visible, 7);
}

std::string told(const judgement& j) {
  return std::string(j.allowed ? "allowed" : "denied") + " by " +
         (j.rule.empty() ? "default" : std::string(j.rule));
}

// --- what the default decides --------------------------------------------------------------------

TEST(policy, none_allows_everything) {
  const policy p(std::nullopt, two);
  const auto v = p.make_view(nullptr, nullptr, 7);
  EXPECT_TRUE(v->open());
  EXPECT_EQ(v->id(), 7U);
  EXPECT_TRUE(v->visible(0) && v->visible(1) && v->reaches(0) && v->reaches(1));
  EXPECT_FALSE(v->visible(2) || v->reaches(2));
  EXPECT_EQ(told(v->judge(1, "tools/call", "x")), "allowed by default");
  EXPECT_EQ(told(v->judge_template(1, "resources/read", "x{y}")), "allowed by default");
  EXPECT_EQ(told(v->filter(1, "tools/call")("x")), "allowed by default");
  EXPECT_EQ(told(v->judge(2, "tools/call", "x")), "denied by default");
  const auto who = caller_named("ann");
  EXPECT_EQ(p.view_key(nullptr, nullptr), p.view_key(&who, nullptr));
  EXPECT_EQ(p.view_key(nullptr, nullptr), p.view_key(&who, &two));
  EXPECT_TRUE(p.make_view(&who, &two, 7)->open());
}

TEST(policy, empty_one_denies_everything) {
  const auto v = view_of("{}");
  EXPECT_FALSE(v->open());
  EXPECT_EQ(v->id(), 7U);
  EXPECT_TRUE(v->visible(0));
  EXPECT_FALSE(v->reaches(0));
  EXPECT_EQ(told(v->judge(0, "tools/call", "x")), "denied by default");
  EXPECT_EQ(told(v->judge_template(0, "resources/read", "x{y}")), "denied by default");
  EXPECT_EQ(told(v->filter(0, "tools/call")("x")), "denied by default");
  EXPECT_EQ(told(v->filter(0, "resources/read").meets("x{y}")), "denied by default");
}

TEST(policy, default_allow_still_names_rules) {
  const auto v = view_of(R"({"defaultDecision": "allow", "rules": [
      {"id": "r", "allow": [{"server": "a", "names": ["x"]}]}]})");
  EXPECT_FALSE(v->open());  // or the rule would not be named
  EXPECT_TRUE(v->reaches(0) && v->reaches(1));
  EXPECT_EQ(told(v->judge(0, "tools/call", "x")), "allowed by r");
  EXPECT_EQ(told(v->judge(0, "tools/call", "y")), "allowed by default");
  EXPECT_EQ(told(v->judge(1, "tools/call", "x")), "allowed by default");
}

TEST(policy, made_by_default_has_no_upstreams) {
  const auto v = policy().make_view(nullptr, nullptr, 7);
  EXPECT_TRUE(v->open());
  EXPECT_FALSE(v->visible(0));
}

// --- rules and grants ----------------------------------------------------------------------------

TEST(policy, first_rule_in_document_order_is_named) {
  const auto v = view_of(R"({"rules": [
      {"id": "one", "allow": [{"server": "b"}, {"server": "a", "names": ["x*"]}]},
      {"id": "two", "allow": [{"server": "a", "names": ["xy", "z"]}]},
      {"id": "three", "allow": [{"server": "*"}]},
      {"id": "four", "allow": [{"server": "*", "names": ["w"]}]}]})");
  for (const auto& [name, expected] : std::map<std::string, std::string>{
           {"x", "one"}, {"xy", "one"}, {"z", "two"}, {"w", "three"}, {"", "three"}}) {
    EXPECT_EQ(told(v->judge(0, "tools/call", name)), "allowed by " + expected) << name;
    EXPECT_EQ(told(v->filter(0, "tools/call")(name)), "allowed by " + expected) << name;
    EXPECT_EQ(told(v->judge(1, "tools/call", name)), "allowed by one") << name;
  }
}

TEST(policy, an_exact_name_does_not_overtake_a_pattern) {
  const auto v = view_of(R"({"rules": [
      {"id": "exact", "allow": [{"server": "a", "names": ["b", "c"]}]},
      {"id": "glob", "allow": [{"server": "a", "names": ["a*"]}]},
      {"id": "late", "allow": [{"server": "a", "names": ["ab", "b", "d"]}]},
      {"id": "last", "allow": [{"server": "a", "names": ["d*"]}]}]})");
  const auto f = v->filter(0, "tools/call");
  EXPECT_EQ(told(f("ab")), "allowed by glob");
  EXPECT_EQ(told(f("b")), "allowed by exact");
  EXPECT_EQ(told(f("d")), "allowed by late");
  EXPECT_EQ(told(f("de")), "allowed by last");
  EXPECT_EQ(told(f("e")), "denied by default");
  EXPECT_EQ(told(f.meets("{x}")), "allowed by exact");
  EXPECT_EQ(told(f.meets("a{x}")), "allowed by glob");
  EXPECT_EQ(told(f.meets("d{x}")), "allowed by late");
  EXPECT_EQ(told(f.meets("de{x}")), "allowed by last");
  EXPECT_EQ(told(f.meets("e{x}")), "denied by default");
}

TEST(policy, methods_and_names_of_one_grant_belong_together) {
  const auto v = view_of(R"({"rules": [{"id": "r", "allow": [
      {"server": "a", "methods": ["tools/call"], "names": ["t"]},
      {"server": "a", "methods": ["prompts/get", "resources/read"], "names": ["file://*"]},
      {"server": "b", "methods": ["resources/read"]}]}]})");
  EXPECT_TRUE(v->judge(0, "tools/call", "t").allowed);
  EXPECT_FALSE(v->judge(0, "tools/call", "file://x").allowed);
  EXPECT_FALSE(v->judge(0, "resources/read", "t").allowed);
  EXPECT_TRUE(v->judge(0, "resources/read", "file://x").allowed);
  EXPECT_FALSE(v->judge(0, "resources/subscribe", "file://x").allowed);
  EXPECT_TRUE(v->judge_template(0, "resources/read", "file://{x}").allowed);
  EXPECT_FALSE(v->judge_template(0, "resources/subscribe", "file://{x}").allowed);
  EXPECT_FALSE(v->judge_template(0, "resources/read", "http://{x}").allowed);
  EXPECT_TRUE(v->judge(1, "resources/read", "anything").allowed);
  EXPECT_FALSE(v->judge(1, "tools/call", "anything").allowed);
}

/// Methods that the gateway does not know are never routed; if they are asked about all the same,
/// only what allows all methods allows them.
TEST(policy, unknown_methods_are_no_methods) {
  policy_section s;
  s.rules = {{"r", {}, {{"a", text_list{"x/y"}, {}}, {"b", text_list{"x/y", "tools/call"}, {}}}}};
  const auto v = policy(s, two).make_view(nullptr, nullptr, 7);
  EXPECT_FALSE(v->reaches(0));
  EXPECT_TRUE(v->reaches(1));
  EXPECT_FALSE(v->judge(0, "x/y", "n").allowed || v->judge(1, "x/y", "n").allowed);
  EXPECT_FALSE(v->judge(1, "", "n").allowed || v->filter(1, "x/y")("n").allowed);
  EXPECT_TRUE(v->judge(1, "tools/call", "n").allowed);
  EXPECT_FALSE(v->judge(1, "tools/calls", "n").allowed);
  EXPECT_TRUE(view_of(R"({"rules": [{"id": "r", "allow": [{"server": "a"}]}]})")
                  ->judge(0, "x/y", "n")
                  .allowed);
}

TEST(policy, reaches_where_something_may_be_invoked) {
  EXPECT_TRUE(view_of(R"({"rules": [{"id": "r", "allow":
      [{"server": "b", "methods": ["prompts/get"], "names": ["no-such-prompt"]}]}]})")
                  ->reaches(1));
  EXPECT_FALSE(view_of(R"({"rules": [{"id": "r", "subjects": {},
      "allow": [{"server": "*"}]}]})")
                   ->reaches(1));
  // A document can not say this; if code does, it means what it says.
  policy_section s;
  s.rules = {{"r", {}, {{"a", {}, text_list{}}, {"a", text_list{}, {}}, {"gone", {}, {}}}}};
  const auto v = policy(s, two).make_view(nullptr, nullptr, 7);
  EXPECT_FALSE(v->reaches(0) || v->reaches(1));
  EXPECT_FALSE(v->judge(0, "tools/call", "x").allowed);
}

TEST(policy, subjects_absent_are_anyone_and_empty_nobody) {
  const auto text = R"({"rules": [
      {"id": "nobody", "subjects": {}, "allow": [{"server": "a"}]},
      {"id": "ann", "subjects": {"subs": ["ann"]}, "allow": [{"server": "a"}]},
      {"id": "anyone", "allow": [{"server": "a", "names": ["public"]}]}]})";
  const auto ann = caller_named("ann");
  const auto bob = caller_named("bob");
  EXPECT_EQ(told(view_of(text, &ann)->judge(0, "tools/call", "public")), "allowed by ann");
  EXPECT_EQ(told(view_of(text, &bob)->judge(0, "tools/call", "public")), "allowed by anyone");
  EXPECT_EQ(told(view_of(text)->judge(0, "tools/call", "public")), "allowed by anyone");
  EXPECT_FALSE(view_of(text, &bob)->judge(0, "tools/call", "other").allowed);
}

// --- tenants' visibility -------------------------------------------------------------------------

TEST(policy, visibility_is_judged_first) {
  const auto all = R"({"rules": [{"id": "all", "allow": [{"server": "*"}]}]})";
  const text_list only_b{"b", "unknown"};
  const auto v = view_of(all, nullptr, &only_b);
  EXPECT_FALSE(v->visible(0) || v->reaches(0) || v->judge(0, "tools/call", "x").allowed);
  EXPECT_FALSE(v->judge_template(0, "resources/read", "{x}").allowed);
  EXPECT_FALSE(v->filter(0, "tools/call")("x").allowed);
  EXPECT_TRUE(v->visible(1) && v->reaches(1) && v->judge(1, "tools/call", "x").allowed);
  // The same without a policy; and then the view is not the open one.
  const policy none(std::nullopt, two);
  const auto w = none.make_view(nullptr, &only_b, 7);
  EXPECT_FALSE(w->open());
  EXPECT_EQ(w->id(), 7U);
  EXPECT_FALSE(w->visible(0) || w->judge(0, "tools/call", "x").allowed);
  EXPECT_TRUE(w->judge(1, "tools/call", "x").allowed);
  EXPECT_NE(none.view_key(nullptr, &only_b), none.view_key(nullptr, nullptr));
  const text_list nothing;
  EXPECT_FALSE(none.make_view(nullptr, &nothing, 7)->visible(1));
}

TEST(policy, a_view_outlives_its_policy) {
  judgement j;
  view_ptr v;
  {
    const policy p(section_of(R"({"rules": [{"id": "a-rule-with-a-name-of-some-length",
        "allow": [{"server": "a"}]}]})"),
                   two);
    v = p.make_view(nullptr, nullptr, 7);
  }
  j = v->judge(0, "tools/call", "x");
  EXPECT_EQ(j.rule, "a-rule-with-a-name-of-some-length");
}

// --- against the definition ----------------------------------------------------------------------

/// The semantics in their shortest form, straight from the document.
struct definition {
  const std::optional<policy_section>& section;
  const text_list& upstreams;
  const oauth::principal* who;
  const text_list* visible;

  bool sees(std::size_t u) const {
    return visible == nullptr || std::ranges::find(*visible, upstreams[u]) != visible->end();
  }
  bool rule_is_for_caller(const rule& r) const { return !r.subjects || means(*r.subjects, who); }
  bool default_allows() const { return !section || section->default_decision == decision::allow; }
  template <class F>
  judgement decide(std::size_t u, std::string_view method, F fits) const {
    if (!sees(u)) return {};
    for (const auto& r : section ? section->rules : std::vector<rule>{}) {
      if (!rule_is_for_caller(r)) continue;
      for (const auto& g : r.allow) {
        if (g.server != "*" && g.server != upstreams[u]) continue;
        if (g.methods && std::ranges::find(*g.methods, method) == g.methods->end()) continue;
        if (!g.names || std::ranges::any_of(*g.names, fits)) {
          return {true, *std::ranges::find(rule_names, r.id)};
        }
      }
    }
    return {default_allows(), {}};
  }
  judgement judge(std::size_t u, std::string_view method, std::string_view name) const {
    return decide(u, method, [&](const std::string& p) { return glob(p).matches(name); });
  }
  judgement judge_template(std::size_t u, std::string_view method, std::string_view text) const {
    return decide(u, method, [&](const std::string& p) { return glob(p).meets_template(text); });
  }
  bool reaches(std::size_t u) const {
    if (!sees(u)) return false;
    for (const auto& r : section ? section->rules : std::vector<rule>{}) {
      for (const auto& g : r.allow) {
        if (rule_is_for_caller(r) && (g.server == "*" || g.server == upstreams[u])) return true;
      }
    }
    return default_allows();
  }
  /// What makes callers alike.
  std::pair<std::vector<bool>, std::vector<bool>> kind() const {
    std::pair<std::vector<bool>, std::vector<bool>> out;
    for (const auto& r : section ? section->rules : std::vector<rule>{}) {
      out.first.push_back(rule_is_for_caller(r));
    }
    for (std::size_t u = 0; u < upstreams.size(); ++u) out.second.push_back(sees(u));
    return out;
  }
  static const text_list rule_names;
};
const text_list definition::rule_names{"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9"};

class dice {
 public:
  explicit dice(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  template <class T>
  const T& one_of(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::mt19937 engine_;
};

const text_list some_methods{"tools/call", "prompts/get", "resources/read"};
const text_list some_names{"x", "xy", "xyz", "x*", "*y", "*", "x*z", "y", "", "**", "z*x"};
const text_list some_groups{"g", "h", "i"};

std::optional<policy_section> random_section(dice& d, const text_list& upstreams) {
  if (d.below(10) == 0) return std::nullopt;
  policy_section out;
  if (d.below(3) == 0) out.default_decision = decision::allow;
  const auto rules = d.below(10);
  for (std::size_t i = 0; i < rules; ++i) {
    auto& r = out.rules.emplace_back();
    r.id = definition::rule_names[i];
    if (d.below(3) != 0) {
      r.subjects.emplace();
      for (auto n = d.below(3); n > 0; --n) r.subjects->groups.push_back(d.one_of(some_groups));
    }
    for (auto n = 1 + d.below(3); n > 0; --n) {
      auto& g = r.allow.emplace_back();
      g.server = d.below(3) == 0 ? "*" : d.one_of(upstreams);
      if (d.below(2) == 0) g.methods = text_list{d.one_of(some_methods), d.one_of(some_methods)};
      if (d.below(4) != 0) g.names = text_list{d.one_of(some_names), d.one_of(some_names)};
    }
  }
  return out;
}

void compare(const definition& wanted, const policy_view& v) {
  static const text_list names{"", "x", "y", "z", "xy", "xyz", "xz", "zy", "zzx", "w"};
  static const text_list templates{"{a}", "x{a}", "{a}y", "x{a}w", "xy", "x{a}y{b}z"};
  for (std::size_t u = 0; u < wanted.upstreams.size(); ++u) {
    ASSERT_EQ(v.visible(u), wanted.sees(u));
    ASSERT_EQ(v.reaches(u), wanted.reaches(u));
    for (const auto& method : some_methods) {
      const auto filter = v.filter(u, method);
      for (const auto& name : names) {
        const auto expected = told(wanted.judge(u, method, name));
        ASSERT_EQ(told(v.judge(u, method, name)), expected);
        ASSERT_EQ(told(filter(name)), expected);
      }
      for (const auto& t : templates) {
        const auto expected = told(wanted.judge_template(u, method, t));
        ASSERT_EQ(told(v.judge_template(u, method, t)), expected);
        ASSERT_EQ(told(filter.meets(t)), expected);
      }
    }
  }
}

TEST(policy, is_what_the_definition_says) {
  const text_list upstreams{"a", "b", "c"};
  std::vector<oauth::principal> callers;
  for (const auto& groups : {text_list{}, {"g"}, {"h"}, {"g", "h"}, {"g", "h", "i"}}) {
    callers.push_back(caller_named("s", groups));
  }
  std::vector<text_list> tenants{{"a"}, {"b", "c"}, {"a", "b", "c"}, {}};
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    dice d(seed);
    const auto section = random_section(d, upstreams);
    const policy p(section, upstreams);
    std::map<std::string, decltype(std::declval<definition>().kind())> kinds;
    std::map<decltype(std::declval<definition>().kind()), std::string> keys;
    for (std::size_t i = 0; i <= callers.size(); ++i) {
      const auto* who = i < callers.size() ? &callers[i] : nullptr;
      for (std::size_t j = 0; j <= tenants.size(); ++j) {
        const auto* visible = j < tenants.size() ? &tenants[j] : nullptr;
        const definition wanted{section, upstreams, who, visible};
        const auto key = p.view_key(who, visible);
        // Equal keys exactly for callers of one kind.
        ASSERT_EQ(kinds.emplace(key, wanted.kind()).first->second, wanted.kind());
        ASSERT_EQ(keys.emplace(wanted.kind(), key).first->second, key);
        const auto view = p.make_view(who, visible, 7);
        const bool all = visible == nullptr || visible->size() == 3;
        ASSERT_EQ(view->open(), !section && all);
        ASSERT_EQ(view->id(), 7U);
        compare(wanted, *view);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(policy, keys_of_many_rules_and_upstreams) {
  policy_section s;
  text_list upstreams;
  for (int i = 0; i < 100; ++i) {
    upstreams.push_back("u" + std::to_string(i));
    s.rules.push_back({"r" + std::to_string(i),
                       subjects{.groups = {"g" + std::to_string(i)}},
                       {{upstreams.back(), {}, {}}}});
  }
  const policy p(s, upstreams);
  std::map<std::string, std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const auto who = caller_named("s", {"g" + std::to_string(i)});
    const text_list visible{upstreams[static_cast<std::size_t>(i)]};
    EXPECT_TRUE(seen.emplace(p.view_key(&who, nullptr), "rule").second);
    EXPECT_TRUE(seen.emplace(p.view_key(nullptr, &visible), "upstream").second);
    const auto v = p.make_view(&who, nullptr, 1);
    for (std::size_t u = 0; u < 100; ++u) {
      ASSERT_EQ(v->reaches(u), u == static_cast<std::size_t>(i));
    }
  }
}

}  // namespace
}  // namespace gate::config
