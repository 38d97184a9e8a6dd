#pragma once
/// The scheduler: CAF's workers are the io units. Loaded as a module (`cfg.load<coordinator>()`),
/// it replaces CAF's own scheduler; leave it out and set `scheduler.policy` to `testing`, and the
/// very same actors run under CAF's test coordinator with virtual time.
///
/// Why not CAF's stock schedulers: each hop between an I/O thread and a worker costs a wake-up, 100
/// to 200 µs per request at low load (docs/decisions/0002-scheduler.md).
#include <caf/actor_system.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "transport/scheduler/asio_clock.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::scheduler {

class coordinator final : public caf::scheduler::abstract_coordinator {
 public:
  explicit coordinator(caf::actor_system& sys) : super(sys) {}

  /// The module factory that `actor_system_config::load` asks for.
  static caf::actor_system::module* make(caf::actor_system& sys, caf::detail::type_list<>) {
    return new coordinator(sys);
  }
  static coordinator& of(caf::actor_system& sys) {
    return static_cast<coordinator&>(sys.scheduler());
  }

  io_unit& unit(std::size_t i) { return *units_[i]; }
  std::size_t size() const { return units_.size(); }

  void init(caf::actor_system_config& cfg) override;
  void start() override;
  void stop() override;
  void enqueue(caf::resumable* job) override;
  bool detaches_utility_actors() const override { return false; }
  asio_clock& clock() noexcept override { return *clock_; }

 private:
  using super = caf::scheduler::abstract_coordinator;
  std::vector<std::unique_ptr<io_unit>> units_;
  std::vector<std::thread> threads_;
  std::unique_ptr<asio_clock> clock_;
};

}  // namespace gate::scheduler
