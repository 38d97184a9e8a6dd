// docs/recording.schema.json against the tables that it is made of.
#include "protocol/recording/schema.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

#include "protocol/recording/shapes.hpp"
#include "tests/support/generated.hpp"

namespace gate::recording {
namespace {

TEST(recording_schema, is_what_was_looked_at) {
  constexpr std::string_view golden = "docs/recording.schema.json";
  const char* update = std::getenv("GATE_UPDATE_GOLDEN");
  if (update && *update) std::ofstream(source_path(golden), std::ios::binary) << schema();
  EXPECT_EQ(testing::read_page(golden), schema())
      << golden << " differs from the code; run this test with GATE_UPDATE_GOLDEN=1";
}

TEST(recording_schema, has_each_kind_with_its_members) {
  const auto parsed = boost::json::parse(schema());
  const auto& all = parsed.at("$defs").as_object();
  EXPECT_EQ(parsed.at("oneOf").as_array().size(), kinds + 2);
  for (const auto& k : kind_table) {
    const auto& members = all.at(k.name).at("properties").as_object();
    for (const auto& f : field_table)
      EXPECT_EQ(members.contains(f.name), has(k.what, f.what)) << k.name << ' ' << f.name;
  }
}

}  // namespace
}  // namespace gate::recording
