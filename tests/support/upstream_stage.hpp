#pragma once
/// One UPSTREAM on a stage, with nobody around it but the test: ROUTER, BUDGET, BREAKER and
/// BALANCER are actors that write down what they hear, and answer at once or when the
/// test says so. Behind EGRESS is one scripted server per endpoint, by the host of its URL.
#include <string>
#include <string_view>
#include <vector>

#include "actors/upstream/upstream_actor.hpp"
#include "simulations/world/actor_stage.hpp"
#include "simulations/world/fake_egress.hpp"

namespace gate::sim {

/// Everything that UPSTREAM and its sessions said.
struct upstream_log {
  // To ROUTER.
  std::vector<answered> answers;
  std::vector<listed> lists;
  std::vector<call_notification> notes;
  std::vector<server_request> questions;
  std::vector<introduced> introductions;
  std::vector<session_lost> losses;
  std::vector<list_changed> changes;
  std::vector<subscribed> subscriptions;
  // To the guards.
  std::vector<admit> admissions;
  std::vector<charge> charges;
  std::size_t refunds = 0;
  std::vector<want_lease> leases;
  std::vector<request_ended> ends;
  std::size_t reached = 0;  ///< signs of life that BREAKER was told
  std::vector<pick_endpoint> picks;
  std::vector<std::size_t> failures;  ///< endpoints that could not be reached
  std::vector<endpoint_probed> probes;
  std::vector<probed> health;
};

struct upstream_options {
  std::string upstream = R"({"id":"a","url":"http://a.test/mcp"})";
  /// `limiter`: the part of BUDGET that knows the upstream's limit.
  bool limiter = false, budget = false, breaker = false, balancer = false;
  /// These wait for the test instead of saying yes at once (BALANCER: of taking turns).
  bool limiter_waits = false, budget_waits = false, balancer_waits = false;
};

class upstream_stage : public actor_stage {
 public:
  explicit upstream_stage(upstream_options o = {});
  ~upstream_stage() override { clear_stage(); }

  fake_upstream& server(const std::string& host = "a") { return *net_->at(host); }
  /// It does not take connections any more, or does again.
  void cut_off(const std::string& host);
  void connect(const std::string& host);
  upstream_log& heard() { return *log_; }
  const upstream_handle& it() const { return upstream_; }
  const gate::config::compiled_upstream& settings() const { return settings_; }
  const upstream::guard_set& guards() const { return guards_; }
  bool gone() const { return cast("upstream").empty(); }

  /// A tools/call of this client.
  void call(std::uint64_t number, std::uint64_t client = 1, bool costs = false);
  void list(std::uint64_t fill, bool costs = false);
  void cancel(std::uint64_t number, std::uint64_t client = 1) {
    tell(upstream_, cancel_call{number, client, {}, false});
  }
  /// Why the call had no answer; `a result` if it had one, `nothing` if none came yet, `twice` if
  /// more than one.
  std::string how(std::uint64_t number) const;
  /// The refusal's words instead of a reason.
  std::string refused(std::uint64_t number) const;

  // What the guards say.
  void admit(std::size_t question, bool yes);
  /// It says at once what the call costs, or that a budget is used up.
  void admit_for(std::size_t question, bool paid);
  void pay(std::size_t question, bool yes);
  void lend(std::size_t question, std::uint64_t lease);
  void circuit(breaker_state s, bool clean = false) {
    tell(upstream_, breaker_told{settings_.index, s, clean});
  }
  double metric(std::string_view sample) const;

 private:
  std::shared_ptr<fake_network> net_ = std::make_shared<fake_network>();
  std::shared_ptr<upstream_log> log_ = std::make_shared<upstream_log>();
  std::shared_ptr<gate::metrics> metrics_ = std::make_shared<gate::metrics>();
  gate::config::compiled_upstream settings_;
  upstream::guard_set guards_;
  upstream_handle upstream_;
};

}  // namespace gate::sim
