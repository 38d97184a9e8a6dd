#include "actors/upstream/handshake.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/implementation.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::upstream {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool contains_without_case(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [](char a, char b) { return lower(a) == b; }) != text.end();
}

}  // namespace

std::string initialize_params(std::string_view capabilities) {
  std::string out = R"({"protocolVersion":")";
  out += mcp::latest_session_version;
  out += R"(","capabilities":)";
  out += capabilities;
  out += R"(,"clientInfo":)";
  out += mcp::client_info;
  out += '}';
  return out;
}

result<handshake> read_initialize_result(std::string_view raw_result) {
  handshake out;
  if (!json::unquote(json::member(raw_result, "protocolVersion"), out.version))
    return problem{"the answer to initialize has no protocolVersion"};
  if (!mcp::is_session_version(out.version))
    return problem{"it speaks a protocol version that is not a revision of MCP with sessions"};
  const auto capabilities = json::member(raw_result, "capabilities");
  if (!capabilities.starts_with('{'))
    return problem{"the answer to initialize has no capabilities"};
  out.features = mcp::read_features(capabilities, out.version);
  const auto instructions = json::member(raw_result, "instructions");
  if (instructions.starts_with('"') && instructions.size() <= limits::instructions_bytes)
    out.instructions = instructions;
  return out;
}

result<handshake> read_discover_result(std::string_view raw_result) {
  handshake out;
  out.era = mcp::era::stateless;
  const auto versions = json::member(raw_result, "supportedVersions");
  if (!versions.starts_with('['))
    return problem{"the answer to server/discover has no supportedVersions"};
  json::cursor c(versions, {json::deepest, false});
  json::elements(c, [&](json::cursor& at) {
    const auto version = at.value(1);
    for (const auto ours : mcp::stateless_versions)
      if (json::says(version, ours) && ours > out.version) out.version = ours;
  });
  if (out.version.empty())
    return problem{"it speaks no revision of MCP without sessions that is known here"};
  const auto capabilities = json::member(raw_result, "capabilities");
  if (!capabilities.starts_with('{'))
    return problem{"the answer to server/discover has no capabilities"};
  out.features = mcp::read_features(capabilities, out.version);
  const auto instructions = json::member(raw_result, "instructions");
  if (instructions.starts_with('"') && instructions.size() <= limits::instructions_bytes)
    out.instructions = instructions;
  return out;
}

bool is_other_era(int status, std::string_view raw_error) {
  const auto code = json::member(raw_error, "code");
  // Of these two only that generation speaks, whatever is wrong.
  if (code == "-32020" || code == "-32021") return false;
  if (code == "-32022") return true;
  if (status == 200) return !raw_error.empty();
  return status == 400 || status == 404 || status == 405 || status == 406 || status == 415;
}

bool speaks_another(mcp::era agreed, int status, std::string_view body) {
  const auto error = json::member(body, "error");
  const auto code = json::member(error, "code");
  if (agreed == mcp::era::session)
    return status == 400 && (code == "-32020" || code == "-32021" || code == "-32022");
  // What a handler says is of the same generation, and the request has perhaps been processed.
  // Those with sessions miss one.
  if (!code.empty()) return code == "-32000" || code == "-32001" || code == "-32022";
  return json::member(body, "result").empty() && is_other_era(status, {});
}

bool is_lost_session(int status, std::string_view body) {
  if (status == 404) return true;
  return status == 400 &&
         contains_without_case(body.substr(0, limits::session_lost_bytes), "session");
}

bool is_session_id(std::string_view id) {
  return !id.empty() && id.size() <= limits::session_id_bytes &&
         std::ranges::all_of(id, [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace gate::upstream
