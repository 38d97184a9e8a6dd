#include "transport/log.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

namespace gate::log {
namespace {

std::vector<std::string>& lines() {
  static std::vector<std::string> all;
  return all;
}

class log_lines : public ::testing::Test {
 protected:
  void SetUp() override {
    lines().clear();
    redirect([](std::string_view line) { lines().emplace_back(line); });
  }
  void TearDown() override {
    redirect(nullptr);
    init(format::text, level::info);
  }

  /// Behind the time and its blank.
  static std::string text(std::size_t i = 0) { return lines().at(i).substr(25); }
  static boost::json::object object(std::size_t i = 0) {
    return boost::json::parse(lines().at(i)).as_object();
  }
};

TEST_F(log_lines, text) {
  init(format::text, level::debug);
  debug("One thing.");
  info("Two things.", {{"upstream", "a"}, {"seconds", "5"}});
  warn("Three.");
  error("Four.");
  ASSERT_EQ(lines().size(), 4u);
  EXPECT_EQ(text(0), "debug One thing.");
  EXPECT_EQ(text(1), "info  Two things. upstream=a seconds=5");
  EXPECT_EQ(text(2), "warn  Three.");
  EXPECT_EQ(text(3), "error Four.");
  EXPECT_EQ(lines()[0][10], 'T') << "RFC 3339";
  EXPECT_EQ(lines()[0][23], 'Z');
}

TEST_F(log_lines, json) {
  init(format::json, level::info);
  info("Two things.", {{"upstream", "a"}, {"why", "say \"no\""}});
  const auto o = object();
  EXPECT_EQ(o.at("level"), "info");
  EXPECT_EQ(o.at("msg"), "Two things.");
  EXPECT_EQ(o.at("upstream"), "a");
  EXPECT_EQ(o.at("why"), "say \"no\"");
  EXPECT_EQ(o.at("time").as_string().back(), 'Z');
  EXPECT_EQ(o.size(), 5u);
}

TEST_F(log_lines, levels) {
  constexpr level all[] = {level::debug, level::info, level::warn, level::error};
  for (const auto least : all) {
    init(format::text, least);
    lines().clear();
    for (const auto l : all) write(l, "x");
    EXPECT_EQ(lines().size(), 4u - static_cast<std::size_t>(least));
    for (const auto l : all) EXPECT_EQ(enabled(l), l >= least);
  }
  init(format::text, level::error);
  lines().clear();
  debug("x");
  info("x");
  warn("x");
  EXPECT_TRUE(lines().empty());
}

/// What a peer says may stand in a line; it must not look like another line, nor move the cursor of
/// the terminal on which it is read.
TEST_F(log_lines, hostile_bytes_in_text) {
  std::string all;
  for (int c = 0; c < 0x20; ++c) all += static_cast<char>(c);
  all += '\x7f';
  const std::string forged = "no\r\n2026-01-01T00:00:00.000Z error Forged.\x1b[2J" + all;
  warn("It said: " + forged, {{"why", forged}});
  ASSERT_EQ(lines().size(), 1u);
  for (const char c : lines()[0]) {
    EXPECT_GE(static_cast<unsigned char>(c), 0x20);
    EXPECT_NE(c, '\x7f');
  }
  EXPECT_NE(text().find("Forged."), std::string::npos);
}

TEST_F(log_lines, c1_control_characters_in_text) {
  info(
      "a\xC2\x9B"
      "2Jb",
      {{"why", "\xC2\x80\xC2\x85\xC2\x9F caf\xC3\xA9 \xC2\xA0 \x9b \xff"}});
  for (const std::string control : {"\xC2\x80", "\xC2\x85", "\xC2\x9B", "\xC2\x9F"})
    EXPECT_EQ(text().find(control), std::string::npos) << text();
  EXPECT_NE(text().find("caf\xC3\xA9"), std::string::npos) << "letters are left alone";
}

TEST_F(log_lines, hostile_bytes_in_json) {
  init(format::json, level::info);
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  info(all, {{"why", all}, {"quote", "\",\"level\":\"error"}});
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_EQ(lines()[0].find('\n'), std::string::npos);
  const auto o = object();  // throws unless it is valid JSON in UTF-8
  EXPECT_EQ(o.at("level"), "info");
  EXPECT_EQ(o.at("quote"), "\",\"level\":\"error");
  EXPECT_EQ(o.at("msg").as_string().find("!\"#$"), 0x21u);
}

TEST_F(log_lines, go_to_standard_error) {
  redirect(nullptr);
  ::testing::internal::CaptureStderr();
  info("Hello.", {{"a", "b"}});
  const auto written = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(written.ends_with("info  Hello. a=b\n")) << written;
  EXPECT_TRUE(lines().empty());
}

}  // namespace
}  // namespace gate::log
