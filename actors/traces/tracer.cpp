#include "actors/traces/tracer.hpp"

#include <caf/send.hpp>

namespace gate::traces {

void tracer::retire() {
  to_ = nullptr;
  parts_.now = nullptr;
}

tracer::interval tracer::since(time_point began) const {
  using of_wall = trace::wall_time::duration;
  const auto ended = parts_.wall();
  return {ended - std::chrono::duration_cast<of_wall>(now() - began), ended};
}

void tracer::hand_on(std::vector<encoded_span> ended) {
  if (ended.empty()) return;
  if (to_) return caf::anon_send(to_, spans_ended{std::move(ended)});
  parts_.lost.add(static_cast<double>(ended.size()));
}

}  // namespace gate::traces
