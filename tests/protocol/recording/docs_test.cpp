// The tables of docs/simulations.md against those of the format.
#include <gtest/gtest.h>

#include "protocol/recording/event.hpp"
#include "tests/support/generated.hpp"

namespace gate::recording {
namespace {

using namespace gate::testing;

std::string kinds_table() {
  auto out = row_of("`e`", "What happened") + "|---|---|\n";
  for (const auto& k : kind_table) out += row_of(code(k.name), std::string(k.means));
  return out;
}

std::string_view name_of(shape s) {
  switch (s) {
    case shape::text:
      return "string";
    case shape::bytes:
      return "bytes";
    case shape::number:
      return "number";
    case shape::flag:
      return "`true`, or absent";
    case shape::json:
      return "any JSON";
    case shape::headers:
      return "`[[name, value], …]`";
    case shape::events:
      return "`[{\"data\", \"id\", \"event\"}, …]`";
  }
  return "";
}

std::string fields_table() {
  auto out = row_of("Member", "Of", "Type", "Meaning") + "|---|---|---|---|\n";
  for (const auto& f : field_table)
    out +=
        row_of(code(f.name), std::string(f.in), std::string(name_of(f.of)), std::string(f.means));
  return out;
}

TEST(recording_docs, the_page_lists_every_kind_of_event) {
  expect_fresh("docs/simulations.md", "recording kinds", kinds_table());
}

TEST(recording_docs, the_page_lists_every_member) {
  expect_fresh("docs/simulations.md", "recording fields", fields_table());
}

}  // namespace
}  // namespace gate::recording
