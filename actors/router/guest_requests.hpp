#pragma once
/// GUEST REQUESTS: a client without a session has asked another instance of the fleet about a task
/// that was minted here, in a session that this instance has with the server (handed_calls.hpp).
/// The request has passed all stages there; here it is charged and sent, as a request of the
/// client's own would be. Part of ROUTER, of a gateway with a store.
///
/// Their numbers are no calls': the highest bit is set. Bounded by `limits::guest_requests`; each
/// ends with its server's answer, or when nobody can wait for it any more.
#include <cstdint>
#include <functional>
#include <unordered_map>

#include "actors/router/suspended_calls.hpp"
#include "protocol/fleet/call_record.hpp"

namespace gate::routing {

class handed_calls;

class guest_requests {
 public:
  guest_requests(unit& u, handed_calls& home) : unit_(u), home_(home) {}

  /// False: there is no such session, or it is another's, or what is asked can not be asked here.
  bool take(const suspended_call::waiter& to, const fleet::task_question& q);
  /// The server has answered, or told something meanwhile. False: to no guest.
  bool settle(const answered& m);
  bool pass_on(const call_notification& m);
  /// Nobody waits for it there any more.
  void give_up(const suspended_call::waiter& who);
  /// This upstream is gone, or what it had open for this client (0: for all).
  void lost(std::size_t upstream, std::uint64_t client = 0);
  /// A root session of it is: what had nowhere else to go went over it.
  void lost_root(const session_lost& m);
  /// Every second: whoever asked has given it up by now.
  void tick(time_point t);

 private:
  struct guest {
    suspended_call::waiter to;
    std::size_t upstream = 0;
    std::uint64_t client = 0;
    time_point until{};
    trace::span_context within{};  ///< its span there; zeros: none is known
  };
  static constexpr std::uint64_t mark = std::uint64_t{1} << 63U;

  void fail(const std::function<bool(const guest&)>& which);
  time_point patience(std::size_t upstream) const;
  void cancel(std::uint64_t number, const guest& g);
  /// It is one no more; what it was.
  std::optional<guest> end(std::uint64_t number);

  unit& unit_;
  handed_calls& home_;
  std::unordered_map<std::uint64_t, guest> all_;
  std::uint64_t next_ = mark;
};

}  // namespace gate::routing
