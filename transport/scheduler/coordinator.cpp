#include "transport/scheduler/coordinator.hpp"

#include <caf/actor_config.hpp>
#include <caf/monitorable_actor.hpp>

namespace gate::scheduler {
namespace {

/// CAF prints `aout` through an actor of its own, with a thread. Nobody prints here: we log.
class silent_printer final : public caf::monitorable_actor {
 public:
  explicit silent_printer(caf::actor_config& cfg) : caf::monitorable_actor(cfg) {}
  void enqueue(caf::mailbox_element_ptr, caf::execution_unit*) override {}
};

}  // namespace

void coordinator::init(caf::actor_system_config& cfg) {
  super::init(cfg);
  for (std::size_t i = 0; i < num_workers_; ++i)
    units_.push_back(std::make_unique<io_unit>(system_, i, max_throughput_));
  clock_ = std::make_unique<asio_clock>(units_.front()->context());
}

void coordinator::start() {
  caf::actor_config cfg;
  cfg.host = units_.front().get();
  utility_actors_[printer_id] = caf::make_actor<silent_printer, caf::actor>(
      system_.next_actor_id(), system_.node(), &system_, cfg);
  for (auto& unit : units_)
    threads_.emplace_back([this, u = unit.get()] {
      system_.thread_started();
      u->run();
      system_.thread_terminates();
    });
}

void coordinator::stop() {
  clock_->cancel_all();
  for (auto& unit : units_) unit->stop();
  for (auto& thread : threads_) thread.join();
  for (auto& unit : units_) unit->discard();
  utility_actors_[printer_id] = nullptr;
}

void coordinator::enqueue(caf::resumable* job) {
  // An actor without a home runs on the thread that woke it; from outside, on the next unit in
  // turn. A unit of another system in this process is outside.
  if (auto* unit = io_unit::current(); unit && &unit->system() == &system_)
    unit->exec_later(job);
  else
    units_[next_worker_++ % units_.size()]->exec_later(job);
}

}  // namespace gate::scheduler
