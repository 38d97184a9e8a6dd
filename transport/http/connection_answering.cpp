// Client connection: how answers and streams are written, and what becomes of those who do not take
// them.
#include <boost/asio/buffer.hpp>
#include <utility>

#include "protocol/http/media.hpp"
#include "protocol/limits.hpp"
#include "transport/http/connection.hpp"
#include "transport/http/response_text.hpp"
#include "transport/log.hpp"

namespace gate::http {
namespace asio = boost::asio;
using boost::system::error_code;
using line = client_place::line;

void connection::respond(const response_head& head, std::initializer_list<std::string_view> body) {
  if (state_ == state::judging || state_ == state::receiving) {
    // The body is not read, or not to its end: the connection ends with the answer.
    in_.leave_body();
    place_.hold_body(0);
    unread_ = nullptr;
    state_ = state::answering;
    if (!out_.waits()) place_.never_due();
  }
  if (state_ != state::answering) {
    // Somebody in front of the door answers twice. A stream that was opened can not become another
    // answer any more; left open it would hang.
    log::error("A request was answered twice; the second answer is not sent.",
               {{"status", std::to_string(head.status)}});
    if (state_ == state::streaming) close();
    return;
  }
  std::size_t length = 0;
  for (auto piece : body) length += piece.size();
  answer_.last = head.close || !in_.reusable() || owner_.draining_;
  if (answer_.posted && head.status < 400) place_.know();

  std::array<asio::const_buffer, 16> pieces;
  std::size_t count = 0;
  pieces[count++] = asio::buffer(response_text(owner_.scratch_, head, length, answer_.last));
  for (auto piece : body)
    if (!piece.empty() && count < pieces.size())
      pieces[count++] = asio::const_buffer(piece.data(), piece.size());
  state_ = state::finishing;
  answer_.whole = true;
  const auto fate = out_.write({pieces.data(), count});
  // Where nothing else is ready there is nothing to wait for: what is done behind the answer (its
  // audit, its call's end) is done while the client reads.
  wrote(fate == outgoing::fate::at_turn_end && unit_.alone_for_few() ? out_.flush() : fate);
}

void connection::open_stream(std::string_view headers) {
  if (state_ != state::answering) return;
  answer_.last = !in_.reusable() || !answer_.chunked || owner_.draining_;
  place_.know();
  state_ = state::streaming;
  const asio::const_buffer piece =
      asio::buffer(stream_text(owner_.scratch_, headers, answer_.chunked, answer_.last));
  wrote(out_.write({&piece, 1}));
}

bool connection::send(std::string_view bytes) {
  if (state_ != state::streaming) return false;
  // However large one message is, it is sent: what counts is what was not taken before.
  if (queued() > limits::client_queue_bytes) {
    cut_off();
    return false;
  }
  if (bytes.empty()) return true;
  const chunk framed(bytes);
  if (answer_.chunked)
    wrote(out_.write(framed.pieces()));
  else
    wrote(out_.write({&framed.plain(), 1}));
  return state_ == state::streaming;
}

void connection::end_stream() {
  if (state_ != state::streaming) return;
  state_ = state::finishing;
  answer_.whole = true;
  const asio::const_buffer last = asio::buffer(last_chunk);
  wrote(out_.write({&last, answer_.chunked ? std::size_t{1} : std::size_t{0}}));
}

/// Whoever had to answer died. The client hears so, if its answer has not begun.
void connection::dropped() {
  const bool here = scheduler::io_unit::current() == &unit_;  // not so when the process ends
  if (delivered() && here)
    respond({500, json_type, {}, true}, {R"({"error":"internal error"})"});
  else if (delivered() || state_ == state::streaming)
    close();
}

/// Afterwards this connection may be closed, and another answer be under way.
void connection::wrote(outgoing::fate what) {
  using fate = outgoing::fate;
  if (what == fate::gathered) return;
  if (what == fate::at_turn_end) return unit_.at_turn_end(shared_from_this());
  if (what == fate::broken) return cut_off();
  if (place_.hold_waiting(out_.held())) owner_.relieve_waiting(out_.held());
  if (state_ == state::closed || what == fate::queued) return;
  if (what == fate::taken) {
    place_.catches_up();
    if (state_ == state::streaming || state_ == state::answering) place_.never_due();
    // If that was the end of a response, the next request may come.
    if (!std::exchange(answer_.whole, false)) return;
    if (answer_.last || owner_.draining_) return linger();
    state_ = state::idle;
    place_.due_after(limits::keep_alive_idle);
    place_.stand(place_.known() ? line::idle : line::newcomers);
    // One at a turn: others on this unit are heard between two answers to a client that asked for
    // many at once.
    if (in_.keeps())
      asio::post(unit_.context(), [self = shared_from_this()] {
        const scheduler::handler_scope scope(self->unit_);
        if (self->state_ == state::idle && self->in_.keeps()) self->consume({});
      });
    return read();
  }
  if (what == fate::stuck) {
    // It must take some of it by then.
    place_.falls_behind();
    out_.watch();
    place_.due_after(limits::write_stall);
  }
  socket_.async_wait(asio::ip::tcp::socket::wait_write, [self = shared_from_this()](error_code ec) {
    const scheduler::handler_scope scope(self->unit_);
    if (self->state_ == state::closed) return;
    if (ec) return self->cut_off();
    self->wrote(self->out_.go_on());
  });
}

/// Closing at once could destroy the answer: the kernel resets the connection when unread bytes are
/// left. So our side is shut down and the client's bytes are thrown away for a moment.
void connection::linger() {
  error_code ec;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ec);
  state_ = state::lingering;
  place_.stand(line::newcomers);
  in_.throw_away_kept();
  // Many clients read no answer before they have sent all of their body. Who waits to be told to go
  // on sends nothing, but need not wait for ever (RFC 9110 §10.1.1): see `consume`.
  place_.due_after(in_.rest_comes() && !owner_.draining_ ? limits::body_read : limits::linger);
  read();
}

}  // namespace gate::http
