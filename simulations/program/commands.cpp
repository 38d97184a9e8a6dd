#include <array>
#include <iostream>
#include <vector>

#include "config/options/nearest.hpp"
#include "config/options/options.hpp"
#include "simulations/program/command.hpp"
#include "simulations/program/replay_options.hpp"
#include "simulations/program/run_options.hpp"

namespace gate::sim_program {
namespace {

constexpr std::array rows{
    command{"replay", replay_command, replay_line},
    command{"run", run_command, run_line},
    command{"plants", plants_command, plants_line},
    command{"scenarios", scenarios_command, scenarios_line},
    command{"show", show_command, show_line},
    command{"export", export_command, export_line},
};

std::string names_of_commands() {
  std::string out;
  for (const auto& c : rows) out += (out.empty() ? "" : ", ") + std::string(c.name);
  return out;
}

}  // namespace

std::span<const command> commands() {
  return rows;
}

config::described_commands command_line() {
  config::described_commands out{
      "gate-sim",
      "recordings, replays and simulations of gate",
      "gate-sim COMMAND [OPTION…]",
      "0 nothing is wrong, 1 something is, 2 the command line or a file can not be used",
      {}};
  for (const auto& c : rows) out.commands.push_back(c.line());
  return out;
}

std::string program_help() {
  return config::help_text(command_line());
}

int complain_of(std::string_view what, int code) {
  std::cerr << "gate-sim: " << what << '\n';
  return code;
}

int run_program(arguments all) {
  if (all.empty())
    return complain_of("needs a command: one of " + names_of_commands() + "; see gate-sim --help");
  const std::string_view name = all.front();
  if (name == "--help") {
    std::cout << program_help();
    return exit_good;
  }
  if (name == "--version") {
    std::cout << "gate-sim " GATE_VERSION "\n";
    return exit_good;
  }
  for (const auto& c : rows)
    if (c.name == name) return c.run(all.subspan(1));
  std::vector<std::string_view> known;
  for (const auto& c : rows) known.push_back(c.name);
  const auto near = config::nearest(name, known);
  return complain_of("there is no command \"" + std::string(name) + '"' +
                     (near.empty() ? "" : "; did you mean " + std::string(near) + "?") +
                     " Commands: " + names_of_commands() + "; see gate-sim --help");
}

}  // namespace gate::sim_program
