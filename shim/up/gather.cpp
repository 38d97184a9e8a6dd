#include "shim/up/gather.hpp"

#include <algorithm>
#include <filesystem>

#include "config/clients/client_file.hpp"
#include "config/options/listening.hpp"
#include "protocol/http/url.hpp"
#include "protocol/limits/client_files.hpp"

namespace gate::up {
namespace {

using clients::client_file;
using clients::planned_server;
using clients::server_entry;

std::string in_folder(std::string_view folder, std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  if (path.starts_with("./")) path.remove_prefix(2);
  return std::string(folder) + '/' + std::string(path);
}

/// The folder that a file is about: that which has it, or where it lies in a folder of the client's
/// own, as `.vscode/mcp.json` does, the one around. What is the user's is about where one works.
std::string workspace_of(const std::string& path, const situation& at) {
  const auto whole =
      std::filesystem::path(in_folder(at.known.workspace, path)).lexically_normal().string();
  for (const std::string_view own : {"/.vscode/mcp.json", "/.cursor/mcp.json", "/.mcp.json"}) {
    if (!whole.ends_with(own)) continue;
    auto folder = whole.substr(0, whole.size() - own.size());
    if (!folder.empty() && folder != at.known.home) return folder;
  }
  return at.known.workspace;
}

/// Where Claude Code keeps which servers of a folder's `.mcp.json` are switched off.
std::vector<std::string> switches_of(const std::string& workspace, const situation& at) {
  std::vector<std::string> out;
  if (!at.known.home.empty()) out.push_back(in_folder(at.known.home, ".claude.json"));
  out.push_back(in_folder(workspace, ".claude/settings.json"));
  out.push_back(in_folder(workspace, ".claude/settings.local.json"));
  return out;
}

/// What an envFile adds, the entry's own winning.
std::optional<std::string> add_environment_file(server_entry& e, const situation& at,
                                                const std::string& workspace, gathered& to) {
  if (e.environment_file.empty()) return std::nullopt;
  const auto path = in_folder(workspace, e.environment_file);
  to.beside.push_back(path);
  const auto text = at.read(path);
  if (!text) return "envFile: " + text.error().what;
  auto all = clients::read_environment_file(*text);
  all.insert(all.end(), e.environment.begin(), e.environment.end());
  e.environment = std::move(all);
  return std::nullopt;
}

std::optional<std::string> unfit(const server_entry& e) {
  for (const auto& [name, value] : e.environment)
    if (!config::is_variable_name(name) || name.find(',') != name.npos)
      return "an environment variable can not be called \"" + name + '"';
  const auto nul = [](const std::string& s) { return s.find('\0') != s.npos; };
  if (std::ranges::any_of(e.command, nul) || nul(e.directory)) return "a NUL byte in its command";
  for (const auto& [name, value] : e.environment)
    if (nul(value)) return "a NUL byte in the value of " + name;
  return std::nullopt;
}

/// Servers of one file, ready to be started; those that can not be are told.
class file_taker {
 public:
  file_taker(const std::string& path, const client_file& file, const situation& at, gathered& to)
      : path_(path), file_(file), at_(at), to_(to) {
    known_ = at.known;
    known_.workspace = workspace_of(path, at);
    known_.input = [this](std::string_view id) { return answer(id); };
  }

  void take() {
    for (const auto& p : file_.problems) to_.problems.push_back(path_ + ": " + to_line(p));
    for (const auto& s : file_.servers) take(s);
  }

 private:
  void take(server_entry e) {
    const auto where = path_ + ": " + e.pointer;
    const auto leave_out = [&](const std::string& why) {
      to_.problems.push_back(where + ": " + why);
    };
    const auto same = std::ranges::find(to_.servers, e.name, &planned_server::name);
    if (same != to_.servers.end())
      return leave_out("there is a server of that name already, of " + same->source);
    if (to_.servers.size() == limits::client_servers)
      return leave_out("there are " + std::to_string(limits::client_servers) +
                       " servers before it, and that is the most");
    if (auto wrong = clients::replace_variables(e, file_.of, known_)) return leave_out(*wrong);
    // Told to a client earlier, maybe as a bridge's argument: the gateway does not serve itself.
    if (is_own(e.url) || std::ranges::any_of(e.command, [&](const auto& w) { return is_own(w); }))
      return;
    if (auto wrong = add_environment_file(e, at_, known_.workspace, to_)) return leave_out(*wrong);
    // Clients start the servers of a folder's file in that folder.
    if (known_.workspace != at_.known.workspace)
      e.directory =
          e.directory.empty() ? known_.workspace : in_folder(known_.workspace, e.directory);
    if (auto wrong = unfit(e)) return leave_out(*wrong);
    planned_server s{{}, e.name, where, std::move(e)};
    if (auto wrong = clients::refused_by_gateway(s)) return leave_out(*wrong);
    to_.servers.push_back(std::move(s));
  }

  bool is_own(const std::string& url) const {
    const auto to = http::parse_url(url);
    return to && to->loopback() && to->port == at_.own_port;
  }

  std::optional<std::string> answer(std::string_view id) {
    const auto it = std::ranges::find(file_.inputs, id, &clients::input::id);
    if (it == file_.inputs.end()) return std::nullopt;
    return at_.ask(path_, *it);
  }

  const std::string& path_;
  const client_file& file_;
  const situation& at_;
  gathered& to_;
  clients::surroundings known_;
};

void leave_out_switched_off(const std::string& path, client_file& file, const situation& at,
                            gathered& to) {
  const auto workspace = workspace_of(path, at);
  for (const auto& beside : switches_of(workspace, at)) {
    to.beside.push_back(beside);  // it may come
    const auto text = at.read(beside);
    if (!text) continue;  // most are not there
    const auto off = clients::switched_off(*text, workspace);
    std::erase_if(file.servers, [&](const server_entry& e) {
      return std::ranges::find(off, e.name) != off.end();
    });
  }
}

std::optional<problem> take_file(const std::string& path, const std::string& text,
                                 const situation& at, gathered& to) {
  to.files.push_back(path);
  if (clients::is_gate_document(text)) {
    if (!to.base.empty()) return problem{path + ": there can be one document of gate only"};
    auto base = clients::read_base(text);
    if (!base) return problem{path + ": " + base.error().what};
    to.base = text;
    to.of_base = std::move(*base);
    for (const auto& name : to.of_base.secrets)
      if (auto value = at.known.variable(name)) to.base_secrets.emplace_back(name, *value);
    return std::nullopt;
  }
  auto read = clients::read_client_file(path, text, at.known.workspace);
  if (!read) return problem{path + ": " + read.error().what};
  if (in_folder(at.known.workspace, path).ends_with("/.mcp.json"))
    leave_out_switched_off(path, *read, at, to);
  file_taker(path, *read, at, to).take();
  return std::nullopt;
}

void give_ids(gathered& to) {
  std::vector<std::string> names;
  for (const auto& s : to.servers) names.push_back(s.name);
  std::vector<std::string> taken;
  for (const auto& u : to.of_base.upstreams) taken.push_back(u.id);
  const auto ids = clients::ids_of(names, taken);
  for (std::size_t i = 0; i < ids.size(); ++i) to.servers[i].id = ids[i];
}

}  // namespace

std::vector<std::string> usual_files(const situation& at) {
  const auto& here = at.known.workspace;
  const auto& home = at.known.home;
  std::vector<std::string> out;
  for (const char* name : {"mcp.json", ".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"})
    out.push_back(in_folder(here, name));
  const auto of_user = [&](const char* name) {
    if (!home.empty()) out.push_back(in_folder(home, name));
  };
  for (const char* name :
       {".claude.json", ".config/Claude/claude_desktop_config.json",
        "Library/Application Support/Claude/claude_desktop_config.json", ".cursor/mcp.json",
        ".config/Code/User/mcp.json", "Library/Application Support/Code/User/mcp.json",
        ".codeium/windsurf/mcp_config.json", ".codex/config.toml"})
    of_user(name);
  return out;
}

result<gathered> gather(const std::vector<std::string>& files, const situation& at) {
  if (!files.empty()) {
    gathered out;
    for (const auto& path : files) {
      const auto text = at.read(path);
      if (!text) return problem{text.error().what};
      if (auto wrong = take_file(path, *text, at, out)) return *wrong;
    }
    give_ids(out);
    return out;
  }
  std::string looked;
  for (const auto& path : usual_files(at)) {
    looked += "\n    " + path;
    const auto text = at.read(path);
    if (!text) continue;  // most are not there
    gathered out;
    // One that lists nothing to serve, or is for something else, is passed by.
    if (take_file(path, *text, at, out) || (out.servers.empty() && out.base.empty())) {
      for (const auto& p : out.problems) looked += "\n        " + p;
      continue;
    }
    give_ids(out);
    return out;
  }
  return problem{
      "no file with MCP servers was given, and none is at a place where clients keep one:" +
      looked};
}

}  // namespace gate::up
