#include "config/clients/variables.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "protocol/limits/client_files.hpp"

namespace gate::clients {
namespace {

/// Which variables a client knows.
struct spelling {
  bool plain, by_env, inputs, folders;
};

constexpr spelling spelling_of(family of) {
  switch (of) {
    case family::claude_desktop:
    case family::codex:
    case family::gate:
      return {false, false, false, false};
    case family::claude_code:
      return {true, false, false, false};
    case family::cursor:
    case family::windsurf:
      return {false, true, false, true};
    case family::vs_code:
      return {false, true, true, true};
    case family::any:
      break;
  }
  return {true, true, true, true};
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// What stands within `${…}`, taken apart.
struct reference {
  enum class kind { none, variable, input, workspace, workspace_name, home, separator } what{};
  std::string_view name{};
  std::optional<std::string_view> otherwise{};
};

reference read_variable(std::string_view within) {
  const auto at = within.find(":-");
  const auto name = within.substr(0, at);
  if (!is_name(name)) return {};
  reference out{reference::kind::variable, name};
  if (at != within.npos) out.otherwise = within.substr(at + 2);
  return out;
}

reference read_reference(std::string_view within, const spelling& s) {
  using kind = reference::kind;
  constexpr std::string_view env = "env:";
  constexpr std::string_view input = "input:";
  constexpr std::array folders{
      std::pair{std::string_view("workspaceFolder"), kind::workspace},
      std::pair{std::string_view("workspaceFolderBasename"), kind::workspace_name},
      std::pair{std::string_view("userHome"), kind::home},
      std::pair{std::string_view("pathSeparator"), kind::separator},
      std::pair{std::string_view("/"), kind::separator},
  };
  if (s.folders)
    for (const auto& [word, what] : folders)
      if (within == word) return {what, within};
  if (s.by_env && within.starts_with(env)) return read_variable(within.substr(env.size()));
  if (s.inputs && within.starts_with(input)) return {kind::input, within.substr(input.size())};
  return s.plain ? read_variable(within) : reference{};
}

/// Calls `found` with each reference; what it returns takes the reference's place. Nothing: that is
/// the end, and false.
template <class F>
bool each_reference(std::string& text, const spelling& s, F&& found) {
  std::string out;
  std::size_t at = 0;
  for (auto from = text.find("${"); from != text.npos; from = text.find("${", from)) {
    const auto end = text.find('}', from);
    if (end == text.npos) break;
    const auto it = read_reference(std::string_view(text).substr(from + 2, end - from - 2), s);
    if (it.what == reference::kind::none) {
      from += 2;
      continue;
    }
    const std::optional<std::string> value = found(it);
    if (!value) return false;
    out.append(text, at, from - at).append(*value);
    at = from = end + 1;
  }
  if (at > 0) text = out.append(text, at, text.npos);
  return true;
}

std::string last_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

class replacing {
 public:
  replacing(const server_entry& in, family of, const surroundings& from)
      : of_(of), spelling_(spelling_of(of)), from_(from) {
    for (const auto& [name, value] : in.environment) own_.insert(name);
  }

  /// False: `why` says what is wrong.
  bool in(std::string& text) {
    const bool good =
        each_reference(text, spelling_, [this](const reference& it) { return value(it); });
    if (!good) return false;
    if (text.size() <= limits::client_value_bytes) return true;
    why = "a value is longer than " + std::to_string(limits::client_value_bytes) + " bytes";
    return false;
  }
  bool in(named_values& values) {
    return std::ranges::all_of(values, [this](auto& v) { return in(v.second); });
  }

  /// Nothing: `why` says what is wrong.
  std::optional<std::string> variable(const reference& it) {
    auto found = from_.variable(it.name);
    if (found && !(found->empty() && it.otherwise)) return found;
    if (it.otherwise) return std::string(*it.otherwise);
    // For the server itself, which has it of its entry (mcp-remote replaces such in headers).
    if (of_ == family::any && own_.contains(it.name)) return "${" + std::string(it.name) + "}";
    why = "the variable " + std::string(it.name) + " is not set: export " + std::string(it.name) +
          "=… before you start gate-up";
    return std::nullopt;
  }

  std::string why;

 private:
  std::optional<std::string> value(const reference& it) {
    switch (it.what) {
      case reference::kind::workspace:
        return from_.workspace;
      case reference::kind::workspace_name:
        return last_name(from_.workspace);
      case reference::kind::home:
        return from_.home;
      case reference::kind::separator:
        return "/";
      case reference::kind::input:
        return answer(it.name);
      default:
        return variable(it);
    }
  }

  std::optional<std::string> answer(std::string_view id) {
    auto found = from_.input(id);
    if (!found)
      why = "nobody has answered what the file asks for as \"" + std::string(id) +
            "\": start gate-up on a terminal";
    return found;
  }

  family of_;
  spelling spelling_;
  const surroundings& from_;
  std::set<std::string, std::less<>> own_;  ///< that the entry gives its server
};

}  // namespace

std::optional<std::string> replace_variables(server_entry& in, family of,
                                             const surroundings& from) {
  replacing r(in, of, from);
  for (const auto& [name, before, variable] : in.variable_headers) {
    const auto value = r.variable({reference::kind::variable, variable});
    if (!value) return r.why;
    in.headers.emplace_back(name, before + *value);
  }
  in.variable_headers.clear();
  for (const auto& name : in.inherited)
    if (auto value = from.variable(name)) in.environment.emplace_back(name, std::move(*value));
  in.inherited.clear();
  // Codex writes none.
  if (of == family::codex) return std::nullopt;
  if (!r.in(in.headers)) return r.why;
  if (!std::ranges::all_of(in.command, [&](auto& word) { return r.in(word); }) ||
      !r.in(in.environment) || !r.in(in.url))
    return r.why;
  // The folders of these two are meant by all clients that know folders.
  if (!r.in(in.environment_file) || !r.in(in.directory)) return r.why;
  return std::nullopt;
}

}  // namespace gate::clients
