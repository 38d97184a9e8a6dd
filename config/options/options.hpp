#pragma once
/// The command line of a program, as a table: a row an option. The table drives parsing and the
/// help text, for all programs of this repository. Pure: the environment is nobody's here.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/options/described.hpp"
#include "config/options/kinds.hpp"

namespace gate::config {

template <class O>
struct option {
  std::string_view name;         ///< with its dashes
  std::string_view placeholder;  ///< of its value, in the help text; empty: it takes none
  std::string_view help;         ///< `{}` stands for what may be given
  option_kind<O> kind;
  std::string_view otherwise{};  ///< the default, where its value has no words
  bool shown = true;             ///< in the help text, and to those who mistype it
};

/// A program with options that are kept in an `O`.
template <class O>
struct program {
  std::string_view name;
  std::string_view about;       ///< a line about it
  std::string_view usage;       ///< how it is called; further lines are indented
  std::string_view exit_codes;  ///< a line about them
  std::span<const option<O>> options;
  /// Several actions at once are refused; else the last one is chosen.
  bool one_action = true;
  /// Takes what stands behind a literal `--`; null: nothing does.
  std::vector<std::string> O::*command = nullptr;
  /// Takes what is no option; null: that is refused.
  std::vector<std::string> O::*operands = nullptr;
  std::string_view stray_hint{};  ///< for whom it is refused: where arguments belong
  /// What is wrong with options together that are each right; null: nothing can be.
  option_failure (*contradiction)(const O&) = nullptr;
};

/// A usage error: print `what` on standard error and leave with `exit_usage`.
struct usage_error {
  std::string what;
};

/// The sentences of usage errors.
namespace usage {
usage_error unknown(std::string_view program, std::string_view name,
                    std::span<const std::string_view> known);
usage_error stray(std::string_view program, std::string_view argument, std::string_view hint);
usage_error takes_no_value(std::string_view name);
usage_error needs_value(std::string_view name, std::string_view placeholder);
usage_error wrong_value(std::string_view name, std::string_view value, std::string_view why);
usage_error excluded(std::string_view one, std::string_view other);
}  // namespace usage

/// `args` without the program's name. `--name value` and `--name=value` mean the same.
template <class O>
std::variant<O, usage_error> parse(const program<O>& p, std::span<const char* const> args) {
  O out;
  std::string_view chosen;
  bool helped = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view arg = args[i];
    if (p.command && arg == "--") {
      (out.*p.command).assign(args.begin() + static_cast<std::ptrdiff_t>(i) + 1, args.end());
      break;
    }
    const auto equals = arg.starts_with("--") ? arg.find('=') : std::string_view::npos;
    const auto name = arg.substr(0, equals);
    const auto o = std::ranges::find(p.options, name, &option<O>::name);
    if (o == p.options.end()) {
      if (!arg.starts_with('-') && p.operands) {
        (out.*p.operands).emplace_back(arg);
        continue;
      }
      if (!arg.starts_with('-')) return usage::stray(p.name, arg, p.stray_hint);
      std::vector<std::string_view> known;
      for (const auto& row : p.options)
        if (row.shown) known.push_back(row.name);
      return usage::unknown(p.name, name, known);
    }
    std::string_view value;
    if (o->kind.form == option_form::value) {
      if (equals != std::string_view::npos)
        value = arg.substr(equals + 1);
      else if (i + 1 < args.size() && !std::string_view(args[i + 1]).starts_with("--"))
        value = args[++i];
      if (value.empty()) return usage::needs_value(name, o->placeholder);
    } else if (equals != std::string_view::npos) {
      return usage::takes_no_value(name);
    }
    if (o->kind.form == option_form::help) helped = true;
    if (o->kind.form == option_form::action) {
      if (helped) continue;  // asking for help beside anything else is asking for help
      if (p.one_action && !chosen.empty() && chosen != name) return usage::excluded(chosen, name);
      chosen = o->name;
    }
    if (const auto wrong = o->kind.read(out, value)) return usage::wrong_value(name, value, *wrong);
  }
  if (p.contradiction)
    if (auto wrong = p.contradiction(out)) return usage_error{std::move(*wrong)};
  return out;
}

/// All that is shown of a command line.
template <class O>
described_program described_of(const program<O>& p) {
  const O initial{};
  described_program out{
      p.name, p.about, p.usage, p.exit_codes, {}, p.operands != nullptr, p.command != nullptr};
  for (const auto& o : p.options) {
    if (!o.shown) continue;
    described_option d{o.name, o.placeholder, std::string(o.help), std::string(o.otherwise), {}};
    if (const auto at = d.help.find("{}"); at != std::string::npos)
      d.help.replace(at, 2, o.kind.range ? o.kind.range() : std::string{});
    if (d.initial.empty() && o.kind.initial) d.initial = o.kind.initial(initial);
    if (o.kind.words) d.words = o.kind.words();
    out.options.push_back(std::move(d));
  }
  return out;
}

/// The text of `--help`.
template <class O>
std::string help_of(const program<O>& p) {
  return help_text(described_of(p));
}

}  // namespace gate::config
