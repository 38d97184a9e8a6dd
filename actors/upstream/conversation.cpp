#include "actors/upstream/conversation.hpp"

#include "actors/upstream/spoken.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/mcp/http_rules.hpp"

namespace gate::upstream {

std::optional<handshake> read_handshake(const fetched& f, const std::string* text, unfit& why) {
  // It was reached: whoever looks at /health wants to know what it said.
  const auto no = [&why](std::string detail, std::string health) -> std::optional<handshake> {
    why = {std::move(detail), std::move(health)};
    return std::nullopt;
  };
  const auto both = [&no](std::string text) { return no(text, text); };
  const auto status = "HTTP " + std::to_string(f.status);
  if (f.status != 200 || !text)
    return no("initialize was answered with " + status, status + " for initialize");
  auto m = read_message(*text);
  if (!m || m->kind != jsonrpc::kind::response)
    return both("the answer to initialize is not JSON-RPC");
  if (m->result.empty()) {
    const auto error = "error " + std::string(json::member(m->error, "code").substr(0, 20));
    return no("initialize was refused with the " + error, error + " for initialize");
  }
  auto agreed = read_initialize_result(m->result);
  if (!agreed) return both(agreed.error().what);
  if (!f.session_id.empty() && !is_session_id(f.session_id))
    return both("its session id is not visible ASCII");
  return std::move(*agreed);
}

void conversation::begin() {
  id_.clear();
  const auto era = agreed_.era;  // what is still under way is answered in it
  agreed_ = {};
  agreed_.era = era;
}

void conversation::named(std::string_view id) {
  if (is_session_id(id)) id_ = id;
}

void conversation::agree(handshake what, std::string_view id) {
  agreed_ = std::move(what);
  if (!id.empty()) id_ = id;
  ++epoch_;
}

void conversation::append_own_lines(std::string& to) const {
  if (!id_.empty()) to += mcp::session_line(id_);
  if (!agreed_.version.empty())
    to.append("MCP-Protocol-Version: ").append(agreed_.version) += "\r\n";
}

void conversation::make_headers(std::string_view credential) {
  auto text = std::make_shared<std::string>(
      "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n");
  append_own_lines(*text);
  *text += credential;
  headers_ = std::move(text);
}

std::shared_ptr<const std::string> conversation::stream_headers(
    std::string_view credential, std::string_view last_event_id) const {
  auto text = std::make_shared<std::string>("Accept: text/event-stream\r\n");
  append_own_lines(*text);
  *text += credential;
  if (!last_event_id.empty()) text->append("Last-Event-ID: ").append(last_event_id) += "\r\n";
  return text;
}

}  // namespace gate::upstream
