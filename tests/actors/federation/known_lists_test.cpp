#include "actors/federation/known_lists.hpp"

#include <gtest/gtest.h>

#include "config/validate.hpp"

namespace gate::federation {
namespace {

using namespace std::chrono_literals;

struct known_lists : ::testing::Test {
  static list_sources::snapshot_ptr snapshot() {
    auto parsed = config::load(R"({"upstreams":[
        {"id":"a","url":"http://a.test/mcp","namespace":"a"},
        {"id":"b","url":"http://b.test/mcp","namespace":"b"},
        {"id":"c","url":"http://c.test/mcp","namespace":"c"}]})");
    for (const auto& p : parsed.problems) ADD_FAILURE() << config::to_line(p);
    return config::compile(std::move(parsed.doc));
  }
  void fill(list_sources& at, std::size_t i, const std::vector<std::string>& keys) {
    std::vector<wanted> want;
    at.ask(*document->at(i), t, want);
    ASSERT_EQ(want.size(), 1U);
    auto all = std::make_shared<mcp::item_list>();
    for (const auto& k : keys) all->push_back({k, '"' + k + '"'});
    at.cache_of(i).filled(i, want[0].fill, all, t, 30s);
  }
  known_owner find(std::string_view uri, mcp::list_kind kind = mcp::list_kind::resources) {
    return find_known_owner(*document, *view, kind, {&first, &second}, uri);
  }
  using ids = std::vector<std::string>;
  using places = std::vector<std::size_t>;

  list_sources::snapshot_ptr document = snapshot();
  config::text_list seen{"a", "b", "c"};
  config::view_ptr view = document->policy.make_view(nullptr, &seen, 1);
  list_sources first{document, {}, nullptr}, second{document, {}, nullptr};
  time_point t{1h};
};

/// Of each upstream its list is not known, without it, or with it: by all 27 it is said who has it,
/// and of whom it is not known.
TEST_F(known_lists, say_whose_it_is_and_who_might_come_before) {
  enum state { unknown, without, with };
  for (int n = 0; n < 27; ++n) {
    list_sources here(document, {}, nullptr);
    const std::array states{static_cast<state>(n % 3), static_cast<state>(n / 3 % 3),
                            static_cast<state>(n / 9)};
    std::optional<std::size_t> owner;
    places before;
    for (std::size_t i = 0; i < 3; ++i) {
      if (states[i] != unknown)
        fill(here, i, states[i] == with ? ids{"x://0", "x://1"} : ids{"x://0"});
      if (owner) continue;
      if (states[i] == with) owner = i;
      if (states[i] == unknown) before.push_back(i);
    }
    const auto said =
        find_known_owner(*document, *view, mcp::list_kind::resources, {&here}, "x://1");
    EXPECT_EQ(said.upstream, owner) << n;
    EXPECT_EQ(said.unknown, before) << n;
  }
}

TEST_F(known_lists, are_those_of_all_kinds_of_clients_together) {
  EXPECT_EQ(find_known_owner(*document, *view, mcp::list_kind::resources, {}, "x").unknown,
            (places{0, 1, 2}));
  fill(first, 0, {"x://a"});
  fill(second, 1, {"x://b"});
  const auto b = find("x://b");
  EXPECT_EQ(b.upstream, 1U);
  EXPECT_TRUE(b.unknown.empty());
  EXPECT_EQ(find("x://c").unknown, places{2});
}

TEST_F(known_lists, are_of_upstreams_that_one_sees) {
  fill(first, 0, {"x://a"});
  seen = {"b"};
  view = document->policy.make_view(nullptr, &seen, 2);
  const auto hidden = find("x://a");
  EXPECT_FALSE(hidden.upstream);
  EXPECT_EQ(hidden.unknown, places{1});
}

/// A number that was given away again means another upstream to lists that a reload has reached.
TEST_F(known_lists, are_those_of_the_same_upstream) {
  fill(first, 0, {"x://a"});
  ASSERT_EQ(find("x://a").upstream, 0U);
  auto parsed = config::load(R"({"upstreams":[{"id":"z","url":"http://z.test/mcp"}]})");
  document = config::compile(std::move(parsed.doc));
  view = document->policy.make_view(nullptr, nullptr, 2);
  const auto other = find("x://a");
  EXPECT_FALSE(other.upstream);
  EXPECT_EQ(other.unknown, places{0});
}

TEST_F(known_lists, have_templates_too) {
  const auto kind = mcp::list_kind::templates;
  fill(first, 0, {"x://a/{id}"});
  EXPECT_EQ(find("x://a/1", kind).upstream, 0U);
  EXPECT_FALSE(find("x://a/1").upstream) << "as a resource it would have to be named so";
  // Hostile ones are not compared without end, and hide nothing of others.
  fill(first, 1, ids(400, std::string(2000, '{') + "}"));
  fill(first, 2, {"y://{id}"});
  EXPECT_EQ(find("y://" + std::string(1000, 'x'), kind).upstream, 2U);
}

}  // namespace
}  // namespace gate::federation
