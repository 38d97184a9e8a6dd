#pragma once
/// The upstreams, each under a number: an UPSTREAM on every unit, one BREAKER, and perhaps one
/// BALANCER. When one dies, its calls are answered and it is started again; nobody else notices.
/// Part of GATEWAY.
///
///   slot       begins                       leaves                          is free
///   when       the configuration has it     the configuration has it no     all its UPSTREAMs have
///                                           more; ROUTERs still may ask     ended
#include <memory>
#include <string>
#include <vector>

#include "actors/supervisor/doors.hpp"
#include "actors/upstream/tool_memory.hpp"

namespace gate::supervisor {

struct slot {
  /// As the configuration had it when it began; null: the number is free.
  std::shared_ptr<const config::compiled_upstream> config;
  std::vector<upstream_handle> units;  ///< null: it crashed, or has ended
  /// What each of these has been told of its tools; its successor takes it over.
  std::vector<std::shared_ptr<upstream::tool_memory>> tools;
  breaker_handle breaker;    ///< null: it crashed
  balancer_handle balancer;  ///< null: it needs none, or it crashed
  bool leaving = false;      ///< the configuration no longer has it
};

class upstream_slots {
 public:
  upstream_slots(slots_door& door, children& all, std::size_t units)
      : door_(door), children_(all), units_(units) {}

  /// There may be numbers below this.
  void extend(std::size_t slots);
  /// The configuration has it: what stands before it on all units.
  void open(const config::compiled_upstream& u);
  /// Its UPSTREAM on one unit.
  void start(std::size_t unit, std::size_t index);
  /// What crashed, if it is still wanted: the number may be another's by now.
  void restart(const child& who);
  /// An actor of a slot has ended.
  void lost(const child& who);
  /// The same, but nobody is told, as all will end; nothing if it is none of a slot.
  void drop(const child& who);
  /// Of a unit whose ROUTER has died.
  void end_unit(std::size_t unit);
  /// The configuration has it no more.
  void begin_to_leave(std::size_t index);
  /// Nobody on this unit can ask it any more.
  void on_left(const left_upstream& m);
  /// HEALTH has a successor.
  void show_all_to_health();
  /// All that there is.
  void end_all();
  void clear() { slots_.clear(); }

  const slot& at(std::size_t index) const { return slots_[index]; }
  std::size_t size() const { return slots_.size(); }
  bool is_leaving(std::size_t index) const { return slots_[index].leaving; }
  /// Of a unit, by number.
  std::vector<upstream_handle> on_unit(std::size_t unit) const;
  std::size_t alive() const;

 private:
  void start_breaker(std::size_t index);
  void start_balancer(std::size_t index);
  void end(const caf::actor& who);
  void close(std::size_t index);

  slots_door& door_;
  children& children_;
  std::size_t units_;
  std::vector<slot> slots_;
};

}  // namespace gate::supervisor
