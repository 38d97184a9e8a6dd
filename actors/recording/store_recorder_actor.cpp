#include "actors/recording/store_recorder_actor.hpp"

namespace gate::recording {

store_recorder_actor::store_recorder_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                                           store_handle of, journal_ptr where)
    : pinned(cfg, unit), of_(std::move(of)), where_(std::move(where)) {
  set_down_handler([this](const caf::down_msg& m) {
    std::vector<std::string> left;
    for (const auto& [channel, who] : channels_)
      if (who.contains(m.source.id())) left.push_back(channel);
    for (const auto& channel : left) leave(channel, m.source.id());
  });
}

store_listener store_recorder_actor::self() {
  return caf::actor_cast<store_listener>(caf::strong_actor_ptr{ctrl()});
}

store_recorder_actor::behavior_type store_recorder_actor::make_behavior() {
  send(of_, watch_store{caf::actor_cast<store_watcher>(self())});
  return {
      [this](ask_store& m) { ask(m); },
      [this](const watch_store& m) { send(of_, m); },
      [this](const listen_to_store& m) { listen(m); },
      [this](const unlisten_store& m) {
        for (const auto& channel : m.channels) leave(channel, m.who.id());
        send(of_, m);
      },
      [this](store_told& m) {
        const auto node = open_.extract(m.id);
        if (node.empty()) return;
        where_->told(m);
        m.id = node.mapped().id;
        send(node.mapped().asker, std::move(m));
      },
      [this](const store_turned& m) { where_->turned(m); },
      [this](const store_heard& m) { where_->heard(m); },
  };
}

void store_recorder_actor::on_exit() {
  of_ = nullptr;
  open_.clear();
  channels_.clear();
}

void store_recorder_actor::ask(ask_store& m) {
  const auto number = ++last_;
  open_.emplace(number, asked_for{m.what.id, std::move(m.asker)});
  where_->asked(m.what, number);
  m.what.id = number;
  m.asker = caf::actor_cast<store_asker>(self());
  send(of_, std::move(m));
}

void store_recorder_actor::listen(const listen_to_store& m) {
  std::vector<std::string> further;
  for (const auto& channel : m.channels) {
    auto& who = channels_[channel];
    if (who.empty()) further.push_back(channel);
    if (who.insert(m.who.id()).second) monitor(m.who);
  }
  if (!further.empty()) send(of_, listen_to_store{std::move(further), self()});
  send(of_, m);
}

void store_recorder_actor::leave(const std::string& channel, caf::actor_id who) {
  const auto at = channels_.find(channel);
  if (at == channels_.end() || at->second.erase(who) == 0 || !at->second.empty()) return;
  channels_.erase(at);
  send(of_, unlisten_store{{channel}, self()});
}

}  // namespace gate::recording
