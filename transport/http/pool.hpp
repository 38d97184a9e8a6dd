#pragma once
/// The connections to one origin: busy ones, idle ones, and the requests that wait for one.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "transport/http/client.hpp"
#include "transport/http/response_reader.hpp"
#include "transport/http/wire.hpp"

namespace gate::http {

class client_connection;
using client_connection_ptr = std::shared_ptr<client_connection>;

class pool {
 public:
  using clock = std::chrono::steady_clock;

  pool(client& owner, url origin) : owner_(owner), origin_(std::move(origin)) {}
  ~pool();

  void start(job j);
  bool abandon(const abandon_fetch& what);
  void sweep(clock::time_point now);

 private:
  friend class client_connection;

  void open(job j);
  void resolve(client_connection_ptr c);
  std::unique_ptr<wire> make_wire();
  /// The connection finished its job and can take another.
  void idle(const client_connection_ptr& c);
  /// The connection is gone.
  void remove(const client_connection_ptr& c);
  void next();

  client& owner_;
  url origin_;
  std::vector<client_connection_ptr> busy_;
  std::vector<client_connection_ptr> idle_;  ///< most recently used last
  std::deque<job> waiting_;
  std::vector<boost::asio::ip::tcp::endpoint> addresses_;
  clock::time_point addresses_until_{};
};

/// One connection to an upstream; carries one fetch at a time.
class client_connection final : public wire_user,
                                public std::enable_shared_from_this<client_connection> {
 public:
  using clock = pool::clock;

  client_connection(pool& owner, std::unique_ptr<wire> w);

  /// Connects, then runs the job it was made for.
  void connect(std::vector<boost::asio::ip::tcp::endpoint> to);
  void assign(job j) { job_ = std::move(j); }
  void run(job j);
  void arm_connect_deadline();
  void connect_failed(std::string why);
  /// Closes without a word to anybody.
  void close();

  bool carries(const abandon_fetch& what) const;
  clock::time_point idle_until() const { return idle_until_; }

  void on_connected(boost::system::error_code ec) override;
  void on_read(boost::system::error_code ec, std::size_t n) override;
  void on_written(boost::system::error_code ec) override;
  void on_turn_end() override;

 private:
  friend class pool;

  void send();
  void read();
  void consume(std::string_view bytes);
  void deliver_events();
  void answered();
  bool follow_redirect();
  void broke(boost::system::error_code ec);
  void finish(fetched result);

  pool& owner_;  ///< may be gone once closed
  scheduler::io_unit& unit_;
  std::unique_ptr<wire> wire_;
  std::optional<job> job_;
  std::optional<response_reader> reader_;
  std::unique_ptr<boost::asio::steady_timer> connect_timer_;
  std::array<char, 4096> in_;
  std::string ahead_;
  clock::time_point idle_until_ = clock::time_point::max();
  std::chrono::seconds server_keeps_{limits_idle()};
  std::size_t index_ = 0;  ///< place in the pool's busy list
  bool used_ = false;      ///< has carried a request before
  bool connected_ = false;
  bool closed_ = false;
  bool reading_ = false;

  static std::chrono::seconds limits_idle();
};

}  // namespace gate::http
