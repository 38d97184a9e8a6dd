#pragma once
/// RECORDER in front of an EGRESS: an EGRESS to those who ask, one asker to the EGRESS, with ids of
/// its own. As EGRESS does, it forgets the fetches of askers that died. Spawned by whoever
/// assembles the process, if there is a recording, on the unit of its EGRESS.
#include <caf/typed_event_based_actor.hpp>
#include <map>
#include <unordered_map>

#include "actors/recording/journal.hpp"
#include "protocol/recycled.hpp"
#include "transport/pinned.hpp"

namespace gate::recording {

using egress_recorder_handle =
    egress_handle::extend<caf::reacts_to<fetched>, caf::reacts_to<streamed>>;

class egress_recorder_actor final : public pinned<egress_recorder_handle::base> {
 public:
  egress_recorder_actor(caf::actor_config& cfg, caf::execution_unit* unit, egress_handle of,
                        journal_ptr where);
  behavior_type make_behavior() override;
  using pinned::enqueue;
  void enqueue(caf::mailbox_element_ptr x, caf::execution_unit* host) override;
  void on_exit() override;
  const char* name() const override { return "egress recorder"; }

 private:
  struct asked_for {
    std::uint64_t id = 0;  ///< the asker's
    fetch_client asker;
    bool form = false, got = false;
  };

  void start(const start_fetch& m);
  /// Whom it is for, with the id that they chose; null: nobody.
  fetch_client told(fetched& m);
  fetch_client told(streamed& m);
  void abandon(std::uint64_t number);
  void forget(caf::actor_id who);

  egress_handle of_;
  journal_ptr where_;
  std::uint64_t last_ = 0;
  /// By number. A call has one of these: its place is used again.
  template <class Value>
  using by_number =
      std::map<std::uint64_t, Value, std::less<>, recycling<std::pair<const std::uint64_t, Value>>>;
  by_number<asked_for> open_;  ///< by our number
  /// Ours by the asker's, of those who are watched.
  std::unordered_map<caf::actor_id, by_number<std::uint64_t>> askers_;
};

}  // namespace gate::recording
