#pragma once
/// HANDED CALLS: a client without a session comes back for a call that waits at another instance of
/// the fleet (`requestState`, suspended_calls.hpp). It has passed all stages here; what it answers
/// goes there, and what comes of it comes back. Part of ROUTER, of a gateway with a store.
///
///   here                      there
///   attempt ->                none: refused here, as every state that is not good
///                             taken, then said …, then result, error, asks or down
///   left ->                   (the client has closed the stream) the call is cancelled
///
/// Words are told at most once: whoever does not answer in time is gone.
///
/// And: such a client asks about a task that another instance has minted for it, in a session of
/// its own with the server (`tasks::place::instance`). That goes there in the same way
/// (guest_requests.hpp); only that, if that instance does not take it, it is asked here as if there
/// were no other: many servers do not bind tasks to sessions.
///
///   here                      there
///   asks ->                   none: it is asked here
///                             taken, then said …, then result, asks (the same), error or down
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "actors/router/fleet_line.hpp"
#include "actors/router/guest_requests.hpp"
#include "actors/router/suspended_calls.hpp"
#include "protocol/fleet/call_record.hpp"

namespace gate::routing {

class upstream_calls;

class handed_calls {
 public:
  handed_calls(unit& u, fleet_line& line, suspended_calls& suspensions, upstream_calls& calls)
      : unit_(u), line_(line), suspensions_(suspensions), calls_(calls), guests_(u, *this) {}

  // For states.
  const mcp::stateless::instance_name& name() const { return line_.id(); }
  /// What all instances open them with; nothing: there is no store at the moment.
  std::optional<mcp::stateless::state_key> key() const;

  // Here.
  /// It waits for another instance from now on; false: there is none to ask, and it is as it was.
  bool hand_over(pipeline::fact<pipeline::stage::guard>& c,
                 const mcp::stateless::request_state& state, std::string_view raw_answers);
  /// The same of a request about a task.
  bool hand_over_task(pipeline::fact<pipeline::stage::guard>& c);
  /// A call has left.
  void forget(const pipeline::call& c);
  /// Every second: who was not answered in time.
  void tick(time_point t);

  // There.
  /// `why`: what the spans of the attempt are linked to; nothing: it is not recorded.
  void take(const suspended_call::waiter& to, const std::optional<fleet::cause>& why = {});
  /// `of`: its trace, for the log. `asked`: how often its server was asked that nobody has counted
  /// yet, and one more.
  void settle(const suspended_call::waiter& to, const answered& m, const trace::trace_id& of,
              std::uint32_t asked = 1);
  void turn_away(const suspended_call::waiter& to);
  void pass(const suspended_call::waiter& to, const std::string& notification);

  guest_requests& guests() { return guests_; }

  void hear(const std::string& from, const fleet::session_word& w);

 private:
  using kind = fleet::session_word::kind;
  struct handed {
    std::string to;
    std::uint64_t call = 0;
    std::uint32_t round = 0;
    bool taken = false;
    bool of_a_task = false;
  };

  void say(const std::string& to, kind what, std::string text, std::uint64_t waits = 0);
  void say(const suspended_call::waiter& to, fleet::settlement s);
  void on_attempt(const std::string& from, const fleet::attempt& a);
  void on_question(const std::string& from, const fleet::task_question& q);
  void on_settlement(const std::string& from, fleet::settlement&& s);
  void leave(std::uint64_t number);
  void say_left(std::uint64_t number, const handed& h);
  void give_up(std::uint64_t number);
  void refuse(std::uint64_t number);
  void finish(std::uint64_t number, answered m);

  unit& unit_;
  fleet_line& line_;
  suspended_calls& suspensions_;
  upstream_calls& calls_;
  std::unordered_map<std::uint64_t, handed> handed_;  ///< calls of ours, by number
  guest_requests guests_;                             ///< of others
};

}  // namespace gate::routing
