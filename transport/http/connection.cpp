#include "transport/http/connection.hpp"

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/buffer.hpp>

#include "protocol/http/media.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/session_id.hpp"
#include "protocol/mcp/stateless/headers.hpp"
#include "protocol/mcp/stateless/request_state.hpp"
#include "protocol/mcp/versions.hpp"
#include "protocol/recycled.hpp"
#include "transport/http/peer_name.hpp"

namespace gate::http {
namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Rounds of reading in one go, so that one fast sender does not starve the others.
constexpr int read_rounds = 16;

/// Which unit a request is for; nothing: any.
std::optional<std::uint8_t> unit_of(const http_request& request, const task_units* tasks) {
  const auto& head = *request.head;
  if (!mcp::is_stateless_version(head.version_named)) return mcp::unit_of(head.session_id);
  if (const auto unit = mcp::stateless::unit_named_in(request.body)) return unit;
  const auto id = tasks ? mcp::stateless::task_named_in(request.headers()) : std::nullopt;
  return id ? tasks->find(*id) : std::nullopt;
}

/// The reply slip. Holds its connection; the connection does not hold it.
class http_exchange final : public exchange {
 public:
  http_exchange(std::shared_ptr<connection> from, std::uint64_t number, http_request request)
      : from_(std::move(from)), number_(number), request_(std::move(request)) {}
  ~http_exchange() override {
    if (alive()) from_->dropped();
  }

  const http_request& request() const override { return request_; }
  http_request& unread() { return request_; }
  bool read_body(bool known) override { return alive() && from_->read_body(known); }
  void respond(const response_head& head, std::initializer_list<std::string_view> body) override {
    if (alive()) from_->respond(head, body);
  }
  void open_stream(std::string_view headers) override {
    if (alive()) from_->open_stream(headers);
    // Such streams live for hours. (A call goes on: it is sent, and sent again, with what it says.)
    if (http_request none; request_.method() == verb::get) std::swap(request_, none);
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
  place_ = owner_.crowd_.join(*this, owner_.now_);
}

connection::~connection() {
  leave();
}

void connection::leave() {
  if (!listed_) return;
  listed_ = false;
  owner_.crowd_.leave(place_);
  owner_.waiting_ -= std::exchange(counted_waiting_, 0);
  body_holds(0);
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
  accepted_ = from.known;
  if (from.reader) reader_.emplace(std::move(*from.reader));
  held_back_ = from.held_back;
  hand_over(std::move(*from.request));
  if (reader_) count_body();
  if (takes_more()) read();
}

// --- reading -------------------------------------------------------------------------------------

/// Of a body that nobody has asked for yet no more is taken in than shows that its client is there.
bool connection::takes_more() const {
  return state_ != state::closed &&
         ahead_.size() < (state_ == state::judging ? 1 : limits::ahead_bytes);
}

void connection::read() {
  if (reading_ || state_ == state::closed) return;
  reading_ = true;
  socket_.async_read_some(
      asio::buffer(in_),
      asio::bind_allocator(read_memory_.allocator(),
                           [self = shared_from_this()](error_code ec, std::size_t n) {
                             const scheduler::handler_scope scope(self->unit_);
                             self->reading_ = false;
                             self->on_read(ec, n);
                           }));
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
  if (takes_more()) read();
}

void connection::read_more() {
  auto& buffer = owner_.read_scratch_;
  for (int round = 0; round < read_rounds && takes_more(); ++round) {
    if (state_ == state::judging || state_ == state::lingering) return;
    error_code ec;
    const auto n = socket_.read_some(buffer.buffer(), ec);
    if (ec == asio::error::would_block || ec == asio::error::try_again) return;
    if (ec) return client_left();
    consume({buffer.data(), n});
    if (n < buffer.bytes) return;
  }
}

void connection::consume(std::string_view bytes) {
  if (state_ == state::lingering) return throw_away(bytes.size());
  if (state_ != state::idle && state_ != state::reading && state_ != state::receiving) {
    // One request at a time: what comes early waits.
    ahead_.append(bytes);
    return;
  }
  if (!ahead_.empty()) {
    ahead_.append(bytes);
    return parse_ahead();
  }
  if (!reader_) reader_.emplace(owner_.bounds_.body);
  if (state_ == state::idle) {
    state_ = state::reading;
    if (accepted_) stand(crowd<connection>::line::busy);
    set_deadline(limits::header_read);
  }
  const bool was_in_body = reader_->in_body();
  const auto used = reader_->feed(bytes, last_head_);
  ahead_.append(bytes.substr(used));
  count_body();
  if (reader_->done()) return deliver();
  if (ahead_.size() > limits::header_bytes) {
    // The parser waits for the end of a chunk header or trailer that never comes.
    reader_->flaw(defect::malformed);
    return deliver();
  }
  if (state_ != state::reading || !reader_->in_body()) return;
  if (!was_in_body) {
    set_deadline(limits::body_read);
    held_back_ = reader_->wants_continue();
  }
  if (held_back_ || reader_->large()) deliver_header();
}

/// What was announced is waited for, as many clients look for an answer only when all of it is
/// sent; if it was held back, from when it begins to come. What else they send is not waited for.
void connection::throw_away(std::size_t bytes) {
  if (left_body_ == 0 || bytes == 0) return;
  const bool begins = held_back_;
  pass_over(bytes);
  if (left_body_ == 0)
    set_deadline(limits::linger);
  else if (begins && !owner_.draining_)
    set_deadline(limits::body_read);
}

/// So much more has come of a body that is not read.
void connection::pass_over(std::size_t bytes) {
  if (bytes > 0) held_back_ = false;
  left_body_ -= std::min(left_body_, bytes);
}

void connection::parse_ahead() {
  std::string bytes;
  bytes.swap(ahead_);
  consume(bytes);
}

/// One at a turn: others on this unit are heard between two answers to a client that asked for many
/// at once.
void connection::parse_ahead_next_turn() {
  asio::post(unit_.context(), [self = shared_from_this()] {
    const scheduler::handler_scope scope(self->unit_);
    if (self->state_ == state::idle && !self->ahead_.empty()) self->parse_ahead();
  });
}

/// A body is counted as it comes, not as it is announced: bytes cost those who send them something.
void connection::count_body() {
  if (!reader_->in_body()) return;
  if (counted_body_ == 0) body_since_ = owner_.now_;
  body_holds(reader_->body_bytes());
  owner_.relieve_bodies(*this);
}

void connection::body_holds(std::size_t bytes) {
  owner_.body_room_.change(accepted_, std::exchange(counted_body_, bytes), bytes);
}

burden connection::of_body(clock::time_point now) const {
  return {counted_body_, now - body_since_};
}

void connection::refuse_body(bool now) {
  reader_->flaw(defect::crowded);
  if (state_ == state::judging) {
    // Whoever asks for it will hear that.
    reader_->forget_body();
    body_holds(0);
  } else if (now) {
    deliver();
  }
}

void connection::deliver() {
  body_holds(0);
  if (state_ == state::receiving) return deliver_body();
  http_request request = reader_->take();
  reusable_ = reader_->reusable();
  reader_.reset();
  if (request.flaw != defect::none) ahead_.clear();
  if (!request.head->length.empty() && request.head != last_head_) last_head_ = request.head;
  if (move_away(request)) return;
  hand_over(std::move(request));
}

/// Whether the body is worth reading is for those to say who will answer.
void connection::deliver_header() {
  auto header = reader_->take_header();
  reusable_ = false;  // unless the body is read
  if (move_away(header)) return;
  hand_over(std::move(header));
}

bool connection::read_body(bool known) {
  if (state_ != state::judging) return false;
  state_ = state::receiving;
  if (known && !accepted_) {
    // What it holds is no longer counted among that of strangers.
    const auto holds = counted_body_;
    body_holds(0);
    accepted_ = true;
    body_holds(holds);
  }
  if (accepted_) stand(crowd<connection>::line::busy);
  set_deadline(limits::body_read);
  if (reader_->done()) return deliver(), true;  // there was no room for what had come
  reader_->expect_body();
  if (std::exchange(held_back_, false)) {
    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    const asio::const_buffer piece = asio::buffer(go_on);
    write({&piece, 1});
  }
  if (!ahead_.empty()) parse_ahead();
  read();
  return true;
}

void connection::deliver_body() {
  auto rest = reader_->take();
  reusable_ = reader_->reusable();
  reader_.reset();
  if (rest.flaw != defect::none) ahead_.clear();
  auto& whole = *std::exchange(unread_, nullptr);
  whole.body = std::move(rest.body);
  whole.flaw = rest.flaw;
  whole.body_follows = false;
  state_ = state::answering;
  stand(crowd<connection>::line::busy);
  if (!writing_) deadline_ = clock::time_point::max();
  owner_.call_.body_read(number_);
}

/// It is not read, or not to its end: the connection ends with the answer.
void connection::leave_body() {
  left_body_ = reader_->body_left();
  if (reader_->body_begun()) held_back_ = false;
  reader_.reset();
  body_holds(0);
  pass_over(ahead_.size());
  ahead_.clear();
  unread_ = nullptr;
  reusable_ = false;
  state_ = state::answering;
  if (!writing_) deadline_ = clock::time_point::max();
}

/// Nobody says whether the body is wanted. What they may yet say comes too late.
void connection::unjudged() {
  respond({503, json_type, retry_soon, true}, {R"({"error":"busy"})"});
  number_ = owner_.next_number_++;
}

/// A session lives on one unit. A connection that brings a request for another unit's session moves
/// there, once, instead of crossing threads on every call.
/// Without sessions, a call that waits for its client lives on one, which its state names.
bool connection::move_away(http_request& request) {
  if (owner_.units_ < 2 || request.flaw != defect::none || writing_) return false;
  const auto unit = unit_of(request, owner_.bounds_.tasks.get());
  if (!unit || *unit >= owner_.units_ || *unit == unit_.id()) return false;
  parting_ = std::make_unique<http_request>(std::move(request));
  body_holds(0);  // what has come of it is counted there
  state_ = state::moving;
  stand(crowd<connection>::line::busy);
  if (!reading_) return depart(), true;
  // A read that was started for what comes next may have taken bytes already, and its handler
  // waits: it goes on from there.
  error_code ec;
  socket_.cancel(ec);
  return true;
}

void connection::depart() {
  const auto unit = unit_of(*parting_, owner_.bounds_.tasks.get());
  error_code ec;
  const bool v6 = socket_.local_endpoint(ec).address().is_v6();
  const int fd = socket_.release(ec);
  if (ec) return client_left();
  auto box = std::make_shared<travelling_connection>(fd, v6);
  box->request = std::move(parting_);
  if (reader_) box->reader = std::make_unique<request_reader>(std::move(*reader_));
  box->held_back = held_back_;
  box->reusable = reusable_;
  box->known = accepted_;
  box->ahead = std::move(ahead_);
  ++owner_.on_the_way_;
  close();
  owner_.call_.moved(*unit, std::move(box));
}

void connection::hand_over(http_request request) {
  const bool whole = !request.body_follows;
  state_ = whole ? state::answering : state::judging;
  if (whole) stand(crowd<connection>::line::busy);
  posted_ = request.method() == verb::post;
  if (!writing_) deadline_ = clock::time_point::max();  // else it has yet to take what was written
  number_ = owner_.next_number_++;
  chunked_ok_ = request.head->version == 11;
  auto e = std::allocate_shared<http_exchange>(recycling<http_exchange>(), shared_from_this(),
                                               number_, std::move(request));
  if (!whole) {
    unread_ = &e->unread();
    set_deadline(limits::header_judged);
  }
  owner_.call_.arrived(std::move(e));
}

void connection::client_left() {
  const bool waits = delivered() || state_ == state::streaming;
  const auto number = number_;
  auto keep = shared_from_this();
  close();
  if (waits) owner_.call_.gone(number);
}

// --- ending --------------------------------------------------------------------------------------

void connection::check_deadline(clock::time_point now) {
  if (now < deadline_) return;
  switch (state_) {
    case state::reading:
    case state::receiving:
      // Too slow: told so, through the pipeline's door, then closed.
      reader_->flaw(defect::timeout);
      return deliver();
    case state::judging:
      return unjudged();
    case state::idle:
    case state::lingering:
      return close();
    default:
      if (writing_ && taken() - taken_from_ >= least_taken_) return watch_taking();
      return client_left();  // a client that does not take what it asked for
  }
}

void connection::close() {
  if (state_ == state::closed) return;
  auto keep = shared_from_this();
  state_ = state::closed;
  reader_.reset();
  unread_ = nullptr;
  waiting_.clear();
  error_code ec;
  socket_.close(ec);
  home_.reset();
  leave();
}

}  // namespace gate::http
