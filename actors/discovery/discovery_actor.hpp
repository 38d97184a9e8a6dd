#pragma once
/// DISCOVERY: polls the source of further upstreams, and hands GATEWAY what is new there. Spawned
/// and supervised by GATEWAY, on the first unit, if there is a section `discovery`.
///
///   state     what happens                        then
///   resting   the interval is over                ask the source: fetching
///   fetching  the same document as applied last   count `unchanged`: resting
///             another one                         tell GATEWAY: settling
///             anything else, or nothing in time   count `error`: resting
///   settling  it is applied                       remember it, count `applied`: resting
///             it is refused                       count `rejected`: resting; and tell it again
///                                                 next time: the other half may have changed
///             it could not be judged              count `error`: resting; tell it again
///             GATEWAY says nothing                die: a successor may be luckier
///
/// The interval is counted from the end of a poll, so polls never overlap. What is told has a
/// number, which comes back with the answer: one that comes late, perhaps after a restart, belongs
/// to another document.
#include <caf/typed_event_based_actor.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "actors/interfaces.hpp"
#include "protocol/base/sha256.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"
#include "transport/pinned.hpp"

namespace gate::discovery {

/// To itself: what is waited for takes too long, or the rest is over. The latest one only.
struct discovery_tick {
  std::uint64_t number = 0;
};
using discovery_base = gate::discovery_handle::extend<caf::reacts_to<discovery_tick>>;

struct discovery_parts {
  config::discovery_section section;
  http::url url;  ///< of the section
  egress_handle egress;
  secret_source secrets;
  discovery_user asker;
  /// The documents that it tells have numbers above this. No other DISCOVERY has the same.
  std::uint64_t numbers_from = 0;
  labelled<sync_outcome> syncs;
};

class discovery_actor final : public pinned<discovery_base::base> {
 public:
  discovery_actor(caf::actor_config& cfg, caf::execution_unit* unit, discovery_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::discovery); }

 private:
  enum class state : std::uint8_t { resting, fetching, settling };

  void poll();
  /// The header lines of a poll; nothing if the secret is of no use, which has been logged.
  std::shared_ptr<const std::string> headers();
  void on_fetched(const fetched& f);
  void on_settled(const discovery_settled& m);
  void on_tick(const discovery_tick& m);
  /// `told`: what viewers may hear instead of the log's words; empty: these.
  void failed(std::string_view why, std::string_view told = {});
  /// Counts what came of a poll, and has viewers told.
  void note(sync_outcome what, std::string error = {});
  void log_applied();
  void log_rejected(const discovery_settled& m);
  void wait(state s, std::chrono::nanoseconds at_most);
  void rest();

  discovery_parts parts_;
  std::shared_ptr<const destination> to_;
  sha256 digest_;
  state state_ = state::resting;
  std::uint64_t tick_ = 0;
  std::uint64_t fetch_ = 0;
  std::uint64_t question_;                 ///< number of the document that was told last
  sha256_digest latest_{};                 ///< of the document that GATEWAY judges
  std::size_t latest_upstreams_ = 0;       ///< that it names
  std::optional<sha256_digest> applied_;   ///< what runs
  std::optional<sha256_digest> rejected_;  ///< what the source said last, if it was refused
  bool failing_ = false;
};

}  // namespace gate::discovery

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::discovery::discovery_tick)
