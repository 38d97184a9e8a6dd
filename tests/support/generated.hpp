#pragma once
/// Tables of docs/ against the tables of the code that they are made from. With
/// GATE_UPDATE_GOLDEN=1 the pages are rewritten instead.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "simulations/peers/source_path.hpp"

namespace gate::testing {

inline std::string read_page(std::string_view page) {
  std::ifstream in(source_path(page), std::ios::binary);
  EXPECT_TRUE(in.is_open()) << page;
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A word in code font; nothing for an empty one.
inline std::string code(std::string_view word) {
  return word.empty() ? "" : '`' + std::string(word) + '`';
}

/// `| a | b |` and a line feed; an empty cell is `|  |`.
template <class... Cells>
std::string row_of(const Cells&... cells) {
  std::string line = "|";
  ((line.append(" ").append(cells).append(" |")), ...);
  return line + '\n';
}

/// What stands between `<!-- generated: NAME -->` and `<!-- end -->` must be `table`.
inline void expect_fresh(std::string_view page, std::string_view name, const std::string& table) {
  const char* update = std::getenv("GATE_UPDATE_GOLDEN");
  auto text = read_page(page);
  const auto mark = "<!-- generated: " + std::string(name) + " -->\n";
  auto begin = text.find(mark);
  ASSERT_NE(begin, std::string::npos) << page << " has no " << mark;
  begin += mark.size();
  auto end = text.find("<!-- end -->", begin);
  ASSERT_NE(end, std::string::npos) << page << " has no end mark";
  const auto wanted = '\n' + table + '\n';
  if (update && *update) {
    text.replace(begin, end - begin, wanted);
    std::ofstream(source_path(page), std::ios::binary) << text;
    end = begin + wanted.size();
  }
  EXPECT_EQ(text.substr(begin, end - begin), wanted)
      << page << " differs from the code; run this test with GATE_UPDATE_GOLDEN=1";
}

}  // namespace gate::testing
