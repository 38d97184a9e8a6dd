#pragma once
/// The unit's calls that wait, and what others have to know of them: their session, and the
/// upstream that works for them. Pure; part of ROUTER.
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/pipeline/parked.hpp"

namespace gate::routing {

class call_table {
 public:
  /// Puts a call aside until its partner has spoken; returns its number.
  template <pipeline::stage S>
  std::uint64_t put_aside(pipeline::fact<S> c, pipeline::wait w) {
    const auto number = parked_.add(std::move(c), w);
    note_parked(*parked_.find(number));
    return number;
  }
  /// It goes on from there. Nothing: it has ended meanwhile.
  template <pipeline::stage S>
  std::optional<pipeline::fact<S>> take(std::uint64_t number) {
    auto c = parked_.take<S>(number);
    if (c) note_taken(**c);
    return c;
  }
  /// It ends. Null: it has ended already.
  pipeline::call_ptr end(std::uint64_t number);

  pipeline::call* find(std::uint64_t number) const { return parked_.find(number); }
  /// The one whose client cancels it by closing this exchange; 0: none.
  std::uint64_t cancelled_by(std::uint64_t exchange) const {
    const auto at = stateless_.find(exchange);
    return at == stateless_.end() ? 0 : at->second;
  }
  void wait_for(std::uint64_t number, pipeline::wait w) { parked_.wait_for(number, w); }
  std::size_t count(pipeline::partner whom) const { return parked_.count(whom); }
  std::vector<std::uint64_t> waiting_for(pipeline::partner whom) const {
    return parked_.waiting_for(whom);
  }
  std::vector<std::uint64_t> waiting_for(pipeline::partner whom, std::uint64_t which) const {
    return parked_.waiting_for(whom, which);
  }
  bool is_waited_for(pipeline::partner whom, std::uint64_t which) const {
    return parked_.is_waited_for(whom, which);
  }
  bool waits_for(std::uint64_t number, pipeline::partner whom) const {
    return parked_.waits_for(number, whom);
  }
  bool is_late(std::uint64_t number, pipeline::wait::time_point now) const {
    return parked_.is_late(number, now);
  }
  pipeline::wait::time_point next_late(pipeline::partner whom) const {
    return parked_.next_late(whom);
  }
  std::vector<std::uint64_t> all() const { return parked_.all(); }
  template <class F>
  void for_each(F&& f) const {
    parked_.for_each(std::forward<F>(f));
  }
  void clear() {
    parked_ = {};
    stateless_.clear();
  }

  /// Calls that this upstream works for.
  std::uint32_t load(std::size_t upstream) const { return load_[upstream]; }
  /// So many numbers of upstreams are in use.
  void resize(std::size_t slots) { load_.resize(slots); }

 private:
  void note_parked(pipeline::call& c);
  void note_taken(const pipeline::call& c);

  pipeline::parking parked_;
  std::vector<std::uint32_t> load_;
  std::unordered_map<std::uint64_t, std::uint64_t> stateless_;  ///< by the exchange's number
};

}  // namespace gate::routing
