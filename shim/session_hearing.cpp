// SESSION: what the child says, and to whom.
#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "shim/front.hpp"
#include "shim/session_actor.hpp"
#include "transport/log.hpp"

namespace gate::shim {
namespace {

/// After so many lines the others on this unit have their turn.
constexpr std::size_t turn_lines = 256;

/// Ids of answers in a line that is no message: whose text is not UTF-8, which have something
/// behind them or a byte order mark in front, or of which several stand there: the first of them,
/// as a line may have millions.
std::vector<std::string_view> answered_in(std::string_view line) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  constexpr json::limits any_bytes{limits::upstream_json_depth, false};
  if (line.starts_with(mark)) line.remove_prefix(mark.size());
  std::vector<std::string_view> out;
  for (auto left = turn_lines; left > 0; --left) {
    json::cursor c(line, any_bytes);
    const auto value = c.value();
    if (!c.ok() || value.empty()) return out;
    const auto m = jsonrpc::read(value, any_bytes, jsonrpc::sender::server);
    if (m && m->kind == jsonrpc::kind::response) out.push_back(m->id);
    line.remove_prefix(static_cast<std::size_t>(value.data() - line.data()) + value.size());
  }
  return out;
}

}  // namespace

void session_actor::on_spoke(child_spoke& m) {
  nonsense_.add_too_long(m.too_long, now());
  // Unasked it speaks only once: when it is gone, but its output is kept open by somebody.
  said_.add(std::move(m.lines));
  ending_.said_last = ending_.said_last || m.last;
  if (!paused_) hear_on();
}

void session_actor::hear_on() {
  paused_ = slow_ = false;
  std::size_t bytes = limits::shim_slow_bytes;
  // What is said after the end has nobody to hear it.
  for (std::size_t n = 0; said_.any() && !closed_; ++n) {
    if (bytes >= limits::shim_slow_bytes && somebody_is_slow()) return pause(true);
    if (n == turn_lines) return pause(false);
    const auto line = said_.take();
    bytes = (bytes >= limits::shim_slow_bytes ? 0 : bytes) + line.size();
    hear(line);
  }
  if (!closed_ && somebody_is_slow()) return pause(true);
  said_.clear();
  if (!ending_.said_last) {
    if (end_.child()) send(end_.child(), child_read_on{});
  } else if (!std::exchange(ending_.out_ended, true) && !closed_) {
    if (ending_.exited)
      failed(ending_.why());
    else
      await_last_words();
  }
  if (ending_.gone) on_gone();
}

void session_actor::pause(bool slow) {
  paused_ = true;
  slow_ = slow;
  if (!slow) return send(this, hear_more{});
  held_ = now();
  delayed_send(this, limits::shim_slow_pause, hear_more{});
}

bool session_actor::somebody_is_slow() {
  return leaving_.count() > 0 || is_slow(own_.listener()) || calls_.anybody_slow();
}

void session_actor::hear(std::string_view line) {
  if (jsonrpc::is_batch(line)) {  // MCP 2025-03-26 allows a server to gather what it says
    // Of any bytes: one that is broken loses itself only.
    const auto elements = jsonrpc::read_batch(line, {limits::upstream_json_depth, false});
    if (!elements) return nonsense_.add(elements.error().what, line, now());
    std::vector<std::string> next;
    for (const auto& e : *elements) {
      if (jsonrpc::is_batch(e))
        nonsense_.add(mcp::row(mcp::http_rule::flat_batch).sentence, e, now());
      else
        next.emplace_back(e);
    }
    return said_.put_next(std::move(next));
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

void session_actor::hear_nonsense(const jsonrpc::reading_error& e, std::string_view line) {
  nonsense_.add(e.what, line, now());
  if (!json::member(line, "method").empty()) return;
  // It was meant as an answer, and no other will come.
  bool initializes = false, any = false;
  for (const auto& id : e.id.empty() ? answered_in(line) : std::vector{e.id}) {
    auto c = calls_.take(id);
    if (!c) continue;
    any = true;
    initializes = initializes || c->initialize;
    calls_.refuse(std::move(*c), reason::server_failed,
                  "the server's answer is not valid: " + e.what, now());
  }
  if (initializes)
    failed("its answer to initialize is not valid");
  else if (any && stopping_ && calls_.empty())
    close(reason::overloaded, stopping);
}

void session_actor::hear_message(const jsonrpc::message& m, std::string_view text) {
  if (m.kind != jsonrpc::kind::response) {
    if (const auto to = calls_.place_of(m)) return calls_.send_event(*to, text, now());
    return own_.say(text, now());
  }
  auto c = calls_.take(m.id);
  if (!c) {
    log::debug("The server answered something that nobody waits for; the answer is dropped.",
               {{"session", label_}});
    return;
  }
  if (c->initialize) on_initialized(*c, m);
  const bool refused = c->initialize && !agreed_.live;
  // Whoever opened the session is gone, and nobody else knows its id.
  const bool abandoned = c->initialize && !c->stream.begun() && !c->from->alive();
  calls_.answer(std::move(*c), text, now());
  if (refused || abandoned)
    close(reason::session_unknown, "the session was not initialized");
  else if (stopping_ && calls_.empty())
    close(reason::overloaded, stopping);
}

void session_actor::on_initialized(client_calls::call& c, const jsonrpc::message& answer) {
  if (!answer.error.empty()) return;
  agreed_.live = true;
  if (!json::unquote(json::member(answer.result, "protocolVersion"), agreed_.version))
    agreed_.version.clear();
  if (!c.stream.begun()) c.stream.last_write = now();
  send(parts_.shim, session_live{parts_.number});
}

}  // namespace gate::shim
