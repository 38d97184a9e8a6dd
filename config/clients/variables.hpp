#pragma once
/// Puts values in the place of the variables that a client's file may use, as that client does:
///
/// | family | `${NAME}`, `${NAME:-else}` | `${env:NAME}` | `${input:ID}` | folders |
/// |---|---|---|---|---|
/// | Claude Desktop | as it stands | as it stands | as it stands | as they stand |
/// | Claude Code | yes | as it stands | as it stands | as they stand |
/// | Cursor, Windsurf | as it stands | yes | as it stands | yes |
/// | VS Code | as it stands | yes | yes | yes |
/// | Codex | as it stands | as it stands | as it stands | as they stand |
/// | any other | yes | yes | yes | yes |
///
/// Folders are `${workspaceFolder}`, `${workspaceFolderBasename}`, `${userHome}`,
/// `${pathSeparator}` and `${/}`. Headers that stand in variables, and variables that a command
/// inherits (Codex), are put among the others. Pure: what a variable is, is asked.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "config/clients/server_entry.hpp"

namespace gate::clients {

struct surroundings {
  /// Of an environment variable; nothing: it is not set.
  std::function<std::optional<std::string>(std::string_view)> variable;
  /// An answer to what the file asks for.
  std::function<std::optional<std::string>(std::string_view id)> input;
  std::string workspace;  ///< absolute
  std::string home;       ///< absolute
};

/// In all of the entry's text. Nothing: it is done; else what is wrong: a variable that is not set
/// and has no other value, an input that nobody has answered, a value too long.
std::optional<std::string> replace_variables(server_entry& in, family of, const surroundings& from);

}  // namespace gate::clients
