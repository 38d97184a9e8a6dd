#pragma once
/// Completions of command lines in bash, zsh and fish, made of the tables of options. They need
/// nothing but the shell. Pure.
#include <string>
#include <vector>

#include "config/options/described.hpp"

namespace gate::config {

/// Commands that a program has beside its own options, each as its first word: `gate doctor`.
using first_words = std::vector<described_program>;

std::string bash_completion(const described_program& p, const first_words& commands = {});
std::string bash_completion(const described_commands& p);
std::string zsh_completion(const described_program& p, const first_words& commands = {});
std::string zsh_completion(const described_commands& p);
std::string fish_completion(const described_program& p, const first_words& commands = {});
std::string fish_completion(const described_commands& p);

/// What a value of an option is, as its placeholder says.
enum class value_kind { file, folder, word };
value_kind value_kind_of(const described_option& o);

}  // namespace gate::config
