#include "config/doctor_options.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gate::config {
namespace {

std::optional<std::string> nothing_set(std::string_view) {
  return std::nullopt;
}

doctor_options good_doctor(std::vector<const char*> args, const environment& env = nothing_set) {
  auto parsed = parse_doctor(args, env);
  const auto* wrong = std::get_if<usage_error>(&parsed);
  EXPECT_EQ(wrong, nullptr) << wrong->what;
  return wrong ? doctor_options{} : std::get<doctor_options>(parsed);
}
std::string bad_doctor(std::vector<const char*> args) {
  auto parsed = parse_doctor(args, nothing_set);
  const auto* wrong = std::get_if<usage_error>(&parsed);
  return wrong ? wrong->what : "";
}

TEST(doctor_options, defaults_are_those_of_the_gateway) {
  const auto o = good_doctor({"--config", "a.json"});
  EXPECT_EQ(o.source, (source{source::kind::file, "a.json"}));
  EXPECT_EQ(o.host, cli_options{}.host);
  EXPECT_EQ(o.port, cli_options{}.port);
  EXPECT_EQ(o.timeout, limits::doctor_peer.count());
  EXPECT_FALSE(o.json);
}

TEST(doctor_options, all_of_them) {
  const auto o = good_doctor({"--config", "a.json", "--host", "::1", "--port=0", "--threads", "3",
                              "--timeout", "2", "--json"});
  EXPECT_EQ(o.host, "::1");
  EXPECT_EQ(o.port, 0);
  EXPECT_EQ(o.threads, 3U);
  EXPECT_EQ(o.timeout, 2U);
  EXPECT_TRUE(o.json);
}

TEST(doctor_options, a_document_has_to_be_named) {
  EXPECT_EQ(bad_doctor({}), no_configuration);
  const auto o =
      good_doctor({}, [](std::string_view) { return std::optional<std::string>(" {}"); });
  EXPECT_EQ(o.source, (source{source::kind::inlined, " {}"}));
}

TEST(doctor_options, what_is_wrong_is_said) {
  EXPECT_NE(bad_doctor({"--confg", "x"}).find("--config"), std::string::npos);
  EXPECT_NE(bad_doctor({"--config", "x", "--timeout", "0"}).find("--timeout"), std::string::npos);
  EXPECT_NE(bad_doctor({"--config", "x", "y"}).find("gate doctor"), std::string::npos);
}

TEST(doctor_options, help_needs_no_document) {
  EXPECT_EQ(good_doctor({"--help"}).action, doctor_options::action_kind::help);
  EXPECT_NE(doctor_help().find("--timeout SECONDS"), std::string::npos);
}

}  // namespace
}  // namespace gate::config
