#include "actors/pipeline/initialize.hpp"

#include "protocol/http/response_lines.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/http_rules.hpp"
#include "protocol/mcp/implementation.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::pipeline {

/// With one server and nothing rewritten, its own words are all there is to say.
std::string instructions(const config::snapshot& s, const config::policy_view& view,
                         const std::vector<std::string>& own) {
  std::size_t count = 0;
  for (const auto& u : s.upstreams) count += view.reaches(u.index);
  if (!count) return json::quoted("No server is open to this caller.");
  if (s.passthrough) {
    if (const auto& text = own[s.upstreams.front().index]; !text.empty()) return text;
    return json::quoted("Tools of the upstream server \"" + s.upstreams.front().id + "\".");
  }
  std::string out = "Tools of " + std::to_string(count) + " servers; names are {server}" +
                    s.separator + "{tool}. Servers:";
  const auto space = [&](const config::compiled_upstream& u) {
    return u.prefix.substr(0, u.prefix.size() - s.separator.size());
  };
  for (const auto& u : s.upstreams)
    if (view.reaches(u.index)) out += ' ' + space(u);
  out += '.';
  for (const auto& u : s.upstreams) {
    std::string text;
    if (!json::unquote(own[u.index], text) || text.empty()) continue;
    if (out.size() + text.size() > limits::instructions_bytes) continue;
    out += "\n\n## " + space(u) + '\n' + text;
  }
  return json::quoted(out);
}

std::optional<refused> begin_session(fact<stage::guard>& c, desk& d) {
  auto refuse = [&](reason why, std::string message) {
    return refused{std::move(c),
                   {why, std::move(message), {}, -1},
                   why == reason::overloaded ? std::string(http::retry_later) : ""};
  };
  std::string requested;
  if (!json::unquote(json::member(c->message.params, "protocolVersion"), requested))
    return refuse(reason::invalid_params, "params.protocolVersion must be a string");
  const auto capabilities = json::member(c->message.params, "capabilities");
  if (capabilities.size() > limits::client_info_bytes)
    return refuse(reason::invalid_params, "params.capabilities is too large");
  auto session = d.sessions.open(c->access(), c->from->peer());
  if (!session)
    return refuse(reason::overloaded, "too many sessions: end some, or try again later");
  session->version = mcp::negotiate(requested);
  if (capabilities.starts_with('{')) {
    auto profile = std::make_shared<client_profile>(*session->profile);
    profile->capabilities = capabilities;
    session->profile = std::move(profile);
    session->lists_as = mcp::read_profile(capabilities);
  }
  c->session = std::move(session);
  return {};
}

void finish_initialize(call& c, const federation_abilities& can) {
  const auto& session = *c.session;
  auto text = std::make_shared<std::string>(R"({"protocolVersion":")");
  *text += session.version;
  *text += R"(","capabilities":)";
  *text += mcp::declare(can.features, session.version);
  *text += R"(,"serverInfo":)";
  *text += mcp::server_info;
  *text += R"(,"instructions":)";
  *text += *can.instructions;
  *text += '}';
  c.result = *text;
  c.keep = text;
  c.headers = mcp::session_line(session.id);
}

void finish_discover(call& c, const federation_abilities& can) {
  auto text = std::make_shared<std::string>(R"({"supportedVersions":[)");
  for (const auto version : mcp::stateless_versions) {
    if (text->back() != '[') *text += ',';
    json::append_quoted(*text, version);
  }
  *text += R"(],"capabilities":)";
  *text += mcp::declare(can.features, c.session->version);
  *text += R"(,"instructions":)";
  *text += *can.instructions;
  *text += '}';
  c.result = *text;
  c.keep = text;
}

}  // namespace gate::pipeline
