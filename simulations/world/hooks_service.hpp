#pragma once
/// A whole `gate-hooks` on a stage of its own: HOOKS and all that it spawns, in front of fake
/// doors. Its process can end and be started again; what LEDGER keeps outlives it. Time is virtual,
/// and so is the wall clock, which may be set.
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/webhooks/api_actor.hpp"
#include "actors/webhooks/hooks_actor.hpp"
#include "protocol/limits/webhooks.hpp"
#include "simulations/world/actor_stage.hpp"
#include "simulations/world/heard_log.hpp"
#include "simulations/world/instance.hpp"
#include "simulations/world/memory_ledger.hpp"

namespace gate::sim {

struct hooks_options {
  std::uint64_t seed = 1;
  std::vector<std::string> organizations;
  std::vector<std::string> hosts;  ///< receivers, as `https://NAME.test`
  webhook::schedule schedule;
  std::size_t in_flight = limits::webhook_attempts;
  std::chrono::milliseconds first_pause{0};  ///< of events that are accepted
};

class hooks_service final : public actor_stage, public heard_log, public front {
 public:
  explicit hooks_service(hooks_options o);
  ~hooks_service() override;

  /// Its process begins; there is one at most.
  void start();
  /// SIGTERM.
  void stop() { tell(hooks_, stop_requested{}); }
  /// SIGHUP.
  void hang_up() { tell(hooks_, reload_requested{}); }
  /// As `kill -9`.
  void kill_process();
  bool runs() const { return hooks_ != nullptr; }
  /// It was told to end, and has.
  bool stopped() const { return stopped_; }

  receipt_ptr arrive(http_request request, std::size_t unit = 0,
                     std::string peer = "127.0.0.1") override;
  void bring_body(const receipt_ptr& r);
  void vanish(const receipt_ptr& r);

  fake_upstream& receiver(const std::string& host) { return *net_->at(host); }
  kept& store() { return *store_; }
  /// The storage does not stall any more.
  void let_move();
  std::chrono::system_clock::time_point wall() const { return noon_ + (now_() + skew_); }
  /// The wall clock is so far from where it would be.
  void set_skew(std::chrono::milliseconds s) { skew_ = s; }
  std::string exposition() const { return metrics_->expose(); }

  static std::string token_of(std::string_view organization) {
    return "token-of-" + std::string(organization) + "-0123456789";
  }

 protected:
  bool when_quiet() override;

 private:
  hooks::hooks_parts parts();
  hooks::api_parts api_parts();
  void forget_clients();

  hooks_options options_;
  std::shared_ptr<fake_network> net_ = std::make_shared<fake_network>();
  std::shared_ptr<kept> store_ = std::make_shared<kept>();
  std::shared_ptr<metrics> metrics_;
  std::shared_ptr<std::mt19937_64> dice_;
  std::shared_ptr<ingress_log> ingress_;
  caf::typed_actor<caf::reacts_to<all_gone>> ingress_actor_;
  egress_handle egress_;
  ledger_handle ledger_;  ///< the latest
  watcher_handle hooks_;
  std::function<std::chrono::steady_clock::duration()> now_;
  std::chrono::system_clock::time_point noon_;
  std::chrono::milliseconds skew_{0};
  std::uint64_t next_number_ = 1;
  bool stopped_ = false;
};

}  // namespace gate::sim
