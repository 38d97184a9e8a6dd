#include "actors/recording/router_recorder_actor.hpp"

#include <caf/send.hpp>

#include <algorithm>

#include "transport/at_once.hpp"

namespace gate::recording {

router_recorder_actor::behavior_type router_recorder_actor::make_behavior() {
  return {
      [this](const audit_record& m) { where_->audit(*m.event); },
      [this](before_router& m) {
        if (auto* update = std::get_if<federation_update>(&m.what)) return pass(m.to, *update);
        std::visit([&]<class M>(M&& what) { send(m.to, std::forward<M>(what)); },
                   std::move(m.what));
      },
      [](const catch_up& m) { m.done->set_value(); },
  };
}

void router_recorder_actor::enqueue(caf::mailbox_element_ptr x, caf::execution_unit* host) {
  const auto write = [this](const audit_record& m) { where_->audit(*m.event); };
  if (!taken_at_once<audit_record>(*this, *x, write)) pinned::enqueue(std::move(x), host);
}

void router_recorder_actor::pass(const router_handle& to, federation_update& m) {
  // Not what it begins with, nor what the successor of one that crashed is told.
  if (taken_over_ && taken_over_ != m.snapshot) where_->happened(kind::adopted);
  taken_over_ = m.snapshot;
  send(to, std::move(m));
}

std::size_t catch_up_all(const std::vector<router_recorder_handle>& all,
                         std::chrono::steady_clock::time_point until) {
  std::vector<std::future<void>> answers;
  answers.reserve(all.size());
  for (const auto& one : all) {
    const auto done = std::make_shared<std::promise<void>>();
    answers.push_back(done->get_future());
    caf::anon_send(one, catch_up{done});
  }
  return static_cast<std::size_t>(std::ranges::count_if(answers, [until](const auto& answer) {
    return answer.wait_until(until) != std::future_status::ready;
  }));
}

}  // namespace gate::recording
