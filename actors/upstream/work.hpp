#pragma once
/// A piece of work of UPSTREAM SESSION: something to be asked of the upstream, from its arrival to
/// its end. There is one object for all of its life; it changes hands as a `job`.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "actors/interfaces.hpp"
#include "actors/upstream/call_time.hpp"
#include "actors/upstream/input_round.hpp"
#include "actors/upstream/lease.hpp"
#include "actors/upstream/payment.hpp"
#include "actors/upstream/prepaid.hpp"
#include "actors/upstream/progress_tokens.hpp"
#include "actors/upstream/task_errand.hpp"
#include "actors/upstream/tool_memory.hpp"
#include "actors/upstream/tool_renewals.hpp"
#include "protocol/recycled.hpp"

namespace gate::upstream {

/// What for. `greet`: to learn what the upstream says of itself; `look`: and whether it answers;
/// `check`: whether an endpoint works.
enum class task : std::uint8_t { call, list, ping, greet, look, check };

struct work {
  using time_point = std::chrono::steady_clock::time_point;
  static void* operator new(std::size_t) { return recycled<work>::take(); }
  static void operator delete(void* p) { recycled<work>::give(p); }

  task kind = task::call;
  invoke call;
  fetch_list list;
  mcp::item_list items;  ///< of the pages so far
  mcp::list_rest rest;   ///< what the first page said beside them
  std::string cursor;    ///< raw; of the page to ask for
  std::size_t pages = 0;
  std::size_t bytes = 0;
  std::shared_ptr<raw_list> raw;  ///< of a list that is to be kept for others: the pages so far
  std::size_t raw_bytes = 0;
  std::uint64_t round = 0;
  probes_handle asker;  ///< of a ping
  time_point began;
  call_time time;
  progress_ticket progress;  ///< of a call that has a token, once it was sent
  bool retried = false;
  std::uint32_t shown = 0;           ///< which credential it was sent with
  bool undone = false;               ///< a subscription that the client has given up since
  std::uint32_t upstream_calls = 0;  ///< how often it was sent
  bool paid = false;                 ///< BUDGET was asked for the attempt that is to come
  gate::upstream::payment payment;   ///< and what it charged for the latest one
  std::shared_ptr<credential_wait> credential;  ///< null: there was one at once
  std::string how;                     ///< of a ping that failed: more than clients are told
  std::unique_ptr<input_round> input;  ///< what its server wanted to know; null: nothing yet
  std::unique_ptr<task_errand>
      errand;  ///< a task of the other generation; null: nothing of the kind

  /// The last number of its progress, which has to grow, also when the call is made once more.
  double progressed = -std::numeric_limits<double>::infinity();

  // Of a call of a tool of a server without sessions.
  std::shared_ptr<const known_tool> tool;  ///< what is known of it; null: nothing
  std::uint64_t tools_known = 0;  ///< what was known when it was sent: `tool_memory::version`
  /// The server has refused its headers: the list of tools is fetched, by it or by another call,
  /// then it is sent once more.
  enum class renewal : std::uint8_t { none, fetching, done } renews = renewal::none;
  std::unique_ptr<tool_renewals::place> renewal;  ///< meanwhile
  std::shared_ptr<const std::string> refusal;     ///< how it has said so

  explicit work(task k) : kind(k) {}

  /// Was it asked for by this call of ROUTER's, and by that alone?
  bool is_of(std::uint64_t number) const {
    return kind == task::call ? call.call == number
                              : kind == task::list && belongs_to(list, number);
  }
  /// Does it count for limits and the circuit?
  bool guarded() const { return kind == task::call || kind == task::list; }
  /// Is it the request that its cost and its number in the audit trail are about?
  bool counted() const { return kind == task::list ? pages == 0 : renews != renewal::fetching; }
  std::shared_ptr<gate::upstream::lease>& lease() {
    return kind == task::call ? call.lease : list.lease;
  }
  std::shared_ptr<gate::upstream::prepaid>& prepaid() {
    return kind == task::call ? call.prepaid : list.prepaid;
  }
  const trace_ptr& trace() const { return kind == task::list ? list.trace : call.trace; }
  /// INGRESS's number of the client's request that it is for; 0: of none.
  std::uint64_t request() const {
    return kind == task::call ? call.request : kind == task::list ? list.request : 0;
  }
  /// What it is charged to, if it is sent now; or null.
  const allowances_ptr& costs() const {
    static const allowances_ptr free;
    if (kind == task::call)
      return renews == renewal::none && !(errand && errand->legs) ? call.costs : free;
    return kind == task::list && pages == 0 ? list.costs : free;
  }
};
using job = std::unique_ptr<work>;

/// How long the upstream may be silent in a request.
inline std::chrono::milliseconds longest(const invoke& m, std::chrono::milliseconds request) {
  // It waits for its task's end.
  return mcp::task_step_of(m.method) == mcp::task_step::awaits
             ? std::max<std::chrono::milliseconds>(request, limits::task_result)
             : request;
}
inline std::chrono::milliseconds longest(const fetch_list&, std::chrono::milliseconds request) {
  return request;
}

}  // namespace gate::upstream
