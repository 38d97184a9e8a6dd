// UPSTREAM SESSION: what the upstream says by itself, and what of the client it must know: answers,
// log level, subscriptions.
#include <algorithm>

#include "actors/upstream/session.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

/// The same id, however it is written.
auto find_id(std::vector<std::string>& ids, std::string_view raw) {
  return std::ranges::find_if(ids, [&](const auto& id) { return json::same_scalar(id, raw); });
}

}  // namespace

void session::on_server_message(pending* p, const jsonrpc::message& m, const std::string& text) {
  const bool of_a_call = p && p->call();
  if (m.kind == jsonrpc::kind::request) return on_question(of_a_call ? p : nullptr, m, text);
  if (m.method == "notifications/progress") return on_progress(p, m, text);
  // That it talks does not prove that it works: it may go on so for ever.
  if (of_a_call) p->job->time.said(now());
  for (std::size_t k = 0; k < mcp::kept_list_kinds; ++k)
    if (m.method == mcp::change_notice(static_cast<mcp::list_kind>(k)))
      return suspect_all(m.method);
  if (m.method == "notifications/cancelled") {
    const auto call = question_over(m.request_id);
    return send(shared_->router,
                withdrawn{call, client_, name_of_session(), std::string(m.request_id),
                          std::string(json::member(m.params, "reason"))});
  }
  // An update is for whom this session is subscribed for, wherever it is said.
  const bool update = m.method == "notifications/resources/updated";
  // What else is said on a call's stream belongs to the call, whatever it is.
  if (of_a_call && !update) return send(shared_->router, relayed{p->call()->call, text, 0, 0});
  if (root() || (update && m.uri.empty())) return;
  last_used_ = now();
  heard h{client_, shared_->config.index, text, {}, of_a_call ? p->call()->call : 0};
  if (update) h.updated = json::canonical(m.uri);
  send(shared_->router, std::move(h));
}

void session::on_question(pending* call, const jsonrpc::message& m, const std::string& text) {
  if (m.method == "ping") return notice(jsonrpc::result_head(m.id) + "{}}");
  if (!call && (root() || !wants_stream()))
    return notice(jsonrpc::error_message(m.id, jsonrpc::method_not_found,
                                         "no client is there to take requests"));
  if (call) {
    // A stream that was gone on with may say again what had no id of its own.
    auto& open = call->questions;
    if (call->place.was_resumed() && find_id(open, m.id) != open.end()) return;
    if (call->questions.size() >= limits::session_questions)
      return notice(jsonrpc::error_message(m.id, jsonrpc::internal_error, "too many requests"));
    call->questions.emplace_back(m.id);
    call->job->time.ask(now());
    works(*call->job);
  }
  // A human may take that long to answer, and the answer must find the session that asked.
  if (!call) asked_until_ = now() + limits::question;
  if (!call && greeting_) greeting_->asked(m.id);
  const auto offset = [&](std::string_view part) {
    return part.empty() ? 0 : static_cast<std::size_t>(part.data() - text.data());
  };
  const auto token = json::member(m.meta, "progressToken");
  send(shared_->router,
       asked{call ? call->call()->call : 0, shared_->config.index, client_, name_of_session(),
             std::string(m.id), text, offset(m.id), std::string(token), offset(token)});
}

/// Resources and their templates share one notification.
void session::suspect_all(std::string_view notification) {
  for (std::size_t k = 0; k < mcp::kept_list_kinds; ++k)
    if (mcp::change_notice(static_cast<mcp::list_kind>(k)) == notification)
      suspect(static_cast<mcp::list_kind>(k), true);
}

/// No answer is awaited any more: its call has its usual time again. Returns that call, or 0.
std::uint64_t session::question_over(std::string_view raw_id) {
  for (auto& [id, p] : pending_) {
    const auto it = find_id(p.questions, raw_id);
    if (it == p.questions.end()) continue;
    p.questions.erase(it);
    if (p.questions.empty()) {
      if (p.job) p.job->time.answered(now());
      arm(p.deadline());
      await_word(p);
    }
    return p.call() ? p.call()->call : 0;
  }
  return 0;
}

/// The client answered what the upstream asked.
void session::on_reply(client_reply& m) {
  if (m.session != name_of_session()) return;  // asked in a session that is lost
  question_over(m.id);
  const auto id = post(m.failed ? jsonrpc::error_head(m.id) : jsonrpc::result_head(m.id), m.payload,
                       {}, "}", std::move(m.keep), true);
  expect(id, purpose::notice);
  if (greeting_) greeting_->answered(m.id, id);
}

/// The log level is the session's: a new one must hear of it.
void session::send_level() {
  if (!profile_ || profile_->log_level.empty() || !agreed_.features.has(mcp::feature::logging))
    return;
  const auto id = post(request_head(next_id_, "logging/setLevel"), R"({"level":)",
                       profile_->log_level, "}}", profile_, true);
  expect(id, purpose::replay);
}

void session::suspect(mcp::list_kind k, bool certain) {
  if (certain) {
    last_used_ = now();
    if (root())
      shared_->root_news.heard(now());
    else
      news_.heard(now(), shared_->root_news);
  }
  send(shared_->router, list_changed{shared_->config.index, k, certain, client_, principal_});
}

// --- the client's side ---------------------------------------------------------------------------

/// Unless a later one is known: what was parked on its way may bring an old one.
bool session::learn(const profile_ptr& p) {
  if (!p || root() || (profile_ && p->version < profile_->version)) return false;
  profile_ = p;
  return true;
}

void session::on_profile(const profile_ptr& p) {
  const bool level = !profile_ || profile_->log_level != p->log_level;
  // That its client's stream has closed or is back is nothing to the upstream.
  const bool presence =
      profile_ && profile_->away != p->away && profile_->listening == p->listening && !level;
  if (!learn(p) || presence) return;
  if (state_ == state::closed && wants_stream() && !closing_ && epoch_ > 0) return open();
  if (state_ != state::ready) return;
  if (level) send_level();
  if (wants_stream() && !stream_id_ && now() >= stream_due_) {
    // Opened for lists, before its client listened: the server still has the first word.
    const bool unused = shared_->config.per_client && !called_ && !greeting_;
    if (unused) greet();
    open_stream();
    if (greeting_) check_greeting();
  } else if (!wants_stream() && stream_id_)
    close_stream();
}

/// The URI of a call to subscribe or unsubscribe, written in one way only.
std::string session::uri_of(const work& w) {
  std::string uri;
  // URIs have no prefix: the params are whole.
  json::unquote(json::member(w.call.first, "uri"), uri);
  return json::quoted(uri);
}

/// Remembers what a call to subscribe or unsubscribe has changed.
void session::note_subscription(const work& w) {
  const bool on = w.call.method == "resources/subscribe";
  if (!on && w.call.method != "resources/unsubscribe") return;
  if (!on)
    subscriptions_.erase(uri_of(w));
  else if (!w.undone && subscriptions_.size() < limits::session_subscriptions)
    subscriptions_.insert(uri_of(w));
}

/// The client says in which order; answers may come in another.
void session::undo_subscriptions(const work& w) {
  if (w.call.method != "resources/unsubscribe") return;
  const auto uri = uri_of(w);
  for (auto& [id, p] : pending_)
    if (p.call() && p.call()->method == "resources/subscribe" && uri_of(*p.job) == uri)
      p.job->undone = true;
}

/// The client may not be told of these any more.
void session::unsubscribe(const gate::unsubscribe& m) {
  for (const auto& uri : m.uris) {
    subscriptions_.erase(uri);
    if (state_ != state::ready) continue;
    auto text = request_head(next_id_, "resources/unsubscribe");
    text.append(R"({"uri":)").append(uri) += "}}";
    expect(post(std::move(text), {}, {}, {}, {}, true), purpose::replay);
  }
}

void session::subscribe(std::string_view raw_uri) {
  auto text = request_head(next_id_, "resources/subscribe");
  text.append(R"({"uri":)").append(raw_uri) += "}}";
  expect(post(std::move(text), {}, {}, {}, {}, true), purpose::replay);
}

/// A new session knows nothing of what the client is subscribed to.
void session::renew_subscriptions() {
  for (const auto& uri : subscriptions_) subscribe(uri);
}

/// The client was subscribed elsewhere, and goes on here.
void session::subscribe(subscribe_again& m) {
  ++taken_;
  if (closing_) return;
  stay();
  learn(m.profile);
  meet(m.caller);
  last_used_ = now();
  for (auto& uri : m.uris) {
    if (subscriptions_.size() >= limits::session_subscriptions) break;
    const auto [it, fresh] = subscriptions_.insert(std::move(uri));
    if (fresh && state_ == state::ready) subscribe(*it);
  }
  if (state_ == state::closed) open();
}

}  // namespace gate::upstream
