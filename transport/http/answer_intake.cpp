#include "transport/http/answer_intake.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::http {
namespace {

/// An answer is taken in slices of this size: so often is its pace looked at.
constexpr std::size_t slice_bytes = 8 * 1024;
/// Where a slice may bring many events, it is this small.
constexpr std::size_t thin_slice_bytes = 256;

}  // namespace

void answer_intake::begin(std::size_t most) {
  most_ = most;
  answer_.emplace(most_, last_);
  pace_.reset();
  had_events_ = gives_way_ = false;
}

answer_intake::turn answer_intake::take(std::string_view bytes) {
  const bool stored = !ahead_.empty();
  if (stored) {
    // More is read only when what could be consumed is: nothing long is moved.
    if (!bytes.empty()) ahead_.erase(0, std::exchange(consumed_, 0)).append(bytes);
    bytes = std::string_view(ahead_).substr(consumed_);
  }
  bytes = feed(bytes);
  const auto left = bytes.size();
  if (left == 0 && stored)
    std::string().swap(ahead_);
  else if (!stored)
    ahead_.assign(bytes);
  consumed_ = ahead_.size() - left;
  if (answer_->done()) return turn::done;
  if (pace_ && !pace_->may_go_on()) {
    go_on_at_ = pace_->go_on_at();
    return turn::later;
  }
  // Others on this unit have their turn.
  if (std::exchange(gives_way_, false)) {
    go_on_at_ = clock::now() + limits::stream_turn_gap;
    return turn::later;
  }
  return left > limits::answer_header_bytes ? turn::endless : turn::more;
}

bool answer_intake::may_go_on() {
  pace_->spend({}, clock::now());
  if (!pace_->may_go_on()) go_on_at_ = pace_->go_on_at();
  return pace_->may_go_on();
}

/// Returns what is left: as far as the pace allows, it was read.
std::string_view answer_intake::feed(std::string_view bytes) {
  std::size_t events = 0, offered = 0;
  if (!answer_->started()) {
    bytes.remove_prefix(answer_->feed_known_header(bytes));
    if (answer_->done()) return bytes;
    if (!answer_->started()) offered = std::min(bytes.find("\r\n\r\n"), bytes.size());  // in one
  }
  for (;;) {
    const bool thin = !answer_->header_done() || had_events_;
    // What was left over is offered again with what comes after it.
    offered = std::min(bytes.size(), offered + (thin ? thin_slice_bytes : slice_bytes));
    const auto n = answer_->feed(bytes.substr(0, offered));
    bytes.remove_prefix(n);
    offered -= n;
    const bool interim =
        answer_->done() && answer_->end() == fetch_end::complete && answer_->status() < 200;
    if (answer_->done() && !interim) return bytes;
    const auto now = clock::now();
    if (!pace_) pace_.emplace(rates_, most_ + most_ / 8, now);  // with its framing
    auto work = answer_->take_work();
    work.bytes = n;
    pace_->spend(work, now);
    had_events_ = answer_->media() == media::events && work.events > 0;
    events += work.events;
    if (interim) answer_.emplace(most_, last_);  // the real answer follows
    if (offered == bytes.size() && !(interim && offered > 0)) return bytes;
    if (!pace_->may_go_on()) return bytes;
    gives_way_ = had_events_ && events >= limits::stream_turn_events;
    if (gives_way_) return bytes;
  }
}

}  // namespace gate::http
