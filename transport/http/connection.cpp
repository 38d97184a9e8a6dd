#include "transport/http/connection.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <charconv>

#include "protocol/limits.hpp"
#include "protocol/mcp/session_id.hpp"
#include "transport/http/peer_name.hpp"
#include "transport/http/status.hpp"
#include "transport/log.hpp"

namespace gate::http {
namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// How long a half-closed connection may go on sending before it is closed for good.
constexpr std::chrono::seconds linger_time{2};
/// Rounds of reading in one go, so that one fast sender does not starve the others.
constexpr int read_rounds = 16;
/// Bytes that a client may send ahead of the answer it waits for.
constexpr std::size_t ahead_bytes = 256 * 1024;
/// Below this, copying a response costs less than writing it on its own.
constexpr std::size_t gathered_bytes = 16 * 1024;
/// What a slow client must take within `limits::write_stall`: else a byte now and then would make
/// us keep an answer for it, copied, for as long as it likes.
constexpr std::size_t least_progress =
    std::chrono::seconds{limits::write_stall}.count() * std::size_t{1024};

/// The reply slip. Holds its connection; the connection does not hold it.
class http_exchange final : public exchange {
 public:
  http_exchange(std::shared_ptr<connection> from, std::uint64_t number, http_request request)
      : from_(std::move(from)), number_(number), request_(std::move(request)) {}
  ~http_exchange() override {
    if (alive()) from_->dropped();
  }

  const http_request& request() const override { return request_; }
  void respond(const response_head& head, std::initializer_list<std::string_view> body) override {
    if (alive()) from_->respond(head, body);
  }
  void open_stream(std::string_view headers) override {
    if (alive()) from_->open_stream(headers);
  }
  bool send(std::string_view bytes) override { return alive() && from_->send(bytes); }
  std::size_t queued() const override { return alive() ? from_->queued() : 0; }
  void end_stream() override {
    if (alive()) from_->end_stream();
  }
  bool alive() const override { return from_->current(number_); }
  std::uint64_t number() const override { return number_; }
  std::string_view peer() const override { return from_->peer(); }

 private:
  std::shared_ptr<connection> from_;
  std::uint64_t number_;
  http_request request_;
};

}  // namespace

connection::connection(server& owner, asio::ip::tcp::socket socket)
    : owner_(owner), unit_(owner.unit_), socket_(std::move(socket)) {
  place_ = owner_.connections_.insert(owner_.connections_.end(), this);
}

connection::~connection() {
  leave();
}

void connection::leave() {
  if (!listed_) return;
  listed_ = false;
  owner_.connections_.erase(place_);
  owner_.left();
}

void connection::start() {
  error_code ec;
  socket_.non_blocking(true, ec);
  socket_.set_option(asio::ip::tcp::no_delay(true), ec);
  if (ec) return close();
  peer_ = peer_name(socket_);
  set_deadline(limits::keep_alive_idle);
  read();
}

void connection::resume(travelling_connection& from) {
  error_code ec;
  socket_.non_blocking(true, ec);
  ahead_ = std::move(from.ahead);
  reusable_ = from.reusable;
  // If we said already that we are drained, the unit it came from is not, as long as this lives.
  if (owner_.draining_) home_ = std::move(from.home);
  from.home.reset();
  if (ec) return close();
  peer_ = peer_name(socket_);
  hand_over(std::move(*from.request));
  if (state_ != state::closed) read();
}

// --- reading -------------------------------------------------------------------------------------

void connection::read() {
  if (reading_ || state_ == state::closed) return;
  reading_ = true;
  socket_.async_read_some(asio::buffer(in_),
                          [self = shared_from_this()](error_code ec, std::size_t n) {
                            self->reading_ = false;
                            self->on_read(ec, n);
                            self->unit_.drain();
                          });
}

void connection::on_read(error_code ec, std::size_t n) {
  if (state_ == state::closed) return;
  if (state_ == state::moving) {
    if (!ec) ahead_.append(in_.data(), n);
    return depart();
  }
  if (ec) return client_left();
  consume({in_.data(), n});
  // A full buffer means there is more: take it now, through the unit's large buffer.
  if (n == in_.size()) read_more();
  if (state_ != state::closed && ahead_.size() < ahead_bytes) read();
}

void connection::read_more() {
  auto& buffer = owner_.read_scratch_;
  for (int round = 0; round < read_rounds && state_ != state::closed; ++round) {
    if (ahead_.size() >= ahead_bytes) return;
    error_code ec;
    const auto n = socket_.read_some(asio::buffer(buffer), ec);
    if (ec == asio::error::would_block || ec == asio::error::try_again) return;
    if (ec) return client_left();
    consume({buffer.data(), n});
    if (n < buffer.size()) return;
  }
}

void connection::consume(std::string_view bytes) {
  if (state_ == state::lingering) return;
  if (state_ != state::idle && state_ != state::reading) {
    // One request at a time: what comes early waits.
    ahead_.append(bytes);
    return;
  }
  if (!ahead_.empty()) {
    ahead_.append(bytes);
    return parse_ahead();
  }
  if (!reader_) reader_.emplace(owner_.max_body_);
  if (state_ == state::idle) {
    state_ = state::reading;
    set_deadline(limits::header_read);
  }
  const bool was_in_body = reader_->in_body();
  const auto used = reader_->feed(bytes);
  ahead_.append(bytes.substr(used));
  if (reader_->done()) return deliver();
  if (ahead_.size() > limits::header_bytes) {
    // The parser waits for the end of a chunk header or trailer that never comes.
    reader_->flaw(defect::malformed);
    return deliver();
  }
  if (!was_in_body && reader_->in_body()) {
    set_deadline(limits::body_read);
    if (reader_->wants_continue()) {
      constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      const asio::const_buffer piece = asio::buffer(go_on);
      write({&piece, 1});
    }
  }
}

void connection::parse_ahead() {
  std::string bytes;
  bytes.swap(ahead_);
  consume(bytes);
}

void connection::deliver() {
  http_request request = reader_->take();
  reusable_ = reader_->reusable();
  reader_.reset();
  if (request.flaw != defect::none) ahead_.clear();
  if (move_away(request)) return;
  hand_over(std::move(request));
}

/// A session lives on one unit. A connection that brings a request for another unit's session moves
/// there, once, instead of crossing threads on every call.
bool connection::move_away(http_request& request) {
  if (owner_.units_ < 2 || request.flaw != defect::none || writing_) return false;
  const auto unit = mcp::unit_of(request.header("mcp-session-id"));
  if (!unit || *unit >= owner_.units_ || *unit == unit_.id()) return false;
  parting_ = std::make_unique<http_request>(std::move(request));
  state_ = state::moving;
  if (!reading_) return depart(), true;
  // A read that was started for what comes next may have taken bytes already, and its handler
  // waits: it goes on from there.
  error_code ec;
  socket_.cancel(ec);
  return true;
}

void connection::depart() {
  const auto unit = mcp::unit_of(parting_->header("mcp-session-id"));
  error_code ec;
  const bool v6 = socket_.local_endpoint(ec).address().is_v6();
  const int fd = socket_.release(ec);
  if (ec) return client_left();
  auto box = std::make_shared<travelling_connection>(fd, v6);
  box->request = std::move(parting_);
  box->reusable = reusable_;
  box->ahead = std::move(ahead_);
  ++owner_.on_the_way_;
  close();
  owner_.call_.moved(*unit, std::move(box));
}

void connection::hand_over(http_request request) {
  state_ = state::answering;
  deadline_ = clock::time_point::max();
  number_ = owner_.next_number_++;
  chunked_ok_ = request.version == 11;
  owner_.call_.arrived(
      std::make_shared<http_exchange>(shared_from_this(), number_, std::move(request)));
}

void connection::client_left() {
  const bool waits = state_ == state::answering || state_ == state::streaming;
  const auto number = number_;
  auto keep = shared_from_this();
  close();
  if (waits) owner_.call_.gone(number);
}

// --- writing -------------------------------------------------------------------------------------

void connection::respond(const response_head& head, std::initializer_list<std::string_view> body) {
  if (state_ != state::answering) return respond_too_late(head.status);
  std::size_t length = 0;
  for (auto piece : body) length += piece.size();
  close_after_ = head.close || !reusable_ || owner_.draining_;
  auto& text = owner_.scratch_;
  text.assign("HTTP/1.1 ");
  text += status_line(head.status);
  if (!head.content_type.empty()) {
    text += "Content-Type: ";
    text += head.content_type;
    text += "\r\n";
  }
  text += head.headers;
  if (head.status != 204) {
    char digits[24];
    auto end = std::to_chars(digits, digits + sizeof digits, length).ptr;
    text += "Content-Length: ";
    text.append(digits, end);
    text += "\r\n";
  }
  text += close_after_ ? "Connection: close\r\n\r\n" : "\r\n";

  std::array<asio::const_buffer, 16> pieces;
  std::size_t count = 0;
  pieces[count++] = asio::buffer(text);
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
  if (state_ == state::answering && here)
    respond({500, "application/json", {}, true}, {R"({"error":"internal error"})"});
  else if (state_ == state::answering || state_ == state::streaming)
    close();
}

/// Small writes are gathered until the end of the turn, or until they are many. Large ones are
/// written now, without a copy, as far as the kernel takes them; what is left waits, copied.
void connection::write(std::span<const asio::const_buffer> pieces) {
  std::size_t written = 0;
  if (!writing_ && queued() + boost::asio::buffer_size(pieces) < gathered_bytes) {
    for (const auto& p : pieces) waiting_.append(static_cast<const char*>(p.data()), p.size());
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
    waiting_.append(static_cast<const char*>(piece.data()) + written, piece.size() - written);
    written = 0;
  }
  if (waiting_from_ == waiting_.size()) return finished();
  if (writing_) return;
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
  const auto n = socket_.write_some(
      asio::buffer(waiting_.data() + waiting_from_, waiting_.size() - waiting_from_), ec);
  if (ec && ec != asio::error::would_block && ec != asio::error::try_again) return client_left();
  if (!ec) waiting_from_ += n, handed_ += n;
  if (waiting_from_ < waiting_.size()) return begin_waiting();
  waiting_.clear();
  waiting_from_ = 0;
  finished();
}

void connection::begin_waiting() {
  taken_from_ = taken();
  set_deadline(limits::write_stall);
  wait_writable();
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
    self->on_writable(ec);
    self->unit_.drain();
  });
}

void connection::on_writable(error_code ec) {
  writing_ = false;
  if (state_ == state::closed) return;
  if (ec) return client_left();
  const auto n = socket_.write_some(
      asio::buffer(waiting_.data() + waiting_from_, waiting_.size() - waiting_from_), ec);
  if (ec && ec != asio::error::would_block && ec != asio::error::try_again) return client_left();
  if (!ec) waiting_from_ += n, handed_ += n;
  if (waiting_from_ < waiting_.size()) return wait_writable();
  waiting_.clear();
  waiting_.shrink_to_fit();
  waiting_from_ = 0;
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
  if (!ahead_.empty()) parse_ahead();
  read();
}

/// Closing at once could destroy the answer: the kernel resets the connection when unread bytes are
/// left. So our side is shut down and the client's bytes are thrown away for a moment.
void connection::linger() {
  error_code ec;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ec);
  state_ = state::lingering;
  ahead_.clear();
  set_deadline(linger_time);
  read();
}

// --- ending --------------------------------------------------------------------------------------

void connection::check_deadline(clock::time_point now) {
  if (now < deadline_) return;
  switch (state_) {
    case state::reading:
      // Too slow: told so, through the pipeline's door, then closed.
      reader_->flaw(defect::timeout);
      return deliver();
    case state::idle:
    case state::lingering:
      return close();
    default:
      if (writing_ && taken() - taken_from_ >= least_progress) {
        taken_from_ = taken();
        return set_deadline(limits::write_stall);
      }
      return client_left();  // a client that does not take what it asked for
  }
}

void connection::drain() {
  if (state_ == state::idle) close();
}

void connection::close() {
  if (state_ == state::closed) return;
  auto keep = shared_from_this();
  state_ = state::closed;
  reader_.reset();
  error_code ec;
  socket_.close(ec);
  home_.reset();
  leave();
}

}  // namespace gate::http
