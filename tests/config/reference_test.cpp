#include "config/reference.hpp"

#include <set>
#include <sstream>

#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

constexpr std::string_view page = "docs/configuration.md";
constexpr std::string_view begin_mark = "<!-- generated: config reference -->\n";
constexpr std::string_view end_mark = "<!-- end -->";

TEST(reference, page_is_fresh) {
  auto text = read_file(source_path(page));
  auto begin = text.find(begin_mark);
  auto end = text.find(end_mark);
  ASSERT_NE(begin, std::string::npos) << page;
  ASSERT_LT(begin, end) << page;
  begin += begin_mark.size();
  auto wanted = "\n" + reference() + "\n";
  if (updating()) {
    text.replace(begin, end - begin, wanted);
    write_file(source_path(page), text);
    end = begin + wanted.size();
  }
  EXPECT_EQ(text.substr(begin, end - begin), wanted)
      << "the tables of " << page << " differ from config/describe.hpp: put the output of "
      << "gate --config-reference between the markers, or run this test with GATE_UPDATE_GOLDEN=1";
}

/// The paths of all values in `v`, list indexes left out: `upstreams[].id`.
void paths(const bj::value& v, const std::string& at, std::set<std::string>& out) {
  out.insert(at);
  if (auto* object = v.if_object()) {
    for (const auto& member : *object) {
      paths(member.value(), (at.empty() ? "" : at + ".") + std::string(member.key()), out);
    }
  } else if (auto* array = v.if_array()) {
    for (const auto& entry : *array) paths(entry, at + "[]", out);
  }
}

TEST(reference, full_example_uses_every_field) {
  std::set<std::string> used;
  paths(bj::parse(read_file(source_path("config/examples/full.json"))), "", used);
  std::istringstream in(reference());
  std::string section;
  std::size_t fields = 0;
  for (std::string line; std::getline(in, line);) {
    auto name = line.substr(0, line.find('`', 5));
    if (line.starts_with("### `")) section = name.substr(5);
    if (!line.starts_with("| `")) continue;
    auto path = section + "." + line.substr(3, line.find('`', 3) - 3);
    EXPECT_TRUE(used.contains(path)) << path << " is missing in config/examples/full.json";
    ++fields;
  }
  EXPECT_GT(fields, 100U);
}

TEST(reference, says_what_a_row_is_about) {
  auto text = reference();
  auto row = [&](std::string_view start) {
    auto at = text.find("| `" + std::string(start) + "` |");
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(row("cacheTtlMs"),
            "| `cacheTtlMs` | integer | 30000 | live | How long list results are cached, in "
            "milliseconds; negative: not at all. |");
  EXPECT_NE(row("urls").find("| list of strings | none | live |"), std::string::npos);
  EXPECT_NE(row("mcpPath").find("| `/mcp` | restart |"), std::string::npos);
  EXPECT_NE(row("ema.tokenTtlSec").find("| 600 | restart |"), std::string::npos);
  EXPECT_NE(row("redisUrl").find("| restart |"), std::string::npos);
}

TEST(examples, are_valid) {
  for (auto name : {"single-upstream", "federation", "fleet/gate", "full"}) {
    auto text = read_file(source_path("config/examples/" + std::string(name) + ".json"));
    EXPECT_EQ(lines(load(text).problems), std::vector<std::string>{}) << name;
  }
}

}  // namespace
}  // namespace gate::config
