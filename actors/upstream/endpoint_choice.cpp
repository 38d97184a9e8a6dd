#include "actors/upstream/endpoint_choice.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::upstream {

bool is_unreachable(fetch_end e) {
  return e == fetch_end::connect_failed || e == fetch_end::connect_timeout;
}

bool endpoint_fails(const fetched& f) {
  return is_unreachable(f.end) || f.end == fetch_end::broken ||
         (f.end == fetch_end::complete && f.status >= 500);
}

bool is_busy(const fetched& f) {
  return f.end == fetch_end::complete && f.status == 503 && f.retry_after;
}

bool endpoint_choice::picked(std::uint64_t number, std::size_t endpoint) {
  if (open_ == 0 || number != open_) return false;
  open_ = 0;
  current_ = endpoint < count_ ? endpoint : 0;
  return true;
}

bool endpoint_choice::pick_alone() {
  std::size_t first = 0;
  while (std::ranges::find(tried_, first) != tried_.end()) ++first;
  return picked(open_, first);
}

bool endpoint_choice::fail() {
  tried_.push_back(current_);
  return tried_.size() < std::min(count_, limits::connect_candidates);
}

}  // namespace gate::upstream
