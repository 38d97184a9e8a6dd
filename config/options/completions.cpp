#include "config/options/completions.hpp"

#include <algorithm>

namespace gate::config {
namespace {

constexpr std::string_view head = " made of the tables of options: see docs/packages.md.\n";

std::string with_underscores(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '-', '_');
  std::ranges::replace(out, ' ', '_');
  return out;
}

/// As one word of bash or zsh.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
  return out + '\'';
}

std::string joined(const word_list& words) {
  std::string out;
  for (const auto w : words) out.append(out.empty() ? "" : " ").append(w);
  return out;
}

std::string names_of(const described_program& p) {
  word_list names;
  for (const auto& o : p.options) names.push_back(o.name);
  return joined(names);
}

std::string_view command_of(const described_program& p) {
  return p.name.substr(p.name.find(' ') + 1);
}

// --- bash ----------------------------------------------------------------------------------------

/// Looks at `$word`, and at `$before` it: an `=` between them is a word of its own there.
std::string bash_words(std::string_view name) {
  return "# bash completion of " + std::string(name) + ',' + std::string(head) + '_' +
         with_underscores(name) +
         "() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  if [[ $word == = ]]; then\n"
         "    word=\n"
         "  elif [[ $before == = ]]; then\n"
         "    before=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  fi\n"
         "  COMPREPLY=()\n";
}

/// A case for each option with a value. What nobody can guess is left to who types.
std::string bash_values(const described_program& p, std::string_view indent) {
  std::string out;
  const auto row = [&](std::string_view name, std::string_view does) {
    out.append(indent).append(name).append(") ").append(does).append(" ;;\n");
  };
  for (const auto& o : p.options) {
    if (o.placeholder.empty()) continue;
    if (!o.words.empty())
      row(o.name, "mapfile -t COMPREPLY < <(compgen -W " + quoted(joined(o.words)) +
                      " -- \"$word\"); return");
    else if (value_kind_of(o) == value_kind::word)
      row(o.name, "return");
    else
      row(o.name,
          std::string("compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen ") +
              (value_kind_of(o) == value_kind::folder ? "-d" : "-f") + " -- \"$word\"); return");
  }
  if (out.empty()) return out;
  const std::string around(indent.substr(2));
  return around + "case $before in\n" + out + around + "esac\n";
}

std::string bash_options(const described_program& p, std::string_view indent) {
  std::string out(indent);
  // Files are what does not begin as an option does.
  if (p.operands)
    out +=
        "if [[ $word != -* ]]; then compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < "
        "<(compgen -f -- \"$word\"); return; fi\n" +
        std::string(indent);
  return out + "mapfile -t COMPREPLY < <(compgen -W " + quoted(names_of(p)) + " -- \"$word\")\n";
}

/// Behind `--`: a program, then its files.
constexpr std::string_view bash_command =
    "  local i\n"
    "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
    "    [[ ${COMP_WORDS[i]} == -- ]] || continue\n"
    "    if ((i == COMP_CWORD - 1)); then\n"
    "      mapfile -t COMPREPLY < <(compgen -c -- \"$word\")\n"
    "    else\n"
    "      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
    "    fi\n"
    "    return\n"
    "  done\n";

std::string bash_end(std::string_view name) {
  return "}\ncomplete -F _" + with_underscores(name) + ' ' + std::string(name) + '\n';
}

// --- zsh -----------------------------------------------------------------------------------------

/// Within the brackets or between the colons of a specification.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_specification(const described_option& o) {
  std::string out(o.name);
  if (!o.placeholder.empty()) out += '=';
  out += '[' + zsh_text(o.help) + ']';
  if (!o.placeholder.empty()) {
    out += ':' + zsh_text(o.placeholder) + ':';
    if (!o.words.empty())
      out += '(' + joined(o.words) + ')';
    else if (value_kind_of(o) == value_kind::file)
      out += "_files";
    else if (value_kind_of(o) == value_kind::folder)
      out += "_files -/";
    else
      out += ' ';
  }
  return quoted(out);
}

std::string zsh_arguments(const described_program& p, std::string_view indent) {
  std::string out = std::string(indent) + "_arguments -S";
  for (const auto& o : p.options) out.append(" \\\n  ").append(indent).append(zsh_specification(o));
  if (p.operands) out.append(" \\\n  ").append(indent).append("'*:FILE:_files'");
  if (p.command) out.append(" \\\n  ").append(indent).append("'*:: :_normal'");
  return out + '\n';
}

// --- fish ----------------------------------------------------------------------------------------

/// Before a quote or another of these, a backslash within quotes is no character.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + '\'';
}

/// `when`: a condition, with its option; empty: always.
std::string fish_options(const described_program& p, std::string_view program,
                         std::string_view when) {
  std::string out;
  for (const auto& o : p.options) {
    out.append("complete -c ").append(program).append(when);
    out.append(" -l ").append(o.name.substr(2));
    if (!o.words.empty())
      out += " -x -a " + fish_quoted(joined(o.words));
    else if (!o.placeholder.empty() && value_kind_of(o) == value_kind::file)
      out += " -r -F";
    else if (!o.placeholder.empty() && value_kind_of(o) == value_kind::folder)
      out += " -x -a '(__fish_complete_directories)'";
    else if (!o.placeholder.empty())
      out += " -x";
    out += " -d " + fish_quoted(o.help) + '\n';
  }
  return out;
}

}  // namespace

value_kind value_kind_of(const described_option& o) {
  const auto what = o.placeholder;
  if (what == "DIR") return value_kind::folder;
  const bool file = what == "PATH" || what.starts_with("FILE") || what.starts_with("OUT.");
  return file ? value_kind::file : value_kind::word;
}

std::string bash_completion(const described_program& p, const first_words& commands) {
  auto out = bash_words(p.name) + std::string(p.command ? bash_command : "");
  word_list names;
  for (const auto& c : commands) {
    names.push_back(command_of(c));
    out += "  if ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[1]} == " + std::string(command_of(c)) +
           " ]]; then\n" + bash_values(c, "      ") + bash_options(c, "    ") +
           "    return\n  fi\n";
  }
  out += bash_values(p, "    ") + bash_options(p, "  ");
  if (!names.empty())
    out += "  ((COMP_CWORD > 1)) || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W " +
           quoted(joined(names)) + " -- \"$word\")\n";
  return out + bash_end(p.name);
}

std::string bash_completion(const described_commands& p) {
  word_list names{"--help", "--version"};
  auto out = bash_words(p.name) + "  if ((COMP_CWORD > 1)); then\n    case ${COMP_WORDS[1]} in\n";
  for (const auto& c : p.commands) {
    names.push_back(command_of(c));
    out += "      " + std::string(command_of(c)) + ")\n" + bash_values(c, "          ") +
           bash_options(c, "        ") + "        ;;\n";
  }
  return out + "    esac\n    return\n  fi\n  mapfile -t COMPREPLY < <(compgen -W " +
         quoted(joined(names)) + " -- \"$word\")\n" + bash_end(p.name);
}

std::string zsh_completion(const described_program& p, const first_words& commands) {
  auto out = "#compdef " + std::string(p.name) + "\n# zsh completion," + std::string(head);
  std::string described;
  for (const auto& c : commands) {
    const std::string command(command_of(c));
    out += "if ((CURRENT > 2)) && [[ $words[2] == " + command +
           " ]]; then\n  shift words\n  ((--CURRENT))\n" + zsh_arguments(c, "  ") +
           "  return\nfi\n";
    described += ' ' + quoted(command + ':' + zsh_text(c.about));
  }
  // Beside options, which are offered for a word that begins as one.
  if (!commands.empty())
    out += "if ((CURRENT == 2)) && [[ $PREFIX != -* ]]; then\n  local -a commands=(" +
           described.substr(1) + ")\n  _describe command commands\nfi\n";
  return out + zsh_arguments(p, "");
}

std::string zsh_completion(const described_commands& p) {
  auto out = "#compdef " + std::string(p.name) + "\n# zsh completion," + std::string(head);
  out += "if ((CURRENT == 2)); then\n  local -a commands=(\n";
  for (const auto& c : p.commands)
    out += "    " + quoted(std::string(command_of(c)) + ':' + std::string(c.about)) + '\n';
  out += "    '--help:print the commands'\n    '--version:print the version'\n  )\n";
  out += "  _describe command commands\n  return\nfi\n";
  out += "local command=$words[2]\nshift words\n((--CURRENT))\ncase $command in\n";
  for (const auto& c : p.commands)
    out += "  " + std::string(command_of(c)) + ")\n" + zsh_arguments(c, "    ") + "    ;;\n";
  return out + "esac\n";
}

std::string fish_completion(const described_program& p, const first_words& commands) {
  auto out = "# fish completion of " + std::string(p.name) + ',' + std::string(head);
  if (!p.operands) out += "complete -c " + std::string(p.name) + " -f\n";
  if (p.command)
    out += "complete -c " + std::string(p.name) +
           " -n 'contains -- -- (commandline -opc)' -a '(set -l words (commandline -opc); "
           "set -e words[1..(contains -i -- -- $words)]; "
           "__fish_complete_subcommand --commandline $words (commandline -ct))'\n";
  std::string unless = p.command ? "not contains -- -- (commandline -opc)" : "";
  for (const auto& c : commands) {
    const std::string command(command_of(c));
    out += "complete -c " + std::string(p.name) + " -n __fish_use_subcommand -a " + command +
           " -d " + fish_quoted(c.about) + '\n';
    out += fish_options(c, p.name, " -n '__fish_seen_subcommand_from " + command + '\'');
    unless += (unless.empty() ? "" : "; and ") + ("not __fish_seen_subcommand_from " + command);
  }
  return out + fish_options(p, p.name, unless.empty() ? "" : " -n '" + unless + '\'');
}

std::string fish_completion(const described_commands& p) {
  const std::string name(p.name);
  auto out = "# fish completion of " + name + ',' + std::string(head);
  out += "complete -c " + name + " -n __fish_use_subcommand -f\n";
  out += "complete -c " + name + " -n __fish_use_subcommand -l help -d 'print the commands'\n";
  out += "complete -c " + name + " -n __fish_use_subcommand -l version -d 'print the version'\n";
  for (const auto& c : p.commands)
    out += "complete -c " + name + " -n __fish_use_subcommand -f -a " + std::string(command_of(c)) +
           " -d " + fish_quoted(c.about) + '\n';
  for (const auto& c : p.commands)
    out += fish_options(c, p.name,
                        " -n '__fish_seen_subcommand_from " + std::string(command_of(c)) + '\'');
  return out;
}

}  // namespace gate::config
