#pragma once
/// INSPECTION: one connection to one URL, looked at stage by stage. Made by INSPECTOR for each
/// question; keeps itself alive until it has answered. Thread: the unit's.
///
///   start -> resolve -> connect -> [tls] -> [answer] -> done
///               \___________\________\_________\______-> ended there, and why
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "transport/http/dialer.hpp"
#include "transport/http/lookups.hpp"
#include "transport/inspection.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::http {

class inspection : public std::enable_shared_from_this<inspection> {
 public:
  using answer = std::function<void(inspected)>;
  struct surroundings {
    scheduler::io_unit& unit;
    lookups& names;
    boost::asio::ssl::context& tls;  ///< that verifies, and goes on whatever comes of it
  };

  inspection(const surroundings& s, inspect what, answer then);
  void start();
  /// Nothing is answered any more.
  void cancel();

 private:
  using error_code = boost::system::error_code;

  void connect(endpoints to);
  void connected(error_code ec, boost::asio::ip::tcp::socket socket);
  void shake_hands();
  void shaken(error_code ec);
  /// There is a connection: what is next?
  void ask_or_end();
  void read();
  void heard(error_code ec, std::size_t n);
  void read_head(std::string_view head);
  void end(std::string why);
  void close();

  surroundings s_;
  inspect what_;
  answer then_;  ///< null: it was answered, or cancelled
  inspected out_;
  boost::asio::steady_timer timer_;
  std::chrono::steady_clock::time_point begun_;
  std::shared_ptr<dialer> dialer_;
  std::optional<boost::asio::ip::tcp::socket> plain_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket>> secure_;
  std::string request_, head_;
  std::array<char, 4096> in_;
};

}  // namespace gate::http
