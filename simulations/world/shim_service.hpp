#pragma once
/// A whole `gate-stdio` on a stage of its own: SHIM and all that it spawns, in front of a fake
/// INGRESS and simulated children. Time is virtual, randomness seeded.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "shim/shim_actor.hpp"
#include "simulations/world/actor_stage.hpp"
#include "simulations/world/heard_log.hpp"
#include "simulations/world/instance.hpp"
#include "simulations/world/simulated_child.hpp"

namespace gate::sim {

struct shim_service_options {
  std::uint64_t seed = 1;
  std::size_t max_sessions = 64;
  /// Of the child of this number, from 0.
  std::function<child_manner(std::size_t)> manner = [](std::size_t) { return child_manner{}; };
};

class shim_service final : public actor_stage, public heard_log, public front {
 public:
  explicit shim_service(shim_service_options o);
  ~shim_service() override;

  receipt_ptr arrive(http_request request, std::size_t unit = 0,
                     std::string peer = "127.0.0.1") override;
  void bring_body(const receipt_ptr& r);
  void vanish(const receipt_ptr& r);

  void stop() { tell(shim_, stop_requested{}); }
  bool stopped() const { return stopped_; }

  const std::vector<child_life_ptr>& children() const { return *children_; }
  child_faults& faults() { return *faults_; }
  /// Called whenever a child was asked for, before it is there.
  std::function<void()> on_child = [] {};

 protected:
  bool when_quiet() override;

 private:
  class nursery;

  std::shared_ptr<ingress_log> ingress_ = std::make_shared<ingress_log>();
  std::shared_ptr<std::vector<child_life_ptr>> children_ =
      std::make_shared<std::vector<child_life_ptr>>();
  std::shared_ptr<child_faults> faults_ = std::make_shared<child_faults>();
  caf::typed_actor<caf::reacts_to<all_gone>> ingress_actor_;
  children_handle nursery_;
  shim::shim_handle shim_;
  std::uint64_t next_number_ = 1;
  bool stopped_ = false;
};

}  // namespace gate::sim
