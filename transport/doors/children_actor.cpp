#include "transport/doors/children_actor.hpp"

#include <caf/send.hpp>

#include "transport/doors/child_actor.hpp"
#include "transport/log.hpp"

namespace gate::doors {
namespace {

constexpr std::chrono::milliseconds flush_pause{5};

}  // namespace

children_actor::children_actor(caf::actor_config& cfg, scheduler::io_unit* unit,
                               std::shared_ptr<process::keeper> keeper)
    : pinned(cfg, unit),
      io_(*unit),
      again_(unit->context()),
      life_(unit->context()),
      keeper_(std::move(keeper)) {
  if (auto life = keeper_->life()) life_.assign(life.release());
}

children_actor::behavior_type children_actor::make_behavior() {
  if (life_.is_open()) watch_keeper();
  return {
      [this](start_child& m) -> child_made {
        auto ends = keeper_->spawn();
        std::string why;
        if (!ends) why = ends.error().what;
        if (!keeper_->flush() && !flushing_) flush_soon();
        // A CHILD that was never born says so itself, and ends.
        return {spawn<child_actor>(&io_, ends ? std::move(*ends) : process::child_ends{},
                                   std::move(why), std::move(m))};
      },
  };
}

void children_actor::on_exit() {
  boost::system::error_code ec;
  life_.close(ec);
  again_.cancel();
}

void children_actor::watch_keeper() {
  using pipe = boost::asio::posix::stream_descriptor;
  life_.async_wait(
      pipe::wait_read, [this, self = caf::strong_actor_ptr{ctrl()}](boost::system::error_code ec) {
        if (ec || !life_.is_open()) return;
        const scheduler::handler_scope scope(io_);
        log::error("KEEPER, the process that starts servers, has ended: was it killed?");
        keeper_->reap();
        caf::anon_send_exit(this, caf::exit_reason::unhandled_exception);
      });
}

/// KEEPER has more to do than fits into its socket.
void children_actor::flush_soon() {
  flushing_ = true;
  again_.expires_after(flush_pause);
  again_.async_wait([this, self = caf::strong_actor_ptr{ctrl()}](boost::system::error_code ec) {
    if (ec) return;
    const scheduler::handler_scope scope(io_);
    flushing_ = !keeper_->flush();
    if (flushing_) flush_soon();
  });
}

}  // namespace gate::doors
