#include "transport/store/line.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <utility>

#include "protocol/limits.hpp"
#include "transport/store/local_wire.hpp"

namespace gate::store {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using way = resp::store_url::way;

namespace {

std::unique_ptr<http::wire> make_wire(const line::surroundings& s) {
  if (s.to.how == way::local) return make_local_wire(s.unit, s.to.path);
  if (s.to.how == way::plain) return http::make_plain_wire(s.unit);
  if (!s.tls) s.tls = http::make_client_tls();
  return http::make_tls_wire(s.unit.context(), *s.tls, s.to.host);
}

/// What confirms that a channel is, or is no longer, listened to.
bool is_confirmation(const resp::value& v) {
  if (v.size() == 0) return false;
  const auto what = v.first();
  return what.is_text("subscribe") || what.is_text("unsubscribe");
}

bool is_message(const resp::value& v) {
  return v.size() > 0 && v.first().is_text("message");
}

}  // namespace

store_outcome outcome_of(const resp::value& v) {
  if (!v.is_error()) return store_outcome::ok;
  const auto word = v.word();
  if (word == "OOM") return store_outcome::oom;
  if (word == "LOADING") return store_outcome::loading;
  if (word == "READONLY") return store_outcome::read_only;
  return store_outcome::error;
}

line::line(const surroundings& s, line_user& user, resp::dialect most)
    : s_(s),
      user_(&user),
      handshake_(s.to, most),
      timer_(s.unit.context()),
      news_(most == resp::dialect::resp2) {}

// --- beginning -----------------------------------------------------------------------------------

void line::open() {
  wire_ = make_wire(s_);
  if (s_.to.how == way::local) return connect({});
  error_code ec;
  if (const auto literal = asio::ip::make_address(s_.to.host, ec); !ec)
    return connect({tcp::endpoint(literal, s_.to.port)});
  looks_up_ = true;
  s_.lookups.start(
      s_.to.host, s_.to.port, [weak = weak_from_this()](error_code e, http::endpoints found) {
        const auto self = weak.lock();
        if (!self || self->ended_) return;
        self->looks_up_ = false;
        if (e || found.empty())
          return self->end("its host name has no address (" + e.message() + "): check the name");
        self->connect(std::move(found));
      });
}

void line::connect(http::endpoints to) {
  wire_->connect(std::move(to), shared_from_this());
}

void line::on_connected(error_code ec) {
  const scheduler::handler_scope scope(s_.unit);
  if (ended_) return;
  if (ec) return end(meaning(ec, "no connection"));
  say(handshake_.take_output());
  read();
}

void line::shake_hands(const resp::value& v) {
  handshake_.heard(v);
  if (const auto more = handshake_.take_output(); !more.empty()) say(more);
  if (!handshake_.over()) return;
  if (handshake_.now() != resp::handshake::state::ready)
    return end(
        {handshake_.now() == resp::handshake::state::loading, std::string(handshake_.why())});
  ready_ = true;
  heard_at_ = monotonic::now();
  arm();
  user_->on_ready(*this);
}

// --- questions and answers -----------------------------------------------------------------------

void line::ask(std::string command, monotonic::time_point deadline, answer then, answered_by how) {
  waiting_bytes_ += command.size();
  waiting_.push_back({deadline, std::move(then), command.size(), how});
  say(command);
  if (deadline < armed_) arm();
}

void line::say(std::string_view bytes) {
  out_ += bytes;
  if (writing_ || std::exchange(turn_end_asked_, true)) return;
  s_.unit.at_turn_end(shared_from_this());
}

void line::on_turn_end() {
  turn_end_asked_ = false;
  if (ended_ || writing_ || out_.empty()) return;
  const std::array<asio::const_buffer, 1> piece{asio::buffer(out_)};
  writing_ = wire_->write(piece, shared_from_this()) != http::wire::progress::done;
  out_.clear();
}

void line::on_written(error_code ec) {
  const scheduler::handler_scope scope(s_.unit);
  writing_ = false;
  if (ended_) return;
  if (ec) return end(meaning(ec, "the connection was lost"));
  on_turn_end();
}

void line::read() {
  wire_->read(asio::buffer(in_), shared_from_this());
}

void line::on_read(error_code ec, std::size_t n) {
  const scheduler::handler_scope scope(s_.unit);
  if (ended_) return;
  if (ec) return end(meaning(ec, "the connection was lost"));
  heard_at_ = monotonic::now();
  reader_.take({in_.data(), n});
  while (const auto v = reader_.next()) {
    hear(*v);
    if (ended_) return;
  }
  if (!reader_.why().empty())
    return end("what answers there is no Redis server (" + reader_.why() +
               "): check the host and the port");
  read();
}

void line::hear(const resp::value& v) {
  if (!ready_) return v.kind() == resp::kind::push ? void() : shake_hands(v);
  // In RESP2 what is pushed looks like any list; such a line is asked for nothing else.
  const bool apart =
      v.kind() == resp::kind::push || (news_ && (is_message(v) || is_confirmation(v)));
  if (!apart) return settle(v);
  if (!is_confirmation(v)) return user_->on_push(v);
  if (!waiting_.empty() && waiting_.front().how == answered_by::confirmation) settle(v);
}

void line::settle(const resp::value& v) {
  if (waiting_.empty()) return end("it said something that nobody had asked for");
  auto front = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= front.bytes;
  if (!front.then) return;
  timeouts_ = 0;
  front.then(outcome_of(v), &v);
}

// --- time ----------------------------------------------------------------------------------------

/// One timer for all: for the next deadline, as it was when the timer was set; while nobody waits,
/// for the end of the silence that is borne.
void line::arm() {
  auto next = monotonic::time_point::max();
  for (const auto& q : waiting_)
    if (q.then) next = std::min(next, q.deadline);
  if (next == monotonic::time_point::max()) next = heard_at_ + limits::store_quiet;
  armed_ = next;
  timer_.expires_at(next);
  timer_.async_wait([weak = weak_from_this()](error_code ec) {
    const auto self = weak.lock();
    if (ec || !self || self->ended_) return;
    const scheduler::handler_scope scope(self->s_.unit);
    self->tick();
  });
}

void line::tick() {
  const auto now = monotonic::now();
  std::vector<answer> late;
  bool unconfirmed = false;
  for (auto& q : waiting_) {
    if (!q.then || q.deadline > now) continue;
    unconfirmed = unconfirmed || q.how == answered_by::confirmation;
    late.push_back(std::exchange(q.then, nullptr));
  }
  timeouts_ += late.size();
  // Whoever is told too much waits no longer; the line's user hears first that it is over.
  if (timeouts_ >= limits::store_timeouts || unconfirmed)
    end("it does not answer: see what it is busy with");
  for (const auto& then : late) then(store_outcome::timeout, nullptr);
  if (ended_) return;
  // Those who were told that it is over do not wait: of what they asked nothing may ever come.
  const bool anybody = std::ranges::any_of(waiting_, [](const auto& q) { return !!q.then; });
  if (!anybody && now - heard_at_ >= limits::store_quiet) {
    heard_at_ = now;
    user_->on_quiet(*this);
  }
  if (!ended_) arm();
}

// --- the end -------------------------------------------------------------------------------------

void line::abandon() {
  if (std::exchange(ended_, true)) return;
  timer_.cancel();
  if (wire_) wire_->close();
  waiting_.clear();
}

void line::drop() {
  if (ended_) return;
  const auto self = shared_from_this();
  auto left = std::exchange(waiting_, {});
  abandon();
  for (auto& q : left)
    if (q.then) q.then(store_outcome::lost, nullptr);
}

void line::end(line_end how) {
  if (ended_) return;
  const auto self = shared_from_this();
  auto left = std::exchange(waiting_, {});
  abandon();
  ready_ = false;
  user_->on_ended(*this, how);
  for (auto& q : left)
    if (q.then) q.then(store_outcome::lost, nullptr);
}

std::string line::meaning(error_code ec, std::string_view what) {
  const bool cut = ec == asio::error::eof || ec == asio::error::connection_reset ||
                   ec == asio::ssl::error::stream_truncated;
  if (cut && !ready_ && s_.to.how == way::plain)
    return "it ended the connection before it had said who it is: does it expect TLS (rediss://)?";
  if (cut) return "it ended the connection";
  if (s_.to.how != way::tls) return std::string(what) + ": " + ec.message();
  if (ec.category() == asio::error::get_ssl_category() &&
      ERR_GET_REASON(static_cast<unsigned long>(ec.value())) == SSL_R_WRONG_VERSION_NUMBER)
    return "it does not speak TLS: is its URL redis://?";
  return std::string(what) + ": " + wire_->describe(ec);
}

}  // namespace gate::store
