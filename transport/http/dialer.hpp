#pragma once
/// Connects to one of several addresses of a host: the families take turns, the next address is
/// tried when one fails or has kept us waiting (RFC 8305), and the first that answers is it. Made
/// by a wire for each connection. Thread: the unit's.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace gate::http {

/// The order in which they are tried: families by turns, beginning with the first one's; no more
/// than `limits::connect_addresses`.
std::vector<boost::asio::ip::tcp::endpoint> by_turns(
    const std::vector<boost::asio::ip::tcp::endpoint>& found);

class dialer : public std::enable_shared_from_this<dialer> {
 public:
  /// With an error: that of the address that failed last.
  using answer = std::function<void(boost::system::error_code, boost::asio::ip::tcp::socket)>;

  dialer(boost::asio::io_context& context, std::vector<boost::asio::ip::tcp::endpoint> to,
         answer then);

  void start() { try_next(); }
  /// Nothing is answered any more.
  void cancel();

 private:
  using attempt = std::list<boost::asio::ip::tcp::socket>::iterator;

  void try_next();
  void tried(attempt it, boost::system::error_code ec);

  boost::asio::io_context& context_;
  std::vector<boost::asio::ip::tcp::endpoint> to_;
  std::size_t next_ = 0;
  std::list<boost::asio::ip::tcp::socket> attempts_;
  std::optional<boost::asio::steady_timer> patience_;  ///< made when there is a second address
  answer then_;                                        ///< null when it was given, or cancelled
};

}  // namespace gate::http
