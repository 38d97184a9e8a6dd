#include "config/options/described.hpp"

#include <algorithm>

namespace gate::config {
namespace {

struct line {
  std::string left, right;
};

std::string text_of(std::string_view name, std::string_view about, std::string_view usage,
                    std::string_view heading, const std::vector<line>& lines,
                    std::string_view exit_codes) {
  std::string out;
  out.append(name).append(" - ").append(about);
  out.append("\n\nusage: ").append(usage).append("\n\n").append(heading).append(":\n");
  std::size_t width = 0;
  for (const auto& l : lines) width = std::max(width, l.left.size());
  for (const auto& l : lines)
    out += "  " + l.left + std::string(width + 2 - l.left.size(), ' ') + l.right + "\n";
  out.append("\nexit codes: ").append(exit_codes).append("\n");
  return out;
}

}  // namespace

std::string help_text(const described_program& p) {
  std::vector<line> lines;
  for (const auto& o : p.options) {
    auto left = std::string(o.name);
    if (!o.placeholder.empty()) left.append(" ").append(o.placeholder);
    lines.push_back({std::move(left), o.help + (o.initial.empty() ? "" : " (" + o.initial + ")")});
  }
  return text_of(p.name, p.about, p.usage, "options", lines, p.exit_codes);
}

std::string help_text(const described_commands& p) {
  std::vector<line> lines;
  for (const auto& c : p.commands)
    lines.push_back({std::string(c.name.substr(c.name.find(' ') + 1)), std::string(c.about)});
  lines.push_back({"--help", "this text; behind a command, its options"});
  lines.push_back({"--version", "print the version"});
  return text_of(p.name, p.about, p.usage, "commands", lines, p.exit_codes);
}

}  // namespace gate::config
