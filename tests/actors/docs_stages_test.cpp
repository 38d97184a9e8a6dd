// README.md's table of the nine stages against actors/pipeline/order.hpp.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "actors/pipeline/order.hpp"
#include "simulations/peers/source_path.hpp"

namespace gate::pipeline {
namespace {

/// The line of `text` that begins with `start`, and where it begins; empty if there is none.
std::string line_with(const std::string& text, const std::string& start, std::size_t& at) {
  at = text.find('\n' + start);
  if (at == std::string::npos) return {};
  ++at;
  return text.substr(at, text.find('\n', at) - at);
}

TEST(docs_stages, readme_names_the_stages_in_order_with_their_reasons) {
  std::ifstream in(source_path("README.md"), std::ios::binary);
  ASSERT_TRUE(in.is_open());
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::size_t last = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto number = std::to_string(i + 1);
    const auto start = "| " + number + " | " + std::string(order[i].name) + " |";
    std::size_t at = 0;
    const auto line = line_with(text, start, at);
    ASSERT_FALSE(line.empty()) << "README.md has no row " << start;
    EXPECT_GT(at, last) << start << " stands before an earlier stage";
    EXPECT_NE(line.find(order[i].why_here), std::string::npos)
        << line << "\nlacks the reason of order.hpp: " << order[i].why_here;
    // Each stage's file carries its number, so the row can be checked against it as well.
    const auto file = line.find("actors/pipeline/stage" + number + "_");
    ASSERT_NE(file, std::string::npos) << line << "\nnames no file of stage " << number;
    const auto name = line.substr(file, line.find_first_of("`)", file) - file);
    EXPECT_TRUE(std::ifstream(source_path(name)).is_open()) << name << " does not exist";
    last = at;
  }
}

}  // namespace
}  // namespace gate::pipeline
