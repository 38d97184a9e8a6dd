// The bounds of protocol/limits/children, protocol/limits/client_files, protocol/limits/clients,
// protocol/limits/ledger, protocol/limits/messages, protocol/limits/operations,
// protocol/limits/origins, protocol/limits/playback, protocol/limits/sessions,
// protocol/limits/store, protocol/limits/tokens and protocol/limits/webhooks: each has a row
// (protocol/limits/row) beside it, with its own value.
#include "protocol/limits.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/support/generated.hpp"

namespace gate::limits {
namespace {

/// The files, as protocol/limits.hpp includes them.
std::vector<std::string> files() {
  static const std::regex include(R"_(#include "(protocol/limits/\w+\.hpp)")_");
  const auto text = gate::testing::read_page("protocol/limits.hpp");
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it)
    out.push_back((*it)[1]);
  return out;
}

std::vector<std::string> found(const std::string& text, const std::regex& what, std::size_t group) {
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), what), end; it != end; ++it)
    out.push_back((*it)[group]);
  return out;
}

const std::regex constants(R"(\ninline constexpr (std::size_t|std::uint32_t|int|unsigned|double|)"
                           R"(seconds|milliseconds|std::chrono::microseconds)\s(\w+))");
const std::regex rows(R"_(\n    row\{"(\w+)", (?:bytes\()?(\w+))_");

TEST(limits, have_a_row_each_in_their_order) {
  std::size_t all = 0;
  for (const auto& file : files()) {
    const auto text = gate::testing::read_page(file);
    const auto names = found(text, constants, 2);
    EXPECT_FALSE(names.empty()) << file;
    EXPECT_EQ(found(text, rows, 1), names) << file;
    EXPECT_EQ(found(text, rows, 2), names) << file << ": a row has the value of another";
    all += names.size();
  }
  std::size_t listed = 0;
  for (const auto& t : table) listed += t.rows.size();
  EXPECT_EQ(listed, all) << "protocol/limits.hpp lacks a topic";
}

/// Whatever else is a constant there is a table of rows.
TEST(limits, are_all_recognised) {
  static const std::regex any(R"(\ninline constexpr )"),
      tables(R"(\ninline constexpr std::array )");
  for (const auto& file : files()) {
    const auto text = gate::testing::read_page(file);
    EXPECT_EQ(found(text, any, 0).size(),
              found(text, constants, 0).size() + found(text, tables, 0).size())
        << file;
  }
}

TEST(an_amount, knows_what_it_counts) {
  EXPECT_EQ(amount(7).in, amount::unit::number);
  EXPECT_EQ(bytes(7).in, amount::unit::bytes);
  EXPECT_EQ(amount(seconds{2}).in, amount::unit::time);
  EXPECT_EQ(amount(seconds{2}).value, 2'000'000U);
}

}  // namespace
}  // namespace gate::limits
