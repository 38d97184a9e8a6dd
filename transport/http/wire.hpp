#pragma once
/// The byte stream under a client connection: plain TCP or TLS. Thread: the unit's.
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transport/scheduler/io_unit.hpp"

namespace gate::http {

/// Who is told. Each operation that was started is reported once, also when it was aborted.
class wire_user : public scheduler::turn_end_user {
 public:
  virtual ~wire_user() = default;
  virtual void on_connected(boost::system::error_code ec) = 0;
  virtual void on_read(boost::system::error_code ec, std::size_t n) = 0;
  virtual void on_written(boost::system::error_code ec) = 0;
};
using wire_user_ptr = std::shared_ptr<wire_user>;

class wire {
 public:
  virtual ~wire() = default;
  /// Tries the addresses in order; with TLS, includes the handshake and the check of the host name.
  virtual void connect(std::vector<boost::asio::ip::tcp::endpoint> to, wire_user_ptr user) = 0;
  virtual void read(boost::asio::mutable_buffer into, wire_user_ptr user) = 0;
  /// Reads more without waiting; `would_block` when there is nothing.
  virtual std::size_t read_now(boost::asio::mutable_buffer into, boost::system::error_code& ec) = 0;
  /// Writes all pieces; small ones at the end of the turn (`on_turn_end` must call `flush`), large ones at
  /// once; what the kernel does not take is copied. True: written already, and `on_written` will not
  /// be called.
  virtual bool write(std::span<const boost::asio::const_buffer> pieces, wire_user_ptr user) = 0;
  /// At the end of a turn: writes what was gathered.
  virtual void flush(wire_user_ptr user) = 0;
  /// Are bytes we wrote not yet acknowledged by the peer's kernel? Tells a request that never reached
  /// the server from one that it took and lost.
  virtual bool unacknowledged() = 0;
  virtual void close() = 0;
};

std::unique_ptr<wire> make_plain_wire(scheduler::io_unit& unit);
/// Verifies the server's certificate against the context's trust store and `host`.
std::unique_ptr<wire> make_tls_wire(boost::asio::io_context& context,
                                    boost::asio::ssl::context& tls, const std::string& host);

}  // namespace gate::http
