#include "transport/http/wire.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <cassert>

#include "transport/http/dialer.hpp"

namespace gate::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// Below this, joining the pieces costs less than handing the kernel each.
constexpr std::size_t joined_bytes = 16 * 1024;

std::size_t unacknowledged_bytes(tcp::socket& socket) {
  int bytes = 0;
  const bool known = ::ioctl(socket.native_handle(), SIOCOUTQ, &bytes) == 0 && bytes > 0;
  return known ? static_cast<std::size_t>(bytes) : 0;
}

void prepare(tcp::socket& socket) {
  error_code ec;
  socket.set_option(tcp::no_delay(true), ec);
  socket.non_blocking(true, ec);
}

class plain_wire final : public wire {
 public:
  explicit plain_wire(scheduler::io_unit& unit) : unit_(unit), socket_(unit.context()) {}

  void connect(std::vector<tcp::endpoint> to, wire_user_ptr user) override {
    dialer_ =
        std::make_shared<dialer>(unit_.context(), std::move(to),
                                 [this, user = std::move(user)](error_code ec, tcp::socket s) {
                                   socket_ = std::move(s);
                                   if (!ec) prepare(socket_);
                                   user->on_connected(ec);
                                 });
    dialer_->start();
  }

  void read(asio::mutable_buffer into, wire_user_ptr user) override {
    socket_.async_read_some(
        into, asio::bind_allocator(read_memory_.allocator(),
                                   [user = std::move(user)](error_code ec, std::size_t n) {
                                     user->on_read(ec, n);
                                   }));
  }

  std::size_t read_now(asio::mutable_buffer into, error_code& ec) override {
    return socket_.read_some(into, ec);
  }

  bool silent() override {
    char byte = 0;
    error_code ec;
    socket_.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, ec);
    return ec == asio::error::would_block || ec == asio::error::try_again;
  }

  progress write(std::span<const asio::const_buffer> pieces, wire_user_ptr user) override {
    assert(rest_.empty());  // else a write is under way, and these bytes would land among its own
    error_code ec;
    const bool joined = asio::buffer_size(pieces) < joined_bytes;
    if (joined)
      for (const auto& p : pieces) rest_.append(static_cast<const char*>(p.data()), p.size());
    std::size_t written =
        joined ? socket_.write_some(asio::buffer(rest_), ec) : socket_.write_some(pieces, ec);
    if (ec && ec != asio::error::would_block && ec != asio::error::try_again) {
      rest_.clear();
      asio::post(socket_.get_executor(), [user = std::move(user), ec] { user->on_written(ec); });
      return progress::unsent;
    }
    if (ec) written = 0;
    if (joined && written < rest_.size()) return write_rest(written, std::move(user));
    if (joined) return rest_.clear(), progress::done;
    for (const auto& p : pieces) {
      if (written >= p.size()) {
        written -= p.size();
        continue;
      }
      rest_.append(static_cast<const char*>(p.data()) + written, p.size() - written);
      written = 0;
    }
    if (rest_.empty()) return progress::done;
    return write_rest(0, std::move(user));
  }

  std::size_t unacknowledged() override { return unacknowledged_bytes(socket_); }

  void close() override {
    if (dialer_) dialer_->cancel();
    error_code ec;
    socket_.close(ec);
  }

 private:
  progress write_rest(std::size_t from, wire_user_ptr user) {
    asio::async_write(socket_, asio::buffer(rest_.data() + from, rest_.size() - from),
                      [this, user = std::move(user)](error_code ec, std::size_t) {
                        if (!ec) std::string().swap(rest_);
                        user->on_written(ec);
                      });
    return progress::running;
  }

  scheduler::io_unit& unit_;
  scheduler::handler_memory read_memory_;
  tcp::socket socket_;
  std::shared_ptr<dialer> dialer_;
  std::string rest_;
};

class tls_wire final : public wire {
 public:
  tls_wire(asio::io_context& context, asio::ssl::context& tls, const std::string& host)
      : context_(context), stream_(context, tls) {
    // Server Name Indication is defined for names only, not for addresses (RFC 6066 §3).
    error_code ec;
    asio::ip::make_address(host, ec);
    if (ec) SSL_set_tlsext_host_name(stream_.native_handle(), host.c_str());
    stream_.set_verify_mode(asio::ssl::verify_peer);
    if (ec)
      SSL_set1_host(stream_.native_handle(), host.c_str());
    else
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(stream_.native_handle()), host.c_str());
  }

  void connect(std::vector<tcp::endpoint> to, wire_user_ptr user) override {
    dialer_ = std::make_shared<dialer>(
        context_, std::move(to), [this, user = std::move(user)](error_code ec, tcp::socket s) {
          if (ec) return user->on_connected(ec);
          stream_.next_layer() = std::move(s);
          prepare(stream_.next_layer());
          handshake(user);
        });
    dialer_->start();
  }

  void read(asio::mutable_buffer into, wire_user_ptr user) override {
    stream_.async_read_some(
        into, [user = std::move(user)](error_code ec, std::size_t n) { user->on_read(ec, n); });
  }

  std::size_t read_now(asio::mutable_buffer, error_code& ec) override {
    ec = asio::error::would_block;  // a TLS stream is read by one operation at a time
    return 0;
  }

  progress write(std::span<const asio::const_buffer> pieces, wire_user_ptr user) override {
    assert(out_.empty());
    for (const auto& p : pieces) out_.append(static_cast<const char*>(p.data()), p.size());
    asio::async_write(stream_, asio::buffer(out_),
                      [this, user = std::move(user)](error_code ec, std::size_t) {
                        if (!ec) out_.clear();
                        if (out_.capacity() > joined_bytes) out_.shrink_to_fit();
                        user->on_written(ec);
                      });
    return progress::running;
  }

  /// Counts records, which are a little longer than what they carry; a part of a record is of no
  /// use to the server.
  std::size_t unacknowledged() override { return unacknowledged_bytes(stream_.next_layer()); }

  std::string describe(error_code ec) override {
    // The first bytes that came were no TLS record.
    if (ec.category() == asio::error::get_ssl_category() &&
        ERR_GET_REASON(static_cast<unsigned long>(ec.value())) == SSL_R_WRONG_VERSION_NUMBER)
      return "the server does not speak TLS: is its URL http://?";
    const auto verdict = SSL_get_verify_result(stream_.native_handle());
    if (verdict == X509_V_OK) return ec.message();
    return ec.message() + ": " + X509_verify_cert_error_string(verdict);
  }

  obstacle where() const override { return shaking_hands_ ? obstacle::tls : obstacle::unreachable; }

  std::string lateness() const override {
    return shaking_hands_ ? "no answer to the TLS handshake within the deadline: does the server "
                            "speak TLS?"
                          : wire::lateness();
  }

  void close() override {
    if (dialer_) dialer_->cancel();
    error_code ec;
    stream_.next_layer().close(ec);
  }

 private:
  void handshake(wire_user_ptr user) {
    shaking_hands_ = true;
    stream_.async_handshake(asio::ssl::stream_base::client,
                            [user = std::move(user)](error_code ec) { user->on_connected(ec); });
  }

  asio::io_context& context_;
  asio::ssl::stream<tcp::socket> stream_;
  std::shared_ptr<dialer> dialer_;
  bool shaking_hands_ = false;
  std::string out_;
};

}  // namespace

asio::ssl::context make_client_tls() {
  asio::ssl::context out(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(out.native_handle(), TLS1_2_VERSION);
  out.set_default_verify_paths();
  return out;
}

std::unique_ptr<wire> make_plain_wire(scheduler::io_unit& unit) {
  return std::make_unique<plain_wire>(unit);
}

std::unique_ptr<wire> make_tls_wire(asio::io_context& context, asio::ssl::context& tls,
                                    const std::string& host) {
  return std::make_unique<tls_wire>(context, tls, host);
}

}  // namespace gate::http
