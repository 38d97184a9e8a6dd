#include "actors/cast.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/generated.hpp"

namespace gate {
namespace {

using namespace testing;

TEST(the_cast, has_each_name_once) {
  std::set<std::string_view> names, titles;
  for (const auto& r : cast) {
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_TRUE(titles.insert(r.title).second) << r.title;
  }
}

/// One row an actor; those of GATEWAY stand behind it, those of UPSTREAM behind these.
std::string cast_table() {
  std::string out = row_of("Actor", "Started by", "One for each", "Runs on", "What it does");
  out += "|---|---|---|---|---|\n";
  const auto add = [&](const cast_row& r) {
    const bool first = r.who == r.parent;
    out += row_of(std::string(r.title),
                  std::string(first ? "whoever assembles the process" : cast_of(r.parent).title),
                  std::string(r.each), std::string(r.runs), std::string(r.does));
  };
  add(cast_of(role::gateway));
  for (const auto& r : cast)
    if (r.who != role::gateway) add(r);
  return out;
}

TEST(the_cast, is_that_of_the_documentation) {
  expect_fresh("docs/architecture.md", "cast", cast_table());
}

}  // namespace
}  // namespace gate
