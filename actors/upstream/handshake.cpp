#include "actors/upstream/handshake.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
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
  out += R"(,"clientInfo":{"name":"gate","version":")" GATE_VERSION R"("}})";
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
