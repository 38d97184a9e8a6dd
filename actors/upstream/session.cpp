#include "actors/upstream/session.hpp"

#include <algorithm>

#include "actors/upstream/spoken.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::upstream {
namespace {

constexpr std::string_view connect_failed = "connect failed";
constexpr std::string_view request_failed = "request failed";

bool is_connect(fetch_end e) {
  return e == fetch_end::connect_failed || e == fetch_end::connect_timeout ||
         e == fetch_end::overloaded;
}

}  // namespace

/// `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":`
std::string session::request_head(std::uint64_t id, std::string_view method) {
  std::string out;
  out.reserve(64 + method.size());
  out += R"({"jsonrpc":"2.0","id":)";
  out += std::to_string(id);
  out += R"(,"method":")";
  out += method;
  out += R"(","params":)";
  return out;
}

session::session(caf::actor_config& cfg, caf::execution_unit* unit, context_ptr shared, role who,
                 upstream_actor parent, credentials_actor credentials)
    : pinned(cfg, unit),
      shared_(std::move(shared)),
      client_(who.client),
      as_(who.as),
      principal_(who.principal),
      check_(std::move(who.check)),
      parent_(std::move(parent)),
      credentials_(std::move(credentials)) {
  if (shared_->config.auth.strategy != config::auth_strategy::none)
    credential_until_ = time_point::min();
  if (client_) return;
  auto profile = std::make_shared<client_profile>();
  profile->capabilities = mcp::profile_capabilities(as_);
  profile_ = std::move(profile);
}

void session::begin() {
  last_used_ = now();
  if (client_) {
    shared_->bridged.add(1);
    in_use_ = shared_->bridged_by_use.enter(*this);
  }
  if (ends_idle()) arm(last_used_ + limits::bridged_idle);
  if (!check_) return;
  take(std::make_unique<work>(task::check));
}

session::behavior_type session::make_behavior() {
  begin();
  return {
      // Handlers are tried in this order: first what every call needs.
      [this](fetched& m) { on_fetched(m); },
      [this](invoke& m) {
        learn(m.profile);
        meet(m.caller);
        auto w = std::make_unique<work>(task::call);
        w->call = std::move(m);
        take(std::move(w));
      },
      [this](const charged& m) { on_charged(m); },
      [this](streamed& m) { on_streamed(m); },
      [this](const session_tick& m) { on_tick(m.at); },
      [this](const cancel_call& m) { cancel(m); },
      [this](client_reply& m) { on_reply(m); },
      [this](client_progress& m) {
        if (state_ == state::ready && m.session == name_of_session()) notice(std::move(m.text));
      },
      [this](profile_changed& m) { on_profile(m.profile); },
      [this](const client_notice& m) {
        if (state_ == state::ready) notice(jsonrpc::request({}, m.method));
      },
      [this](const fetch_list& m) {
        learn(m.profile);
        meet(m.caller);
        auto w = std::make_unique<work>(task::list);
        w->list = m;
        take(std::move(w));
      },
      [this](const introduce& m) {
        learn(m.profile);
        meet(m.caller);
        take(std::make_unique<work>(m.missed ? task::look : task::greet));
      },
      [this](probe& m) {
        auto w = std::make_unique<work>(task::ping);
        w->round = m.round;
        w->asker = std::move(m.asker);
        take(std::move(w));
      },
      [this](const close_session& m) {
        closing_ = true;
        // Nobody hears of changes any more for clients that go on, and have seen lists by it.
        if (m.finish_first && shared_->config.per_client) suspect_lists();
        if (!m.finish_first) cancel_all();
        quit_when_done();
      },
      [this](reopen_stream) { on_reopen(); },
      [this](credential_told& m) { take_credential(std::move(m)); },
      [this](credentials_replaced& m) {
        credentials_ = std::move(m.credentials);
        if (std::exchange(credential_asked_, false)) provide_credential();
      },
      [this](const endpoint_picked& m) { on_picked(m); },
      [this](subscribe_again& m) { subscribe(m); },
      [this](const gate::unsubscribe& m) { unsubscribe(m); },
      // Whoever was asked has crashed: the traffic goes on without a word from it.
      [this](const budget_replaced&) { charge_nobody(); },
      [this](const balancer_replaced&) { pick_alone(); },
  };
}

void session::on_exit() {
  if (client_) shared_->bridged.add(-1);
  if (in_use_) shared_->bridged_by_use.leave(*in_use_);
  in_use_.reset();
  if (given_up_) *given_up_ = fate::gone;
  pending_.clear();
  backlog_.clear();
  charging_.take_all();
  check_.reset();
  parent_ = nullptr;
  credentials_ = nullptr;
  shared_ = nullptr;
}

// --- work ----------------------------------------------------------------------------------------

void session::take(job w) {
  ++taken_;
  if (!closing_) stay();
  w->began = last_used_ = now();
  if (in_use_) shared_->bridged_by_use.used(*in_use_);
  w->time.begin(w->began, longest(*w, shared_->config.request),
                w->kind == task::call ? shared_->config.max_request : shared_->config.request);
  if (closing_ || backlog_.size() + charging_.length() >= limits::session_backlog)
    return fail(*w, request_failed, false, verdict::neutral);
  arm(w->time.deadline);
  wait_or_send(std::move(w));
}

void session::wait_or_send(job w) {
  const bool allowed = has_credential(last_used_);
  if (allowed && takes_work()) return send_work(std::move(w));
  backlog_.push_back(std::move(w));
  if (state_ == state::closed)
    open();
  else if (!allowed)
    provide_credential();
}

void session::send_work(job w) {
  // It declared none: an empty list, without asking.
  if (w->kind == task::list && !agreed_.offers(w->list.kind)) {
    const auto none = R"({")" + std::string(mcp::shape(w->list.kind).member) + R"(":[]})";
    return finish_list(std::move(w), none);
  }
  if (w->costs() && !w->paid) return charge(std::move(w));
  const auto id = next_id_;
  // With the very token that its own request brought, if the upstream gets that.
  if (w->kind == task::call) meet(w->call.caller);
  if (w->kind == task::list) meet(w->list.caller);
  w->shown = credentials_shown_;
  switch (w->kind) {
    case task::call:
      called_ = true;
      undo_subscriptions(*w);
      send_call(*w, id);
      break;
    case task::list: {
      auto text = request_head(id, mcp::method_of(w->list.kind));
      text += w->cursor.empty() ? "{}}" : "{\"cursor\":" + w->cursor + "}}";
      post(std::move(text), {}, {}, {}, {}, true, w->trace());
      break;
    }
    case task::ping:
    case task::look: {
      auto text = request_head(id, "ping");
      text += "{}}";
      post(std::move(text), {}, {}, {}, {}, true);
      break;
    }
    case task::greet:
      return introduce_server(true);
    case task::check:
      return check_over({});
  }
  ++working_;
  if (w->counted()) ++w->asked;
  w->paid = false;  // spent: another attempt costs another unit
  w->payment.spend(true);
  auto& p = pending_[id];
  p.kind = purpose::work;
  p.epoch = epoch_;
  p.job = std::move(w);
}

std::uint64_t session::post(std::string before, std::string_view first, std::string_view second,
                            std::string_view after, std::shared_ptr<const void> keep,
                            bool repeatable, const trace_ptr& trace) {
  auto f = std::make_shared<fetch>();
  f->id = next_id_++;
  f->to = shared_->to[endpoint_];
  f->headers = trace ? std::make_shared<const std::string>(*headers_ + *trace) : headers_;
  f->before = std::move(before);
  f->first = first;
  f->second = second;
  f->after = after;
  f->keep = std::move(keep);
  f->repeatable = repeatable;
  const auto id = f->id;
  send(shared_->egress, start_fetch{std::move(f), caf::actor_cast<fetch_client>(this)});
  return id;
}

void session::notice(std::string text) {
  const auto id = post(std::move(text), {}, {}, {}, {}, true);
  expect(id, purpose::notice);
}

/// Remembers a fetch that carries no work; it has a deadline all the same.
void session::expect(std::uint64_t id, purpose k) {
  auto& p = pending_[id];
  p.kind = k;
  p.epoch = epoch_;
  p.until = now() + shared_->config.request;
  arm(p.until);
}

// --- what comes back -----------------------------------------------------------------------------

void session::on_fetched(fetched& f) {
  auto it = pending_.find(f.id);
  if (it == pending_.end()) return;  // abandoned
  if (it->second.place.known() && resume_later(it->second, f)) return;
  auto node = pending_.extract(it);
  auto& p = node.mapped();
  switch (p.kind) {
    case purpose::initialize:
      return on_initialize(f, f.body);
    case purpose::initialized:
      return on_initialized(f);
    case purpose::stream:
      return endpoint_lost(p, f.end) ? quit_when_done() : on_stream_end(f);
    case purpose::discard:
      --discarding_;
      return quit_when_done();
    case purpose::goodbye:
      return quit();
    case purpose::replay:
      endpoint_lost(p, f.end);
      // A refusal is about what was told, not about the session: that was opened a moment ago.
      return quit_when_done();
    case purpose::notice:
      if (!endpoint_lost(p, f.end) && f.end == fetch_end::complete && p.epoch == epoch_ &&
          is_lost_session(f.status, {}))
        lose();
      if (greeting_) {
        greeting_->delivered(f.id);
        check_greeting();
      }
      return quit_when_done();
    case purpose::work:
      break;
  }
  --working_;
  if (p.answered) return quit_when_done();
  auto& w = *p.job;
  if (f.end != fetch_end::complete) return broke_off(p, f);
  const bool arrived = p.place.was_resumed();  // then it is not sent again, whatever came of it
  const std::string_view body = f.body ? std::string_view(*f.body) : std::string_view{};
  if (f.status != 200 && is_lost_session(f.status, body)) {
    if (p.epoch == epoch_) lose();
    if (!arrived && retry(p.job)) return;
  }
  if (!arrived && !w.retried && renew_credential(f.status, w.shown) && retry(p.job)) return;
  if (f.body) {
    auto m = read_message(body);
    if (m && m->kind == jsonrpc::kind::response && m->id == std::to_string(f.id)) {
      return finish(std::move(p.job), *m, f.body, is_busy(f));
    }
  }
  if (f.status == 200 && f.media == media::events)
    note_failure("ended its event stream before it had answered the request", {});
  else
    note_failure("answered with something that is not the response to the request",
                 "HTTP " + std::to_string(f.status));
  const bool refused = refuses_credential(f.status);
  fail(w, refused ? credential_refused_words : request_failed, false,
       refused || is_busy(f) || is_too_much(f.status) ? verdict::neutral : verdict::failure);
  quit_when_done();
}

/// The fetch of a piece of work ended without a whole answer.
void session::broke_off(pending& p, const fetched& f) {
  auto& w = *p.job;
  const bool arrived = p.place.was_resumed();
  const bool connect = is_connect(f.end) && !arrived;
  if (connect) {  // nothing was sent, so nothing was asked, and what was paid still holds
    w.paid = bool(w.costs());
    if (w.counted()) {  // what a list's first page was charged is spent, whatever comes of others
      --w.asked;
      w.payment.spend(false);
    }
  }
  const bool elsewhere = connect && endpoint_lost(p, f.end);
  if ((elsewhere || (f.untouched && !connect && !arrived)) && retry(p.job)) return;
  note_failure(connect ? "can not be reached" : "failed in the middle of a request", f.why);
  // Too many requests wait for it here: that is no fault of the upstream.
  fail(w, connect ? connect_failed : request_failed, connect,
       f.end == fetch_end::overloaded ? verdict::neutral : verdict::failure);
  quit_when_done();
}

void session::on_streamed(streamed& s) {
  if (shared_->config.stream_idle.count() > 0) on_word(s.id);
  if (s.id == stream_id_) stream_worked_ = true;
  if (s.id == stream_id_ && greeting_) {
    greeting_->stream_settled(now());
    check_greeting();
  }
  for (auto& event : s.events) {
    auto it = pending_.find(s.id);
    if (it == pending_.end()) return;
    auto& p = it->second;
    auto& place = p.kind == purpose::stream ? stream_place_ : p.place;
    place.heard(event);
    place.told(s.retry_ms);
    // Of the answer's head: the stream may be gone on with before there is a session.
    if (p.kind == purpose::initialize && is_session_id(s.session_id)) session_id_ = s.session_id;
    if (event.data.empty()) {  // a priming event
      if (const auto* call = p.call()) send(shared_->router, relayed{call->call, {}});
      continue;
    }
    if (!event.type.empty() && event.type != "message") continue;
    auto text = std::make_shared<const std::string>(std::move(event.data));
    if (p.kind == purpose::initialize) {
      fetched f;
      f.id = s.id;
      f.status = 200;
      f.session_id = s.session_id;
      // Whatever is wrong with it otherwise, `on_initialize` says.
      auto read = read_any_bytes(*text);
      if (!read || read->kind != jsonrpc::kind::response) continue;
      p.kind = purpose::notice;
      linger(p);
      on_initialize(f, text);
      continue;
    }
    on_message(p, s.id, text);
  }
}

void session::on_message(pending& p, std::uint64_t id, std::shared_ptr<const std::string> text) {
  auto m = read_message(*text);
  if (!m) {
    note_failure("sent an event that is not JSON-RPC", m.error().what);
    if (p.kind != purpose::work || p.answered || !meant_as_answer(*text, id)) return;
    // No other will come.
    const auto job = std::move(p.job);
    linger(p);
    fail(*job, request_failed, false, verdict::failure);
    return quit_when_done();
  }
  if (m->kind != jsonrpc::kind::response) return on_server_message(&p, *m, *text);
  if (p.kind != purpose::work || p.answered || m->id != std::to_string(id)) return;
  // The stream may stay open for a moment; the answer does not wait for its end.
  auto job = std::move(p.job);
  linger(p);
  finish(std::move(job), *m, std::move(text));
}

/// What matters of this stream has come. Servers end it then; one that does not is not waited for.
void session::linger(pending& p) {
  p.answered = true;
  p.questions.clear();
  p.until = now() + limits::stream_linger;
  arm(p.until);
}

}  // namespace gate::upstream
