#pragma once
/// A whole gateway on a stage: GATEWAY and all that it spawns, in front of fake doors. Clients send
/// arrivals and keep receipts; time is virtual, the wall clock stands still unless it is told
/// otherwise, randomness is seeded, audit lines are kept. A world is one of them; several on one
/// stage, with one store, are a fleet.
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "actors/supervisor/gateway_actor.hpp"
#include "protocol/limits.hpp"
#include "simulations/world/actor_stage.hpp"
#include "simulations/world/client.hpp"
#include "simulations/world/fake_egress.hpp"
#include "simulations/world/fake_exchange.hpp"
#include "simulations/world/fake_store.hpp"

namespace gate::sim {

/// Two upstreams, "a" and "b", each in the namespace of its name.
inline constexpr std::string_view two_upstreams = R"({"upstreams":[
  {"id":"a","url":"http://a.test/mcp","namespace":"a"},
  {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})";
/// One upstream without a namespace: names pass as they are.
inline constexpr std::string_view one_upstream =
    R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}]})";

struct store_link;

struct world_options {
  std::string config{two_upstreams};
  std::size_t units = 1;
  std::uint64_t seed = 1;
  bool audit = true;
  /// Messages wait from the start: the schedule is its holder's, from the first one on.
  bool hold = false;
  /// ROUTERs have met all upstreams already, so that `initialize` asks nobody.
  bool met = true;
  /// Further servers, such as an identity provider `idp` at `https://idp.test`.
  std::vector<std::string> hosts{};
  /// What the environment holds.
  std::map<std::string, std::string> secrets{};
  std::size_t own_list_bytes = limits::own_list_bytes;
  /// What it shares with other instances; null: nothing. It outlives the world.
  std::shared_ptr<fake_store> store{};
  std::function<void(fake_network&)> prepare{};  ///< before the gateway starts
  /// What lies between it and the store; null: nothing.
  std::shared_ptr<store_link> link{};
  /// Its wall clock; empty: one that stands still.
  wall_clock wall{};
  /// Who fetches, on each unit; empty: `fake_egress`.
  std::function<egress_handle(caf::actor_system&, std::size_t unit)> egress{};
  /// In front of each unit's door to `store`; empty: nothing.
  std::function<store_handle(caf::actor_system&, store_handle)> before_store{};
  /// What stands before the ROUTER of each unit; empty: nothing.
  std::function<threshold_handle(caf::actor_system&, std::size_t unit)> threshold{};
  /// Instead of `secrets`; empty: these.
  secret_source every_secret{};
  /// The trail is kept once, whatever places the document names, and what goes elsewhere is as if
  /// it had arrived there.
  bool one_trail = false;
  /// How far the monotonic clock is into a minute when it begins.
  std::chrono::microseconds into_minute{0};
};

/// INGRESS without sockets. What happened to it is in here.
struct ingress_log {
  arrivals_handle router;  ///< the latest `serve`
  std::vector<arrivals_handle> routers;
  bool draining = false;
  bool cut = false;
  std::vector<receipt_ptr> receipts;
};

/// To itself: the last connection is gone.
struct all_gone {};

class fake_ingress final : public ingress_handle::extend<caf::reacts_to<all_gone>>::base {
 public:
  fake_ingress(caf::actor_config& cfg, std::shared_ptr<ingress_log> log);
  behavior_type make_behavior() override;
  const char* name() const override { return "fake ingress"; }

 private:
  std::shared_ptr<ingress_log> log_;
  std::optional<caf::typed_response_promise<drained>> draining_;
};

class instance : public front {
 public:
  /// Its actors are of this household of the stage; 0: nobody tells them from others.
  instance(actor_stage& stage, std::shared_ptr<fake_network> net, world_options o,
           std::size_t household = 0);
  virtual ~instance() = default;
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;

  receipt_ptr arrive(http_request request, std::size_t unit = 0,
                     std::string peer = "127.0.0.1") override;
  /// The rest of a request of which the header came first (`http_request::body_follows`), or why
  /// it does not come.
  void bring_body(const receipt_ptr& r, http::defect flaw = http::defect::none);
  /// The client closes its connection.
  void vanish(const receipt_ptr& r);

  void stop() { stage_.tell(gateway_, stop_requested{}); }
  /// As `kill -9`: all its actors are gone, and all its connections end. Of a household only.
  void die();
  bool dead() const { return !gateway_; }
  /// As an embedding program would. Upstreams that it names for the first time are made.
  actor_stage::pending<reloaded> reload(std::string_view config);
  /// The operator's file says this now; and the signal to read it again.
  void write_config(std::string_view config);
  void hang_up() { stage_.tell(gateway_, reload_requested{}); }
  /// Another server, by the host of its URL without `.test`.
  fake_upstream& add_host(const std::string& name);
  fake_upstream& upstream(const std::string& id) { return *net_->at(id); }
  bool stopped() const { return stopped_; }
  const ingress_log& ingress(std::size_t unit = 0) const { return *ingress_.at(unit); }
  const std::vector<receipt_ptr>& receipts(std::size_t unit = 0) const {
    return ingress_.at(unit)->receipts;
  }

  /// Audit lines, without LF: all, or those of one method.
  const std::vector<std::string>& audit() const { return audit_; }
  std::vector<std::string> audit(std::string_view method) const;
  std::size_t flushes() const { return flushes_; }
  /// The next line of the trail does not arrive where it should.
  void lose_audit_line() { loses_line_ = true; }
  /// The wall clock, which stands still unless it is moved.
  void set_wall(std::chrono::system_clock::time_point t) { *wall_ = t; }
  std::chrono::system_clock::time_point wall() const { return *wall_; }
  std::map<std::string, std::string>& secrets() { return *secrets_; }

  /// One sample of the exposition, such as `gate_sessions{kind="client"}`; -1 if it is not there.
  double metric(std::string_view sample) const;
  /// All of it.
  std::string exposition() const { return metrics_->expose(); }

  /// Whoever drains is told when all requests have ended; true if somebody was.
  bool tell_drained();

 private:
  supervisor::gateway_parts parts_for(world_options& o);
  std::vector<audits::place> places_for(const world_options& o, const config::document& doc,
                                        const secret_source& secrets);
  void meet_upstreams(std::size_t upstreams);

  actor_stage& stage_;
  std::shared_ptr<fake_network> net_;
  std::size_t household_;
  std::vector<std::shared_ptr<ingress_log>> ingress_;
  std::vector<caf::typed_actor<caf::reacts_to<all_gone>>> ingress_actors_;
  std::shared_ptr<metrics> metrics_ = std::make_shared<metrics>();
  std::shared_ptr<std::map<std::string, std::string>> secrets_;
  std::shared_ptr<std::string> config_;
  std::shared_ptr<std::chrono::system_clock::time_point> wall_;
  supervisor::gateway_handle gateway_;
  std::vector<std::string> audit_;
  std::size_t flushes_ = 0;
  bool loses_line_ = false;
  std::uint64_t next_number_ = 1;
  bool stopped_ = false;
};

}  // namespace gate::sim

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::sim::all_gone)
