// UPSTREAM SESSION: how a session opens, is lost, and ends.
#include <algorithm>

#include "actors/upstream/session.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::upstream {

void session::open() {
  if (!has_credential(now())) return provide_credential();
  connect();
}

void session::begin_handshake() {
  state_ = state::opening;
  session_id_.clear();
  agreed_ = {};
  make_headers();
  const auto id = post(R"({"jsonrpc":"2.0","id":)" + std::to_string(next_id_) +
                           R"(,"method":"initialize","params":)" +
                           initialize_params(profile_ ? profile_->capabilities : "{}") + "}",
                       {}, {}, {}, {}, true);
  expect(id, purpose::initialize);
}

/// The header lines of every request in this session, made once.
void session::make_headers() {
  auto text = std::make_shared<std::string>(
      "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n");
  if (!session_id_.empty()) *text += "Mcp-Session-Id: " + session_id_ + "\r\n";
  if (!agreed_.version.empty()) *text += "MCP-Protocol-Version: " + agreed_.version + "\r\n";
  *text += credential_;
  headers_ = std::move(text);
}

/// With another credential, once.
bool session::begin_again() {
  if (std::exchange(credential_renewed_, true)) return false;
  discard_session();
  state_ = state::closed;
  provide_credential();
  return true;
}

void session::on_initialize(const fetched& f, std::shared_ptr<const std::string> text) {
  if (endpoint_fails(f) && try_elsewhere()) return;
  if (f.end != fetch_end::complete) {
    const bool connect = f.end == fetch_end::connect_failed || f.end == fetch_end::connect_timeout;
    return open_failed(connect ? "connect failed" : "request failed", f.why, true,
                       f.end == fetch_end::overloaded ? verdict::neutral : verdict::failure);
  }
  if (renew_credential(f.status, credentials_shown_) && begin_again()) return;
  if (refuses_credential(f.status))
    return open_failed(credential_refused_words,
                       "initialize was answered with HTTP " + std::to_string(f.status), true,
                       verdict::neutral);
  if (f.status != 200 || !text)
    return open_failed("connect failed",
                       "initialize was answered with HTTP " + std::to_string(f.status), true);
  auto m = jsonrpc::read(*text, {limits::upstream_json_depth, false});
  if (!m || m->kind != jsonrpc::kind::response)
    return open_failed("connect failed", "the answer to initialize is not JSON-RPC", true);
  if (m->result.empty())
    return open_failed("connect failed",
                       "initialize was refused with the error " +
                           std::string(json::member(m->error, "code").substr(0, 20)),
                       true);
  auto agreed = read_initialize_result(m->result);
  if (!agreed) return open_failed("connect failed", agreed.error().what, true);
  if (!f.session_id.empty() && !is_session_id(f.session_id))
    return open_failed("connect failed", "its session id is not visible ASCII", true);
  agreed_ = std::move(*agreed);
  if (!f.session_id.empty()) session_id_ = f.session_id;
  stream_worked_ = false;
  stream_place_ = {};  // ids of events belong to a session
  ++epoch_;
  make_headers();
  // Requests wait for this to be accepted: on another connection they could overtake it.
  const auto id = post(jsonrpc::request({}, "notifications/initialized"), {}, {}, {}, {}, true);
  expect(id, purpose::initialized);
}

void session::on_initialized(const fetched& f) {
  if (renew_credential(f.status, credentials_shown_) && begin_again()) return;
  if (endpoint_fails(f) && try_elsewhere()) return;
  if (f.end == fetch_end::complete && f.status < 300) return ready();
  open_failed(
      "request failed",
      "notifications/initialized was refused: HTTP " + std::to_string(f.status) + " " + f.why,
      false, refuses_credential(f.status) ? verdict::neutral : verdict::failure);
}

void session::open_failed(std::string_view why, std::string detail, bool connect, verdict how) {
  discard_session();
  state_ = state::closed;
  credential_renewed_ = false;
  tried_.clear();
  note_failure("can not be used", detail);
  fail_waiting(why, connect, how);
  handshake_blamed_ = false;
  if (listens() && !closing_) {
    stream_pause_ = std::clamp(stream_pause_ * 2, limits::stream_pause, limits::stream_pause_most);
    reopen_at(now() + stream_pause_);
  }
  quit_when_done();
}

void session::ready() {
  state_ = state::ready;
  credential_renewed_ = false;
  tried_.clear();
  handshake_blamed_ = false;
  introduce_server(true);
  send_level();
  renew_subscriptions();
  greet();
  if (wants_stream()) open_stream();
  check_greeting();
}

/// A client that can be asked is, perhaps, before its first call.
void session::greet() {
  greeting_.reset();
  if (root() || !wants_stream()) return;
  const auto declared = [&](std::string_view what) {
    return !json::member(profile_->capabilities, what).empty();
  };
  if (declared("roots") || declared("sampling") || declared("elicitation"))
    greeting_.emplace(now(), declared("roots"));
}

/// Sends what waits, unless the server has the first word.
void session::check_greeting() {
  if (greeting_ && !greeting_->over(now())) return arm(greeting_->look_at());
  greeting_.reset();
  auto waiting = std::exchange(backlog_, {});
  for (auto& w : waiting) send_work(std::move(w));
  quit_when_done();
}

/// What clients are told that the federation can do depends on it.
void session::introduce_server(bool reached) {
  if (check_) return;
  send(shared_->router,
       // What it tells one caller is nothing for another.
       introduced{shared_->config.index, reached, agreed_.features,
                  shared_->config.per_caller ? "" : agreed_.instructions});
}

/// The server does not know the session any more, or its endpoint can not be reached. What needs it
/// opens a new one.
void session::lose() {
  if (state_ != state::ready) return;
  state_ = state::closed;
  greeting_.reset();
  session_id_.clear();
  close_stream();
  resume_none();
  // Whatever the session would have heard in the meantime is lost: the lists may be old. One that
  // listens, or is subscribed to something, can not wait for the next call.
  if (root()) suspect_lists();
  const bool listening = wants_stream() || !subscriptions_.empty();
  if ((listening && !closing_) || !backlog_.empty()) open();
}

void session::suspect_lists() {
  for (std::size_t k = 0; k < mcp::kept_list_kinds; ++k)
    suspect(static_cast<mcp::list_kind>(k), false);
}

// --- the end ------------------------------------------------------------------------------------

void session::quit_when_done() {
  if (!closing_ || leaving_ || working_ > 0 || !backlog_.empty() || !charging_.empty()) return;
  if (state_ == state::opening || discarding_ > 0) return;  // what was opened wants to be closed
  leaving_ = true;
  if (state_ != state::ready || session_id_.empty()) return quit();
  say_goodbye();
}

/// Ends the session with the upstream at once, so that it need not wait for its own timeout.
void session::say_goodbye() {
  close_stream();
  end_session(purpose::goodbye);
}

/// A handshake has come to nothing; but the upstream may have opened a session already.
void session::discard_session() {
  if (state_ != state::opening || session_id_.empty()) return;
  make_headers();
  end_session(purpose::discard);
  ++discarding_;
  session_id_.clear();
}

/// EGRESS sees to it that one that does not answer is not waited for. It may take its time until it
/// is sent: many sessions may end at once, and go behind calls.
std::uint64_t session::end_session(purpose why) {
  auto f = std::make_shared<fetch>();
  f->id = next_id_++;
  f->to = shared_->to[endpoint_];
  f->method = verb::del;
  f->headers = headers_;
  f->repeatable = true;
  const auto id = f->id;
  send(shared_->egress, start_fetch{std::move(f), caf::actor_cast<fetch_client>(this)});
  expect(id, why);
  auto& until = pending_[id].until;
  until = now() + limits::end_wait + limits::goodbye;
  arm(until);
  return id;
}

}  // namespace gate::upstream
