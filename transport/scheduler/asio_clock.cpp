#include "transport/scheduler/asio_clock.hpp"

#include <boost/asio/post.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace gate::scheduler {

void asio_clock::set_ordinary_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                                      uint64_t id) {
  guard lock(mutex_);
  super::set_ordinary_timeout(t, self, type, id);
  arm_if_earlier(t);
}

void asio_clock::set_multi_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                                   uint64_t id) {
  guard lock(mutex_);
  super::set_multi_timeout(t, self, type, id);
  arm_if_earlier(t);
}

void asio_clock::set_request_timeout(time_point t, caf::abstract_actor* self, caf::message_id id) {
  guard lock(mutex_);
  super::set_request_timeout(t, self, id);
  arm_if_earlier(t);
}

void asio_clock::schedule_message(time_point t, caf::strong_actor_ptr receiver,
                                  caf::mailbox_element_ptr content) {
  const auto whose = receiver->id();
  auto event = std::make_unique<actor_msg>(t, std::move(receiver), std::move(content));
  guard lock(mutex_);
  const auto entry = schedule_.emplace(t, std::move(event));
  entry->second->backlink = actor_lookup_.emplace(whose, entry);
  arm_if_earlier(t);
}

void asio_clock::schedule_message(time_point t, caf::group target, caf::strong_actor_ptr sender,
                                  caf::message content) {
  guard lock(mutex_);
  super::schedule_message(t, std::move(target), std::move(sender), std::move(content));
  arm_if_earlier(t);
}

void asio_clock::cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) {
  guard lock(mutex_);
  super::cancel_ordinary_timeout(self, type);
}

void asio_clock::cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) {
  guard lock(mutex_);
  super::cancel_request_timeout(self, id);
}

void asio_clock::cancel_timeouts(caf::abstract_actor* self) {
  // Let go of without the lock: what is in a message may be the last that holds somebody.
  std::vector<unique_delayed_event_ptr> gone;
  guard lock(mutex_);
  const auto [first, last] = actor_lookup_.equal_range(self->id());
  for (auto it = first; it != last; ++it) {
    gone.push_back(std::move(it->second->second));
    schedule_.erase(it->second);
  }
  actor_lookup_.erase(first, last);
}

void asio_clock::cancel_all() {
  guard lock(mutex_);
  super::cancel_all();
}

void asio_clock::arm_if_earlier(time_point t) {
  if (t >= armed_) return;
  armed_ = t;
  // The timer belongs to unit 0's thread.
  boost::asio::post(context_, [this] { rearm(); });
}

void asio_clock::rearm() {
  guard lock(mutex_);
  if (schedule_.empty()) {
    armed_ = time_point::max();
    return;
  }
  armed_ = schedule_.begin()->first;
  timer_.expires_at(armed_);
  timer_.async_wait([this](boost::system::error_code ec) {
    if (ec) return;  // armed anew for an earlier entry
    guard inner(mutex_);
    trigger_expired_timeouts();
    rearm();
  });
}

}  // namespace gate::scheduler
