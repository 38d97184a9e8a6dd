#include "simulations/replay/played_store.hpp"

#include <set>
#include <span>

#include "actors/fleet/shared_counters.hpp"
#include "config/validate.hpp"
#include "simulations/replay/clock.hpp"
#include "simulations/replay/playing_store.hpp"
#include "simulations/world/shared_scripts.hpp"

namespace gate::replay {

using recording::event;

void played_store::add_to(sim::world_options& w) {
  const auto book = std::make_shared<store_book>(tape_);
  if (!book->any() && !config::load(w.config).doc.server.redis_url) return;
  w.store = own_ = std::make_shared<sim::fake_store>();
  const auto began = sim::actor_stage::start_of_time + std::chrono::microseconds(tape_.head.clock);
  auto clock = std::chrono::floor<std::chrono::milliseconds>(
      started_at(tape_.head.started).time_since_epoch());
  if (!as_recorded_) {
    auto found = used_by_others(tape_);
    others_ = std::move(found.used);
    clock = found.clock.value_or(clock);
  }
  sim::teach_scripts(*own_, std::chrono::floor<std::chrono::milliseconds>(clock - began));
  if (!as_recorded_) return;
  listen();
  w.before_store = [own = own_, book](caf::actor_system& system, store_handle door) {
    return store_handle(system.spawn<playing_store>(book, own, std::move(door)));
  };
}

void played_store::listen() {
  std::set<std::string, std::less<>> secret;
  for (const auto& e : tape_.events) {
    if (e.what != recording::kind::heard) continue;
    channels_.emplace(e.channel, e.unit);
    if (e.text.find("secret:") != e.text.npos) secret.insert(e.channel);
  }
  for (const auto& channel : secret) channels_.erase(channel);
  for (const auto& [channel, unit] : channels_) own_->mute(channel);
}

void played_store::hear(const event& e) {
  const auto known = channels_.find(e.channel);
  if (own_ && known != channels_.end() && known->second == e.unit) own_->say({e.channel, e.text});
}

void played_store::come_to(std::size_t event, std::chrono::steady_clock::time_point now) {
  for (; own_ && used_ < others_.size() && others_[used_].by <= event; ++used_) {
    const auto& one = others_[used_];
    if (one.minute) {
      own_->run(sim::ask_to_count(one.key, *one.minute, one.sum), now);
      continue;
    }
    const fleet::debt sum{one.key, fleet::wall_time(std::chrono::seconds(one.until)), one.sum};
    own_->run(fleet::ask_to_add(0, "others-" + std::to_string(used_), std::span(&sum, 1)), now);
  }
}

void played_store::turn(const event& e) {
  if (!own_ || !as_recorded_) return;
  if (!e.here) return own_->go();
  if (e.anew && !own_->here()) own_->forget_all();
  own_->back();
}

}  // namespace gate::replay
