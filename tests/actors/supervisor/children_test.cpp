#include "actors/supervisor/children.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "simulations/peers/source_path.hpp"

namespace gate::supervisor {
namespace {

using namespace std::chrono_literals;

const children::time_point start{1h};
constexpr child first_upstream{role::upstream, 0, 3};

TEST(children, know_who_has_ended_by_its_id) {
  children c;
  c.born(7, first_upstream, start);
  c.born(8, {role::upstream, 1, 3}, start);
  const auto it = c.down(7, start);
  ASSERT_TRUE(it);
  EXPECT_EQ(it->who, first_upstream);
  EXPECT_EQ(it->pause, 100ms);
  EXPECT_FALSE(c.down(7, start)) << "once";
  EXPECT_EQ(c.size(), 1U);
}

TEST(children, do_not_know_strangers_and_those_that_were_given_up) {
  children c;
  c.born(7, {role::health}, start);
  c.give_up(7);
  c.give_up(9);
  EXPECT_FALSE(c.down(7, start));
  EXPECT_FALSE(c.down(9, start));
}

/// Crashes right after it was born, `times` times; the last pause.
std::chrono::milliseconds crash(children& c, const child& who, int times) {
  std::chrono::milliseconds pause{0};
  for (int i = 0; i < times; ++i) {
    c.born(1, who, start);
    pause = c.down(1, start)->pause;
  }
  return pause;
}

TEST(children, rest_longer_each_time_and_up_to_a_bound) {
  children c;
  EXPECT_EQ(crash(c, {role::mint}, 1), 100ms);
  EXPECT_EQ(crash(c, {role::mint}, 1), 200ms);
  EXPECT_EQ(crash(c, {role::mint}, 2), 800ms);
  EXPECT_EQ(crash(c, {role::mint}, 20), 30s);
}

TEST(children, that_lived_for_a_while_start_over) {
  children c;
  crash(c, {role::mint}, 3);
  c.born(1, {role::mint}, start);
  EXPECT_EQ(c.down(1, start + 59s)->pause, 800ms);
  c.born(1, {role::mint}, start);
  EXPECT_EQ(c.down(1, start + 60s)->pause, 100ms);
}

TEST(children, rest_each_by_itself) {
  children c;
  crash(c, first_upstream, 5);
  for (const child other : {child{role::upstream, 1, 3},
                            {role::upstream, 0, 2},
                            {role::breaker, 0, 3},
                            {role::router, 0}})
    EXPECT_EQ(crash(c, other, 1), 100ms);
}

TEST(children, of_a_number_that_becomes_anothers_begin_anew) {
  children c;
  const child breaker{role::breaker, 0, 3}, other{role::upstream, 0, 2}, keys{role::keys, 0, 3};
  for (const auto& who : {first_upstream, breaker, other, keys}) crash(c, who, 3);
  EXPECT_EQ(c.places(), 4U);
  c.vacate(3);
  EXPECT_EQ(c.places(), 2U);
  EXPECT_EQ(crash(c, first_upstream, 1), 100ms);
  EXPECT_EQ(crash(c, breaker, 1), 100ms);
  EXPECT_EQ(crash(c, other, 1), 800ms);
  EXPECT_EQ(crash(c, keys, 1), 800ms) << "which is not an upstream's";
}

// --- the table -----------------------------------------------------------------------------------

TEST(children_table, names_each_role_once_and_in_its_sentence) {
  std::set<std::string_view> names;
  for (const auto& r : table) {
    const auto name = cast_of(r.who).title;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(cast_of(r.who).parent, role::gateway) << name;
    EXPECT_TRUE(r.sentence.starts_with(std::string(name) + " crashed and is restarted"))
        << r.sentence;
    EXPECT_TRUE(r.sentence.ends_with('.')) << r.sentence;
  }
}

TEST(children_table, has_everybody_whom_gateway_starts) {
  for (const auto& r : cast)
    EXPECT_EQ(r.parent == role::gateway && r.who != role::gateway,
              static_cast<std::size_t>(r.who) < table.size())
        << r.title;
}

TEST(children_table, restarts_to_the_end_what_the_audit_trail_needs) {
  for (const auto& r : table)
    EXPECT_EQ(r.when == restarts::to_the_end, r.who == role::audit || r.who == role::sink)
        << r.sentence;
}

TEST(children_table, is_that_of_the_documentation) {
  std::ifstream in(source_path("docs/architecture.md"));
  std::stringstream all;
  all << in.rdbuf();
  const auto text = all.str();
  const auto from = text.find("\n## Supervision\n");
  const auto section = text.substr(from, text.find("\n## ", from + 1) - from);
  for (const auto& r : table) {
    const std::string name(cast_of(r.who).title);
    const auto row = section.find("\n| " + name + " | GATEWAY ");
    ASSERT_NE(row, section.npos) << name;
    const auto line = section.substr(row + 1, section.find('\n', row + 1) - row - 1);
    EXPECT_TRUE(line.ends_with("| " + std::string(r.means) + " |")) << line;
  }
}

}  // namespace
}  // namespace gate::supervisor
