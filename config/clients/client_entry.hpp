#pragma once
/// The entry by which a client is told of the gateway: where the client keeps it, what it looks
/// like, and its file with the entry in it. Pure.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/base/result.hpp"

namespace gate::clients {

/// `claude_desktop` starts programs only, so a bridge is named there, which speaks to the gateway.
enum class client { claude, cursor, vs_code, codex, windsurf, claude_desktop };

/// As `--client` takes them.
inline constexpr std::array<std::pair<std::string_view, client>, 6> client_names{
    {{"claude", client::claude},
     {"cursor", client::cursor},
     {"vscode", client::vs_code},
     {"codex", client::codex},
     {"windsurf", client::windsurf},
     {"claude-desktop", client::claude_desktop}}};

struct client_place {
  std::string_view title;  ///< the client's name, for people
  std::string path;        ///< of its file
};
/// `workspace`, `home`: absolute folders.
client_place place_of(client c, std::string_view workspace, std::string_view home);

/// What is pasted into the file, or said to the client.
std::string entry_for(client c, std::string_view url);

/// How each client is told of the gateway, for people.
std::string snippets(std::string_view url);

/// The file with the entry `gate`, in the place of an entry of that name; `text`: what stands in
/// it, nothing if there is none. Errors: what stands there can not be kept (it is no JSON, has
/// comments, has an entry that is not ours to replace), so that the entry has to be written by
/// hand.
result<std::string> with_entry(client c, const std::optional<std::string>& text,
                               std::string_view url);

}  // namespace gate::clients
