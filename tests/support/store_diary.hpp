#pragma once
/// Asks a store, listens to it, and writes down what it is told: `1 ok 'one'`, `here`, `away`,
/// `news: text`.
#include <caf/typed_event_based_actor.hpp>
#include <string>
#include <vector>

#include "tests/support/resp_text.hpp"
#include "transport/interfaces.hpp"

namespace gate::sim {

using store_user = store_asker::extend_with<store_listener>;

class store_diary final : public store_user::base {
 public:
  store_diary(caf::actor_config& cfg, std::vector<std::string>* to)
      : store_user::base(cfg), to_(to) {}
  behavior_type make_behavior() override {
    return {[this](const store_told& m) {
              to_->push_back(std::to_string(m.id) + ' ' + std::string(to_string(m.outcome)) +
                             (m.reply ? ' ' + resp::shown(m.reply->root()) : ""));
            },
            [this](const store_turned& m) { to_->push_back(m.here ? "here" : "away"); },
            [this](const store_heard& m) { to_->push_back(m.channel + ": " + m.text); }};
  }
  const char* name() const override { return "store diary"; }

 private:
  std::vector<std::string>* to_;
};

}  // namespace gate::sim
