#pragma once
/// INGRESS over real sockets. The first unit's INGRESS owns the listening socket and deals
/// connections to all units in turn. Spawned by the runtime.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <memory>
#include <optional>

#include "transport/http/server.hpp"
#include "transport/interfaces.hpp"
#include "transport/pinned.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::doors {

/// Tells an INGRESS about those of the other units. Before `serve`.
struct meet {
  std::vector<ingress_handle> all;
};

/// A connection that was moved to another unit is that one's now.
struct arrived_there {};

using ingress_door =
    ingress_handle::extend<caf::reacts_to<meet>>::extend<caf::reacts_to<arrived_there>>;

class ingress_actor final : public pinned<ingress_door::base> {
 public:
  /// `acceptor` is null for all units but the first.
  ingress_actor(caf::actor_config& cfg, scheduler::io_unit* unit, std::size_t units,
                const http::server_bounds& bounds,
                std::shared_ptr<boost::asio::ip::tcp::acceptor> acceptor);

  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "ingress"; }

 private:
  void arrived(exchange_ptr e);
  void send_away(std::size_t to, std::shared_ptr<http::travelling_connection> c);
  void accept();
  void accept_failed(boost::system::error_code ec);
  void deal(boost::asio::ip::tcp::socket socket);
  void emptied();

  scheduler::io_unit& io_;
  std::shared_ptr<boost::asio::ip::tcp::acceptor> acceptor_;
  std::shared_ptr<boost::asio::steady_timer> pause_;
  std::unique_ptr<http::server> server_;
  arrivals_handle router_;  ///< null while it restarts
  std::vector<ingress_handle> all_;
  std::size_t next_unit_ = 0;
  bool accepting_ = false;
  std::chrono::steady_clock::time_point last_failure_{};  ///< of accepting
  std::optional<caf::typed_response_promise<drained>> draining_;
};

}  // namespace gate::doors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::doors::meet)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::doors::arrived_there)
