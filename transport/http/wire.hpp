#pragma once
/// The byte stream under a client connection: plain TCP or TLS. Thread: the unit's.
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transport/interfaces.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::http {

/// Who is told. Each operation that was started is reported once, also when it was aborted.
class wire_user {
 public:
  virtual ~wire_user() = default;
  virtual void on_connected(boost::system::error_code ec) = 0;
  virtual void on_read(boost::system::error_code ec, std::size_t n) = 0;
  virtual void on_written(boost::system::error_code ec) = 0;
};
using wire_user_ptr = std::shared_ptr<wire_user>;

class wire {
 public:
  /// How far a write has come. `on_written` is called for all but `done`.
  enum class progress : std::uint8_t {
    done,     ///< the kernel has all of it
    unsent,   ///< the kernel has nothing of it: writing failed
    running,  ///< the kernel has some of it
  };

  virtual ~wire() = default;
  /// Tries the addresses, the second before the first has failed; with TLS, includes the handshake
  /// and the check of the host name.
  virtual void connect(std::vector<boost::asio::ip::tcp::endpoint> to, wire_user_ptr user) = 0;
  virtual void read(boost::asio::mutable_buffer into, wire_user_ptr user) = 0;
  /// Reads more without waiting; `would_block` when there is nothing.
  virtual std::size_t read_now(boost::asio::mutable_buffer into, boost::system::error_code& ec) = 0;
  /// Has the peer said nothing that is not read yet, nor closed? False also where that can not be
  /// told without reading.
  virtual bool silent() { return false; }
  /// Writes all pieces; what the kernel does not take is copied. One write at a time: the next may
  /// only start when this one is done.
  virtual progress write(std::span<const boost::asio::const_buffer> pieces, wire_user_ptr user) = 0;
  /// Bytes we wrote that the peer's kernel has not acknowledged. After an orderly end of the peer
  /// (whose FIN acknowledges all that had come by then) this tells how much it never saw. After a
  /// reset it proves nothing: a server that read a request may reset the connection before its
  /// kernel, which delays acknowledgements, has sent one.
  virtual std::size_t unacknowledged() = 0;
  /// What was waited for in vain when connecting took too long, for the log.
  virtual std::string lateness() const { return "no connection within the deadline"; }
  /// Why connecting failed, for the log.
  virtual std::string describe(boost::system::error_code ec) { return ec.message(); }
  /// How far it had come when it failed.
  virtual obstacle where() const { return obstacle::unreachable; }
  virtual void close() = 0;
};

/// What clients' wires share: TLS 1.2 at least, and the authorities of the system, or those of the
/// file that SSL_CERT_FILE names.
boost::asio::ssl::context make_client_tls();

std::unique_ptr<wire> make_plain_wire(scheduler::io_unit& unit);
/// Verifies the server's certificate against the context's trust store and `host`.
std::unique_ptr<wire> make_tls_wire(boost::asio::io_context& context,
                                    boost::asio::ssl::context& tls, const std::string& host);

}  // namespace gate::http
