#include "transport/doors/children.hpp"

#include "transport/doors/child.hpp"
#include "transport/log.hpp"

namespace gate::doors {
namespace {

constexpr std::chrono::milliseconds flush_pause{5};

}  // namespace

children::children(caf::actor_config& cfg, scheduler::io_unit* unit,
                   std::shared_ptr<process::keeper> keeper)
    : pinned(cfg, unit), io_(*unit), again_(unit->context()), keeper_(std::move(keeper)) {}

children::behavior_type children::make_behavior() {
  return {
      [this](start_child& m) -> child_made {
        auto ends = keeper_->spawn();
        std::string why;
        if (!ends) why = ends.error().what;
        if (!keeper_->flush() && !flushing_) flush_soon();
        // A CHILD that was never born says so itself, and ends.
        return {spawn<child>(&io_, ends ? std::move(*ends) : process::child_ends{}, std::move(why),
                             std::move(m))};
      },
  };
}

/// KEEPER has more to do than fits into its socket.
void children::flush_soon() {
  flushing_ = true;
  again_.expires_after(flush_pause);
  again_.async_wait([this, self = caf::strong_actor_ptr{ctrl()}](boost::system::error_code ec) {
    if (ec) return;
    flushing_ = !keeper_->flush();
    if (flushing_) flush_soon();
    io_.drain();
  });
}

}  // namespace gate::doors
