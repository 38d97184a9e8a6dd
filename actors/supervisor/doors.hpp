#pragma once
/// What GATEWAY's parts do to the outside: SPAWNER and the actor implement it, tests bring fakes.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "actors/interfaces.hpp"
#include "actors/supervisor/children.hpp"

namespace gate::supervisor {

struct slot;

/// The actors of upstreams.
class slots_door {
 public:
  /// Made, monitored, and entered among the children.
  virtual upstream_handle make_upstream(const child& who, const slot& of) = 0;
  virtual breaker_handle make_breaker(const child& who, const slot& of) = 0;
  /// Null: the upstream needs none.
  virtual balancer_handle make_balancer(const child& who, const slot& of) = 0;
  /// Tells whom the table says who is at this place now; nobody, perhaps.
  virtual void announce(const child& who) = 0;
  virtual void listen(const breaker_handle& to, const upstream_handle& who) = 0;
  /// Null: nobody probes at the moment.
  virtual void probe_by(const balancer_handle& it, const upstream_handle& who) = 0;
  /// HEALTH, if it is there, listens to those that are there.
  virtual void show_health(const breaker_handle& breaker, const balancer_handle& balancer) = 0;
  virtual void retire(const upstream_handle& who) = 0;
  /// At once; its death is heard of.
  virtual void kill(const caf::actor& who) = 0;
  /// At once, and its death is not heard of.
  virtual void end(const caf::actor& who) = 0;

 protected:
  ~slots_door() = default;
};

/// What becomes of documents.
class reloads_door {
 public:
  virtual bool stopping() const = 0;
  /// False: it crashed and its successor does not run yet.
  virtual bool has_loader() const = 0;
  /// To LOADER; comes back as `loaded`.
  virtual void load(std::variant<load_document, load_discovered> what) = 0;
  virtual void take_over(snapshot_ptr next) = 0;
  /// Of the configuration that runs.
  virtual std::uint64_t generation() const = 0;
  /// To DISCOVERY, if it is there.
  virtual void settle(discovery_settled what) = 0;

 protected:
  ~reloads_door() = default;
};

/// The end, step by step.
enum class phase : std::uint8_t { running, draining, refusing, goodbye, last_words };

class ending_door {
 public:
  /// No new connections; comes back as `drained`, once for each unit.
  virtual void drain() = 0;
  /// What still runs is answered.
  virtual void refuse_calls() = 0;
  /// Connections are cut, upstreams are told that their sessions end.
  virtual void say_goodbye() = 0;
  /// All are killed but those that have to do with the audit trail.
  virtual void end_all() = 0;
  /// The audit trail is flushed; then it is over.
  virtual void flush() = 0;
  /// Comes back as `time_over`.
  virtual void wake(phase which, std::chrono::milliseconds after) = 0;
  virtual bool upstreams_alive() const = 0;
  virtual bool routers_alive() const = 0;

 protected:
  ~ending_door() = default;
};

}  // namespace gate::supervisor
