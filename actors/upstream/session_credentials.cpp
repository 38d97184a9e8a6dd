// UPSTREAM SESSION: what it shows the upstream about who asks. A header line goes with every
// request, of this session and to this origin only (EGRESS follows no redirect to another one).
//
//   strategy             the line comes from              and is good
//   none                 -                                always
//   static               the environment, at its use      as long as the session
//   passthrough          the caller's own token           until the caller shows another
//   client-credentials   CREDENTIALS, for the gateway     until shortly before it expires,
//   token-exchange       CREDENTIALS, for the caller       or the upstream refuses it
//
// Without a good one nothing is sent: work waits in the backlog until CREDENTIALS has answered.
#include "actors/upstream/session.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::upstream {
namespace {

constexpr std::string_view unavailable = "credential unavailable";

}  // namespace

/// The latest word about who the caller is: tokens are renewed while sessions go on.
void session::meet(const identity::caller_ptr& c) {
  if (!c || c == caller_) return;
  // Verified when no upstream was to get tokens, and so remembered without: as if it had not come.
  const bool passes = shared_->config.auth.strategy == config::auth_strategy::passthrough;
  if (passes && c->token.empty()) return;
  const bool other = !caller_ || caller_->token != c->token;
  caller_ = c;
  if (!other || !passes) return;
  credential_ = bearer_line(c->token);
  credential_until_ = never;
  ++credentials_shown_;
  make_headers();
}

/// Gets a good line; what waits for it goes on when it is there.
void session::provide_credential() {
  const auto& auth = shared_->config.auth;
  if (auth.strategy == config::auth_strategy::fixed) {
    const auto secret = shared_->outside.secrets(*auth.secret_ref);
    const auto line = secret ? fixed_credential(auth, *secret) : std::nullopt;
    if (line) return take_credential({true, *line, never});
    note_failure("can not be asked: its credential is missing",
                 "the environment variable " + *auth.secret_ref +
                     (secret ? " holds something that does not fit into a header" : " is not set"));
    return take_credential({});
  }
  if (!is_granted(auth.strategy)) {  // passthrough, and nobody has come with a token
    note_failure("can not be asked: no caller has shown a token", {});
    return take_credential({});
  }
  if (!credentials_) return take_credential({});
  if (std::exchange(credential_asked_, true)) return;
  send(credentials_, want_credential{caller_, caf::actor_cast<credential_user>(this)});
}

void session::take_credential(credential_told m) {
  credential_asked_ = false;
  if (!m.ok) return without_credential();
  credential_ = std::move(m.line);
  credential_until_ = m.until;
  ++credentials_shown_;
  make_headers();
  if (state_ == state::closed) {
    if (!backlog_.empty() || listens() || !subscriptions_.empty()) connect();
  } else if (state_ == state::ready) {
    check_greeting();
    if (wants_stream() && !stream_id_ && stream_due_ <= now()) begin_stream();
  }
  quit_when_done();
}

void session::without_credential() {
  fail_waiting(unavailable, true, verdict::neutral);
  tried_.clear();
  handshake_blamed_ = false;
  if (listens() && !closing_) {
    stream_pause_ = std::clamp(stream_pause_ * 2, limits::stream_pause, limits::stream_pause_most);
    reopen_at(now() + stream_pause_);
  }
  quit_when_done();
}

/// The upstream did not take the credential that this was sent with. True if there is another one
/// by now, or one can be had.
bool session::renew_credential(int status, std::uint32_t shown) {
  if (status != 401 || !is_granted(shared_->config.auth.strategy)) return false;
  if (shown != credentials_shown_) return true;
  if (credentials_)
    send(credentials_, credential_refused{caller_ ? caller_->who.key : 0, credential_});
  credential_until_ = time_point::min();
  return true;
}

/// Nothing of it for logs and the audit trail, should somebody quote it to us.
bool session::quotes_credential(std::string_view text) const {
  const auto begin = credential_.find(": ");
  if (begin == credential_.npos) return false;
  auto value = std::string_view(credential_).substr(begin + 2);
  value.remove_suffix(2);
  const auto word = value.substr(value.find_last_of(' ') + 1);
  return (word.size() >= 4 && text.find(word) != text.npos) || text.find(value) != text.npos;
}

}  // namespace gate::upstream
