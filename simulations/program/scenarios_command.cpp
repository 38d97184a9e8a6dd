// gate-sim scenarios: what `run` can be told to run, and how a file of one's own looks.
#include <array>
#include <cstdint>
#include <iostream>

#include "config/options/options.hpp"
#include "simulations/program/command.hpp"
#include "simulations/runs/scenario_file.hpp"

namespace gate::sim_program {
namespace {

struct scenarios_options {
  enum class action : std::uint8_t { list, help, schema, settings } what = action::list;
  std::vector<std::string> names{};
};

constexpr std::array<config::option<scenarios_options>, 3> scenarios_rows{
    {{"--schema", "", "print the JSON Schema of scenario files",
      config::as_action<&scenarios_options::what, scenarios_options::action::schema>()},
     {"--settings", "", "print what each kind of stories can be told, as tables",
      config::as_action<&scenarios_options::what, scenarios_options::action::settings>()},
     {"--help", "", "this text",
      config::as_help<&scenarios_options::what, scenarios_options::action::help>()}}};

constexpr config::program<scenarios_options> scenarios_table{
    "gate-sim scenarios",
    "list the scenarios; with a name, print its file",
    "gate-sim scenarios [NAME] [OPTION…]",
    "0 always, 2 the command line is wrong",
    scenarios_rows,
    true,
    nullptr,
    &scenarios_options::names};

int list_scenarios() {
  for (const auto name : runs::scenario_names()) {
    const auto read = runs::read_scenario(runs::scenario_text(name));
    std::cout << name << " (" << read.file.of->name() << ")\n    " << read.file.about << '\n';
  }
  return exit_good;
}

int print_settings() {
  for (const auto* k : runs::kinds())
    std::cout << "### " << k->name() << "\n\n" << runs::settings_table(*k) << '\n';
  return exit_good;
}

}  // namespace

int scenarios_command(arguments args) {
  const auto parsed = config::parse(scenarios_table, args);
  if (const auto* wrong = std::get_if<config::usage_error>(&parsed))
    return complain_of(wrong->what);
  const auto& o = std::get<scenarios_options>(parsed);
  using what = scenarios_options::action;
  if (o.what == what::help) {
    std::cout << config::help_of(scenarios_table);
    return exit_good;
  }
  if (o.what == what::schema) {
    std::cout << runs::scenario_schema();
    return exit_good;
  }
  if (o.what == what::settings) return print_settings();
  for (const auto& name : o.names) {
    const auto text = runs::scenario_text(name);
    if (text.empty()) return complain_of("there is no scenario \"" + name + '"');
    std::cout << text;
  }
  return o.names.empty() ? list_scenarios() : exit_good;
}

config::described_program scenarios_line() {
  return config::described_of(scenarios_table);
}

}  // namespace gate::sim_program
