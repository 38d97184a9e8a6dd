#pragma once
/// The connections to one origin: busy ones, idle ones, and the requests that wait for one. Those
/// of different askers take turns, and none takes all connections; the ends of sessions go behind.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/base/fair_line.hpp"
#include "transport/http/client.hpp"
#include "transport/http/wire.hpp"

namespace gate::http {

class client_connection;
using client_connection_ptr = std::shared_ptr<client_connection>;

class pool {
 public:
  using clock = std::chrono::steady_clock;

  /// For whoever goes where `to` does, and to the same addresses only.
  pool(client& owner, const gate::destination& to)
      : owner_(owner),
        origin_(to.url),
        whom_(to.whom),
        idle_in_all_(to.idle_in_all),
        host_line_("Host: " + origin_.authority() + "\r\n") {}
  ~pool();

  void start(job j);
  bool abandon(const abandon_fetch& what);
  /// What waits of this asker.
  void forget(caf::actor_id who);
  bool waits(caf::actor_id who) const { return waiting_.of(who) + ends_.of(who) > 0; }
  void sweep(clock::time_point now);
  /// Is there nothing in it, and nothing under way?
  bool unused() const {
    return busy_.empty() && idle_.empty() && waiting_.empty() && ends_.empty() &&
           nameless_.empty() && !looking_up_;
  }

 private:
  friend class client_connection;

  void queue(fair_line<job>& line, std::size_t most, job j);
  void no_longer_waits(const job& j);
  /// Over an idle connection, or a new one.
  void begin(job j);
  void open(job j);
  /// The connection is busy with this from now on.
  void occupy(const client_connection_ptr& c, const job& j);
  std::size_t calls() const { return busy_.size() - streams_; }
  bool has_room() const;
  bool admits(const job& j) const;
  bool admits_end() const;
  /// What waits and may begin now: a call, else the end of a session.
  std::optional<job> take_next();
  /// Connects it as soon as there are addresses. Old ones do, unless they have just failed.
  void resolve(client_connection_ptr c, bool old_ones_do = true);
  void look_up();
  void looked_up(boost::system::error_code ec, endpoints found);
  /// To those of the addresses that it may.
  void connect(client_connection& c, bool old);
  std::unique_ptr<wire> make_wire();
  /// The connection finished its job and can take another.
  void idle(const client_connection_ptr& c);
  /// The connection is gone.
  void remove(const client_connection_ptr& c);
  void next();

  client& owner_;
  url origin_;
  peers whom_;
  std::size_t idle_in_all_;
  std::string host_line_;  ///< of each request
  std::vector<client_connection_ptr> busy_;
  std::size_t streams_ = 0;                  ///< of `busy_`, those that carry a stream
  std::vector<client_connection_ptr> idle_;  ///< most recently used last
  fair_line<job> waiting_;                   ///< calls
  fair_line<job> ends_;                      ///< of sessions
  std::size_t ending_ = 0;                   ///< of `busy_`, those that carry such an end
  endpoints addresses_;
  clock::time_point fresh_until_{};   ///< no new lookup before this
  clock::time_point usable_until_{};  ///< old addresses are better than none until then
  clock::time_point retry_at_{};      ///< the last lookup failed
  bool looking_up_ = false;
  std::vector<client_connection_ptr> nameless_;  ///< wait for the lookup
};

}  // namespace gate::http
