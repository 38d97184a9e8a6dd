// Client connection: how answers and streams are written, and what becomes of those who do not take
// them.
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <charconv>
#include <utility>

#include "protocol/base/pen.hpp"
#include "protocol/http/media.hpp"
#include "protocol/limits.hpp"
#include "transport/http/connection.hpp"
#include "transport/http/status.hpp"
#include "transport/log.hpp"

namespace gate::http {
namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Below this, copying a response costs less than writing it on its own.
constexpr std::size_t gathered_bytes = 16 * 1024;

}  // namespace

void connection::respond(const response_head& head, std::initializer_list<std::string_view> body) {
  if (state_ == state::judging || state_ == state::receiving) leave_body();
  if (state_ != state::answering) return respond_too_late(head.status);
  std::size_t length = 0;
  for (auto piece : body) length += piece.size();
  close_after_ = head.close || !reusable_ || owner_.draining_;
  accepted_ |= posted_ && head.status < 400;
  pen text(owner_.scratch_, 256 + head.headers.size());
  text << "HTTP/1.1 " << status_line(head.status);
  if (!head.content_type.empty()) text << "Content-Type: " << head.content_type << "\r\n";
  text << head.headers;
  if (head.status != 204) text << "Content-Length: " << length << "\r\n";
  if (close_after_) text << "Connection: close\r\n";
  text << "\r\n";

  std::array<asio::const_buffer, 16> pieces;
  std::size_t count = 0;
  pieces[count++] = asio::buffer(text.text());
  for (auto piece : body)
    if (!piece.empty() && count < pieces.size())
      pieces[count++] = asio::const_buffer(piece.data(), piece.size());
  state_ = state::finishing;
  end_after_write_ = true;
  write({pieces.data(), count});
}

/// Somebody in front of the door answers twice. A stream that was opened can not become another
/// answer any more; left open it would hang.
void connection::respond_too_late(int status) {
  log::error("A request was answered twice; the second answer is not sent.",
             {{"status", std::to_string(status)}});
  if (state_ == state::streaming) close();
}

void connection::open_stream(std::string_view headers) {
  if (state_ != state::answering) return;
  close_after_ = !reusable_ || !chunked_ok_ || owner_.draining_;
  accepted_ = true;
  auto& text = owner_.scratch_;
  text.assign("HTTP/1.1 ");
  text += status_line(200);
  // No transform: proxies in between must neither buffer nor compress the stream.
  text +=
      "Content-Type: text/event-stream\r\nCache-Control: no-cache, no-transform\r\n"
      "X-Accel-Buffering: no\r\n";
  text += headers;
  if (chunked_ok_) text += "Transfer-Encoding: chunked\r\n";
  text += close_after_ ? "Connection: close\r\n\r\n" : "\r\n";
  state_ = state::streaming;
  const asio::const_buffer piece = asio::buffer(text);
  write({&piece, 1});
}

bool connection::send(std::string_view bytes) {
  if (state_ != state::streaming) return false;
  // However large one message is, it is sent: what counts is what was not taken before.
  if (queued() > limits::client_queue_bytes) {
    client_left();
    return false;
  }
  if (bytes.empty()) return true;
  char size[24];
  auto end = std::to_chars(size, size + sizeof size - 2, bytes.size(), 16).ptr;
  *end++ = '\r';
  *end++ = '\n';
  const std::array<asio::const_buffer, 3> pieces{
      asio::const_buffer(size, static_cast<std::size_t>(end - size)),
      asio::const_buffer(bytes.data(), bytes.size()), asio::const_buffer("\r\n", 2)};
  if (chunked_ok_)
    write(pieces);
  else
    write({&pieces[1], 1});
  return state_ == state::streaming;
}

void connection::end_stream() {
  if (state_ != state::streaming) return;
  state_ = state::finishing;
  end_after_write_ = true;
  const asio::const_buffer last("0\r\n\r\n", 5);
  write({&last, chunked_ok_ ? std::size_t{1} : std::size_t{0}});
}

/// Whoever had to answer died. The client hears so, if its answer has not begun.
void connection::dropped() {
  const bool here = scheduler::io_unit::current() == &unit_;  // not so when the process ends
  if (delivered() && here)
    respond({500, json_type, {}, true}, {R"({"error":"internal error"})"});
  else if (delivered() || state_ == state::streaming)
    close();
}

/// Small writes are gathered until the end of the turn, or until they are many. Large ones are
/// written now, without a copy, as far as the kernel takes them; what is left waits, copied.
void connection::write(std::span<const asio::const_buffer> pieces) {
  std::size_t written = 0;
  if (!writing_ && queued() + boost::asio::buffer_size(pieces) < gathered_bytes) {
    for (const auto& p : pieces) waiting_.append({static_cast<const char*>(p.data()), p.size()});
    if (std::exchange(flush_posted_, true)) return;
    return unit_.at_turn_end(shared_from_this());
  }
  const bool alone = !writing_ && waiting_.empty();
  if (alone) {
    error_code ec;
    written = socket_.write_some(pieces, ec);
    if (ec && ec != asio::error::would_block && ec != asio::error::try_again) return client_left();
    if (ec) written = 0;
    handed_ += written;
  }
  for (const auto& piece : pieces) {
    if (written >= piece.size()) {
      written -= piece.size();
      continue;
    }
    waiting_.append({static_cast<const char*>(piece.data()) + written, piece.size() - written});
    written = 0;
  }
  if (waiting_.empty()) return finished();
  count_waiting();
  if (writing_ || state_ == state::closed) return;
  if (alone) return begin_waiting();  // the kernel has just had enough
  write_waiting();
}

void connection::on_turn_end() {
  flush_posted_ = false;
  if (state_ == state::closed || writing_) return;
  if (waiting_.empty()) return finished();  // there was so much that it was written before
  write_waiting();
}

void connection::write_waiting() {
  error_code ec;
  const auto n = socket_.write_some(asio::buffer(waiting_.rest()), ec);
  if (ec && ec != asio::error::would_block && ec != asio::error::try_again) return client_left();
  took(ec ? 0 : n);
  if (state_ == state::closed) return;
  if (!waiting_.empty()) return begin_waiting();
  finished();
}

/// Afterwards this connection may be closed: see `count_waiting`.
void connection::took(std::size_t n) {
  handed_ += n;
  waiting_.sent(n);
  count_waiting();
}

/// Too much waits in all: the server cuts some off, this one perhaps. But an answer may be larger
/// than all that may wait: whoever takes one is not in the way before there are others like it.
void connection::count_waiting() {
  const auto now_held = waiting_.held();
  if (now_held == counted_waiting_) return;
  const bool more = now_held > counted_waiting_;
  owner_.waiting_ += now_held - counted_waiting_;
  counted_waiting_ = now_held;
  owner_.bounds_.waiting = std::max(owner_.bounds_.waiting, 2 * now_held);
  if (more && owner_.waiting_ > owner_.bounds_.waiting) owner_.relieve();
}

burden connection::of_waiting(clock::time_point now) const {
  return {counted_waiting_, writing_ ? now - behind_since_ : clock::duration{}};
}

void connection::begin_waiting() {
  behind_since_ = owner_.now_;
  watch_taking();
  wait_writable();
}

/// It must take some of it by then.
void connection::watch_taking() {
  taken_from_ = taken();
  least_taken_ = least_taken(waiting_.size());
  set_deadline(limits::write_stall);
}

/// What the client's kernel has acknowledged so far; only differences mean something. What ours has
/// taken says nothing about the client: it takes megabytes, and asks for more in large steps.
std::uint64_t connection::taken() {
  int queued = 0;
  ::ioctl(socket_.native_handle(), SIOCOUTQ, &queued);
  return handed_ - static_cast<std::uint64_t>(queued);
}

void connection::wait_writable() {
  writing_ = true;
  socket_.async_wait(asio::ip::tcp::socket::wait_write, [self = shared_from_this()](error_code ec) {
    const scheduler::handler_scope scope(self->unit_);
    self->on_writable(ec);
  });
}

void connection::on_writable(error_code ec) {
  writing_ = false;
  if (state_ == state::closed) return;
  if (ec) return client_left();
  const auto n = socket_.write_some(asio::buffer(waiting_.rest()), ec);
  if (ec && ec != asio::error::would_block && ec != asio::error::try_again) return client_left();
  took(ec ? 0 : n);
  if (state_ == state::closed) return;
  if (!waiting_.empty()) return wait_writable();
  if (state_ == state::streaming || state_ == state::answering)
    deadline_ = clock::time_point::max();
  finished();
}

/// Everything is written. If that was the end of a response, the next request may come.
void connection::finished() {
  if (!end_after_write_) return;
  end_after_write_ = false;
  if (close_after_ || owner_.draining_) return linger();
  state_ = state::idle;
  set_deadline(limits::keep_alive_idle);
  stand(accepted_ ? crowd<connection>::line::idle : crowd<connection>::line::newcomers);
  if (!ahead_.empty()) parse_ahead_next_turn();
  read();
}

/// Closing at once could destroy the answer: the kernel resets the connection when unread bytes are
/// left. So our side is shut down and the client's bytes are thrown away for a moment.
void connection::linger() {
  error_code ec;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ec);
  state_ = state::lingering;
  stand(crowd<connection>::line::newcomers);
  pass_over(ahead_.size());
  ahead_.clear();
  // Many clients read no answer before they have sent all of their body. Who waits to be told to go
  // on sends nothing, but need not wait for ever (RFC 9110 §10.1.1): see `throw_away`.
  const bool waits = left_body_ && !held_back_ && !owner_.draining_;
  set_deadline(waits ? limits::body_read : limits::linger);
  read();
}

void connection::drain() {
  if (state_ == state::idle && ahead_.empty()) return close();
  if (state_ == state::lingering && left_body_) set_deadline(limits::linger);
}

}  // namespace gate::http
