#include "transport/http/client_connection.hpp"

#include <algorithm>
#include <boost/asio/ssl/error.hpp>
#include <chrono>
#include <utility>

#include "protocol/base/pen.hpp"

namespace gate::http {
namespace asio = boost::asio;
using boost::system::error_code;

namespace {

std::string_view method_name(verb v) {
  switch (v) {
    case verb::get:
      return "GET ";
    case verb::del:
      return "DELETE ";
    case verb::options:
      return "OPTIONS ";
    case verb::patch:
      return "PATCH ";
    case verb::post:
      break;
  }
  return "POST ";
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

client_connection::client_connection(pool& owner, std::unique_ptr<wire> w)
    : owner_(owner), unit_(owner.owner_.unit_), wire_(std::move(w)), intake_(owner.owner_.rates_) {}

// --- connecting ----------------------------------------------------------------------------------

void client_connection::arm_connect_deadline() {
  connect_timer_ = std::make_unique<asio::steady_timer>(unit_.context());
  connect_timer_->expires_after(job_->ask.what->to->connect_timeout);
  connect_timer_->async_wait([weak = weak_from_this()](error_code ec) {
    auto self = weak.lock();
    if (ec || !self || self->closed_ || self->connected_) return;
    const scheduler::handler_scope scope(self->unit_);
    fetched f;
    f.end = fetch_end::connect_timeout;
    f.untouched = true;
    f.why = self->wire_->lateness();
    self->finish(std::move(f));
  });
}

/// Who does not answer the end of a session is not waited for: it would hold a connection for
/// nothing. The time counts from sending.
void client_connection::arm_end_deadline() {
  end_timer_ = std::make_unique<asio::steady_timer>(unit_.context());
  end_timer_->expires_after(limits::goodbye);
  end_timer_->async_wait([weak = weak_from_this()](error_code ec) {
    auto self = weak.lock();
    if (ec || !self || self->closed_ || !self->end_timer_) return;
    const scheduler::handler_scope scope(self->unit_);
    if (!self->job_ || !self->place_.ends) return;
    if (self->end_timer_->expiry() > clock::now()) return;  // it is the next one's
    fetched f;
    f.end = fetch_end::broken;
    f.why = "the end of a session was not answered";
    self->finish(std::move(f));
  });
}

void client_connection::connect(endpoints to, bool old) {
  old_addresses_ = old;
  if (to.empty()) return connect_failed(obstacle::unresolved, "the host name has no address");
  wire_->connect(std::move(to), shared_from_this());
}

void client_connection::connect_failed(obstacle where, std::string why) {
  fetched f;
  f.end = fetch_end::connect_failed;
  f.obstacle = where;
  f.untouched = true;
  f.why = std::move(why);
  finish(std::move(f));
}

void client_connection::on_connected(error_code ec) {
  const scheduler::handler_scope scope(unit_);
  if (closed_) return;
  if (ec && std::exchange(old_addresses_, false)) {
    // The host may have moved. A new wire: the old one may have begun a handshake, and is what
    // called us, so it ends later.
    asio::post(unit_.context(), [old = std::shared_ptr<wire>(std::move(wire_))] {});
    wire_ = owner_.make_wire();
    owner_.resolve(shared_from_this(), false);
  } else if (ec) {
    connect_failed(wire_->where(), wire_->describe(ec));
  } else {
    connected_ = true;
    connect_timer_.reset();
    read();
    send();
  }
}

// --- one exchange --------------------------------------------------------------------------------

void client_connection::run(job j) {
  job_ = std::move(j);
  idle_until_ = clock::time_point::max();
  send();
}

/// Small requests are written at the end of the turn, with those of others. And all of them are
/// behind what has come by now: what the server said as it closed its idle connection answers no
/// request.
void client_connection::send() {
  intake_.begin(job_->ask.what->to->max_response_bytes);
  stream_told_ = false;
  sent_ = {wire::progress::unsent, true};
  if (unit_.alone() && reading_ == progress::running && wire_->silent())
    unit_.at_turn_end(shared_from_this());
  else
    unit_.behind_all(shared_from_this());
}

void client_connection::on_turn_end() {
  if (closed_) return;
  const bool unheard = reading_ == progress::wanted;
  if (unheard) {
    reading_ = progress::running;
    wire_->read(asio::buffer(in_), shared_from_this());
  }
  if (!sent_.waits) return;
  if (unheard) return unit_.behind_all(shared_from_this());
  sent_.waits = false;
  write_request();
}

void client_connection::write_request() {
  const auto& what = *job_->ask.what;
  const auto& destination = *what.to;
  pen head(owner_.owner_.scratch_, 512);
  head << method_name(what.method)
       << std::string_view(job_->target.empty() ? destination.url.target : job_->target)
       << " HTTP/1.1\r\n"
       << std::string_view(owner_.host_line_);
  if (what.headers) head << std::string_view(*what.headers);
  if (what.own_headers) head << std::string_view(*what.own_headers);
  const auto length =
      what.before.size() + what.first.size() + what.second.size() + what.after.size();
  if (what.method == verb::post || what.method == verb::patch)
    head << "Content-Length: " << length << "\r\n";
  head << "\r\n";
  const std::array<asio::const_buffer, 5> pieces{
      asio::buffer(head.text()), asio::buffer(what.before),
      asio::const_buffer(what.first.data(), what.first.size()),
      asio::const_buffer(what.second.data(), what.second.size()),
      asio::const_buffer(what.after.data(), what.after.size())};
  sent_.bytes = head.size() + length;
  if (place_.ends) arm_end_deadline();
  sent_.written = wire_->write(pieces, shared_from_this());
}

void client_connection::on_written(error_code ec) {
  const scheduler::handler_scope scope(unit_);
  if (ec)
    sent_.failed = true;
  else
    sent_.written = wire::progress::done;
  // A server may answer and close before it has read everything: what it said counts, so a failed
  // write alone ends nothing while an answer is arriving.
  if (closed_ || !ec || !job_ || intake_.started()) return;
  broke(ec);
}

/// Behind what others write in this turn; see `connection::read`.
void client_connection::read() {
  if (reading_ != progress::none || closed_ || paused_) return;
  reading_ = progress::wanted;
  unit_.behind_writes(shared_from_this());
}

void client_connection::on_read(error_code ec, std::size_t n) {
  const scheduler::handler_scope scope(unit_);
  reading_ = progress::none;
  if (closed_) return;
  auto keep = shared_from_this();
  if (ec) {
    broke(ec);
  } else {
    consume({in_.data(), n});
    if (n == in_.size()) {
      auto& buffer = owner_.owner_.read_scratch_;
      for (std::size_t got_now = n; got_now < limits::answer_turn_bytes && !closed_ && !paused_;) {
        error_code more;
        const auto got = wire_->read_now(buffer.buffer(), more);
        if (more == asio::error::would_block || more == asio::error::try_again) break;
        if (more) {
          broke(more);
          break;
        }
        got_now += got;
        consume({buffer.data(), got});
        if (got < buffer.bytes) break;
      }
    }
    if (!closed_) read();
  }
}

void client_connection::consume(std::string_view bytes) {
  if (closed_) return;
  if (!job_)
    return close(), owner_.remove(shared_from_this());  // nobody asked: not HTTP as we know it
  // An answer to a request that was not sent yet (a server that complains about an idle connection,
  // or says more than it was asked) belongs to nobody.
  if (used_ && sent_.written == wire::progress::unsent)
    return broke(boost::system::errc::make_error_code(boost::system::errc::protocol_error));
  const auto turn = intake_.take(bytes);
  if (intake_.answer().has_events() || stream_begins()) deliver_events();
  if (closed_) return;
  switch (turn) {
    case answer_intake::turn::more:
      return;
    case answer_intake::turn::done:
      return answered();
    case answer_intake::turn::later:
      return pause();
    case answer_intake::turn::endless:
      break;
  }
  fetched f;
  f.end = fetch_end::malformed;
  f.why = "an endless header or chunk header";
  finish(std::move(f));
}

void client_connection::pause() {
  paused_ = true;
  if (!pause_timer_) pause_timer_ = std::make_unique<asio::steady_timer>(unit_.context());
  pause_timer_->expires_at(intake_.go_on_at());
  pause_timer_->async_wait([weak = weak_from_this()](error_code ec) {
    if (auto self = weak.lock(); self && !ec) self->go_on();
  });
}

void client_connection::go_on() {
  if (closed_) return;
  const scheduler::handler_scope scope(unit_);
  paused_ = false;
  if (!intake_.may_go_on()) return pause();
  consume({});
  read();
}

/// Whoever listens hears when its stream is open, before anything is said on it.
bool client_connection::stream_begins() {
  auto& answer = intake_.answer();
  const bool open = job_->ask.what->method == verb::get && answer.header_done() &&
                    answer.status() == 200 && answer.media() == media::events;
  return open && !std::exchange(stream_told_, true);
}

void client_connection::deliver_events() {
  stream_told_ = true;
  streamed s;
  s.id = job_->ask.what->id;
  auto& answer = intake_.answer();
  s.session_id = answer.session_id();
  s.retry_ms = answer.retry_ms();
  s.events = answer.take_events();
  owner_.owner_.call_.events(job_->ask.asker, std::move(s));
}

void client_connection::answered() {
  auto& answer = intake_.answer();
  if (answer.end() == fetch_end::complete && is_redirect(answer.status()) && follow_redirect())
    return;
  fetched f;
  f.end = answer.end();
  f.status = answer.status();
  f.media = answer.media();
  f.session_id = answer.session_id();
  f.retry_after = answer.retry_after();
  f.retry_after_text = answer.retry_after_text();
  f.retry_ms = answer.retry_ms();
  if (f.end == fetch_end::complete && is_redirect(f.status)) {
    f.end = fetch_end::redirected;
    f.why = "answered " + std::to_string(f.status) + ", and this redirect is not followed";
  }
  if (f.media != media::events || f.status != 200) f.body = answer.take_body();
  if (f.end == fetch_end::too_large) f.why = "the answer exceeds maxResponseBytes";
  if (f.end == fetch_end::malformed) f.why = "the answer is not HTTP/1.1";
  finish(std::move(f));
}

/// Within the same origin only, so that no credential and no request ever reaches another host; and
/// only when the method and body stay what they were.
bool client_connection::follow_redirect() {
  const auto& what = *job_->ask.what;
  const auto status = intake_.answer().status();
  if (status != 307 && status != 308 && what.method != verb::get) return false;
  if (!what.to->redirects || job_->redirects >= limits::redirects) return false;
  std::string target;
  if (const auto& location = intake_.answer().location(); location.starts_with('/')) {
    if (location.starts_with("//")) return false;
    target = location;
  } else {
    auto to = parse_url(location);
    if (!to || to->origin() != what.to->url.origin()) return false;
    target = to->target;
  }
  for (char c : target)
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f)
      return false;
  job again = std::move(*job_);
  again.target = std::move(target);
  ++again.redirects;
  const bool keeps = reusable();
  auto keep = shared_from_this();
  auto& pool = owner_;
  job_.reset();
  intake_.end();
  end_timer_.reset();
  if (!keeps) {
    pool.remove(keep);
    close();
  } else {
    used_ = true;
    idle_until_ = pool.owner_.now_ + server_keeps_;
    pool.idle(keep);
  }
  pool.start(std::move(again));
  if (!keeps) pool.next();
  return true;
}

// --- ending --------------------------------------------------------------------------------------

bool client_connection::reusable() const {
  return connected_ && intake_.reusable() && sent_.written == wire::progress::done;
}

/// Proof that the server has not begun to work on the request: nothing of it has left us, or the
/// server had ended the connection in order before any of it arrived. A reset is no proof (see
/// `wire::unacknowledged`), and after a failed write, an end that is read may be one.
bool client_connection::surely_untouched(error_code ec) {
  if (sent_.written == wire::progress::unsent) return true;
  const bool in_order = ec == asio::error::eof || ec == asio::ssl::error::stream_truncated;
  return in_order && !sent_.failed && wire_->unacknowledged() >= sent_.bytes;
}

/// The connection died. If it had carried requests before, the server may simply have closed it
/// while idle, in the very moment ours was sent: then the request is sent again, once, on a fresh
/// one, provided that the server can not have taken it (or taking it twice does no harm).
void client_connection::broke(error_code ec) {
  if (!job_) {
    auto keep = shared_from_this();
    owner_.remove(keep);
    return close();
  }
  if (intake_.started() && ec == asio::error::eof) {
    intake_.answer().end_of_input();
    if (intake_.answer().end() == fetch_end::complete) return answered();
  }
  const bool silent = !intake_.started();
  const bool untouched = silent && used_ && surely_untouched(ec);
  if (silent && used_ && !job_->resent && (untouched || job_->ask.what->repeatable)) {
    job again = std::move(*job_);
    again.resent = true;
    auto keep = shared_from_this();
    auto& pool = owner_;
    pool.remove(keep);
    close();
    return pool.open(std::move(again));
  }
  fetched f;
  f.end = fetch_end::broken;
  f.untouched = untouched;
  if (intake_.awaits()) {
    const auto& answer = intake_.answer();
    f.status = answer.status();
    f.media = answer.media();
    f.retry_ms = answer.retry_ms();
  }
  f.why = silent ? "the connection was closed before an answer: " + ec.message()
                 : "the connection was closed in the middle of the answer: " + ec.message();
  finish(std::move(f));
}

void client_connection::finish(fetched result) {
  auto keep = shared_from_this();
  auto& pool = owner_;
  const bool keeps = result.end == fetch_end::complete && reusable();
  result.id = job_->ask.what->id;
  const auto asker = std::move(job_->ask.asker);
  if (keeps) {
    if (auto t = intake_.answer().keep_alive_time(); t && *t < server_keeps_)
      server_keeps_ = std::max(*t - limits::origin_idle_margin, std::chrono::seconds{0});
  }
  job_.reset();
  intake_.end();
  end_timer_.reset();
  auto& owner = pool.owner_;
  if (keeps) {
    used_ = true;
    idle_until_ = owner.now_ + server_keeps_;
    pool.idle(keep);
  } else {
    pool.remove(keep);
    close();
    pool.next();
  }
  owner.call_.done(asker, std::move(result));
}

void client_connection::abandon() {
  auto keep = shared_from_this();
  auto& pool = owner_;
  pool.remove(keep);
  close();
  pool.next();
}

bool client_connection::carries(const abandon_fetch& what) const {
  return job_ && job_->ask.what->id == what.id && job_->ask.asker == what.asker;
}

void client_connection::close() {
  if (closed_) return;
  closed_ = true;
  connect_timer_.reset();
  end_timer_.reset();
  pause_timer_.reset();
  wire_->close();
}

}  // namespace gate::http
