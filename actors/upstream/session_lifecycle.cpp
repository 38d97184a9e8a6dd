// UPSTREAM SESSION: how a session opens, is lost, and ends.
#include <algorithm>

#include "actors/upstream/session.hpp"
#include "actors/upstream/spoken.hpp"
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
                       {}, {}, {}, {}, true, awaited_trace());
  expect(id, purpose::initialize);
}

/// Of the first that waits for the handshake and has one: the handshake is done for it. That of a
/// root session is everybody's.
trace_ptr session::awaited_trace() const {
  if (root()) return nullptr;
  for (const auto& w : backlog_)
    if (w->trace()) return w->trace();
  return nullptr;
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
  if (endpoint_fails(f)) {
    if (try_elsewhere(is_busy(f))) return;
    if (is_busy(f) || room_.full) return no_room();
  }
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
  // It was reached: whoever looks at /health wants to know what it said.
  const auto unfit = [this](const std::string& detail, const std::string& health) {
    open_failed("connect failed", detail, true, verdict::failure, health);
  };
  const auto status = "HTTP " + std::to_string(f.status);
  if (f.status != 200 || !text)
    return unfit("initialize was answered with " + status, status + " for initialize");
  auto m = read_message(*text);
  if (!m || m->kind != jsonrpc::kind::response)
    return unfit("the answer to initialize is not JSON-RPC",
                 "the answer to initialize is not JSON-RPC");
  if (m->result.empty()) {
    const auto error = "error " + std::string(json::member(m->error, "code").substr(0, 20));
    return unfit("initialize was refused with the " + error, error + " for initialize");
  }
  auto agreed = read_initialize_result(m->result);
  if (!agreed) return unfit(agreed.error().what, agreed.error().what);
  if (!f.session_id.empty() && !is_session_id(f.session_id))
    return unfit("its session id is not visible ASCII", "its session id is not visible ASCII");
  agreed_ = std::move(*agreed);
  if (!f.session_id.empty()) session_id_ = f.session_id;
  stream_worked_ = false;
  stream_place_ = {};  // ids of events belong to a session
  ++epoch_;
  make_headers();
  // Requests wait for this to be accepted: on another connection they could overtake it.
  const auto id = post(jsonrpc::request({}, "notifications/initialized"), {}, {}, {}, {}, true,
                       awaited_trace());
  expect(id, purpose::initialized);
}

void session::on_initialized(const fetched& f) {
  if (renew_credential(f.status, credentials_shown_) && begin_again()) return;
  if (endpoint_fails(f) && try_elsewhere(is_busy(f))) return;
  if (f.end == fetch_end::complete && f.status < 300) return ready();
  open_failed(
      "request failed",
      "notifications/initialized was refused: HTTP " + std::to_string(f.status) + " " + f.why,
      false, refuses_credential(f.status) || is_busy(f) ? verdict::neutral : verdict::failure);
}

/// `why`: what clients are told; `health`: what /health is, if that is more.
void session::open_failed(std::string_view why, std::string detail, bool connect, verdict how,
                          std::string_view health) {
  discard_session();
  state_ = state::closed;
  credential_renewed_ = false;
  tried_.clear();
  room_ = {};
  note_failure("can not be used", detail);
  for (auto& w : backlog_) w->how = health;
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
  room_ = {};
  called_ = false;
  news_.opened(now());
  reached();
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
void session::introduce_server(bool reached, bool missed) {
  if (check_) return;
  send(shared_->router,
       // What it tells one caller is nothing for another.
       introduced{shared_->config.index, reached, agreed_.features,
                  shared_->config.per_caller ? "" : agreed_.instructions, missed, client_});
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
  if (hears_lists()) suspect_lists();
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
