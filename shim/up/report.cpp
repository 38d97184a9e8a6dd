#include "shim/up/report.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gate::up {
namespace {

std::string padded(std::string text, std::size_t to) {
  if (text.size() < to) text.resize(to, ' ');
  return text;
}

/// As many names as fit, and how many are left out.
std::string listed(const std::vector<std::string>& names, std::size_t room) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto more = names.size() - i;
    const auto ending = " and " + std::to_string(more) + " more";
    if (out.size() + names[i].size() + 2 + (more > 1 ? ending.size() : 0) > room && i > 0)
      return out + ending;
    out += (i > 0 ? ", " : "") + names[i];
  }
  return out;
}

/// What clients' files are full of.
struct known_program {
  std::string_view name;
  std::string_view origin;  ///< what has to be installed for it
  bool fetches;             ///< servers that are not there yet
};
constexpr std::array<known_program, 10> known{{{"npx", "Node.js", true},
                                               {"node", "Node.js", false},
                                               {"npm", "Node.js", true},
                                               {"pnpm", "pnpm", true},
                                               {"bunx", "Bun", true},
                                               {"uvx", "uv", true},
                                               {"uv", "uv", true},
                                               {"pipx", "pipx", true},
                                               {"docker", "Docker", true},
                                               {"podman", "Podman", true}}};

}  // namespace

std::string with_origin(std::string why) {
  if (!why.ends_with("No such file or directory")) return why;
  for (const auto& it : known)
    if (why.find("command \"" + std::string(it.name) + '"') != why.npos)
      return why + " (" + std::string(it.name) + " comes with " + std::string(it.origin) +
             "; is it in PATH?)";
  return why;
}

bool may_fetch(std::string_view command) {
  command.remove_prefix(command.rfind('/') + 1);  // without one: 0
  const auto* it = std::ranges::find(known, command, &known_program::name);
  return it != known.end() && it->fetches;
}

std::string table_of(const std::vector<server_row>& rows, std::size_t width) {
  constexpr std::size_t margin = 4;
  constexpr std::size_t count_width = 9;
  std::size_t longest = 6;
  for (const auto& r : rows) longest = std::max(longest, r.id.size());
  const auto room = width - std::min(width - 1, margin + longest + 2 + count_width + 2);
  std::string out;
  for (const auto& r : rows) {
    out += std::string(margin, ' ') + padded(r.id, longest) + "  ";
    if (r.well) {
      const auto count =
          std::to_string(r.tools.size()) + (r.tools.size() == 1 ? " tool" : " tools");
      out += padded(count, count_width) + "  " + listed(r.tools, room);
    } else {
      out += padded("FAILED", count_width) + "  " + r.why;
    }
    while (out.back() == ' ') out.pop_back();
    out += '\n';
    if (r.well) continue;
    for (const auto& line : r.last_lines)
      out += std::string(margin + longest + 2, ' ') + "| " + line + '\n';
  }
  return out;
}

}  // namespace gate::up
