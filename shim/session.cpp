#include "shim/session.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/stdio/line_reader.hpp"
#include "shim/front.hpp"
#include "transport/batch.hpp"
#include "transport/log.hpp"

namespace gate::shim {
namespace {

/// After so many lines the others on this unit have their turn.
constexpr std::size_t turn_lines = 256;

using rule = mcp::http_rule;

}  // namespace

session::session(caf::actor_config& cfg, caf::execution_unit* unit, session_parts parts)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      label_(std::to_string(parts_.number)),
      end_(this),
      replay_(parts_.kept) {}

session::behavior_type session::make_behavior() {
  began_ = last_seen_ = now();
  delayed_send(this, tick_interval, session_tick{});
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

void session::on_exit() {
  // Whoever still waits is answered as their exchanges are let go of.
  calls_.clear();
  stream_ = nullptr;
  end_.forget();
  parts_.shim = nullptr;
}

session::time_point session::now() const {
  return const_cast<session*>(this)->clock().now();
}

std::string session::headers() const {
  return mcp::session_line(parts_.id);
}

// --- what the client says ------------------------------------------------------------------------

void session::take(exchange_ptr from) {
  if (closed_) return refuse(*from, rule::session_known);
  if (const auto no = mcp::check_version_of(version_, *from->request().head))
    return refuse(*from, *no);
  last_seen_ = now();
  switch (from->request().method()) {
    case verb::get:
      return take_get(std::move(from));
    case verb::del:
      return take_delete(*from);
    default:
      return take_post(std::move(from));
  }
}

/// Within a batch only its id tells which message was refused.
void session::take_post(exchange_ptr from, bool of_a_batch) {
  const std::string_view body = from->request().body;
  if (jsonrpc::is_batch(body)) return take_batch(from);
  const auto m = mcp::read_body(body);
  if (!m) return refuse(*from, mcp::unreadable(m.error()), of_a_batch ? m.error().id : "");
  if (const auto no = cannot_take(*m)) return refuse(*from, *no, of_a_batch ? m->id : "");
  take_message(std::move(from), *m);
}

/// The child gets the elements one by one, and their answers are gathered.
void session::take_batch(const exchange_ptr& from) {
  const auto elements = mcp::read_batch(from->request().body, version_);
  if (elements.refused) return refuse(*from, *elements.refused);
  for (auto& part : make_batch(from, elements.all)) {
    if (jsonrpc::is_batch(part->request().body))
      refuse(*part, rule::flat_batch);
    else
      take_post(std::move(part), true);
  }
}

/// Why this message is not passed on, if it is not.
std::optional<mcp::http_refusal> session::cannot_take(const jsonrpc::message& m) const {
  const auto busy = [](std::string_view why) {
    return mcp::http_refusal{reason::overloaded, std::string(why), std::string(http::retry_soon)};
  };
  if (m.kind == jsonrpc::kind::request) {
    if (m.method == "initialize" && (live_ || !calls_.empty()))
      return mcp::broken(rule::initialized_once);
    if (talk_.has(m.id)) return mcp::broken(rule::id_unused);
    if (talk_.has_token_of(m)) return mcp::broken(rule::progress_token_unused);
    if (calls_.size() >= limits::session_calls) return mcp::broken(rule::requests_in_flight);
    if (stopping_) return busy(stopping);
  }
  if (unread_ > limits::child_input_bytes) return busy("the server does not read what it is sent");
  return {};
}

void session::take_message(exchange_ptr from, const jsonrpc::message& m) {
  const std::string_view text = from->request().body;
  if (m.kind == jsonrpc::kind::request) {
    const auto number = talk_.add(m);
    auto& c = calls_[number];
    c.id = m.id;
    c.initialize = m.method == "initialize";
    c.since = c.stream.last_write = now();
    c.from = std::move(from);
    return write(c.from->request().body);
  }
  const bool cancels = m.method == "notifications/cancelled";
  // Not the handshake: the specification forbids it, and nobody could use the session.
  if (cancels && is_handshake(m.request_id)) return from->respond({202, {}, {}, false}, {});
  write(text);
  if (cancels) cancel(m.request_id);
  from->respond({202, {}, {}, false}, {});
}

void session::take_delete(exchange& from) {
  from.respond({204, {}, {}, false}, {});
  close(reason::session_unknown, "the client ended the session");
}

void session::write(std::string_view message) {
  auto line = stdio::to_line(message);
  unread_ += line.size();
  if (end_.child())
    send(end_.child(), child_line{std::move(line)});
  else
    before_.push_back(std::move(line));
}

/// The child has been told; whether it answers all the same or not, nobody waits for it any more.
void session::cancel(std::string_view raw_id) {
  const auto number = talk_.take(raw_id);
  if (!number) return;  // it was answered meanwhile
  auto c = std::move(calls_.extract(*number).mapped());
  if (!c.stream.begun()) return c.from->respond({202, {}, {}, false}, {});
  c.stream.end(*c.from, replay_);
}

bool session::is_handshake(std::string_view raw_id) const {
  return std::ranges::any_of(calls_, [&](const auto& one) {
    return one.second.initialize && same_id(one.second.id, raw_id);
  });
}

// --- what the child says -------------------------------------------------------------------------

void session::on_spoke(child_spoke& m) {
  if (m.too_long > 0) {
    parts_.tally->lines_dropped.add(m.too_long);
    if (nonsense_.admit(now()))
      log::warn("The server said something longer than a message may be; it is dropped.",
                {{"session", label_},
                 {"bytes allowed", std::to_string(limits::child_line_bytes)},
                 {"left out before", std::to_string(nonsense_.take_dropped())}});
  }
  // Unasked it speaks only once: when it is gone, but its output is kept open by somebody.
  if (said_.empty())
    said_ = std::move(m.lines);
  else
    std::ranges::move(m.lines, std::back_inserter(said_));
  said_last_ = said_last_ || m.last;
  if (!paused_) hear_on();
}

void session::hear_on() {
  paused_ = slow_ = false;
  std::size_t bytes = limits::shim_slow_bytes;
  // What is said after the end has nobody to hear it.
  for (std::size_t n = 0; said_at_ < said_.size() && !closed_; ++n) {
    if (bytes >= limits::shim_slow_bytes && somebody_is_slow()) return pause(true);
    if (n == turn_lines) return pause(false);
    bytes = (bytes >= limits::shim_slow_bytes ? 0 : bytes) + said_[said_at_].size();
    hear(said_[said_at_++]);
  }
  if (!closed_ && somebody_is_slow()) return pause(true);
  std::vector<std::string>().swap(said_);  // a burst of short lines is large
  said_at_ = 0;
  if (!said_last_) {
    if (end_.child()) send(end_.child(), child_read_on{});
  } else if (!std::exchange(out_ended_, true) && !closed_) {
    if (exited_)
      failed(ending());
    else
      await_last_words();
  }
  if (gone_) on_gone();
}

/// What was said already, to whoever is slow as well.
void session::hear_rest() {
  while (said_at_ < said_.size() && !closed_) hear(said_[said_at_++]);
}

void session::pause(bool slow) {
  paused_ = true;
  slow_ = slow;
  if (!slow) return send(this, hear_more{});
  held_ = now();
  delayed_send(this, limits::shim_slow_pause, hear_more{});
}

bool session::somebody_is_slow() {
  const auto slow = [](const exchange_ptr& e) {
    return e && e->alive() && e->queued() > limits::stream_queue_bytes;
  };
  std::erase_if(leaving_, [&](const exchange_ptr& e) { return !slow(e); });
  return !leaving_.empty() || slow(stream_) || std::ranges::any_of(calls_, [&](const auto& one) {
    const auto& c = one.second;
    return c.stream.begun() && c.stream.attached() && slow(c.from);
  });
}

/// Nobody waits for it any more, but it may have much to take; it counts as one who listens.
void session::leave(exchange_ptr from) {
  if (from->alive() && from->queued() > limits::stream_queue_bytes)
    leaving_.push_back(std::move(from));
}

void session::hear(std::string_view line) {
  if (jsonrpc::is_batch(line)) {  // MCP 2025-03-26 allows a server to gather what it says
    // Of any bytes: one that is broken loses itself only.
    const auto elements = jsonrpc::read_batch(line, {limits::upstream_json_depth, false});
    if (!elements) return drop(elements.error().what, line);
    std::vector<std::string> next;
    for (const auto& e : *elements) {
      if (jsonrpc::is_batch(e))
        drop(mcp::row(rule::flat_batch).sentence, e);
      else
        next.emplace_back(e);
    }
    // They come next, each like a line of its own. (`line` may be gone from here on.)
    said_.insert(said_.begin() + static_cast<std::ptrdiff_t>(said_at_),
                 std::move_iterator(next.begin()), std::move_iterator(next.end()));
    return;
  }
  const auto m = jsonrpc::read(line, {limits::upstream_json_depth, true}, jsonrpc::sender::server);
  if (!m) return hear_nonsense(m.error(), line);
  // Between tokens a CR is a blank (it can be nowhere else), but it would be a line break of the
  // event stream.
  if (line.find('\r') != line.npos) {
    std::string one_line(line);
    std::ranges::replace(one_line, '\r', ' ');
    return hear_message(*m, one_line);
  }
  hear_message(*m, line);
}

void session::hear_nonsense(const jsonrpc::reading_error& e, std::string_view line) {
  drop(e.what, line);
  if (!json::member(line, "method").empty()) return;
  // It was meant as an answer, and no other will come.
  auto id = e.id;
  if (id.empty())  // perhaps only its text is not UTF-8
    if (const auto any =
            jsonrpc::read(line, {limits::upstream_json_depth, false}, jsonrpc::sender::server))
      id = any->id;
  const auto number = talk_.take(id);
  if (!number) return;
  auto c = std::move(calls_.extract(*number).mapped());
  const bool handshake = c.initialize;
  refuse_call(std::move(c), reason::server_failed, "the server's answer is not valid: " + e.what);
  if (handshake)
    failed("its answer to initialize is not valid");
  else if (stopping_ && calls_.empty())
    close(reason::overloaded, stopping);
}

void session::hear_message(const jsonrpc::message& m, std::string_view text) {
  if (m.kind != jsonrpc::kind::response) {
    const auto to = talk_.place_of(m, [this](conversation::number n) { return hears(n); });
    if (to.where == conversation::place::request) return send_event(calls_.at(to.of), text);
    return send_own(text);
  }
  const auto number = talk_.take(m.id);
  if (!number) {
    log::debug("The server answered something that nobody waits for; the answer is dropped.",
               {{"session", label_}});
    return;
  }
  auto c = std::move(calls_.extract(*number).mapped());
  if (c.initialize) on_initialized(c, m);
  const bool refused = c.initialize && !live_;
  // Whoever opened the session is gone, and nobody else knows its id.
  const bool abandoned = c.initialize && !c.stream.begun() && !c.from->alive();
  answer(std::move(c), text);
  if (refused || abandoned)
    close(reason::session_unknown, "the session was not initialized");
  else if (stopping_ && calls_.empty())
    close(reason::overloaded, stopping);
}

void session::drop(std::string_view why, std::string_view line) {
  parts_.tally->lines_dropped.add();
  if (!nonsense_.admit(now())) return;
  std::string shown(line.substr(0, limits::child_shown_bytes));
  if (shown.size() < line.size()) shown += " …";
  log::warn("The server wrote a line to its standard output that is no message; it is dropped.",
            {{"session", label_},
             {"why", std::string(why)},
             {"line", std::move(shown)},
             {"left out before", std::to_string(nonsense_.take_dropped())}});
}

void session::on_initialized(call& c, const jsonrpc::message& answer) {
  if (!answer.error.empty()) return;
  live_ = true;
  if (!json::unquote(json::member(answer.result, "protocolVersion"), version_)) version_.clear();
  if (!c.stream.begun()) c.stream.last_write = now();
  send(parts_.shim, session_live{parts_.number});
}

}  // namespace gate::shim
