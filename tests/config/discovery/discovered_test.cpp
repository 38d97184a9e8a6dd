#include "config/discovery/discovered.hpp"

#include "config/snapshot/snapshot.hpp"
#include "protocol/limits.hpp"
#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;
using list = std::vector<std::string>;

discovery_section rules(std::string_view more = "{}") {
  auto p = parse(patched(R"({"url": "https://r"})", more).insert(0, R"({"discovery": )") + "}");
  EXPECT_EQ(lines(p.problems), list{});
  return *p.doc.discovery;
}

document own(std::string_view upstreams, std::string_view patch = "{}") {
  auto p = load(patched(
      R"({"discovery": {"url": "https://r"}, "upstreams": [)" + std::string(upstreams) + "]}",
      patch));
  EXPECT_EQ(lines(p.problems), list{});
  return std::move(p.doc);
}

std::string entry(const std::string& id, const std::string& more = "") {
  return R"({"id": ")" + id + R"(", "namespace": ")" + id + R"(", "url": "http://)" + id +
         R"(.test/mcp")" + (more.empty() ? "" : ", " + more) + "}";
}

std::string discovered(const std::string& entries) {
  return R"({"upstreams": [)" + entries + "]}";
}

std::vector<upstream> read(const std::string& entries) {
  auto p = read_discovered(discovered(entries), rules());
  EXPECT_EQ(lines(p.problems), list{});
  return std::move(p.upstreams);
}

// --- reading -------------------------------------------------------------------------------------

TEST(discovered, is_read_as_the_section_upstreams) {
  const auto text = entry("a", R"("labels": {"k": "v"}, "circuitBreaker": {"failureThreshold": 2},
      "urls": ["http://x", "http://y"])");
  auto p = parse(discovered(text));
  ASSERT_EQ(lines(p.problems), list{});
  EXPECT_EQ(read(text), p.doc.upstreams);
  EXPECT_TRUE(read("").empty());
}

struct bad {
  std::string text;
  std::string pointer;
  std::string part;
};

void PrintTo(const bad& b, std::ostream* out) {
  *out << b.text.substr(0, 200);
}

class discovered_refuses : public ::testing::TestWithParam<bad> {};

TEST_P(discovered_refuses, with_pointer_and_sentence) {
  const auto& b = GetParam();
  const auto p = read_discovered(b.text, rules());
  EXPECT_TRUE(has(p.problems, b.pointer, std::string(in_discovery_document) + b.part));
  EXPECT_EQ(p.problems.size(), 1U) << b.text;
}

std::string nested(std::size_t depth) {
  return discovered(
      entry("a", R"("labels": )" + std::string(depth, '[') + std::string(depth, ']')));
}

INSTANTIATE_TEST_SUITE_P(
    texts, discovered_refuses,
    ::testing::Values(
        bad{"", "", "the document is empty"}, bad{"[]", "", "expected an object, found an array"},
        bad{"<html>", "", "line 1, column 1: not valid JSON"},
        bad{R"({"upstreams": [)", "", "line 1, column 16: the document ends"},
        bad{R"({"upstreams": []} {})", "", "line 1, column 19: something follows"},
        bad{"{}", "/upstreams", "required field is missing"},
        bad{R"({"upstreams": null})", "/upstreams", "expected an array, found null"},
        bad{R"({"upstreams": [], "policy": {}})", "/policy", "unknown field"},
        bad{R"({"upstreams": [], "discovery": {"url": "https://r"}})", "/discovery", "unknown"},
        bad{R"({"upstreams": [], "upstreams": []})", "/upstreams", "duplicate field"},
        bad{R"({"upstreams": [], "upstre\u0061ms": []})", "/upstreams", "duplicate field"},
        bad{discovered(R"({"id": "a", "id": "b", "url": "http://a"})"), "/upstreams/0/id",
            "duplicate field"},
        bad{discovered(R"({"url": "http://a"})"), "/upstreams/0/id", "required field is missing"},
        bad{discovered(R"({"id": "A", "url": "http://a"})"), "/upstreams/0/id", "must consist"},
        bad{discovered(R"({"id": "a\u0000", "url": "http://a"})"), "/upstreams/0/id",
            "must consist"},
        bad{discovered(entry("a", R"("command": "rm")")), "/upstreams/0/command",
            "unknown field; gate never runs processes"},
        bad{discovered(entry("a") + R"(, {"id": "b", "url": 7})"), "/upstreams/1/url",
            "expected a string"},
        bad{std::string("{\"upstreams\": [\0]}", 17), "", "line 1, column 16: not valid JSON"},
        bad{nested(200), "", "line 1, column"}, bad{nested(100'000), "", "line 1, column"},
        bad{nested(20), "/upstreams/0/labels", "expected an object, found an array"}));

TEST(discovered, is_held_within_the_bounds) {
  const auto text = discovered(entry("a", R"("auth": {"strategy": "static", "secretRef": "S"})"));
  EXPECT_TRUE(
      has(read_discovered(text, rules()).problems, "/upstreams/0/auth/strategy",
          std::string(in_discovery_document) + "discovered upstreams may have credentials"));
  EXPECT_EQ(read_discovered(text, rules(R"({"allowedCredentialHosts": ["a.test"]})")).problems,
            std::vector<config_problem>{});
}

TEST(discovered, may_be_as_large_as_the_limit_and_no_larger) {
  std::string many = entry("u0");
  for (std::size_t i = 1; i < limits::upstreams; ++i) many += "," + entry("u" + std::to_string(i));
  ASSERT_LT(many.size(), limits::discovery_bytes);
  auto all = read(many);
  ASSERT_EQ(all.size(), limits::upstreams);
  // Together with the operator's they are too many, all together.
  EXPECT_EQ(merge(own(""), all).problems, std::vector<config_problem>{});
  EXPECT_EQ(lines(merge(own(entry("own")), std::move(all)).problems),
            list{"/upstreams: " + std::string(with_discovery_document) +
                 "10001 upstreams are too many: at most 10000"});
  EXPECT_EQ(lines(read_discovered(discovered(many + "," + entry("one-more")), rules()).problems),
            list{"/upstreams: " + std::string(in_discovery_document) +
                 "10001 entries are too many: at most 10000"});
  std::string empty = "{}";
  while (empty.size() + 40 < limits::discovery_bytes) empty += ",{}";
  EXPECT_EQ(read_discovered(discovered(empty), rules()).problems.size(), 1U);
}

TEST(discovered, of_nonsense_has_a_bounded_number_of_problems) {
  std::string text = "{}";
  for (int i = 0; i < 9'000; ++i) text += R"(,{"id": "A", "x": 1, "url": "ftp://x"})";
  EXPECT_EQ(read_discovered(discovered(text), rules()).problems.size(), limits::config_problems);
}

// --- merging -------------------------------------------------------------------------------------

TEST(merged, has_the_operators_upstreams_first) {
  const auto m = merge(own(entry("b") + "," + entry("a")), read(entry("d") + "," + entry("c")));
  EXPECT_EQ(lines(m.problems), list{});
  list order;
  for (const auto& u : m.doc.upstreams) order.push_back(u.id);
  EXPECT_EQ(order, (list{"b", "a", "d", "c"}));
  EXPECT_EQ(m.discovered_from, 2U);
}

TEST(merged, may_have_no_upstreams_or_only_discovered_ones) {
  auto m = merge(own(""), {});
  EXPECT_EQ(lines(m.problems), list{});
  EXPECT_EQ(m.discovered_from, 0U);
  // A single one may be passed through, wherever it comes from.
  m = merge(own(""), read(R"({"id": "a", "url": "http://a"})"));
  EXPECT_EQ(lines(m.problems), list{});
  EXPECT_TRUE(compile(std::move(m.doc))->passthrough);
}

struct collision {
  std::string own, found;
  list expected;
};

class merged_refuses : public ::testing::TestWithParam<collision> {};

TEST_P(merged_refuses, a_collision_and_names_both) {
  const auto& c = GetParam();
  EXPECT_EQ(lines(merge(own(c.own), read(c.found)).problems), c.expected);
}

std::string spaced(const std::string& id, const std::string& space) {
  return R"({"id": ")" + id + R"(", "namespace": ")" + space + R"(", "url": "http://x"})";
}

INSTANTIATE_TEST_SUITE_P(
    cases, merged_refuses,
    ::testing::Values(
        collision{entry("a"),
                  spaced("a", "b"),
                  {R"(/upstreams/0/id: in the discovery document: the id "a" is taken by )"
                   "/upstreams/0 of the configuration"}},
        collision{entry("z") + "," + entry("a"),
                  entry("c") + "," + spaced("b", "a"),
                  {R"(/upstreams/1/namespace: in the discovery document: the namespace "a" is )"
                   "taken by /upstreams/1 of the configuration"}},
        collision{entry("a"),
                  entry("b") + "," + entry("c") + "," + spaced("b", "d"),
                  {R"(/upstreams/2/id: in the discovery document: the id "b" is taken by )"
                   "/upstreams/0 of the discovery document"}},
        collision{"",
                  entry("b") + "," + entry("b"),
                  {R"(/upstreams/1/id: in the discovery document: the id "b" is taken by )"
                   "/upstreams/0 of the discovery document",
                   R"(/upstreams/1/namespace: in the discovery document: the namespace "b" is )"
                   "taken by /upstreams/0 of the discovery document"}}));

TEST(merged, is_judged_as_one_document) {
  // What the discovered part lacks is told of the discovery document …
  EXPECT_EQ(lines(merge(own(entry("a")), read(R"({"id": "b", "url": "http://b"})")).problems),
            list{"/upstreams/0/namespace: in the discovery document: required when there is more "
                 "than one upstream"});
  EXPECT_EQ(lines(merge(own(entry("a")), read(R"({"id": "b", "namespace": "b"})")).problems),
            list{"/upstreams/0: in the discovery document: has neither \"url\" nor \"urls\": give "
                 "the upstream's MCP endpoint"});
  // … and what the operator's part lacks beside it, of the operator's.
  EXPECT_EQ(lines(merge(own(R"({"id": "a", "url": "http://a"})"), read(entry("b"))).problems),
            list{"/upstreams/0/namespace: with the upstreams of the discovery document: required "
                 "when there is more than one upstream"});
  auto p = read_discovered(discovered(entry("b", R"("auth": {"strategy": "passthrough"})")),
                           rules(R"({"allowedCredentialHosts": ["b.test"]})"));
  EXPECT_TRUE(has(merge(own(entry("a")), std::move(p.upstreams)).problems,
                  "/upstreams/0/auth/strategy", R"(needs "auth": {"mode": "required"})"));
}

TEST(merged, problems_of_the_operators_document_alone_are_told_plainly) {
  document d;
  d.upstreams.resize(2);
  const auto m = merge(d, {});
  EXPECT_FALSE(m.problems.empty());
  EXPECT_EQ(m.problems, validate(d));
}

/// Policy and tenants may speak of upstreams that are not there yet, or not any more.
TEST(merged, policy_may_name_who_is_not_known) {
  const auto d = own(entry("a"), R"({"policy": {"rules": [{"id": "r", "allow":
      [{"server": "later"}]}]}, "tenants": [{"id": "t", "subjects": {"subs": ["s"]},
      "upstreams": ["later"]}]})");
  auto s = compile(merge(d, {}).doc);
  EXPECT_FALSE(s->policy.make_view(nullptr, nullptr, 1)->reaches(0));
  auto m = merge(d, read(entry("later")));
  ASSERT_EQ(lines(m.problems), list{});
  s = compile(std::move(m.doc));
  const auto view = s->policy.make_view(nullptr, &*s->doc.tenants[0].upstreams, 1);
  EXPECT_FALSE(view->visible(0));
  EXPECT_TRUE(view->reaches(1));
  // Without a source, an unknown id is a mistake.
  EXPECT_FALSE(load(patched(plain, R"({"policy": {"rules": [{"id": "r", "allow":
      [{"server": "later"}]}]}})"))
                   .problems.empty());
}

TEST(merged, a_bad_part_has_a_bounded_number_of_problems) {
  std::string twice, bare;
  for (int i = 0; i < 5000; ++i) {
    twice += (i ? "," : "") + entry("same");
    bare += (i ? R"(,{"id": "u)" : R"({"id": "u)") + std::to_string(i) + R"("})";
  }
  EXPECT_EQ(merge(own(""), read(twice)).problems.size(), limits::config_problems);
  EXPECT_EQ(merge(own(""), read(bare)).problems.size(), limits::config_problems);
}

}  // namespace
}  // namespace gate::config
