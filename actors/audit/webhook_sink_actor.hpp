#pragma once
/// SINK of a webhook: delivers events in batches, each a JSON array. Bounded, and nobody waits for
/// it; a receiver that is away costs what it does not get (limits::outbox_…). Spawned and
/// supervised by GATEWAY, on the first unit; told by AUDIT.
#include <caf/typed_event_based_actor.hpp>
#include <optional>

#include "actors/interfaces.hpp"
#include "actors/outbox/courier.hpp"
#include "transport/pinned.hpp"

namespace gate::audits {

/// To itself: something is due at that time.
struct sink_tick {
  outbox::time_point at;
};
using webhook_sink_base = sink_actor::extend<caf::reacts_to<fetched>, caf::reacts_to<streamed>,
                                             caf::reacts_to<sink_tick>>;

struct webhook_parts {
  outbox::address where;
  egress_actor egress;
  random_source random;
  labelled<audit_loss> dropped;
};

class webhook_sink_actor final : public pinned<webhook_sink_base::base>,
                                 private outbox::courier_door {
 public:
  webhook_sink_actor(caf::actor_config& cfg, caf::execution_unit* unit, webhook_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::sink); }

 private:
  void start(fetch_ptr what) override;
  void abandon(std::uint64_t fetch) override;
  void wake(outbox::time_point at) override;
  outbox::time_point now() const override {
    return const_cast<webhook_sink_actor*>(this)->clock().now();
  }
  void fails(std::string_view why) override;
  void works(std::size_t lost) override;
  caf::result<audit_flushed> flush();
  void say_flushed();

  egress_actor egress_;
  std::string place_;  ///< of the receiver, for the log
  outbox::courier courier_;
  std::optional<caf::typed_response_promise<audit_flushed>> flushed_;
};

}  // namespace gate::audits

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::audits::sink_tick)
