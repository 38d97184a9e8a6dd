#include "actors/router/shared_words.hpp"

#include "actors/router/client_sessions.hpp"
#include "actors/router/client_streams.hpp"
#include "actors/router/server_requests.hpp"
#include "actors/router/shared_sessions.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/http_rules.hpp"

namespace gate::routing {

using kind = fleet::session_word::kind;

void shared_words::tell(sessions::client_session& s, fleet::session_word word) {
  word.session = s.shared->key;
  for (const auto& other : s.shared->others) line_.say(other, word);
}

void shared_words::pass_on(sessions::client_session& s, const std::string& text) {
  tell(s, {.what = kind::told, .text = text});
}

/// Who has asked the client, or runs its call, is in the record, whatever words have got lost or
/// are still on their way.
void shared_words::hand_over(sessions::client_session& s, std::string text) {
  if (!line_.ready()) return;
  const auto& key = s.shared->key;
  line_.ask(fleet::look_for_session(0, key, line_.name(), all_.alive()),
            [this, client = s.key, text = std::move(text)](const store_told& m) mutable {
              const auto at = unit_.sessions.find_key(client);
              if (!at || !at->shared) return;
              if (m.outcome == store_outcome::ok && m.reply)
                all_.meet(*at, fleet::read_holders(m.reply->root()));
              tell(*at, {.what = kind::said, .text = std::move(text)});
            });
}

void shared_words::hand_over_cancel(sessions::client_session& s, std::string_view raw_id,
                                    std::string_view reason) {
  auto params = R"({"requestId":)" + std::string(raw_id);
  if (!reason.empty()) params.append(R"(,"reason":)").append(reason);
  hand_over(s, jsonrpc::request({}, mcp::names::cancelled, params + "}"));
}

bool shared_words::hand_over_answer(sessions::client_session& s, const jsonrpc::message& m) {
  if (!line_.ready()) return false;
  auto text = m.error.empty() ? jsonrpc::result_head(m.id) : jsonrpc::error_head(m.id);
  text.append(m.error.empty() ? m.result : m.error) += '}';
  hand_over(s, std::move(text));
  return true;
}

// --- what others say -----------------------------------------------------------------------------

void shared_words::hear(const sessions::session_ptr& s, const fleet::session_word& w) {
  if (w.what == kind::said) return hear_said(s, w.text);
  if (!s->profile->listening) return;
  if (w.what == kind::told) peers_.streams.send(*s, w.text);
  if (w.what == kind::listens) peers_.streams.listens_elsewhere(*s);
}

void shared_words::hear_said(const sessions::session_ptr& s, const std::string& text) {
  const auto keep = std::make_shared<const std::string>(text);
  const auto read = mcp::read_body(*keep);
  if (!read) return;
  if (read->kind == jsonrpc::kind::response)
    return void(peers_.requests.answer_here(*s, *read, keep));
  if (read->kind != jsonrpc::kind::notification) return;
  if (read->method == mcp::names::cancelled)
    peers_.sessions.cancel_here(*s, read->request_id, json::member(read->params, "reason"));
  else if (read->method == mcp::names::roots_changed)
    peers_.sessions.tell_upstreams_here(*s, mcp::names::roots_changed);
  else if (read->method == mcp::names::progress)
    peers_.requests.pass_progress_here(*s, *read);
}

}  // namespace gate::routing
