#include "transport/doors/store_actor.hpp"

#include <array>
#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <utility>

#include "protocol/base/base64url.hpp"
#include "protocol/limits.hpp"
#include "transport/clock.hpp"
#include "transport/log.hpp"
#include "transport/runtime.hpp"

namespace gate {
namespace {

class real_store final : public shared_store {
 public:
  real_store(resp::store_url to, std::shared_ptr<metrics> m)
      : parts_{std::move(to), nullptr, std::move(m)} {
    parts_.all =
        std::make_shared<store::presence>(parts_.to.place(), parts_.metrics->get(metric::store_up));
  }

  store_handle spawn(caf::actor_system& system, scheduler::io_unit* unit) override {
    doors_.push_back(system.spawn<doors::store_actor>(unit, parts_));
    return doors_.back();
  }

  std::optional<problem> open() override {
    std::vector<std::future<std::string>> answers;
    for (const auto& door : doors_) {
      auto told = std::make_shared<std::promise<std::string>>();
      answers.push_back(told->get_future());
      caf::anon_send(door, doors::open_store{std::move(told)});
    }
    doors_.clear();
    // Each of them answers within `limits::store_boot`.
    std::string wrong;
    for (auto& a : answers) {
      auto why = answer_of(a);
      if (wrong.empty()) wrong = std::move(why);
    }
    if (wrong.empty()) return parts_.all->begin(), std::nullopt;
    return problem{"the shared store " + parts_.to.place() + " can not be used: " + wrong +
                   " (it is named by server.redisUrl, or by the environment variable REDIS_URL)"};
  }

 private:
  static std::string answer_of(std::future<std::string>& a) {
    try {
      return a.get();
    } catch (const std::future_error&) {
      return "its door crashed, which is a bug";
    }
  }

  doors::store_parts parts_;
  std::vector<doors::store_door> doors_;
};

}  // namespace

std::shared_ptr<shared_store> make_shared_store(resp::store_url to, std::shared_ptr<metrics> m) {
  return std::make_shared<real_store>(std::move(to), std::move(m));
}

}  // namespace gate

namespace gate::doors {
namespace {

const std::string life_key = "gate:{fleet}:life";

store_request command(std::vector<std::string> words) {
  store_request out;
  out.words = std::move(words);
  return out;
}

}  // namespace

store_actor::store_actor(caf::actor_config& cfg, scheduler::io_unit* unit, const store_parts& parts)
    : pinned(cfg, unit) {
  store::client::callbacks call;
  call.heard = [this](const store_heard& m) { heard(m); };
  call.turned = [this](bool here) { turned(here); };
  call.listens = [this](const std::string& channel) { listening(channel); };
  client_ =
      std::make_unique<store::client>(*unit, parts.to, parts.all, parts.metrics, std::move(call));
  set_down_handler([this](const caf::down_msg& m) { forget(m.source.id()); });
}

store_actor::behavior_type store_actor::make_behavior() {
  delayed_send(this, limits::store_life, look_for_life{});
  return {
      [this](ask_store& m) {
        client_->ask(std::move(m.what), [asker = std::move(m.asker)](store_told told) {
          caf::anon_send(asker, std::move(told));
        });
      },
      [this](const watch_store& m) { watch(m); },
      [this](const listen_to_store& m) { listen(m); },
      [this](const unlisten_store& m) { unlisten(m); },
      [this](open_store& m) {
        client_->open([this, told = std::move(m.told)](std::string why) {
          if (!why.empty()) return told->set_value(std::move(why));
          opening_ = told;
        });
      },
      [this](look_for_life) {
        look_whether_it_lives();
        delayed_send(this, limits::store_life, look_for_life{});
      },
  };
}

void store_actor::on_exit() {
  client_.reset();
  watchers_.clear();
  listeners_.clear();
  channels_.clear();
}

void store_actor::watch(const watch_store& m) {
  if (watchers_.emplace(m.who.id(), m.who).second) monitor(m.who);
  send(m.who, store_turned{here_});
}

void store_actor::listen(const listen_to_store& m) {
  auto [it, met] = listeners_.try_emplace(m.who.id());
  auto& l = it->second;
  if (met) {
    l.who = m.who;
    monitor(m.who);
  }
  for (const auto& channel : m.channels) {
    // Who waits for it is entered first: it may be listened to at once.
    if (!client_->listens(channel)) l.waits.insert(channel);
    if (!client_->listen(channel)) {
      l.waits.erase(channel);
      log::warn("A channel of the shared store is not listened to: there are too many.");
      continue;
    }
    l.channels.insert(channel);
    channels_[channel].insert(m.who.id());
  }
  if (!here_ || l.waits.empty()) send(l.who, store_turned{here_});
}

void store_actor::unlisten(const unlisten_store& m) {
  const auto it = listeners_.find(m.who.id());
  if (it == listeners_.end()) return;
  for (const auto& channel : m.channels)
    if (it->second.channels.erase(channel) > 0) leave(channel, m.who.id());
}

/// Nobody is left who listens: the store need not tell.
void store_actor::leave(const std::string& channel, caf::actor_id who) {
  const auto it = channels_.find(channel);
  if (it == channels_.end()) return;
  it->second.erase(who);
  if (!it->second.empty()) return;
  channels_.erase(it);
  client_->unlisten(channel);
}

void store_actor::forget(caf::actor_id who) {
  watchers_.erase(who);
  const auto node = listeners_.extract(who);
  if (!node || !client_) return;
  for (const auto& channel : node.mapped().channels) leave(channel, who);
}

void store_actor::heard(const store_heard& m) {
  const auto it = channels_.find(m.channel);
  if (it == channels_.end()) return;
  for (const auto who : it->second) send(listeners_.at(who).who, m);
}

void store_actor::turned(bool here) {
  for (auto& [id, l] : listeners_) {
    l.waits.clear();
    if (!here) l.waits = l.channels;
  }
  if (here) return ask_for_life();
  if (std::exchange(here_, false)) told_all({false});
}

void store_actor::ask_for_life() {
  std::array<std::uint8_t, 16> bytes;
  system_random()(bytes);
  const auto name = base64url_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  client_->ask(command({"SET", life_key, name, "NX"}), [](const store_told&) {});
  client_->ask(command({"GET", life_key}), [this](const store_told& m) { on_life(m); });
}

/// If not, it is as if it had gone and come back without its data.
void store_actor::look_whether_it_lives() {
  if (!here_ || life_.empty()) return;
  client_->ask(command({"GET", life_key}), [this](const store_told& m) {
    const bool said = m.outcome == store_outcome::ok && m.reply;
    if (!said || !here_ || m.reply->root().text() == life_) return;
    here_ = false;
    told_all({false});
    ask_for_life();
  });
}

/// It is here from now on; unless it has gone meanwhile, and will come again.
void store_actor::on_life(const store_told& m) {
  if (const auto told = std::exchange(opening_, nullptr)) told->set_value({});
  if (!client_->here()) return;
  std::string life;
  if (m.outcome == store_outcome::ok && m.reply) life = m.reply->root().text();
  // Not in time: a store that may have lost everything is not taken for the one it was.
  if (m.outcome == store_outcome::timeout) return ask_for_life();
  const bool anew = !life.empty() && !life_.empty() && life != life_;
  if (!life.empty()) life_ = std::move(life);
  here_ = true;
  told_all({true, anew});
}

void store_actor::told_all(store_turned m) {
  for (auto& [id, who] : watchers_) send(who, m);
  for (auto& [id, l] : listeners_)
    if (!m.here || l.waits.empty()) send(l.who, m);
}

void store_actor::listening(const std::string& channel) {
  const auto it = channels_.find(channel);
  if (it == channels_.end()) return;
  for (const auto id : it->second) {
    auto& l = listeners_.at(id);
    if (l.waits.erase(channel) > 0 && l.waits.empty() && here_) send(l.who, store_turned{true});
  }
}

}  // namespace gate::doors
