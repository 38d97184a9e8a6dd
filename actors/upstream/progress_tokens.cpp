#include "actors/upstream/progress_tokens.hpp"

#include <algorithm>
#include <charconv>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

/// Numbers that survive a server which reads them as floating point.
constexpr unsigned lost_bits = 64 - 53;

/// One step of splitmix64: different for each call, for different seeds far apart.
std::uint64_t next(std::uint64_t& state) {
  auto x = state += 0x9E3779B97F4A7C15U;
  x = (x ^ x >> 30U) * 0xBF58476D1CE4E5B9U;
  x = (x ^ x >> 27U) * 0x94D049BB133111EBU;
  return (x ^ x >> 31U) >> lost_bits;
}

}  // namespace

progress_tokens::number progress_tokens::make(std::uint64_t request, std::string_view theirs) {
  for (;;) {
    const auto n = next(state_);
    if (all_.try_emplace(n, meaning{request, std::string(theirs)}).second) return n;
  }
}

std::string progress_tokens::raw(number n, std::string_view theirs) {
  auto digits = std::to_string(n);
  return theirs.starts_with('"') ? '"' + digits + '"' : digits;
}

const progress_tokens::meaning* progress_tokens::find(std::string_view raw) const {
  const bool text = raw.starts_with('"');
  std::string content;
  if (text && !json::unquote(raw, content)) return nullptr;
  const std::string_view digits = text ? std::string_view(content) : raw;
  number n = 0;
  const auto end = digits.data() + digits.size();
  if (const auto read = std::from_chars(digits.data(), end, n);
      read.ec != std::errc{} || read.ptr != end)
    return nullptr;
  const auto it = all_.find(n);
  if (it == all_.end() || it->second.theirs.starts_with('"') != text) return nullptr;
  return &it->second;
}

void progress_tokens::forget(number n) {
  all_.erase(n);
}

void progress_tokens::keep_for_task(number n, std::string_view task) {
  const auto it = all_.find(n);
  if (it == all_.end()) return;
  it->second.request = 0;
  of_tasks_.push_back({n, std::string(task)});
  if (of_tasks_.size() <= limits::task_tokens) return;
  all_.erase(of_tasks_.front().it);
  of_tasks_.pop_front();
}

void progress_tokens::end_task(std::string_view task) {
  std::erase_if(of_tasks_, [&](const task_token& t) {
    if (t.task != task) return false;
    all_.erase(t.it);
    return true;
  });
}

}  // namespace gate::upstream
