#include "actors/router/shared_words.hpp"

#include "actors/router/client_sessions.hpp"
#include "actors/router/client_streams.hpp"
#include "actors/router/server_requests.hpp"
#include "actors/router/shared_sessions.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/http_rules.hpp"

namespace gate::routing {

using namespace pipeline;
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
void shared_words::find_holders(sessions::client_session& s,
                                std::function<void(sessions::client_session&, bool)> then) {
  line_.ask(fleet::look_for_session(0, s.shared->key, line_.name(), all_.alive()),
            [this, client = s.key, then = std::move(then)](const store_told& m) {
              const auto at = unit_.sessions.find_key(client);
              if (!at || !at->shared) return;
              const bool known = m.outcome == store_outcome::ok && m.reply;
              if (known) all_.meet(*at, fleet::read_holders(m.reply->root()));
              then(*at, known);
            });
}

void shared_words::tell_holders(sessions::client_session& s, std::string text) {
  if (!line_.ready()) return;
  find_holders(s, [this, text = std::move(text)](sessions::client_session& known, bool) {
    tell(known, {.what = kind::said, .text = text});
  });
}

namespace {

/// What its client has said, without what is of this request alone.
std::string said_by(const call& c) {
  const auto& m = c.message;
  if (c.route == route::reply) {
    auto text = m.error.empty() ? jsonrpc::result_head(m.id) : jsonrpc::error_head(m.id);
    text.append(m.error.empty() ? m.result : m.error) += '}';
    return text;
  }
  if (c.method->name != mcp::names::cancelled) return jsonrpc::request({}, m.method, m.params);
  auto params = R"({"requestId":)" + std::string(m.request_id);
  if (const auto reason = json::member(m.params, "reason"); !reason.empty())
    params.append(R"(,"reason":)").append(reason);
  return jsonrpc::request({}, mcp::names::cancelled, params + "}");
}

}  // namespace

bool shared_words::hand_over(fact<stage::guard>& c) {
  auto& s = *c->session;
  auto text = said_by(*c);
  const auto number = unit_.calls.put_aside(std::move(c), {partner::store, 0});
  if (!line_.ready() || text.size() > limits::fleet_word_bytes) {
    finish({number, 0, pipeline::handing::lost});
    return true;
  }
  find_holders(s, [this, number, text = std::move(text)](sessions::client_session& known, bool is) {
    if (!is) return finish({number, 0, pipeline::handing::lost});
    hand_to_all(known, number, text);
  });
  return true;
}

/// The store takes a word if somebody listens for it.
void shared_words::hand_to_all(sessions::client_session& s, std::uint64_t call,
                               const std::string& text) {
  const auto others = s.shared->others;
  if (others.empty()) return finish({call, 0, pipeline::handing::nobody});
  const auto* c = unit_.calls.find(call);
  // An answer concerns one of them, and nobody knows which: all have to have it.
  const bool for_all = c && c->route == pipeline::route::reply;
  const auto h = std::make_shared<handing>(handing{call, others.size()});
  for (const auto& other : others)
    line_.say(other, {.what = kind::said, .session = s.shared->key, .text = text},
              [this, h, for_all](hearing how) {
                using pipeline::handing;
                if (how == hearing::somebody && !(for_all && h->how == handing::lost))
                  h->how = handing::taken;
                if (how == hearing::unsaid && (for_all || h->how == handing::gone))
                  h->how = handing::lost;
                if (--h->open == 0 || (how == hearing::somebody && !for_all)) finish(*h);
              });
}

/// Null: it has ended meanwhile.
call_ptr shared_words::take(std::uint64_t number) {
  auto c = unit_.calls.end(number);
  if (c) c->session->remove_call(number);
  return c;
}

void shared_words::finish(const handing& h) {
  if (auto c = take(h.call)) end_handed(std::move(c), h.how, unit_.desk);
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
  if (read->kind == jsonrpc::kind::response) return void(peers_.requests.answer(*s, *read, keep));
  if (read->kind != jsonrpc::kind::notification) return;
  if (read->method == mcp::names::cancelled)
    peers_.sessions.cancel(*s, read->request_id, json::member(read->params, "reason"));
  else if (read->method == mcp::names::roots_changed)
    peers_.sessions.tell_upstreams_here(*s, mcp::names::roots_changed);
  else if (read->method == mcp::names::progress)
    peers_.requests.pass_progress(*s, *read);
}

}  // namespace gate::routing
