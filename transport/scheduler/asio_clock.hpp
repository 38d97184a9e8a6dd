#pragma once
/// CAF's actor clock on one Asio timer: all delayed messages of all actors wait in one ordered
/// schedule, and the timer is armed for the earliest. Entries fire on unit 0. Any thread may add.
///
/// CAF has its clock forget the timeouts of an actor that ends. Here its delayed messages go with
/// them: each holds the actor that it is for, which would keep its memory until the message is due.
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <caf/detail/simple_actor_clock.hpp>
#include <mutex>

namespace gate::scheduler {

class asio_clock final : public caf::detail::simple_actor_clock {
 public:
  explicit asio_clock(boost::asio::io_context& context) : context_(context), timer_(context) {}

  void set_ordinary_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                            uint64_t id) override;
  void set_multi_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                         uint64_t id) override;
  void set_request_timeout(time_point t, caf::abstract_actor* self, caf::message_id id) override;
  void schedule_message(time_point t, caf::strong_actor_ptr receiver,
                        caf::mailbox_element_ptr content) override;
  void schedule_message(time_point t, caf::group target, caf::strong_actor_ptr sender,
                        caf::message content) override;
  void cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) override;
  void cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) override;
  void cancel_timeouts(caf::abstract_actor* self) override;
  void cancel_all() override;

 private:
  using super = caf::detail::simple_actor_clock;
  // Recursive: dropping an entry may destroy an actor, which cancels its own timeouts.
  using guard = std::lock_guard<std::recursive_mutex>;

  void arm_if_earlier(time_point t);
  void rearm();

  boost::asio::io_context& context_;
  boost::asio::steady_timer timer_;
  std::recursive_mutex mutex_;
  time_point armed_ = time_point::max();
};

}  // namespace gate::scheduler
