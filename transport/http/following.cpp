#include "transport/http/following.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::http {
namespace asio = boost::asio;
using asio::ip::tcp;

following::following(scheduler::io_unit& unit, lookups& names, follow what, hearer to)
    : unit_(unit), names_(names), what_(std::move(what)), to_(std::move(to)) {}

std::unique_ptr<wire> following::make_wire() {
  if (!what_.where.tls) return make_plain_wire(unit_);
  if (what_.ca_file.empty()) {
    tls_.emplace(make_client_tls());
  } else {
    tls_.emplace(asio::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(tls_->native_handle(), TLS1_2_VERSION);
    error_code ec;
    tls_->load_verify_file(what_.ca_file, ec);
    if (ec) {
      end(follow_end::unreached,
          what_.ca_file + ": no certificates could be read there (" + ec.message() + ")");
      return nullptr;
    }
  }
  return make_tls_wire(unit_.context(), *tls_, what_.where.host);
}

void following::start() {
  wire_ = make_wire();
  if (!wire_) return;
  error_code ec;
  if (const auto literal = asio::ip::make_address(what_.where.host, ec); !ec)
    return connect({tcp::endpoint(literal, what_.where.port)});
  names_.start(what_.where.host, what_.where.port,
               [self = shared_from_this()](error_code e, endpoints found) {
                 if (self->over_) return;
                 if (e) return self->end(follow_end::unreached, e.message());
                 if (found.empty())
                   return self->end(follow_end::unreached, "the host name has no address");
                 self->connect(std::move(found));
               });
}

void following::connect(endpoints to) {
  wire_->connect(std::move(to), shared_from_this());
}

void following::on_connected(error_code ec) {
  const scheduler::handler_scope scope(unit_);
  if (over_) return;
  if (ec) return end(follow_end::unreached, wire_->describe(ec));
  send();
  if (!over_) read();
}

void following::send() {
  request_ = "GET " + what_.where.target + " HTTP/1.1\r\nHost: " + what_.where.authority() +
             "\r\nUser-Agent: gate-discovery/" GATE_VERSION "\r\nConnection: close\r\n" +
             what_.headers + "\r\n";
  const std::array<asio::const_buffer, 1> piece{asio::buffer(request_)};
  // One that failed is told by `on_written`.
  wire_->write(piece, shared_from_this());
}

void following::on_written(error_code ec) {
  const scheduler::handler_scope scope(unit_);
  if (!over_ && ec) end(follow_end::broken, ec.message());
}

void following::read() {
  if (std::exchange(reading_, true)) return;
  wire_->read(asio::buffer(in_), shared_from_this());
}

void following::on_read(error_code ec, std::size_t n) {
  const scheduler::handler_scope scope(unit_);
  reading_ = false;
  if (over_) return;
  unread_.append(in_.data(), n);
  unread_.erase(0, reader_.feed(unread_));
  // The reader takes what it can, and a line or a trailer only when the whole of it is there.
  if (!reader_.done() && unread_.size() > limits::answer_header_bytes)
    return end(follow_end::malformed, "a line or trailer of it is longer than " +
                                          std::to_string(limits::answer_header_bytes) + " bytes");
  if (ec && !reader_.done()) {
    // A peer that does not say goodbye in TLS has ended nonetheless: whether something is missing
    // is told by the framing of HTTP.
    if (ec == asio::error::eof || ec == asio::ssl::error::stream_truncated) reader_.end_of_input();
    if (!reader_.done()) return end(follow_end::broken, ec.message());
  }
  tell();
}

void following::tell() {
  if (reader_.header_done() && !std::exchange(began_, true))
    to_.began({what_.id, reader_.status(), reader_.retry_after()});
  if (over_) return;
  if (auto piece = reader_.take_body(); !piece.empty()) {
    held_ = true;
    return to_.said({what_.id, std::move(piece)});
  }
  if (!reader_.done()) return read();
  const auto how = reader_.end();
  end(how, how == follow_end::complete ? ""
           : how == follow_end::broken ? "the connection ended within the answer"
                                       : "the answer is not HTTP");
}

void following::go_on() {
  if (!over_ && std::exchange(held_, false)) tell();
}

void following::end(follow_end how, std::string why) {
  if (std::exchange(over_, true)) return;
  if (wire_) wire_->close();
  const auto told = std::exchange(to_, {});
  told.ended({what_.id, how, std::move(why)});
}

void following::cancel() {
  over_ = true;
  to_ = {};
  if (wire_) wire_->close();
}

}  // namespace gate::http
