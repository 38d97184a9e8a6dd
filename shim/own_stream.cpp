#include "shim/own_stream.hpp"

#include <string>
#include <utility>

#include "protocol/limits.hpp"
#include "protocol/sse/writer.hpp"

namespace gate::shim {

using sse::replay;

void own_stream::say(std::string_view text, time_point now) {
  if (!listened_to()) listener_ = nullptr;
  const auto event = replay_.add(replay::own_stream, text, now);
  if (!listener_) return;
  written_ = now;
  if (listener_->send(*event)) heard_ = replay_.now_at(replay::own_stream);
}

exchange_ptr own_stream::listen(exchange_ptr from, replay::position after, bool primes,
                                time_point now, bool& lost) {
  std::string missed;
  lost = !replay_.kept_after(after, [&](std::string_view event) { missed += event; });
  if (listener_) listener_->end_stream();
  auto before = std::exchange(listener_, std::move(from));
  sse::begin_own(*listener_, replay_, missed, primes);
  written_ = now;
  heard_ = replay_.now_at(replay::own_stream);
  return before;
}

void own_stream::keep_alive(time_point now) {
  if (!listened_to()) listener_ = nullptr;
  if (!listener_ || now - written_ < limits::shim_keep_alive) return;
  written_ = now;
  listener_->send(sse::keep_alive);
}

void own_stream::end() {
  if (listener_) std::exchange(listener_, nullptr)->end_stream();
}

}  // namespace gate::shim
