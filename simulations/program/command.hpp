#pragma once
/// The commands of `gate-sim`: one that is added is a row in commands.cpp and a file of its own.
#include <span>
#include <string>
#include <string_view>

#include "config/options/described.hpp"

namespace gate::sim_program {

/// What it was run with, without the program's name and the command's.
using arguments = std::span<const char* const>;

struct command {
  std::string_view name;
  int (*run)(arguments);  ///< gives the exit code
  config::described_program (*line)();
};
std::span<const command> commands();

/// Chooses a command and runs it; complains of one that there is not.
int run_program(arguments all);
/// The text of `gate-sim --help`.
std::string program_help();
/// All commands and their options, for other texts.
config::described_commands command_line();

/// Exit codes.
inline constexpr int exit_good = 0;
inline constexpr int exit_bad = 1;       ///< a violation, a difference
inline constexpr int exit_unusable = 2;  ///< a wrong command line, a file that can not be used
inline constexpr int exit_interrupted = 130;

/// Says on standard error what is wrong; gives `code`.
int complain_of(std::string_view what, int code = exit_unusable);

// replay_command.cpp
int replay_command(arguments args);
// run_command.cpp
int run_command(arguments args);
// plants_command.cpp
int plants_command(arguments args);
config::described_program plants_line();
// scenarios_command.cpp
int scenarios_command(arguments args);
config::described_program scenarios_line();
// show_command.cpp
int show_command(arguments args);
config::described_program show_line();
// export_command.cpp
int export_command(arguments args);
config::described_program export_line();

}  // namespace gate::sim_program
