#include "transport/http/connection.hpp"

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/buffer.hpp>

#include "protocol/http/media.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/limits.hpp"
#include "protocol/recycled.hpp"
#include "transport/http/destination.hpp"
#include "transport/http/http_exchange.hpp"
#include "transport/http/peer_name.hpp"

namespace gate::http {
namespace asio = boost::asio;
using boost::system::error_code;
using line = client_place::line;

namespace {

/// Rounds of reading in one go, so that one fast sender does not starve the others.
constexpr int read_rounds = 16;

}  // namespace

connection::connection(server& owner, asio::ip::tcp::socket socket)
    : owner_(owner),
      unit_(owner.unit_),
      place_(owner.room_, *this),
      socket_(std::move(socket)),
      in_(owner.bounds_.body),
      out_(socket_) {}

connection::~connection() {
  if (place_.leave()) owner_.left();
}

void connection::start() {
  error_code ec;
  socket_.non_blocking(true, ec);
  socket_.set_option(asio::ip::tcp::no_delay(true), ec);
  if (ec) return close();
  peer_ = peer_name(socket_);
  place_.due_after(limits::keep_alive_idle);
  read();
}

void connection::resume(travelling_connection& from) {
  error_code ec;
  socket_.non_blocking(true, ec);
  in_ = std::move(*from.intake);
  // If we said already that we are drained, the unit it came from is not, as long as this lives.
  if (owner_.draining_) home_ = std::move(from.home);
  from.home.reset();
  if (ec) return close();
  peer_ = peer_name(socket_);
  if (from.known) place_.know();
  hand_over(std::move(*from.request));
  if (in_.in_body()) {
    place_.hold_body(in_.body_bytes());
    owner_.relieve_bodies(*this);
  }
  if (takes_more()) read();
}

// --- reading -------------------------------------------------------------------------------------

/// Asio tries to read at once. Mostly nothing has come yet, and somebody waits for what is to be
/// written in this turn: that goes first.
void connection::read() {
  if (reading_ != progress::none || state_ == state::closed) return;
  reading_ = progress::wanted;
  unit_.behind_writes(shared_from_this());
}

void connection::on_turn_end() {
  if (state_ == state::closed) return;
  if (out_.flush_due()) wrote(out_.flush());
  if (reading_ != progress::wanted || state_ == state::closed) return;
  reading_ = progress::running;
  socket_.async_read_some(
      asio::buffer(read_),
      asio::bind_allocator(read_memory_.allocator(),
                           [self = shared_from_this()](error_code ec, std::size_t n) {
                             const scheduler::handler_scope scope(self->unit_);
                             self->reading_ = progress::none;
                             self->on_read(ec, n);
                           }));
}

void connection::on_read(error_code ec, std::size_t n) {
  if (state_ == state::closed) return;
  if (state_ == state::moving) {
    if (!ec) in_.keep({read_.data(), n});
    return depart();
  }
  if (ec) return cut_off();
  consume({read_.data(), n});
  // A full buffer means there is more: take it now, through the unit's large buffer.
  if (n == read_.size()) read_more();
  if (takes_more()) read();
}

void connection::read_more() {
  auto& buffer = owner_.read_scratch_;
  for (int round = 0; round < read_rounds && takes_more(); ++round) {
    if (state_ == state::judging || state_ == state::lingering) return;
    error_code ec;
    const auto n = socket_.read_some(buffer.buffer(), ec);
    if (ec == asio::error::would_block || ec == asio::error::try_again) return;
    if (ec) return cut_off();
    consume({buffer.data(), n});
    if (n < buffer.bytes) return;
  }
}

void connection::consume(std::string_view bytes) {
  switch (state_) {
    case state::lingering:
      switch (in_.throw_away(bytes.size())) {
        case request_intake::rest::ended:
          return place_.due_after(limits::linger);
        case request_intake::rest::begins:
          if (!owner_.draining_) place_.due_after(limits::body_read);
          return;
        case request_intake::rest::same:
          return;
      }
      return;
    case state::idle:
      state_ = state::reading;
      if (place_.known()) place_.stand(line::busy);
      place_.due_after(limits::header_read);
      break;
    case state::reading:
    case state::receiving:
      break;
    default:
      return in_.keep(bytes);  // one request at a time: what comes early waits
  }
  const bool begins = in_.feed(bytes, owner_.known_heads_);
  if (in_.in_body()) {
    place_.hold_body(in_.body_bytes());
    owner_.relieve_bodies(*this);
  }
  if (in_.done()) return deliver();
  if (state_ != state::reading || !in_.in_body()) return;
  if (begins) place_.due_after(limits::body_read);
  if (!in_.asks()) return;
  // Whether the body is worth reading is for those to say who will answer.
  hand_over(in_.take_header());
}

void connection::refuse_body(bool now) {
  in_.flaw(defect::crowded);
  if (state_ == state::judging) {
    // Whoever asks for it will hear that.
    in_.forget_body();
    place_.hold_body(0);
  } else if (now) {
    deliver();
  }
}

/// A request, or the rest of one whose header was delivered before.
void connection::deliver() {
  place_.hold_body(0);
  if (state_ != state::receiving) {
    hand_over(in_.take(owner_.known_heads_));
    return;
  }
  auto rest = in_.take_rest();
  auto& whole = *std::exchange(unread_, nullptr);
  whole.body = std::move(rest.body);
  whole.flaw = rest.flaw;
  whole.body_follows = false;
  state_ = state::answering;
  place_.stand(line::busy);
  if (!out_.waits()) place_.never_due();
  owner_.call_.body_read(number_);
}

bool connection::read_body(bool known) {
  if (state_ != state::judging) return false;
  state_ = state::receiving;
  if (known) place_.know();
  if (place_.known()) place_.stand(line::busy);
  place_.due_after(limits::body_read);
  if (in_.done()) return deliver(), true;  // there was no room for what had come
  if (in_.expect_body()) {
    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    const asio::const_buffer piece = asio::buffer(go_on);
    wrote(out_.write({&piece, 1}));
  }
  if (in_.keeps()) consume({});
  read();
  return true;
}

/// One that was read, or was delivered: then its exchange is none any more. (One that has just come
/// from another unit stays.)
bool connection::move_to(http_request& request, std::uint8_t unit) {
  const bool here = state_ == state::reading || state_ == state::answering;
  if (!here || unit >= owner_.units_ || unit == unit_.id() || out_.waits()) return false;
  number_ = owner_.next_number_++;
  parting_ = {std::make_unique<http_request>(std::move(request)), unit};
  place_.hold_body(0);  // what has come of it is counted there
  state_ = state::moving;
  place_.stand(line::busy);
  if (reading_ != progress::running) return depart(), true;
  // A read that was started for what comes next may have taken bytes already, and its handler
  // waits: it goes on from there.
  error_code ec;
  socket_.cancel(ec);
  return true;
}

void connection::depart() {
  error_code ec;
  const bool v6 = socket_.local_endpoint(ec).address().is_v6();
  const int fd = socket_.release(ec);
  if (ec) return cut_off();
  auto box = std::make_shared<travelling_connection>(fd, v6);
  box->request = std::move(parting_.request);
  box->intake = std::make_unique<request_intake>(std::move(in_));
  box->known = place_.known();
  ++owner_.on_the_way_;
  close();
  owner_.call_.moved(parting_.unit, std::move(box));
}

/// To the actors of its unit.
void connection::hand_over(http_request request) {
  if (owner_.units_ > 1 && request.flaw == defect::none)
    if (const auto to = destination(request, owner_.bounds_.tasks.get(), owner_.units_);
        to && move_to(request, *to))
      return;
  const bool whole = !request.body_follows;
  state_ = whole ? state::answering : state::judging;
  if (whole) place_.stand(line::busy);
  if (!out_.waits()) place_.never_due();  // else it has yet to take what was written
  number_ = owner_.next_number_++;
  answer_ = {.chunked = request.head->version == 11, .posted = request.method() == verb::post};
  auto e = std::allocate_shared<http_exchange>(recycling<http_exchange>(), shared_from_this(),
                                               number_, std::move(request));
  if (!whole) {
    unread_ = &e->unread();
    place_.due_after(limits::header_judged);
  }
  owner_.call_.arrived(std::move(e));
}

// --- ending --------------------------------------------------------------------------------------

void connection::overdue() {
  if (!place_.due()) return;
  switch (state_) {
    case state::reading:
    case state::receiving:
      // Too slow: told so, through the pipeline's door, then closed.
      in_.flaw(defect::timeout);
      return deliver();
    case state::judging:
      // Nobody says whether the body is wanted. What they may yet say comes too late.
      respond({503, json_type, retry_soon, true}, {R"({"error":"busy"})"});
      number_ = owner_.next_number_++;
      return;
    case state::idle:
    case state::lingering:
      return close();
    default:
      if (!out_.waits() || !out_.took_enough())
        return cut_off();  // a client that does not take what it asked for
      out_.watch();
      return place_.due_after(limits::write_stall);
  }
}

void connection::drain() {
  if (state_ == state::idle && !in_.keeps()) return close();
  if (state_ == state::lingering && in_.rest_left()) place_.due_after(limits::linger);
}

void connection::cut_off() {
  const bool waits = delivered() || state_ == state::streaming;
  const auto number = number_;
  auto keep = shared_from_this();
  close();
  if (waits) owner_.call_.gone(number);
}

void connection::close() {
  if (state_ == state::closed) return;
  auto keep = shared_from_this();
  state_ = state::closed;
  in_.forget();
  unread_ = nullptr;
  out_.clear();
  error_code ec;
  socket_.close(ec);
  home_.reset();
  if (place_.leave()) owner_.left();
}

}  // namespace gate::http
