#include "config/clients/client_file.hpp"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include "config/clients/toml.hpp"
#include "protocol/limits/client_files.hpp"

namespace gate::clients {
namespace {

namespace json = boost::json;
using config::join_pointer;

/// Where a client keeps its servers, by the name of the file.
struct known_file {
  std::string_view ending;
  family of;
};
constexpr std::array known_files{
    known_file{"claude_desktop_config.json", family::claude_desktop},
    known_file{".claude.json", family::claude_code},
    known_file{".mcp.json", family::claude_code},
    known_file{".cursor/mcp.json", family::cursor},
    known_file{"mcp_config.json", family::windsurf},
    known_file{".vscode/mcp.json", family::vs_code},
    known_file{".toml", family::codex},
};

family family_of(std::string_view path) {
  for (const auto& [ending, of] : known_files)
    if (path.ends_with(ending)) return of;
  return family::any;
}

/// As clients read it: with comments, and commas before what closes.
json::parse_options lenient() {
  json::parse_options out;
  out.allow_comments = true;
  out.allow_trailing_commas = true;
  return out;
}

result<json::object> read_json(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  boost::system::error_code bad;
  json::stream_parser parser({}, lenient());
  const auto read = parser.write_some(text, bad);
  if (!bad && !parser.done()) parser.finish(bad);
  if (bad || text.find_first_not_of(" \t\r\n", read) != text.npos) {
    const auto line = 1 + std::ranges::count(text.substr(0, read), '\n');
    return problem{"no JSON: " + (bad ? bad.message() : "something follows its end") + ", line " +
                   std::to_string(line)};
  }
  auto value = parser.release();
  if (!value.is_object()) return problem{"expected an object"};
  return std::move(value.as_object());
}

/// Reads the members of one entry; what is wrong with it is kept, once.
class entry_reader {
 public:
  entry_reader(const json::object& from, std::string pointer)
      : from_(from), pointer_(std::move(pointer)) {}

  /// The first of these members that is there.
  std::string text(std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (const auto* value = member(name)) {
        if (value->is_string()) return std::string(value->as_string());
        expected(name, "a string", *value);
      }
    return {};
  }

  bool flag(const char* name, bool otherwise) {
    const auto* value = member(name);
    if (!value) return otherwise;
    if (value->is_bool()) return value->as_bool();
    expected(name, "true or false", *value);
    return otherwise;
  }

  void texts(const char* name, std::vector<std::string>& to) {
    const auto* value = member(name);
    if (!value) return;
    if (!value->is_array()) return expected(name, "a list of strings", *value);
    for (const auto& one : value->as_array()) {
      if (!one.is_string()) return expected(name, "a list of strings", one);
      to.emplace_back(one.as_string());
    }
  }

  /// Numbers and booleans are written as JSON has them; null is none.
  void named(std::initializer_list<const char*> names, named_values& to) {
    for (const char* name : names) {
      const auto* value = member(name);
      if (!value) continue;
      if (!value->is_object()) return expected(name, "an object of strings", *value);
      for (const auto& [key, one] : value->as_object()) {
        if (one.is_null()) continue;
        if (one.is_structured()) return expected(name, "an object of strings", one);
        to.emplace_back(key, one.is_string() ? std::string(one.as_string()) : json::serialize(one));
      }
    }
  }

  /// Names of variables; objects say more of each than concerns us. Those of another machine are
  /// none of ours.
  void variables(const char* name, std::vector<std::string>& to) {
    const auto* value = member(name);
    if (!value) return;
    if (!value->is_array()) return expected(name, "a list of names", *value);
    for (const auto& one : value->as_array()) {
      const auto* more = one.if_object();
      const auto* called = more ? more->if_contains("name") : &one;
      if (!called || !called->is_string()) return expected(name, "a list of names", one);
      const auto* source = more ? more->if_contains("source") : nullptr;
      if (!source || *source == "local") to.emplace_back(called->as_string());
    }
  }

  void fault(std::string_view name, std::string what) {
    if (problem_) return;
    problem_ = {name.empty() ? pointer_ : join_pointer(pointer_, name), std::move(what)};
  }
  const std::optional<config::config_problem>& problem() const { return problem_; }

 private:
  const json::value* member(const char* name) const {
    const auto* value = from_.if_contains(name);
    return value && !value->is_null() ? value : nullptr;
  }

  void expected(const char* name, std::string_view what, const json::value& seen) {
    fault(name, "expected " + std::string(what) + ", found " + std::string(kind_of(seen)));
  }

  static std::string_view kind_of(const json::value& v) {
    switch (v.kind()) {
      case json::kind::null:
        return "null";
      case json::kind::bool_:
        return "a boolean";
      case json::kind::string:
        return "a string";
      case json::kind::array:
        return "a list";
      case json::kind::object:
        return "an object";
      default:
        return "a number";
    }
  }

  const json::object& from_;
  std::string pointer_;
  std::optional<config::config_problem> problem_;
};

/// The transport of MCP before streamable HTTP.
bool is_old_transport(std::string_view type) {
  return type == "sse";
}

/// What the members of an entry say together.
void judge(const server_entry& e, std::string_view type, entry_reader& in) {
  if (!e.command.empty() && !e.url.empty())
    in.fault("url", "the entry has a command as well; a server is started or called, not both");
  else if (e.command.empty() && e.url.empty())
    in.fault({}, "the entry has neither \"command\" nor \"url\"");
  else if (!e.command.empty() && e.command.front().empty())
    in.fault("command", "expected the name of a program, found an empty string");
  else if (!e.url.empty() && is_old_transport(type))
    in.fault("type",
             "\"sse\" is the HTTP+SSE transport, which MCP has given up; gate speaks streamable "
             "HTTP: see whether the server has an address for that, often /mcp in place of /sse");
}

/// Nothing: the entry is switched off.
std::optional<server_entry> read_entry(std::string_view name, const json::object& from,
                                       client_file& to, std::string pointer) {
  entry_reader in(from, pointer);
  server_entry out;
  out.name = name;
  out.pointer = std::move(pointer);
  if (in.flag("disabled", false) || !in.flag("enabled", true)) return std::nullopt;
  if (auto program = in.text({"command"}); !program.empty() || from.if_contains("command"))
    out.command.push_back(std::move(program));
  in.texts("args", out.command);
  in.named({"env"}, out.environment);
  in.variables("env_vars", out.inherited);
  out.environment_file = in.text({"envFile"});
  out.directory = in.text({"cwd"});
  out.url = in.text({"url", "serverUrl", "httpUrl"});
  in.named({"headers", "http_headers"}, out.headers);
  // Of Codex: values that stand in variables.
  named_values by_variable;
  in.named({"env_http_headers"}, by_variable);
  if (const auto token = in.text({"bearer_token_env_var"}); !token.empty())
    out.variable_headers.push_back({"Authorization", "Bearer ", token});
  for (auto& [header, variable] : by_variable)
    out.variable_headers.push_back({std::move(header), {}, std::move(variable)});
  for (const char* list : {"enabled_tools", "disabled_tools"})
    if (from.if_contains(list))
      out.remarks.push_back(
          "its \"" + std::string(list) +
          "\" is not taken over: all its tools are offered, unless a policy of the "
          "gateway's document says otherwise");
  if (from.if_contains("args") && out.url.empty() && !from.if_contains("command"))
    in.fault("args", "there is no \"command\" that these could be for");
  judge(out, in.text({"type", "transport"}), in);
  if (!in.problem()) return out;
  to.problems.push_back(*in.problem());
  return std::nullopt;
}

void read_servers(const json::object& from, const std::string& pointer, client_file& to) {
  for (const auto& [name, value] : from) {
    auto where = join_pointer(pointer, name);
    if (to.servers.size() == limits::client_servers) {
      to.problems.push_back({std::move(where), "there are " +
                                                   std::to_string(limits::client_servers) +
                                                   " servers before it, and that is the most"});
      return;
    }
    if (!value.is_object()) {
      to.problems.push_back({std::move(where), "expected an object"});
      continue;
    }
    if (auto entry = read_entry(name, value.as_object(), to, std::move(where)))
      to.servers.push_back(std::move(*entry));
  }
}

void read_inputs(const json::array& from, client_file& to) {
  for (std::size_t i = 0; i < from.size() && i < limits::client_inputs; ++i) {
    const auto where = "/inputs/" + std::to_string(i);
    const auto* one = from[i].if_object();
    if (!one) {
      to.problems.push_back({where, "expected an object"});
      continue;
    }
    entry_reader in(*one, where);
    input out{in.text({"id"}), in.text({"description"}), in.text({"default"})};
    in.texts("options", out.choices);
    out.secret = in.flag("password", false);
    if (out.id.empty()) in.fault("id", "required field is missing");
    if (in.problem())
      to.problems.push_back(*in.problem());
    else
      to.inputs.push_back(std::move(out));
  }
}

/// What Claude Code has switched off in a folder.
void leave_out(const json::object& folder, std::vector<server_entry>& from) {
  const auto* names = folder.if_contains("disabledMcpServers");
  if (!names || !names->is_array()) return;
  std::erase_if(from, [&](const server_entry& e) {
    return std::ranges::any_of(names->as_array(), [&](const json::value& name) {
      return name.is_string() && name.as_string() == e.name;
    });
  });
}

const json::object* object_in(const json::object& from, std::string_view name) {
  const auto* value = from.if_contains(name);
  return value ? value->if_object() : nullptr;
}

}  // namespace

std::vector<std::string> switched_off(std::string_view text, std::string_view workspace) {
  std::vector<std::string> out;
  const auto read = read_json(text);
  if (!read) return out;
  const auto take = [&](const json::object& from) {
    const auto* names = from.if_contains("disabledMcpjsonServers");
    if (!names || !names->is_array()) return;
    for (const auto& name : names->as_array())
      if (name.is_string()) out.emplace_back(name.as_string());
  };
  take(*read);
  if (const auto* projects = object_in(*read, "projects"))
    if (const auto* here = object_in(*projects, workspace)) take(*here);
  return out;
}

bool is_gate_document(std::string_view text) {
  const auto read = read_json(text);
  return read && read->if_contains("upstreams");
}

result<client_file> read_client_file(std::string_view path, std::string_view text,
                                     std::string_view workspace) {
  client_file out;
  out.of = family_of(path);
  auto read = out.of == family::codex ? read_toml(text) : read_json(text);
  if (!read) return read.error();
  bool any = false;
  const auto take = [&](const json::object* servers, std::string pointer) {
    if (!servers) return;
    any = true;
    read_servers(*servers, pointer, out);
  };
  // What is for the folder alone goes before what is for all.
  const auto* projects = object_in(*read, "projects");
  const auto* here = projects ? object_in(*projects, workspace) : nullptr;
  if (here)
    take(object_in(*here, "mcpServers"),
         join_pointer(join_pointer("/projects", workspace), "mcpServers"));
  take(object_in(*read, "mcpServers"), "/mcpServers");
  take(object_in(*read, "mcp_servers"), "/mcp_servers");
  // `servers` is a common word; only who has no other table means MCP servers by it.
  if (!any) {
    take(object_in(*read, "servers"), "/servers");
    if (any && out.of == family::any) out.of = family::vs_code;
  }
  if (const auto* settings = object_in(*read, "mcp"))
    take(object_in(*settings, "servers"), "/mcp/servers");
  if (here) leave_out(*here, out.servers);
  if (!any)
    return problem{
        "it lists no MCP servers: expected \"mcpServers\", \"servers\" or, in TOML, "
        "[mcp_servers.NAME]"};
  if (const auto* inputs = read->if_contains("inputs"); inputs && inputs->is_array())
    read_inputs(inputs->as_array(), out);
  return out;
}

}  // namespace gate::clients
