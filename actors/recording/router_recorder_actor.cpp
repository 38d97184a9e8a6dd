#include "actors/recording/router_recorder_actor.hpp"

namespace gate::recording {

router_recorder_actor::behavior_type router_recorder_actor::make_behavior() {
  return {
      [this](const audit_record& m) { where_->audit(*m.event); },
      [this](before_router& m) {
        if (auto* update = std::get_if<federation_update>(&m.what)) return pass(m.to, *update);
        send(m.to, std::move(std::get<replaced<upstream_handle>>(m.what)));
      },
      [](const catch_up& m) { m.done->set_value(); },
  };
}

void router_recorder_actor::pass(const router_handle& to, federation_update& m) {
  // Not what it begins with, nor what the successor of one that crashed is told.
  if (taken_over_ && taken_over_ != m.snapshot) where_->happened(kind::adopted);
  taken_over_ = m.snapshot;
  send(to, std::move(m));
}

}  // namespace gate::recording
