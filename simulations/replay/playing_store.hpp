#pragma once
/// STORE as it was recorded: an operation is told what the recorded one was told, as long after it
/// was asked. What has no answer there, or one that nobody could read without the secrets in it, is
/// answered by a store of the replay's own, which does everything that is asked, and which begins
/// empty.
#include <caf/typed_event_based_actor.hpp>
#include <memory>

#include "simulations/replay/store_book.hpp"
#include "simulations/world/fake_store.hpp"

namespace gate::replay {

/// To itself.
struct store_answer_due {
  store_asker to;
  store_told what;
};

class playing_store final : public store_handle::extend<caf::reacts_to<store_answer_due>>::base {
 public:
  /// `door`: of `own`.
  playing_store(caf::actor_config& cfg, std::shared_ptr<store_book> book,
                std::shared_ptr<sim::fake_store> own, store_handle door);
  behavior_type make_behavior() override;
  void on_exit() override { door_ = nullptr; }
  const char* name() const override { return "playing store"; }

 private:
  void ask(ask_store& m);

  std::shared_ptr<store_book> book_;
  std::shared_ptr<sim::fake_store> own_;
  store_handle door_;
};

}  // namespace gate::replay

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::replay::store_answer_due)
