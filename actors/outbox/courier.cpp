#include "actors/outbox/courier.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gate::outbox {

using verdict = judgement::verdict;

std::string said(const fetched& f) {
  return f.end == fetch_end::redirected ? f.why : "HTTP " + std::to_string(f.status);
}

judgement judge_by_status(const fetched& f) {
  if (f.status / 100 == 2) return {};
  return {verdict::again, said(f)};
}

courier::courier(courier_door& door, courier_parts parts)
    : door_(door), parts_(std::move(parts)), queue_(parts_.most) {}

void courier::put(queue::item it, std::size_t count) {
  if (const auto dropped = queue_.put(std::move(it), door_.now(), count)) {
    parts_.overflow.add(static_cast<double>(dropped));
    lost_ += dropped;
  }
  go_on();
}

void courier::on_fetched(const fetched& f) {
  if (f.id != fetch_ || !queue_.under_way()) return;
  // (Of an answer that is too long the beginning is enough.)
  if (f.end == fetch_end::complete || f.end == fetch_end::too_large ||
      f.end == fetch_end::redirected)
    return ended(parts_.judge(f));
  ended({verdict::again, f.why.empty() ? "it was cut off" : f.why});
}

void courier::on_streamed(const streamed& s) {
  if (s.id != fetch_ || !queue_.under_way()) return;
  door_.abandon(fetch_);
  ended({verdict::again, "the answer is an event stream"});
}

void courier::on_time(time_point at) {
  if (at != armed_) return;
  armed_ = queue::never;
  const auto now = door_.now();
  if (leave_by_ <= now) {
    if (queue_.under_way()) door_.abandon(fetch_);
    answer_by_ = leave_by_ = queue::never;
    lose_all();
  }
  if (queue_.under_way() && answer_by_ <= now) {
    door_.abandon(fetch_);
    return ended(
        {verdict::again, "no answer within " + std::to_string(parts_.answer.count()) + " ms"});
  }
  go_on();
}

void courier::lose_all() {
  const auto lost = queue_.give_up();
  if (lost) parts_.failed.add(static_cast<double>(lost));
  lost_ += lost;
}

void courier::leave_within(std::chrono::milliseconds time) {
  queue_.hurry();
  leave_by_ = door_.now() + time;
  go_on();
}

/// Begins what is due, and waits for what comes first.
void courier::go_on() {
  if (const auto& what = queue_.begin(door_.now()); !what.empty()) send(what);
  if (empty()) leave_by_ = queue::never;
  const auto next = std::min({queue_.due(), answer_by_, leave_by_});
  if (next >= armed_) return;
  armed_ = next;
  door_.wake(next);
}

void courier::send(const queue::batch& what) {
  auto f = std::make_shared<fetch>();
  f->id = ++fetch_;
  f->to = parts_.where.to;
  f->method = verb::post;
  f->headers = parts_.where.headers;
  f->before = parts_.pack(what);
  f->repeatable = true;  // it may come twice anyway, if an answer is lost
  answer_by_ = door_.now() + parts_.answer;
  door_.start(std::move(f));
}

void courier::ended(const judgement& how) {
  answer_by_ = queue::never;
  std::size_t lost = 0;
  auto* counter = &parts_.failed;
  switch (how.what) {
    case verdict::taken:
      queue_.taken();
      break;
    case verdict::again:
      lost = queue_.failed(door_.now(), spread(), how.at_least);
      break;
    case verdict::refused:
      lost = queue_.refused();
      counter = &parts_.refused;
      break;
  }
  if (lost) counter->add(static_cast<double>(lost));
  lost_ += lost;
  note(how.what == verdict::taken, how.why);
  go_on();
}

void courier::note(bool well, std::string_view why) {
  if (well && std::exchange(failing_, false)) door_.works(lost_);
  if (!well && !std::exchange(failing_, true)) door_.fails(why);
  if (well) lost_ = 0;
}

/// From 0 to 1.
double courier::spread() {
  std::array<std::uint8_t, 2> dice{};
  parts_.random(dice);
  return (dice[0] * 256 + dice[1]) / 65535.0;
}

}  // namespace gate::outbox
