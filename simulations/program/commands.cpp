#include <algorithm>
#include <array>
#include <iostream>
#include <vector>

#include "config/options/nearest.hpp"
#include "config/options/options.hpp"
#include "simulations/program/command.hpp"

namespace gate::sim_program {
namespace {

constexpr std::array rows{
    command{"replay", "play a recording to a gateway, compare, ask what if", replay_command},
    command{"run", "tell stories, each made by its seed, and look for what is wrong", run_command},
    command{"plants", "list the faults that can be planted, and who must see them", plants_command},
    command{"scenarios", "list the scenarios, or write down the schema of their files",
            scenarios_command},
    command{"show", "show the calls of a recording (gate --record)", show_command},
    command{"export", "write a recording in a format of others: HAR", export_command},
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

std::string program_help() {
  std::vector<config::usage::help_line> lines;
  for (const auto& c : rows) lines.push_back({std::string(c.name), std::string(c.about)});
  lines.push_back({"--help", "this text; behind a command, its options"});
  lines.push_back({"--version", "print the version"});
  auto text = config::usage::help(
      "gate-sim", "recordings, replays and simulations of gate", "gate-sim COMMAND [OPTION…]",
      lines, "0 nothing is wrong, 1 something is, 2 the command line or a file can not be used");
  // These are no options.
  constexpr std::string_view heading = "\noptions:\n";
  return text.replace(text.find(heading), heading.size(), "\ncommands:\n");
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
