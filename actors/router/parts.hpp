#pragma once
/// All that a ROUTER knows, laid out: its parts, and what they know of each other. Without actors:
/// what goes out goes through the doors.
#include "actors/pipeline/stage9_audit.hpp"
#include "actors/router/client_sessions.hpp"
#include "actors/router/client_streams.hpp"
#include "actors/router/departures.hpp"
#include "actors/router/endpoints.hpp"
#include "actors/router/entrance.hpp"
#include "actors/router/fan_outs.hpp"
#include "actors/router/followed_streams.hpp"
#include "actors/router/handed_calls.hpp"
#include "actors/router/introductions.hpp"
#include "actors/router/lent_streams.hpp"
#include "actors/router/list_news.hpp"
#include "actors/router/list_shelf.hpp"
#include "actors/router/listeners.hpp"
#include "actors/router/merged_lists.hpp"
#include "actors/router/missing_lists.hpp"
#include "actors/router/server_requests.hpp"
#include "actors/router/shared_sessions.hpp"
#include "actors/router/subscription_upkeep.hpp"
#include "actors/router/suspended_calls.hpp"
#include "actors/router/unit_gauges.hpp"
#include "actors/router/upstream_calls.hpp"

namespace gate::routing {

/// What does not change in a ROUTER's life.
struct settings {
  std::uint8_t unit_number = 0;
  std::shared_ptr<gate::metrics> metrics;
  wall_clock wall;
  random_source random;
  mcp::cursor_key cursor_key{};
  mcp::stateless::state_key state_key{};
  identity::authority_ptr authority;
  std::size_t own_list_bytes = limits::own_list_bytes;
  task_units_ptr task_units{};
  /// Nothing: no spans are recorded.
  std::optional<config::tracing_section> tracing{};
  /// With a store: what the instances of the fleet have in common.
  std::optional<fleet_settings> fleet{};
};

class parts final : private pipeline::exit_desk {
 public:
  parts(const settings& s, upstream_door& upstreams, partner_door& partners, time_door& time,
        pipeline::audit_door::audience told, snapshot_ptr snapshot);
  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;
  ~parts();

  void start();
  /// Another configuration, of so many numbers of upstreams. Calls in flight keep the one that they
  /// came under; everything else goes by the new one from here on.
  void adopt(snapshot_ptr snapshot, std::size_t slots);
  void on_timer(timer what);
  /// The client of this exchange is gone.
  void on_client_gone(std::uint64_t exchange);
  /// The process is about to end: calls in flight are finished.
  void wind_down();
  /// The end: whoever waits is told to come back.
  void refuse_all();
  /// Calls that still wait spend their tickets.
  void clear();

 private:
  pipeline::audit_door door_;
  unit unit_;

 public:
  entrance entry;
  endpoints beside;
  client_sessions sessions;
  client_streams streams;
  suspended_calls suspensions;
  server_requests requests;
  subscription_upkeep subscriptions;
  listeners listening;
  introductions met;
  fan_outs tasks;
  list_shelf shelf;
  list_news news;
  merged_lists lists;
  missing_lists missing;
  upstream_calls calls;
  /// What there is with a store only.
  struct of_a_fleet {
    of_a_fleet(parts& all, const settings& s);
    void tick(time_point t);
    shared_sessions sessions;
    handed_calls calls;
    followed_streams followed;
    lent_streams lent;
  };
  std::unique_ptr<of_a_fleet> fleet;

  unit& shared() { return unit_; }
  pipeline::audit_door& audit() { return door_; }
  /// Whom spans are told from now on; null: it crashed.
  void export_to(traces_handle to);

 private:
  void tick();
  void wake_in_a_moment();

  // pipeline::exit_desk
  pipeline::exit_door& door() override { return door_; }
  void forget(pipeline::call& c) override;
  void take_in_element(exchange_ptr element, bool metered) override {
    entry.take_in(std::move(element), true, metered);
  }

  struct of_each_second {
    departures left;
    unit_gauges gauges;
  };
  of_each_second upkeep_;
  pipeline::desk desk_;
};

}  // namespace gate::routing
