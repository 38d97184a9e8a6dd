#include "actors/upstream/ended_tasks.hpp"

#include <algorithm>
#include <utility>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

ended_tasks::~ended_tasks() {
  total_ -= bytes_;
}

bool ended_tasks::add(task t, time_point now) {
  expire(now);
  const auto size = t.result.size();
  if (size > limits::ended_task_bytes || total_ + size > limits::task_bytes) return false;
  bytes_ += size;
  total_ += size;
  all_.push_back(std::move(t));
  while (all_.size() > limits::ended_tasks || bytes_ > limits::ended_task_bytes) drop_oldest();
  return true;
}

const ended_tasks::task* ended_tasks::find(std::string_view raw_id, time_point now) {
  if (all_.empty()) return nullptr;
  expire(now);
  const auto at =
      std::ranges::find_if(all_, [&](const task& t) { return json::same_scalar(t.id, raw_id); });
  return at == all_.end() ? nullptr : &*at;
}

void ended_tasks::drop_oldest() {
  const auto size = all_.front().result.size();
  bytes_ -= size;
  total_ -= size;
  all_.pop_front();
}

ended_tasks::time_point ended_tasks::expire(time_point now) {
  while (!all_.empty() && all_.front().until <= now) drop_oldest();
  return all_.empty() ? time_point::max() : all_.front().until;
}

}  // namespace gate::upstream
