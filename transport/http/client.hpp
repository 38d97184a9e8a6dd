#pragma once
/// The HTTP client of one unit: keep-alive connection pools, one per origin. Driven by Asio on the
/// unit's thread; owned by the EGRESS actor, which gives it functions to call with what arrives.
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "transport/http/lookups.hpp"
#include "transport/http/pace.hpp"
#include "transport/http/read_scratch.hpp"
#include "transport/interfaces.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::http {

class client_connection;
class pool;

/// Who asks: an actor, most often one client's session at an upstream. What it has under way is
/// found here, however much others have.
struct asker {
  std::vector<client_connection*> busy;  ///< each knows its place
  std::size_t calls = 0;                 ///< of these, all that carry no stream
  std::vector<pool*> waits;              ///< where something of it waits for a connection
  /// Where it asked last, and for whom: most askers have one destination.
  pool* last = nullptr;
  std::shared_ptr<const gate::destination> last_to{};
};

/// One fetch on its way, and how often it was tried.
struct job {
  start_fetch ask;
  asker* who = nullptr;
  std::chrono::steady_clock::time_point since;  ///< it waits, if it does
  std::string target;                           ///< differs from the destination's after a redirect
  int redirects = 0;
  bool resent = false;
};

class client {
 public:
  struct callbacks {
    std::function<void(const fetch_client&, fetched)> done;
    std::function<void(const fetch_client&, streamed)> events;
    /// It asks for the first time; `forget` is to be called at its end. May be empty.
    std::function<void(const fetch_client&)> met{};
  };

  client(scheduler::io_unit& unit, callbacks call, resolve_function resolve = resolve_by_system,
         answer_rates rates = {});
  ~client();

  void start(start_fetch what);
  void abandon(const abandon_fetch& what);
  /// Abandons all fetches of this asker.
  void forget(caf::actor_id who);
  /// How many there are at the moment.
  std::size_t pools() const { return pools_.size(); }

 private:
  friend class pool;
  friend class client_connection;

  pool& pool_of(const gate::destination& to);
  void remove_unused_pools();
  void arm_sweep();

  scheduler::io_unit& unit_;
  callbacks call_;
  lookups lookups_;
  answer_rates rates_;
  std::optional<boost::asio::ssl::context> tls_;  ///< made when the first https upstream is asked
  boost::asio::steady_timer sweep_timer_;
  /// A sweep that was due already can not be cancelled; it looks here whether we still live.
  std::shared_ptr<char> life_ = std::make_shared<char>();
  std::unordered_map<caf::actor_id, asker> askers_;
  std::size_t idle_ = 0;  ///< connections, of all pools
  std::unordered_map<std::string, std::unique_ptr<pool>> pools_;
  /// The time of the last sweep: fine enough for idle connections.
  std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
  std::string scratch_;
  read_scratch read_scratch_;
};

}  // namespace gate::http
