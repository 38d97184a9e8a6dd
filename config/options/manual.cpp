#include "config/options/manual.hpp"

#include <algorithm>
#include <vector>

namespace gate::config {
namespace {

/// A text as roff reads it back. A hyphen is one that can be searched for and copied.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    constexpr std::string_view dots = "…";
    if (text.substr(i).starts_with(dots)) {
      out += "...";
      i += dots.size() - 1;
    } else if (text[i] == '-') {
      out += "\\-";
    } else if (text[i] == '\\') {
      out += "\\e";
    } else if (text[i] == '\'') {
      out += "\\(aq";
    } else if (text[i] != '`') {  // around what is code in Markdown
      out += text[i];
    }
  }
  return out;
}

/// The same as a line of its own: a dot at its beginning would be a request.
std::string line(std::string_view text) {
  const auto out = plain(text);
  return (out.starts_with('.') ? "\\&" : "") + out + '\n';
}

std::string bold(std::string_view text) {
  return "\\fB" + plain(text) + "\\fR";
}
std::string italic(std::string_view text) {
  return "\\fI" + plain(text) + "\\fR";
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (auto& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string heading(std::string_view called, char section, std::string_view about,
                    const manual_notes& notes) {
  // A command's page is called by both words: `man gate doctor` finds it too.
  std::string name(called);
  std::ranges::replace(name, ' ', '-');
  std::string out = ".\\\" Made of the tables of options and fields: see docs/packages.md.\n";
  out += ".TH " + upper(name) + ' ' + section + " \"" + std::string(notes.date) + "\" \"gate " +
         std::string(notes.version) + "\"\n";
  return out + ".SH NAME\n" + plain(name) + " \\- " + plain(about) + '\n';
}

/// How it is called: the program's name is bold, the words of a line stay on it.
std::string synopsis(std::string_view usage, std::string_view name) {
  std::string out = ".SH SYNOPSIS\n";
  bool first = true;
  while (!usage.empty()) {
    const auto end = std::min(usage.find('\n'), usage.size());
    auto one = usage.substr(0, end);
    usage.remove_prefix(std::min(end + 1, usage.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (!first) out += ".br\n";
    first = false;
    if (one.starts_with(name)) {
      out += bold(name);
      one.remove_prefix(name.size());
    }
    out += plain(one) + '\n';
  }
  return out;
}

std::string paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::min(text.find("\n\n"), text.size());
    if (!out.empty()) out += ".PP\n";
    out += line(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return out;
}

std::string options(const described_program& p) {
  std::string out;
  for (const auto& o : p.options) {
    out += ".TP\n" + bold(o.name);
    if (!o.placeholder.empty()) out += ' ' + italic(o.placeholder);
    out += '\n' + line(o.help + '.');
    if (!o.initial.empty()) out += line("Default: " + o.initial + '.');
  }
  if (p.command)
    out += ".TP\n" + bold("--") + ' ' + italic("COMMAND") + " [" + italic("ARGUMENTS") +
           "]\nWhat runs as the child.\n";
  return out;
}

/// `0 ok, 1 something else`: a number begins an entry.
std::string exit_status(std::string_view codes) {
  std::string out = ".SH EXIT STATUS\n";
  while (!codes.empty()) {
    std::size_t end = 0;
    do {
      end = std::min(codes.find(", ", end + 1), codes.size());
    } while (end < codes.size() && (codes[end + 2] < '0' || codes[end + 2] > '9'));
    const auto one = codes.substr(0, end);
    codes.remove_prefix(std::min(end + 2, codes.size()));
    const auto space = std::min(one.find(' '), one.size() - 1);
    out += ".TP\n" + bold(one.substr(0, space)) + '\n' + line(one.substr(space + 1));
  }
  return out;
}

std::string ending(std::string_view exit_codes, const manual_notes& notes) {
  std::string out = exit_codes.empty() ? "" : exit_status(exit_codes);
  for (const auto& s : notes.sections) {
    out += ".SH " + std::string(s.title) + '\n';
    for (const auto& e : s.entries) out += ".TP\n" + bold(e.name) + '\n' + line(e.meaning);
  }
  if (notes.see_also.empty()) return out;
  return out + ".SH SEE ALSO\n" + line(notes.see_also);
}

/// The cells of a row of a table in Markdown.
std::vector<std::string_view> cells(std::string_view row) {
  constexpr std::string_view between = " | ";
  std::vector<std::string_view> out;
  row.remove_prefix(2);
  row.remove_suffix(2);
  for (auto at = row.find(between); at != row.npos; at = row.find(between)) {
    out.push_back(row.substr(0, at));
    row.remove_prefix(at + between.size());
  }
  out.push_back(row);
  return out;
}

std::string field_entry(std::string_view row) {
  const auto c = cells(row);
  constexpr std::size_t columns = 5;  // path, type, default, change, meaning
  if (c.size() != columns) return {};
  std::string about(c[1]);
  if (c[2] == "required")
    about += "; required";
  else if (c[2] != "none" && c[2] != "see its fields")
    about.append("; default ").append(c[2]);
  return ".TP\n" + bold(c[0]) + " (" + plain(about) + ")\n" + line(c[4]);
}

}  // namespace

std::string manual(const described_program& p, const manual_notes& notes) {
  return heading(p.name, '1', p.about, notes) + synopsis(p.usage, p.name) + ".SH DESCRIPTION\n" +
         paragraphs(notes.description) + ".SH OPTIONS\n" + options(p) + ending(p.exit_codes, notes);
}

std::string manual(const described_commands& p, const manual_notes& notes) {
  auto out = heading(p.name, '1', p.about, notes) + synopsis(p.usage, p.name) +
             ".SH DESCRIPTION\n" + paragraphs(notes.description) + ".SH OPTIONS\n";
  out += ".TP\n" + bold("--help") + "\nPrint the commands; behind a command, its options.\n";
  out += ".TP\n" + bold("--version") + "\nPrint the version.\n";
  out += ".SH COMMANDS\n";
  for (const auto& c : p.commands) {
    out += ".SS " + plain(c.usage) + '\n' + line(std::string(c.about) + '.') + options(c);
    out += ".PP\n" + line("Exit status: " + std::string(c.exit_codes) + '.');
  }
  return out + ending(p.exit_codes, notes);
}

std::string document_manual(std::string_view reference, const manual_notes& notes) {
  auto out = heading("gate.json", '5', "the configuration document of gate", notes) +
             ".SH DESCRIPTION\n" + paragraphs(notes.description) + ".SH FIELDS\n";
  while (!reference.empty()) {
    const auto end = std::min(reference.find('\n'), reference.size());
    const auto one = reference.substr(0, end);
    reference.remove_prefix(std::min(end + 1, reference.size()));
    constexpr std::string_view section = "### ";
    if (one.starts_with(section))
      out += ".SS " + plain(one.substr(section.size())) + '\n';
    else if (one.starts_with("| `"))
      out += field_entry(one);
    else if (!one.empty() && !one.starts_with('|'))
      out += line(one);
  }
  return out + ending({}, notes);
}

}  // namespace gate::config
