#include "shim/client_calls.hpp"

#include <algorithm>
#include <utility>

#include "protocol/http/media.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/method_names.hpp"
#include "protocol/mcp/versions.hpp"
#include "shim/front.hpp"

namespace gate::shim {

using rule = mcp::http_rule;

std::optional<rule> client_calls::refuses(const jsonrpc::message& request) const {
  if (request.method == mcp::names::initialize && (agreed_.live || !calls_.empty()))
    return rule::initialized_once;
  if (talk_.has(request.id)) return rule::id_unused;
  if (talk_.has_token_of(request)) return rule::progress_token_unused;
  if (calls_.size() >= limits::session_calls) return rule::requests_in_flight;
  return {};
}

std::string_view client_calls::add(const jsonrpc::message& request, exchange_ptr from,
                                   time_point now) {
  auto& c = calls_[talk_.add(request)];
  c.id = request.id;
  c.initialize = request.method == mcp::names::initialize;
  c.stream.last_write = now;
  c.from = std::move(from);
  return c.from->request().body;
}

bool client_calls::is_handshake(std::string_view raw_id) const {
  return std::ranges::any_of(calls_, [&](const auto& one) {
    return one.second.initialize && same_id(one.second.id, raw_id);
  });
}

std::optional<client_calls::call> client_calls::take(std::string_view raw_id) {
  const auto number = talk_.take(raw_id);
  if (!number) return {};
  return std::move(calls_.extract(*number).mapped());
}

void client_calls::cancel(std::string_view raw_id) {
  auto c = take(raw_id);
  if (!c) return;  // it was answered meanwhile
  if (!c->stream.begun()) return c->from->respond({202, {}, {}, false}, {});
  c->stream.end(*c->from, replay_);
}

// --- what the child says -------------------------------------------------------------------------

/// Does anybody listen to this request, or may come back to?
bool client_calls::hears(number n) const {
  const auto& c = calls_.at(n);
  return c.stream.number() != 0 || c.from->alive();
}

std::optional<client_calls::number> client_calls::place_of(const jsonrpc::message& m) const {
  const auto to = talk_.place_of(m, [this](number n) { return hears(n); });
  if (to.where == conversation::place::request) return to.of;
  return {};
}

/// From now on the answer is a stream. Its first byte goes out at once.
void client_calls::begin_stream(call& c) {
  // Before the version is known nobody can come back; nor to what the elements of a batch share.
  const bool lost = c.initialize || agreed_.version == mcp::batch_version;
  c.stream.begin(*c.from, c.initialize ? session_line_ : std::string{}, lost ? nullptr : &replay_,
                 mcp::knows_priming(agreed_.version));
}

void client_calls::send_event(number to, std::string_view text, time_point now) {
  auto& c = calls_.at(to);
  // Nobody hears it, and nobody can come back for it.
  if (!c.stream.begun() && !c.from->alive()) return;
  begin_stream(c);
  c.stream.say(*c.from, replay_, text, now);
}

void client_calls::answer(call c, std::string_view text, time_point now) {
  if (!c.stream.begun()) {
    const bool names_session = c.initialize && agreed_.live;
    c.from->respond({200, http::json_type, names_session ? session_line_ : std::string{}, false},
                    {text});
    return leaving_.add(std::move(c.from));
  }
  // It goes out even to the slow: it may be too large to be kept.
  c.stream.say(*c.from, replay_, text, now);
  c.stream.end(*c.from, replay_);
  if (c.stream.attached()) leaving_.add(std::move(c.from));
}

void client_calls::refuse(call c, reason why, std::string_view message, time_point now) {
  std::string text(message);
  if (c.stream.begun()) {
    const auto said = mcp::refusal_message({why, std::move(text), {}, -1}, c.id);
    return answer(std::move(c), said, now);
  }
  std::string when(why == reason::overloaded ? http::retry_later : "");
  shim::refuse(*c.from, {why, std::move(text), std::move(when)}, c.id);
}

void client_calls::refuse_all(reason why, std::string_view message, time_point now) {
  for (auto& [number, c] : std::exchange(calls_, {})) {
    talk_.take(c.id);
    refuse(std::move(c), why, message, now);
  }
}

// --- streams -------------------------------------------------------------------------------------

void client_calls::resume(const sse::resumption& back, exchange_ptr from, time_point now) {
  sse::begin_resumed(*from, replay_, back, mcp::knows_priming(agreed_.version));
  for (auto& [number, c] : calls_) {
    if (c.stream.number() != back.place.stream) continue;
    c.stream.come_back(*c.from, now);
    c.from = std::move(from);
    return;
  }
  from->end_stream();
}

void client_calls::keep_alive(time_point now) {
  for (auto& [number, c] : calls_) {
    // An answer to `initialize` stays plain: only so can its failure have a status of its own.
    if (c.initialize && !c.stream.begun()) continue;
    const std::chrono::seconds silence =
        c.stream.begun() ? limits::shim_keep_alive : limits::plain_answer;
    if (!c.stream.silent(*c.from, silence, now)) continue;
    begin_stream(c);
    c.stream.keep_alive(*c.from, now);
  }
}

bool client_calls::anybody_slow() const {
  return std::ranges::any_of(calls_, [](const auto& one) {
    const auto& c = one.second;
    return c.stream.begun() && c.stream.attached() && is_slow(c.from);
  });
}

bool client_calls::anybody_waits() const {
  return std::ranges::any_of(calls_, [](const auto& one) {
    const auto& c = one.second;
    return c.stream.attached() && c.from->alive();
  });
}

}  // namespace gate::shim
