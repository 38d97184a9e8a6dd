#include "actors/upstream/greeting.hpp"

#include <algorithm>

#include "protocol/limits.hpp"

namespace gate::upstream {

greeting::greeting(time_point now, bool roots)
    : roots_(roots), until_(now + limits::greeting_most) {}

void greeting::stream_settled(time_point now) {
  if (quiet_from_ != time_point::max()) return;
  quiet_from_ = roots_ ? now + limits::greeting_quiet : now;
}

void greeting::answered(std::string_view raw_id, std::uint64_t fetch) {
  const auto it = questions_.find(raw_id);
  if (it == questions_.end()) return;
  questions_.erase(it);
  answers_.insert(fetch);
}

greeting::time_point greeting::look_at() const {
  return questions_.empty() && answers_.empty() ? std::min(until_, quiet_from_) : until_;
}

}  // namespace gate::upstream
