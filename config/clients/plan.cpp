#include "config/clients/plan.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cctype>

#include "config/clients/json_print.hpp"
#include "config/named_secrets.hpp"
#include "config/text.hpp"
#include "config/validate.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/limits/client_files.hpp"

namespace gate::clients {
namespace {

namespace json = boost::json;

std::string id_of(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const char small = http::lower(c);
    if ((small >= 'a' && small <= 'z') || (small >= '0' && small <= '9'))
      out += small;
    else if (!out.empty() && out.back() != '-')
      out += '-';
    if (out.size() == limits::client_id_bytes) break;
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "server" : out;
}

std::string numbered(std::string id, std::size_t number) {
  const auto ending = "-" + std::to_string(number);
  id.resize(std::min(id.size(), limits::client_id_bytes - ending.size()));
  return id + ending;
}

/// Of a header's name: is it likely that its value is a secret?
bool sounds_secret(std::string_view header) {
  const auto name = http::lower(header);
  for (const std::string_view word : {"auth", "key", "token", "secret", "password"})
    if (name.find(word) != name.npos) return true;
  return false;
}

/// The one header that the gateway is to send.
const std::pair<std::string, std::string>* credential_of(const named_values& headers) {
  const auto authorization = std::ranges::find_if(
      headers, [](const auto& h) { return http::same_text(h.first, "authorization"); });
  if (authorization != headers.end()) return &*authorization;
  const auto secret =
      std::ranges::find_if(headers, [](const auto& h) { return sounds_secret(h.first); });
  if (secret != headers.end()) return &*secret;
  return headers.empty() ? nullptr : &headers.front();
}

std::string variable_of(std::string_view id) {
  std::string out = "GATE_UP_";
  for (const char c : id)
    out += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

/// `Bearer abc`: a scheme and the key. Else the whole of it is the key.
struct split_credential {
  std::string scheme, key;
};
split_credential split(std::string_view header, const std::string& value) {
  const auto blank = value.find(' ');
  if (!http::same_text(header, "authorization") || blank == value.npos ||
      value.find(' ', blank + 1) != value.npos || !config::is_token(value.substr(0, blank)))
    return {{}, value};
  return {value.substr(0, blank), value.substr(blank + 1)};
}

json::object upstream_of(const reachable_server& it, gate_plan& to) {
  const auto& s = *it.server;
  for (const auto& remark : s.entry.remarks) to.notes.push_back(s.id + ": " + remark);
  json::object out{{"id", s.id}, {"url", it.url}, {"namespace", s.id}, {"protocol", "auto"}};
  const auto* shown = s.started() ? nullptr : credential_of(s.entry.headers);
  if (!shown) return out;
  for (const auto& header : s.entry.headers)
    if (&header != shown)
      to.notes.push_back(s.id + ": the header " + header.first +
                         " is not sent: the gateway shows a server one header, and that is " +
                         shown->first);
  const auto [scheme, key] = split(shown->first, shown->second);
  const auto variable = variable_of(s.id);
  out["auth"] = json::object{{"strategy", "static"},
                             {"secretRef", variable},
                             {"header", shown->first},
                             {"scheme", scheme}};
  to.secrets.emplace_back(variable, key);
  return out;
}

std::string_view without_quotes(std::string_view value) {
  const bool quoted = value.size() > 1 && value.front() == value.back() &&
                      (value.front() == '"' || value.front() == '\'');
  return quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

std::vector<std::string> ids_of(const std::vector<std::string>& names,
                                const std::vector<std::string>& taken) {
  auto out = taken;
  for (const auto& name : names) {
    const auto id = id_of(name);
    auto one = id;
    for (std::size_t n = 2; std::ranges::find(out, one) != out.end(); ++n) one = numbered(id, n);
    out.push_back(std::move(one));
  }
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(taken.size()));
  return out;
}

std::optional<std::string> refused_by_gateway(const planned_server& s) {
  auto one = s;
  one.id = "server";
  auto plan = plan_gate({{&one, one.started() ? "http://127.0.0.1:1/mcp" : one.entry.url}}, {});
  return plan.problem.empty() ? std::nullopt : std::optional(std::move(plan.problem));
}

result<base_document> read_base(std::string_view text) {
  boost::system::error_code bad;
  const auto read = json::parse(text, bad);
  const auto* document = bad ? nullptr : read.if_object();
  const auto* upstreams = document ? document->if_contains("upstreams") : nullptr;
  if (!upstreams || !upstreams->is_array())
    return problem{
        "it has \"upstreams\", so it is a document of gate, and no JSON as gate reads it"};
  base_document out;
  for (const auto& u : upstreams->as_array())
    if (const auto* one = u.if_object())
      if (const auto* id = one->if_contains("id"); id && id->is_string()) {
        const auto* own = one->if_contains("namespace");
        out.upstreams.push_back({std::string(id->as_string()),
                                 own && own->is_string() ? std::string(own->as_string()) : ""});
      }
  if (const auto* routing = document->if_contains("routing"); routing && routing->is_object())
    if (const auto* other = routing->as_object().if_contains("namespaceSeparator");
        other && other->is_string())
      out.separator = other->as_string();
  if (const auto* auth = document->if_contains("auth"); auth && auth->is_object()) {
    const auto* mode = auth->as_object().if_contains("mode");
    out.authenticates = mode && *mode == "required";
  }
  out.secrets = config::named_secrets(text);
  return out;
}

child_environment environment_of(const server_entry& e, std::string_view path,
                                 std::string_view home) {
  child_environment out;
  const auto set = [&out](std::string_view name, std::string_view value) {
    const auto at = std::ranges::find_if(out.all, [&](const auto& v) { return v.first == name; });
    if (at != out.all.end()) {
      at->second = value;
      return;
    }
    out.all.emplace_back(name, value);
    out.passed.emplace_back(name);
  };
  if (!path.empty()) set("PATH", path);
  if (!home.empty()) set("HOME", home);
  for (const auto& [name, value] : e.environment) set(name, value);
  return out;
}

named_values read_environment_file(std::string_view text) {
  named_values out;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = http::trim(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.starts_with("export ")) line = http::trim(line.substr(7));
    const auto equals = line.find('=');
    if (line.starts_with('#') || equals == line.npos) continue;
    const auto name = http::trim(line.substr(0, equals));
    if (name.empty()) continue;
    out.emplace_back(name, without_quotes(http::trim(line.substr(equals + 1))));
  }
  return out;
}

gate_plan plan_gate(const std::vector<reachable_server>& servers, std::string_view base) {
  gate_plan out;
  json::object document;
  if (!base.empty()) {
    boost::system::error_code bad;
    auto read = json::parse(base, bad);
    if (!bad && read.is_object()) document = std::move(read.as_object());
  } else {
    // What somebody wants who looks at it for the first time.
    document["server"] = {{"introspection", {{"enabled", true}}}, {"console", {{"enabled", true}}}};
  }
  auto& upstreams = document["upstreams"];
  if (!upstreams.is_array()) upstreams = json::array();
  for (const auto& one : servers) upstreams.as_array().push_back(upstream_of(one, out));
  out.serves = !upstreams.as_array().empty();
  out.document = printed(document) + '\n';
  if (const auto judged = config::load(out.document); !judged.problems.empty())
    out.problem = to_line(judged.problems.front());
  return out;
}

}  // namespace gate::clients
