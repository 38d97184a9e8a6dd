#include "actors/pipeline/initialize.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::pipeline {
namespace {

/// For the model: what it is talking to, and how names are made up.
std::string instructions(const config::snapshot& s) {
  if (s.passthrough) return "Tools of the upstream server \"" + s.upstreams.front().id + "\".";
  std::string out = "Tools of " + std::to_string(s.upstreams.size()) +
                    " servers; names are {server}" + s.separator + "{tool}. Servers:";
  for (const auto& u : s.upstreams) {
    out += ' ';
    out += u.prefix.substr(0, u.prefix.size() - s.separator.size());
  }
  return out + ".";
}

}  // namespace

std::optional<refused> initialize(call_ptr& c, desk& d) {
  auto refuse = [&](reason why, std::string message) {
    return refused{std::move(c),
                   {why, std::move(message), {}, -1},
                   why == reason::overloaded ? "Retry-After: 5\r\n" : ""};
  };
  std::string requested;
  if (!json::unquote(json::member(c->message.params, "protocolVersion"), requested))
    return refuse(reason::invalid_params, "params.protocolVersion must be a string");
  const auto capabilities = json::member(c->message.params, "capabilities");
  if (capabilities.size() > limits::client_info_bytes)
    return refuse(reason::invalid_params, "params.capabilities is too large");
  auto session = d.open_session();
  if (!session)
    return refuse(reason::overloaded, "too many sessions: end some, or try again later");
  session->version = mcp::negotiate(requested);
  if (capabilities.starts_with('{')) {
    auto profile = std::make_shared<client_profile>(*session->profile);
    profile->capabilities = capabilities;
    session->profile = std::move(profile);
    session->lists_as = mcp::read_profile(capabilities);
  }

  auto text = std::make_shared<std::string>(R"({"protocolVersion":")");
  *text += session->version;
  *text += R"(","capabilities":{"completions":{},"logging":{},"prompts":{"listChanged":true},)";
  *text += R"("resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}},)";
  *text += R"("serverInfo":{"name":"gate","title":"gate MCP gateway","version":")" GATE_VERSION;
  *text += R"("},"instructions":)";
  json::append_quoted(*text, instructions(*c->snapshot));
  *text += '}';
  c->result = *text;
  c->keep = text;
  c->headers = "Mcp-Session-Id: " + session->id + "\r\n";
  return {};
}

}  // namespace gate::pipeline
