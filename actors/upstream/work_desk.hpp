#pragma once
/// WORK DESK: what becomes of a piece of work, in any generation of the protocol: it waits, is
/// charged, sent by CARRIER, answered or not, sent once more if it was surely not processed. Part
/// of UPSTREAM SESSION.
///
///   it ended with                                             BREAKER hears, of leased work and
///   an answer: a result, a JSON-RPC error                     success    unless all is clean
///   not yet, but with a question to the client                success    of leased work
///   no connection, no answer in time, something that is none  failure    always
///   cancellation, no budget, no (good) credential, no room    neutral    never
///   here, the end of its session; a 503 with Retry-After,
///   of a server that is busy but well
///
/// A handshake that fails is one failure, however many calls waited for it; one that nobody's call
/// waited for is none. What is leased tells its own end all the same. A handshake that succeeds,
/// and a ping, are signs of life: an open circuit need not wait out its time then.
#include "actors/upstream/carrier.hpp"
#include "actors/upstream/session_basics.hpp"
#include "actors/upstream/tenancy.hpp"
#include "actors/upstream/tool_desk.hpp"

namespace gate::upstream {

class work_desk {
 public:
  using time_point = session_basics::time_point;

  work_desk(session_basics& s, tenancy& place, carrier& by)
      : s_(s), place_(place), by_(by), tools_(s, by, *this) {}

  /// Something new. It is sent, or waits, or ends.
  void take(job w);

  // What waits for the carrier.
  void send_waiting();
  void fail_waiting(no_answer why, bool connect, verdict how);
  /// Ends what has waited too long, for what; the next of the others will have at this time.
  enum class waits_for : std::uint8_t { handshake, us };
  time_point end_late_waiting(time_point now, waits_for what);
  /// Who fails by the handshake from now on is another failure.
  void forgive_handshake() { handshake_blamed_ = false; }

  // What waits for BUDGET.
  void on(const charged& m);
  void charge_nobody();

  // What was sent.
  /// Its fetch has ended.
  void ended(pending& p, const fetched& f);
  /// The message that answers it has come.
  void answered(job w, const jsonrpc::message& m, std::shared_ptr<const std::string> text,
                bool busy = false);
  void fail(work& w, no_answer why, bool connect, verdict how);
  /// One page of a list has come, or all of one that another instance has fetched (`kept`). If that
  /// is no list, the upstream is asked.
  void finish_list(job w, std::string_view raw_result);
  /// The upstream was answered what it wanted to know: the call is made once more, as a request of
  /// its own.
  void again(job w);
  /// It ends with this, which the upstream has not said: the end of a response, from its result or
  /// error on.
  /// `how`: what its upstream's part in it was.
  void answer_with(work& w, std::string_view end, verdict how = verdict::neutral);
  /// It has lasted too long, or its stream says nothing any more; it is given up.
  void late(std::uint64_t fetch, pending& p);
  void silent(std::uint64_t fetch, pending& p);
  /// The upstream has said something within this call.
  void goes_on(pending& p);
  /// … and that was a question to the client: it works. A client may take any time to answer, and
  /// the circuit does not stay half open for that; how the work ends is told as any other's.
  void works(work& w);

  /// A list of tools that calls have waited for has come, or will not.
  void look_for_tools() { tools_.look(); }

  // Ends from outside. ROUTER has answered these calls.
  void cancel(const cancel_call& m);
  void cancel_all();

  /// A handshake or a probe has succeeded.
  void reached();

 private:
  friend class tool_desk;
  void wait_or_send(job w);
  void send(job w);
  void charge(job w);
  bool retry(job& w);
  void broke_off(pending& p, const fetched& f);
  void answer_call(work& w, const jsonrpc::message& m, std::shared_ptr<const std::string> text);
  void answer_nothing(work& w, no_answer why, std::shared_ptr<const refusal> refused);
  void judge(work& w, verdict how);
  verdict blame(work& w);

  session_basics& s_;
  tenancy& place_;
  carrier& by_;
  tool_desk tools_;
  bool handshake_blamed_ = false;  ///< BREAKER has heard of the handshake that is under way
};

}  // namespace gate::upstream
