#include "transport/http/inspection.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <utility>

#include "protocol/http/ascii.hpp"
#include "protocol/limits/doctor.hpp"
#include "transport/http/certificate.hpp"

namespace gate::http {
namespace asio = boost::asio;
using asio::ip::tcp;

inspection::inspection(const surroundings& s, inspect what, answer then)
    : s_(s), what_(std::move(what)), then_(std::move(then)), timer_(s.unit.context()) {
  out_.id = what_.id;
}

void inspection::start() {
  begun_ = std::chrono::steady_clock::now();
  timer_.expires_after(what_.timeout);
  timer_.async_wait([weak = weak_from_this()](error_code ec) {
    const auto self = weak.lock();
    if (ec || !self) return;
    const scheduler::handler_scope scope(self->s_.unit);
    self->out_.late = true;
    self->end("no answer in time");
  });
  error_code ec;
  if (const auto literal = asio::ip::make_address(what_.where.host, ec); !ec)
    return connect({tcp::endpoint(literal, what_.where.port)});
  s_.names.start(what_.where.host, what_.where.port,
                 [self = shared_from_this()](error_code e, endpoints found) {
                   if (e) return self->end(e.message());
                   if (found.empty()) return self->end("the host name has no address");
                   self->connect(std::move(found));
                 });
}

void inspection::connect(endpoints to) {
  if (!then_) return;
  out_.ended = inspection_stage::connect;
  out_.addresses = to.size();
  dialer_ =
      std::make_shared<dialer>(s_.unit.context(), std::move(to),
                               [self = shared_from_this()](error_code ec, tcp::socket socket) {
                                 const scheduler::handler_scope scope(self->s_.unit);
                                 self->connected(ec, std::move(socket));
                               });
  dialer_->start();
}

void inspection::connected(error_code ec, tcp::socket socket) {
  dialer_.reset();
  if (!then_) return;
  if (ec) return end(ec.message());
  error_code unknown;
  const auto at = socket.remote_endpoint(unknown);
  if (!unknown) out_.address = at.address().to_string() + " port " + std::to_string(at.port());
  plain_ = std::move(socket);
  if (what_.where.tls) return shake_hands();
  out_.took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begun_);
  ask_or_end();
}

void inspection::shake_hands() {
  out_.ended = inspection_stage::tls;
  secure_.emplace(std::move(*plain_), s_.tls);
  plain_.reset();
  error_code named;
  asio::ip::make_address(what_.where.host, named);
  // Server Name Indication is defined for names only, not for addresses (RFC 6066 §3).
  if (named) SSL_set_tlsext_host_name(secure_->native_handle(), what_.where.host.c_str());
  secure_->async_handshake(asio::ssl::stream_base::client,
                           [self = shared_from_this()](error_code ec) {
                             const scheduler::handler_scope scope(self->s_.unit);
                             self->shaken(ec);
                           });
}

void inspection::shaken(error_code ec) {
  if (!then_) return;
  if (ec.category() == asio::error::get_ssl_category() &&
      ERR_GET_REASON(static_cast<unsigned long>(ec.value())) == SSL_R_WRONG_VERSION_NUMBER)
    return end("the server does not speak TLS");
  if (ec == asio::error::eof || ec == asio::ssl::error::stream_truncated)
    return end("the server ended the connection: does it speak TLS?");
  if (ec) return end(ec.message());
  out_.took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begun_);
  out_.certificate = certificate_of(secure_->native_handle(), what_.where.host);
  // Nobody is asked anything whom EGRESS would not ask.
  const auto& c = out_.certificate;
  if (!c || !c->for_host || !c->distrust.empty()) what_.get = false;
  ask_or_end();
}

void inspection::ask_or_end() {
  if (!what_.get) {
    out_.ended = inspection_stage::done;
    return end({});
  }
  out_.ended = inspection_stage::answer;
  request_ = "GET " + what_.where.target + " HTTP/1.1\r\nHost: " + what_.where.authority() +
             "\r\nAccept: */*\r\nUser-Agent: gate/" GATE_VERSION "\r\nConnection: close\r\n\r\n";
  auto sent = [self = shared_from_this()](error_code ec, std::size_t) {
    const scheduler::handler_scope scope(self->s_.unit);
    if (!self->then_) return;
    if (ec) return self->end(ec.message());
    self->read();
  };
  if (secure_)
    asio::async_write(*secure_, asio::buffer(request_), std::move(sent));
  else
    asio::async_write(*plain_, asio::buffer(request_), std::move(sent));
}

void inspection::read() {
  auto came = [self = shared_from_this()](error_code ec, std::size_t n) {
    const scheduler::handler_scope scope(self->s_.unit);
    self->heard(ec, n);
  };
  if (secure_)
    secure_->async_read_some(asio::buffer(in_), std::move(came));
  else
    plain_->async_read_some(asio::buffer(in_), std::move(came));
}

void inspection::heard(error_code ec, std::size_t n) {
  if (!then_) return;
  constexpr std::string_view mark = "\r\n\r\n";
  // It may have begun in what was there before.
  const auto from = head_.size() - std::min(head_.size(), mark.size() - 1);
  head_.append(in_.data(), n);
  const auto end_of_head = head_.find(mark, from);
  if (end_of_head != std::string::npos) return read_head(head_.substr(0, end_of_head + 2));
  if (ec) return end("the connection ended within the answer");
  if (head_.size() > limits::doctor_head_bytes) return end("the head of its answer is too long");
  read();
}

void inspection::read_head(std::string_view head) {
  if (!head.starts_with("HTTP/1.") || head.size() < 12) return end("the answer is not HTTP");
  std::from_chars(head.data() + 9, head.data() + 12, out_.status);
  if (out_.status < 100) return end("the answer is not HTTP");
  while (!head.empty()) {
    const auto line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(head.size(), line.size() + 2));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (same_text(line.substr(0, colon), "Age")) out_.copy = true;
    if (!same_text(line.substr(0, colon), "Date")) continue;
    out_.date = line.substr(std::min(line.find_first_not_of(" \t", colon + 1), line.size()));
  }
  out_.ended = inspection_stage::done;
  end({});
}

void inspection::end(std::string why) {
  const auto then = std::exchange(then_, nullptr);
  if (!then) return;
  close();
  out_.why = std::move(why);
  then(std::move(out_));
}

void inspection::cancel() {
  then_ = nullptr;
  close();
}

/// Closed, not destroyed: operations that end as aborted still name them.
void inspection::close() {
  timer_.cancel();
  if (dialer_) dialer_->cancel();
  error_code ec;
  if (secure_) secure_->next_layer().close(ec);
  if (plain_) plain_->close(ec);
}

}  // namespace gate::http
