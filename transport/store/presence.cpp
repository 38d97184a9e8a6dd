#include "transport/store/presence.hpp"

#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::store {

void presence::begin() {
  std::lock_guard lock(mutex_);
  if (away_ == 0) up_.set(1);
}

void presence::went(const std::string& why, time_point now) {
  std::lock_guard lock(mutex_);
  if (away_++ > 0) return;
  since_ = now;
  up_.set(0);
  log::warn("The shared store is away; this instance decides by itself until it returns.",
            {{"store", place_}, {"why", why}});
}

void presence::came(time_point now) {
  std::lock_guard lock(mutex_);
  if (--away_ > 0) return;
  up_.set(1);
  const auto gone = std::chrono::duration_cast<std::chrono::milliseconds>(now - since_);
  log::info("The shared store has returned.",
            {{"store", place_}, {"away_ms", std::to_string(gone.count())}});
}

void presence::refused(store_op op, store_outcome how, const std::string& why, time_point now) {
  std::lock_guard lock(mutex_);
  auto& said = said_[static_cast<std::size_t>(how)];
  if (said != time_point{} && now - said < limits::store_complaint) return;
  said = now;
  log::warn("The shared store refuses what it is asked; this instance decides by itself.",
            {{"store", place_},
             {"op", std::string(to_string(op))},
             {"outcome", std::string(to_string(how))},
             {"why", why}});
}

}  // namespace gate::store
