#include "actors/upstream/lifecycle.hpp"

#include <algorithm>
#include <functional>

#include "actors/upstream/approach.hpp"
#include "actors/upstream/client_messages.hpp"
#include "actors/upstream/sender.hpp"
#include "actors/upstream/server_messages.hpp"
#include "actors/upstream/spoken.hpp"
#include "actors/upstream/stateless_sender.hpp"
#include "actors/upstream/stream_keeper.hpp"
#include "actors/upstream/task_hearings.hpp"
#include "actors/upstream/watching.hpp"
#include "actors/upstream/work_desk.hpp"
#include "protocol/json/scan.hpp"

namespace gate::upstream {

using phase = session_state::phase;

// --- opening -------------------------------------------------------------------------------------

void lifecycle::begin_handshake() {
  using config::protocol_choice;
  s_.now_is = phase::opening;
  number_apart();
  s_.talk.begin();
  const auto choice = s_.of.config.protocol;
  if (choice == protocol_choice::session ||
      (choice == protocol_choice::automatic && s_.others.has_sessions))
    return initialize();
  s_.talk.offer(mcp::stateless_versions.back());
  s_.make_headers();
  r_.out.expect(r_.plain.discover(awaited_trace()), purpose::discover);
}

namespace {

/// Why nothing came of a handshake that was answered so. (Who shows no credential may have
/// forgotten it.)
no_answer reason_of(const fetched& f, no_answer otherwise) {
  return f.status == 401 || f.status == 403 ? no_answer::credential_refused : otherwise;
}

}  // namespace

void lifecycle::on_discover(const fetched& f, const std::string* text) {
  if (came_to_nothing(f, mcp::names::discover)) return;
  const auto unfit = [&](std::string_view why) {
    open_failed(reason_of(f, no_answer::connect_failed), why, true, verdict::failure, why);
  };
  const auto m = read_message(text ? std::string_view(*text) : std::string_view{});
  const bool answers = m && m->kind == jsonrpc::kind::response;
  auto agreed = answers && !m->result.empty()
                    ? read_discover_result(m->result)
                    : result<handshake>(problem{"server/discover was answered with HTTP " +
                                                std::to_string(f.status)});
  if (agreed) {
    s_.talk.agree(std::move(*agreed), {});
    s_.stream.in_new_session();
    s_.make_headers();
    return ready();
  }
  const bool has_result = answers && !m->result.empty();
  if (!has_result && !is_other_era(f.status, answers ? m->error : std::string_view{}))
    return unfit(agreed.error().what);
  if (s_.of.config.protocol == config::protocol_choice::stateless)
    return unfit(agreed.error().what);
  s_.talk.begin();
  initialize();
}

// --- sessions of a fleet -------------------------------------------------------------------------

/// Whoever else uses the session numbers its requests, too.
void lifecycle::number_apart() {
  constexpr unsigned each = 20;
  constexpr std::uint64_t places = std::uint64_t{1} << 31U;
  if (s_.table.next_id() >> each || !s_.client.shared()) return;
  const auto place = std::hash<std::string>{}(s_.doors.secret_name()) % places + 1;
  s_.table.number_from(place << each);
}

const fleet::bridge* lifecycle::open_elsewhere() const {
  const auto& config = s_.of.config;
  const auto* open = s_.who.check ? nullptr : s_.client.bridge(config.id);
  if (!open || open->session == s_.given_up ||
      config.protocol == config::protocol_choice::stateless)
    return nullptr;
  return open;
}

/// False: it is at an endpoint that is none of this instance's.
bool lifecycle::adopt(const fleet::bridge& open) {
  const auto& all = s_.of.to;
  const auto at = std::ranges::find_if(
      all, [&](const auto& to) { return to->url.origin() + to->url.target == open.endpoint; });
  if (at == all.end()) return false;
  s_.endpoint.be_with(static_cast<std::size_t>(at - all.begin()));
  number_apart();
  s_.talk.begin();
  handshake known;
  known.version = open.version;
  known.features = mcp::server_features(open.features);
  s_.talk.agree(std::move(known), open.session);
  s_.stream.in_new_session();
  s_.make_headers();
  return true;
}

bool lifecycle::take_up() {
  const auto* open = open_elsewhere();
  const bool wanted = !s_.closing || !s_.table.waiting().empty();
  if (!open || !wanted || !adopt(*open)) return false;
  be_ready();
  s_.called = true;  // perhaps
  introduce(true, false, true);
  if (s_.client.wants_stream()) r_.streams.open();
  check_greeting();
  return true;
}

/// Other instances go on with it.
void lifecycle::tell_fleet() {
  if (s_.root() || s_.stateless() || !s_.client.shared() || s_.talk.id().empty()) return;
  const auto& agreed = s_.talk.agreed();
  const auto& url = s_.of.to[s_.endpoint.current()]->url;
  s_.doors.tell(bridge_opened{
      s_.of.config.index,
      s_.who.client,
      {url.origin() + url.target, s_.talk.id(), agreed.version, agreed.features.bits()}});
}

// --- the handshake -------------------------------------------------------------------------------

void lifecycle::initialize() {
  s_.make_headers();
  auto text = sender::head(s_.table.next_id(), mcp::names::initialize) +
              initialize_params(s_.client.capabilities()) + "}";
  r_.out.expect(r_.out.post_again(std::move(text), awaited_trace()), purpose::initialize);
}

/// Of the first that waits for the handshake and has one: the handshake is done for it. That of a
/// root session is everybody's.
trace_ptr lifecycle::awaited_trace() const {
  if (s_.root()) return nullptr;
  for (const auto& w : s_.table.waiting())
    if (w->trace()) return w->trace();
  return nullptr;
}

/// With another credential, once.
bool lifecycle::begin_again() {
  if (std::exchange(s_.credential_renewed, true)) return false;
  discard();
  s_.now_is = phase::closed;
  r_.way.provide_credential();
  return true;
}

bool lifecycle::came_to_nothing(const fetched& f, std::string_view method) {
  if (endpoint_fails(f)) {
    if (r_.way.try_elsewhere(is_busy(f))) return true;
    if (is_busy(f) || r_.place.full()) return r_.way.no_room(), true;
  }
  if (f.end != fetch_end::complete) {
    open_failed(is_unreachable(f.end) ? no_answer::connect_failed : no_answer::request_failed,
                f.why, true, f.end == fetch_end::overloaded ? verdict::neutral : verdict::failure);
    return true;
  }
  if (r_.way.renew_credential(f.status, s_.credential.number()) && begin_again()) return true;
  if (!s_.credential.refused_by(f.status)) return false;
  open_failed(no_answer::credential_refused,
              std::string(method) + " was answered with HTTP " + std::to_string(f.status), true,
              verdict::neutral);
  return true;
}

void lifecycle::on_initialize(const fetched& f, const std::string* text) {
  if (came_to_nothing(f, mcp::names::initialize)) return;
  unfit why;
  auto agreed = read_handshake(f, text, why);
  // Another server may have taken its place since it was found to have sessions.
  const auto error = text ? json::member(*text, "error") : std::string_view{};
  if (!agreed && s_.of.config.protocol == config::protocol_choice::automatic &&
      s_.others.has_sessions && is_other_era(f.status, error)) {
    s_.others.has_sessions = false;
    discard();
    return begin_handshake();
  }
  if (!agreed)
    return open_failed(reason_of(f, no_answer::connect_failed), why.detail, true, verdict::failure,
                       why.health);
  s_.talk.agree(std::move(*agreed), f.session_id);
  s_.stream.in_new_session();
  s_.make_headers();
  // Requests wait for this to be accepted: on another connection they could overtake it.
  auto done = jsonrpc::request({}, mcp::names::initialized);
  r_.out.expect(r_.out.post_again(std::move(done), awaited_trace()), purpose::initialized);
}

void lifecycle::on_initialized(const fetched& f) {
  if (r_.way.renew_credential(f.status, s_.credential.number()) && begin_again()) return;
  if (endpoint_fails(f) && r_.way.try_elsewhere(is_busy(f))) return;
  if (f.end == fetch_end::complete && f.status < 300) return ready();
  open_failed(
      reason_of(f, no_answer::request_failed),
      "notifications/initialized was refused: HTTP " + std::to_string(f.status) + " " + f.why,
      false,
      s_.credential.refused_by(f.status) || is_busy(f) ? verdict::neutral : verdict::failure);
}

void lifecycle::on_late_handshake() {
  // Who has waited as long gets no more time elsewhere.
  r_.desk.end_late_waiting(
      s_.now(), r_.way.waits_for_us() ? work_desk::waits_for::us : work_desk::waits_for::handshake);
  if (r_.way.try_elsewhere(false))
    r_.desk.forgive_handshake();  // who fails by the next one's silence is another failure
  else if (r_.place.full())
    r_.way.no_room();
  else
    open_failed(no_answer::timed_out, "the handshake did not end within the request timeout", true);
}

void lifecycle::open_failed(no_answer why, std::string_view detail, bool connect, verdict how,
                            std::string_view health) {
  discard();
  s_.now_is = phase::closed;
  s_.credential_renewed = false;
  s_.endpoint.settle();
  r_.place.settle();
  s_.log.failed("can not be used", detail, awaited_trace());
  for (const auto& w : s_.table.waiting()) w->how = health;
  r_.desk.fail_waiting(why, connect, how);
  r_.desk.forgive_handshake();
  r_.client.could_not_open();
  r_.streams.could_not_open();
  settle();
}

void lifecycle::discard() {
  if (s_.now_is != phase::opening || s_.talk.id().empty()) return;
  s_.make_headers();
  r_.out.end_session(purpose::discard);
  s_.talk.forget();
}

// --- ready ---------------------------------------------------------------------------------------

void lifecycle::be_ready() {
  s_.now_is = phase::ready;
  s_.credential_renewed = false;
  s_.endpoint.settle();
  r_.desk.forgive_handshake();
  r_.place.settle();
  r_.place.opened();
}

void lifecycle::ready() {
  s_.others.has_sessions = !s_.stateless();
  s_.called = false;
  be_ready();
  r_.desk.reached();
  introduce(true);
  tell_fleet();
  r_.watch.settle();
  if (!s_.stateless()) r_.client.send_level();
  r_.client.renew_subscriptions();
  if (!s_.stateless()) greet();
  if (s_.client.wants_stream()) r_.streams.open();
  check_greeting();
}

/// A client that can be asked is, perhaps, before its first call.
void lifecycle::greet() {
  s_.greets.reset();
  const auto& c = s_.client;
  if (s_.root() || !c.wants_stream() || c.in_calls_only()) return;
  if (c.declares("roots") || c.declares("sampling") || c.declares("elicitation"))
    s_.greets.emplace(s_.now(), c.declares("roots"));
}

void lifecycle::check_greeting() {
  if (s_.greets && !s_.greets->over(s_.now())) return s_.wake.set(s_.greets->look_at());
  s_.greets.reset();
  r_.desk.send_waiting();
  settle();
}

void lifecycle::introduce(bool reached, bool missed, bool taken_up) {
  if (s_.who.check) return;
  const auto& config = s_.of.config;
  const auto& agreed = s_.talk.agreed();
  // What it tells one caller is nothing for another.
  s_.doors.tell(introduced{config.index, reached, agreed.features,
                           config.per_caller ? "" : agreed.instructions, missed, s_.who.client,
                           taken_up});
}

void lifecycle::check_over(std::string_view why) {
  const auto& check = *s_.who.check;
  endpoint_probed m{check.round, check.endpoint, why.empty(), std::string(why)};
  if (!why.empty() && !s_.log.of_check().empty()) m.error += ": " + s_.log.of_check();
  s_.doors.tell(check.asker, std::move(m));
  s_.closing = true;  // whoever called this looks whether all is done
}

// --- the end -------------------------------------------------------------------------------------

bool lifecycle::is_another_server(const fetched& f) const {
  return s_.of.config.protocol == config::protocol_choice::automatic &&
         speaks_another(s_.talk.agreed().era, f.status,
                        f.body ? std::string_view(*f.body) : std::string_view{});
}

void lifecycle::lose() {
  if (s_.now_is != phase::ready) return;
  s_.now_is = phase::closed;
  s_.others.has_sessions = false;  // whatever takes its place is asked
  s_.greets.reset();
  if (s_.client.shared()) s_.given_up = s_.talk.id();
  s_.talk.forget();
  r_.streams.close();
  r_.streams.resume_none();
  r_.hearings.lost();
  r_.client.lost();
  // Whatever the session would have heard in the meantime is lost: the lists may be old. One that
  // listens, or is subscribed to something, can not wait for the next call.
  if (s_.hears_lists()) r_.server.suspect_lists();
  const bool listening = s_.client.wants_stream() || !s_.client.subscriptions().empty();
  if ((listening && !s_.closing) || !s_.table.waiting().empty()) r_.way.open();
}

void lifecycle::settle() {
  if (!s_.closing || s_.leaving || !s_.table.idle()) return;
  // What was opened wants to be closed.
  if (s_.now_is == phase::opening || s_.table.discards() > 0) return;
  if (awaits_credential()) return;
  s_.leaving = true;
  r_.hearings.lost();
  if (s_.now_is != phase::ready || s_.talk.id().empty()) return said_goodbye();
  r_.streams.close();
  // Others go on with it, if it is the one that they know of.
  const auto* open = s_.client.bridge(s_.of.config.id);
  if (s_.quietly && open && open->session == s_.talk.id()) return s_.doors.quit();
  // Ended at once, so that the upstream need not wait for its own timeout.
  s_.given_up = s_.talk.id();
  r_.out.end_session(purpose::goodbye);
}

/// What another instance has opened is ended here with a credential, too, if one can be had: it may
/// be the first thing that is said to that server from here.
bool lifecycle::awaits_credential() {
  if (s_.has_credential() || !s_.credential.line().empty()) return false;
  if (config::row(s_.of.config.auth.strategy).from == config::credential_source::caller)
    return false;
  const bool open = s_.now_is == phase::ready ? !s_.talk.id().empty()
                                              : !s_.quietly && open_elsewhere() != nullptr;
  if (!open) return false;
  if (!std::exchange(s_.asked_to_leave, true)) r_.way.provide_credential();
  return s_.credential.asked() || s_.leaving;
}

/// Nobody goes on with what an instance has opened that is gone, or that opened one for itself.
void lifecycle::said_goodbye() {
  const auto* open = s_.quietly ? nullptr : open_elsewhere();
  if (!open || !adopt(*open)) return s_.doors.quit();
  s_.given_up = open->session;
  r_.out.end_session(purpose::goodbye);
}

}  // namespace gate::upstream
