#pragma once
/// Completions of command lines in bash, zsh and fish, made of the tables of options. They need
/// nothing but the shell. Pure.
#include <string>

#include "config/options/described.hpp"

namespace gate::config {

std::string bash_completion(const described_program& p);
std::string bash_completion(const described_commands& p);
std::string zsh_completion(const described_program& p);
std::string zsh_completion(const described_commands& p);
std::string fish_completion(const described_program& p);
std::string fish_completion(const described_commands& p);

/// What a value of an option is, as its placeholder says.
enum class value_kind { file, folder, word };
value_kind value_kind_of(const described_option& o);

}  // namespace gate::config
