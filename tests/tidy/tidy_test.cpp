/// The rules applied to this repository.
#include <gtest/gtest.h>

#include <iostream>

#include "simulations/peers/source_path.hpp"
#include "tests/tidy/rules.hpp"

namespace gate::tidy {
namespace {

const tree& here() {
  static const tree t = read_tree(source_path({}));
  return t;
}

const std::vector<exemption>& exemptions() {
  static const auto list = [] {
    const auto* f = here().find(exempt_path);
    return f == nullptr ? std::vector<exemption>{} : read_exemptions(f->text);
  }();
  return list;
}

struct rule {
  const char* name;
  findings (*check)(const tree&);
};

void PrintTo(const rule& r, std::ostream* out) {
  *out << r.name;
}

constexpr rule rules[] = {
    {"layers", check_layers},
    {"own_header_first", check_own_header_first},
    {"words", check_words},
    {"notes", check_notes},
    {"file_lengths", check_file_lengths},
    {"function_lengths", check_function_lengths},
    {"line_lengths", check_line_lengths},
    {"class_sizes", check_class_sizes},
    {"folders", check_folders},
    {"header_prose", check_header_prose},
    {"file_names", check_file_names},
    {"actor_names", check_actor_names},
    {"tested", check_tested},
    {"stages", check_stages},
    {"packages", check_packages},
    {"links", check_links},
    {"named_files", check_named_files},
    {"machine_paths", check_machine_paths},
    {"log_sentences", check_log_sentences},
};

class repository : public testing::TestWithParam<rule> {};

TEST_P(repository, keeps) {
  std::string broken;
  for (const auto& f : without_exempt(GetParam().check(here()), GetParam().name, exemptions()))
    broken += to_string(f) + "\n";
  if (!broken.empty()) ADD_FAILURE() << broken;
}

INSTANTIATE_TEST_SUITE_P(rules, repository, testing::ValuesIn(rules),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(exemptions, name_rules_that_exist) {
  for (const auto& e : exemptions()) {
    bool known = false;
    for (const auto& r : rules) known = known || e.rule == r.name;
    EXPECT_TRUE(known) << exempt_path << ":" << e.line << ": there is no rule " << e.rule;
  }
}

TEST(exemptions, name_sources_and_tests_that_exist) {
  for (const auto& f : check_exemptions(here(), exemptions())) ADD_FAILURE() << to_string(f);
}

TEST(exemptions, of_untested_sources_are_shown) {
  for (const auto& e : exemptions())
    if (e.rule == "tested")
      std::cout << "no test of its own: " << e.subject << ": " << e.reason << "\n";
}

TEST(tree, was_read) {
  for (auto path : {"CMakeLists.txt", "protocol/limits.hpp", "actors/pipeline/order.hpp"})
    EXPECT_NE(here().find(path), nullptr) << path;
}

}  // namespace
}  // namespace gate::tidy
