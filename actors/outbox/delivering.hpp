#pragma once
/// What actors that have a courier have in common: the way to EGRESS, its ticks, and who waits for
/// its end. On the first unit, whose EGRESS they use. A template over the actor's messages and the
/// word that says it is flushed.
#include <algorithm>
#include <caf/typed_event_based_actor.hpp>
#include <optional>
#include <utility>

#include "actors/outbox/courier.hpp"
#include "transport/pinned.hpp"

namespace gate::outbox {

/// To itself: something is due at that time.
struct tick {
  time_point at;
};
/// The messages of an actor, and those of its courier.
template <class Handle>
using with_courier =
    typename Handle::template extend<caf::reacts_to<fetched>, caf::reacts_to<streamed>,
                                     caf::reacts_to<tick>>;

template <class Handle, class Flushed>
class delivering : public pinned<typename with_courier<Handle>::base>, protected courier_door {
 public:
  delivering(caf::actor_config& cfg, caf::execution_unit* unit, egress_handle egress,
             courier_parts parts)
      : pinned<typename with_courier<Handle>::base>(cfg, unit),
        egress_(std::move(egress)),
        place_(parts.where.to->url.place()),
        courier_(*this, std::move(parts)) {}

  void on_exit() override {
    courier_.lose_all();
    say_flushed();  // a promise that dies is never answered
    egress_ = nullptr;
  }

 protected:
  courier& deliveries() { return courier_; }
  /// Of the receiver, for the log.
  const std::string& place() const { return place_; }

  template <class Event>
  void received(const Event& m) {
    pass(m);
    say_flushed();
  }
  caf::result<Flushed> flush(std::chrono::milliseconds within) {
    courier_.leave_within(within);
    if (courier_.empty()) return Flushed{};
    flushed_ = this->template make_response_promise<Flushed>();
    return *flushed_;
  }

 private:
  void pass(const fetched& m) { courier_.on_fetched(m); }
  void pass(const streamed& m) { courier_.on_streamed(m); }
  void pass(const tick& m) { courier_.on_time(m.at); }
  void say_flushed() {
    if (!courier_.empty()) return;
    if (auto who = std::exchange(flushed_, std::nullopt)) who->deliver(Flushed{});
  }

  // courier_door
  void start(fetch_ptr what) override {
    this->send(egress_, start_fetch{std::move(what), caf::actor_cast<fetch_client>(this)});
  }
  void abandon(std::uint64_t fetch) override {
    this->send(egress_, abandon_fetch{fetch, caf::actor_cast<fetch_client>(this)});
  }
  void wake(time_point at) override {
    const auto left = at - this->clock().now();
    this->delayed_send(this, std::max<std::chrono::nanoseconds>(left, std::chrono::nanoseconds{0}),
                       tick{at});
  }
  time_point now() const override { return const_cast<delivering*>(this)->clock().now(); }

  egress_handle egress_;
  std::string place_;
  courier courier_;
  std::optional<caf::typed_response_promise<Flushed>> flushed_;
};

}  // namespace gate::outbox

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::outbox::tick)
