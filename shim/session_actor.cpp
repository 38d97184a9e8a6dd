#include "shim/session_actor.hpp"

#include <utility>

#include "protocol/limits.hpp"
#include "protocol/mcp/method_names.hpp"
#include "protocol/mcp/versions.hpp"
#include "protocol/stdio/line_reader.hpp"
#include "shim/front.hpp"
#include "transport/batch.hpp"
#include "transport/log.hpp"

namespace gate::shim {
namespace {

using rule = mcp::http_rule;

}  // namespace

session_actor::session_actor(caf::actor_config& cfg, caf::execution_unit* unit, session_parts parts)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      label_(std::to_string(parts_.number)),
      end_(this),
      replay_(parts_.kept),
      calls_(mcp::session_line(parts_.id), replay_, agreed_, leaving_),
      own_(replay_),
      nonsense_(label_, parts_.tally) {}

session_actor::behavior_type session_actor::make_behavior() {
  began_ = last_seen_ = now();
  delayed_send(this, limits::sweep, session_tick{});
  return {
      [this](child_started& m) {
        parts_.tally->spawned.add();
        log::debug("A child was started.", {{"session", label_}, {"pid", std::to_string(m.pid)}});
        end_.started(std::move(m.child));
        for (auto& line : std::exchange(before_, {}))
          send(end_.child(), child_line{std::move(line)});
      },
      [this](const child_failed& m) { on_failed(m); },
      [this](child_spoke& m) { on_spoke(m); },
      [this](const child_took& m) { on_took(m); },
      [this](const child_exited& m) { on_exited(m); },
      [this](child_gone) { on_gone(); },
      [this](arrival& m) { take(std::move(m.from)); },
      [this](const end_session& m) { on_end(m); },
      [this](child_made& m) { end_.made(std::move(m.child)); },
      [this](session_tick) { on_tick(); },
      [this](const patience_over& m) { end_.patience_ran_out(m); },
      [this](last_words_over) { on_last_words_over(); },
      [this](hear_more) { hear_on(); },
  };
}

void session_actor::on_exit() {
  // Whoever still waits is answered as their exchanges are let go of.
  calls_.forget();
  own_.forget();
  end_.forget();
  parts_.shim = nullptr;
}

session_actor::time_point session_actor::now() const {
  return const_cast<session_actor*>(this)->clock().now();
}

// --- what the client says ------------------------------------------------------------------------

void session_actor::take(exchange_ptr from) {
  if (closed_) return refuse(*from, rule::session_known);
  if (const auto no = mcp::check_version_of(agreed_.version, *from->request().head))
    return refuse(*from, *no);
  last_seen_ = now();
  switch (from->request().method()) {
    case verb::get:
      return take_get(std::move(from));
    case verb::del:
      from->respond({204, {}, {}, false}, {});
      return close(reason::session_unknown, "the client ended the session");
    default:
      return take_post(std::move(from));
  }
}

/// Within a batch only its id tells which message was refused.
void session_actor::take_post(exchange_ptr from, bool of_a_batch) {
  const std::string_view body = from->request().body;
  if (jsonrpc::is_batch(body)) return take_batch(from);
  const auto m = mcp::read_body(body);
  if (!m) return refuse(*from, mcp::unreadable(m.error()), of_a_batch ? m.error().id : "");
  if (const auto no = cannot_take(*m)) return refuse(*from, *no, of_a_batch ? m->id : "");
  take_message(std::move(from), *m);
}

/// The child gets the elements one by one, and their answers are gathered.
void session_actor::take_batch(const exchange_ptr& from) {
  const auto elements = mcp::read_batch(from->request().body, agreed_.version);
  if (elements.refused) return refuse(*from, *elements.refused);
  for (auto& part : make_batch(from, elements.all)) {
    if (jsonrpc::is_batch(part->request().body))
      refuse(*part, rule::flat_batch);
    else
      take_post(std::move(part), true);
  }
}

/// Why this message is not passed on, if it is not.
std::optional<mcp::http_refusal> session_actor::cannot_take(const jsonrpc::message& m) const {
  const auto busy = [](std::string_view why) {
    return mcp::http_refusal{reason::overloaded, std::string(why), std::string(http::retry_soon)};
  };
  if (m.kind == jsonrpc::kind::request) {
    if (const auto broken = calls_.refuses(m)) return mcp::broken(*broken);
    if (stopping_) return busy(stopping);
  }
  if (unread_ > limits::child_input_bytes) return busy("the server does not read what it is sent");
  return {};
}

void session_actor::take_message(exchange_ptr from, const jsonrpc::message& m) {
  const std::string_view text = from->request().body;
  if (m.kind == jsonrpc::kind::request) return write(calls_.add(m, std::move(from), now()));
  const bool cancels = m.method == mcp::names::cancelled;
  // Not the handshake: the specification forbids it, and nobody could use the session.
  if (cancels && calls_.is_handshake(m.request_id)) return from->respond({202, {}, {}, false}, {});
  write(text);
  if (cancels) calls_.cancel(m.request_id);
  from->respond({202, {}, {}, false}, {});
}

void session_actor::write(std::string_view message) {
  auto line = stdio::to_line(message);
  unread_ += line.size();
  if (end_.child())
    send(end_.child(), child_line{std::move(line)});
  else
    before_.push_back(std::move(line));
}

// --- its own stream ------------------------------------------------------------------------------

void session_actor::take_get(exchange_ptr from) {
  if (stopping_) return refuse(*from, {reason::overloaded, std::string(stopping)});
  if (somebody_is_slow() && leaving_.count() >= limits::shim_leaving)
    return refuse(*from, {reason::overloaded, "too many streams of this session are not read",
                          std::string(http::retry_later)});
  const auto last = from->request().header("last-event-id");
  if (last.empty()) return listen(own_.position(), std::move(from));
  using outcome = sse::resumption::outcome;
  const auto back = sse::resume(replay_, last);
  const auto said = replay_.now_at(sse::replay::own_stream).number;
  if (back.what == outcome::own && back.place.number <= said)
    return listen(back.place, std::move(from));
  if (back.what == outcome::over) return refuse(*from, rule::stream_unfinished);
  if (back.what != outcome::call) return refuse(*from, rule::event_known);
  calls_.resume(back, std::move(from), now());
}

/// `after`: what the client knows already. It gets what was said while nobody listened; what is
/// left of it, if it was more than is kept.
void session_actor::listen(sse::replay::position after, exchange_ptr from) {
  bool lost = false;
  leaving_.add(
      own_.listen(std::move(from), after, mcp::knows_priming(agreed_.version), now(), lost));
  if (lost)
    log::warn("Some of what the server said while nobody listened is kept no longer.",
              {{"session", label_}});
}

}  // namespace gate::shim
