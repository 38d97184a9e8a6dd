#include "simulations/replay/takeovers.hpp"

#include <algorithm>
#include <utility>

#include "config/validate.hpp"

namespace gate::replay {

using recording::event;
using recording::kind;

takeovers::takeovers(const tape& of, late_words late, std::function<void(const event&)> read)
    : recorded_(
          std::ranges::any_of(of.events, [](const event& e) { return e.what == kind::adopted; })),
      late_(std::move(late)),
      read_(std::move(read)),
      thresholds_(std::make_shared<thresholds>(std::max<std::size_t>(1, of.head.units))) {
  for (const auto& [word, behind] : late_) told_behind_[behind].push_back(word);
}

threshold_handle takeovers::threshold(caf::actor_system& system, std::size_t unit) const {
  return system.spawn<playing_threshold>(thresholds_, unit);
}

void takeovers::document(const event& e) {
  if (recorded_ && config::load(e.document).problems.empty())
    documents_.push_back(&e);
  else
    read_(e);
}

void takeovers::adopted(std::size_t unit) {
  while (!thresholds_->waits(unit) && !documents_.empty()) {
    read_(*documents_.front());
    documents_.pop_front();
  }
  thresholds_->open(unit);
}

void takeovers::finish() {
  for (; !documents_.empty(); documents_.pop_front()) read_(*documents_.front());
  thresholds_->open_all();
}

const std::vector<std::size_t>& takeovers::told_behind(std::size_t adopted) const {
  static const std::vector<std::size_t> none;
  const auto it = told_behind_.find(adopted);
  return it == told_behind_.end() ? none : it->second;
}

}  // namespace gate::replay
