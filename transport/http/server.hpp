#pragma once
/// The HTTP server of one unit: its client connections, their deadlines and bounds. Driven by Asio
/// on the unit's thread; owned by the INGRESS actor, which gives it a function to call for each
/// arrival.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>

#include "protocol/limits.hpp"
#include "transport/clock.hpp"
#include "transport/http/client_place.hpp"
#include "transport/http/known_heads.hpp"
#include "transport/http/read_scratch.hpp"
#include "transport/interfaces.hpp"
#include "transport/scheduler/io_unit.hpp"
#include "transport/task_units.hpp"

namespace gate::http {

class connection;
class request_intake;

/// A connection on its way to another unit: the socket, and the request that made it move.
struct travelling_connection {
  travelling_connection(int fd, bool v6);
  ~travelling_connection();
  travelling_connection(const travelling_connection&) = delete;
  travelling_connection& operator=(const travelling_connection&) = delete;

  int fd;
  bool v6;
  std::unique_ptr<http_request> request;   ///< null for a connection fresh from accept
  std::unique_ptr<request_intake> intake;  ///< of that request's body, and what comes behind it
  bool known = false;                      ///< see `client_place::known`
  /// While this lives, the unit the connection comes from counts it as its own: between two units
  /// that drain, it would belong to none.
  std::shared_ptr<void> home;
};

/// How much one unit takes on, and for how long.
struct server_bounds {
  std::size_t body = 1024 * 1024;  ///< of one request
  std::size_t connections = limits::client_connections;
  std::size_t bodies = limits::bodies_total;
  std::size_t waiting = limits::waiting_total;  ///< grows with the largest answer that waits
  monotonic_clock now = &std::chrono::steady_clock::now;  ///< of the deadlines of connections
  /// Where connections that ask for tasks go; null: nowhere.
  std::shared_ptr<const task_units> tasks{};
};

class server {
 public:
  struct callbacks {
    std::function<void(exchange_ptr)> arrived;
    std::function<void(std::uint64_t)> body_read;
    std::function<void(std::uint64_t)> gone;
    /// Hand the connection to that unit; its `home` calls `arrived_there` at its end.
    std::function<void(std::size_t, std::shared_ptr<travelling_connection>)> moved;
    /// After `drain`: the last connection has ended.
    std::function<void()> emptied;
  };

  server(scheduler::io_unit& unit, std::size_t units, const server_bounds& bounds, callbacks call);
  ~server();

  void adopt(boost::asio::ip::tcp::socket socket);
  void adopt(travelling_connection& from);
  /// A connection that was moved away is another unit's now, or has ended.
  void arrived_there();
  void drain();
  void cut();

  std::size_t connections() const { return room_.clients.size(); }

 private:
  friend class connection;
  bool make_room();
  void relieve_waiting(std::size_t longest);
  void relieve_bodies(connection& reading);
  void sweep();
  void arm_sweep();
  void left();

  scheduler::io_unit& unit_;
  std::size_t units_;
  server_bounds bounds_;
  callbacks call_;
  boost::asio::steady_timer sweep_timer_;
  /// A sweep that was due already can not be cancelled; it looks here whether we still live.
  std::shared_ptr<char> life_ = std::make_shared<char>();
  client_room room_;
  std::string scratch_;  ///< heads of responses are built here
  known_heads known_heads_;
  read_scratch read_scratch_;  ///< large reads go through here, not through each connection
  std::chrono::steady_clock::time_point last_refusal_{}, last_relief_{};  ///< as logged
  std::uint64_t next_number_ = 1;
  std::size_t on_the_way_ = 0;  ///< moved away, and not another unit's yet
  bool draining_ = false;
};

}  // namespace gate::http
