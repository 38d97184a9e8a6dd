#include "actors/traces/tracer.hpp"

#include <caf/send.hpp>

namespace gate::traces {

void tracer::retire() {
  hand_on();
  to_ = nullptr;
  parts_.now = nullptr;
}

tracer::interval tracer::since(time_point began) const {
  using of_wall = trace::wall_time::duration;
  const auto ended = parts_.wall();
  return {ended - std::chrono::duration_cast<of_wall>(now() - began), ended};
}

void tracer::hand_on() {
  if (count_ == 0) return;
  const auto size = gathered_.size();
  spans_ended ended{std::make_shared<const std::string>(std::move(gathered_)),
                    std::exchange(count_, 0)};
  gathered_.clear();
  if (!to_) return parts_.lost.add(static_cast<double>(ended.count));
  caf::anon_send(to_, std::move(ended));
  gathered_.reserve(size);  // the next ones are as long
}

}  // namespace gate::traces
