#pragma once
/// SUSPENDED CALLS: a server that has sessions asks within the call of a client that has none. The
/// client is asked by a result, and comes back with another call, which goes on with the same work
/// of the upstream; in between nobody waits for that. (MCP 2026-07-28 /basic/patterns/mrtr.) What
/// there is of it is in suspension_table.hpp. Part of ROUTER.
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "actors/router/suspension_table.hpp"
#include "actors/router/unit.hpp"
#include "protocol/fleet/call_record.hpp"
#include "protocol/mcp/stateless/request_state.hpp"
#include "transport/clock.hpp"

namespace gate::routing {

class suspended_calls final : public pipeline::suspension_desk {
 public:
  suspended_calls(unit& u, random_source random, const mcp::stateless::state_key& key)
      : unit_(u), random_(std::move(random)), key_(key) {}

  outcome go_on(pipeline::fact<pipeline::stage::guard>& c) override;

  /// The call that waits for what its upstream knows by this number; 0: its client is being asked.
  std::uint64_t live(std::uint64_t number) {
    const auto* s = table_.empty() ? nullptr : table_.find(number);
    return s ? s->live : number;
  }
  /// Is it about a call of these, or one that can become one of them?
  bool takes(const server_request& m);
  /// Why nobody is asked: a sentence and the code of an error.
  struct objection {
    std::string_view why;
    int code = jsonrpc::internal_error;
  };
  /// The server asks; nothing: its client will be. Of a request that these take.
  std::optional<objection> ask(server_request& m);
  /// The server takes back what it asked. False: it was not asked here.
  bool cancel_question(const server_request_cancelled& m);
  /// A notification within a call that another instance waits for. False: it is none.
  bool pass_on(const call_notification& m);
  /// The answer, if nobody waits for it now; false: somebody does.
  bool keep(const answered& m);

  /// The same as `go_on`, for a client that has come to another instance. False: as `none`.
  bool go_on_for(const suspended_call::waiter& who, const fleet::attempt& a);
  /// That client is gone.
  void give_up_for(const suspended_call::waiter& who, std::uint64_t name);

  /// Whoever worked for them is gone: an upstream (`client` 0), or its session for this client.
  void lost(std::size_t upstream, std::uint64_t client = 0);
  /// The configuration has this upstream no longer.
  void leave(std::size_t upstream);
  /// A call has left.
  void forget(const pipeline::call& c);

  /// Clients are to be asked.
  void on_timer();
  /// Every second: those whose clients did not come back are given up.
  void tick(time_point t);
  /// The process is about to end: nobody can come back any more.
  void wind_down();
  void clear() { table_.clear(); }

  std::size_t size() const { return table_.size(); }

 private:
  std::optional<mcp::stateless::request_state> open(std::string_view raw_state) const;
  mcp::stateless::instance_name instance() const;
  suspended_call* named_by(const mcp::stateless::request_state& state);
  suspended_call* begin(pipeline::call& c);
  sha256_digest binding(pipeline::call& c) const;
  void pass_answers(suspended_call& s, std::string_view raw_answers,
                    const std::shared_ptr<const void>& keep);
  void gather(suspended_call& s);
  void suspend(suspended_call& s);
  void settle(suspended_call& s, const answered& m);
  void refuse(suspended_call& s, std::string_view why);
  void tell(const suspended_call& s, client_reply r);
  void give_up(std::uint64_t number, std::string_view why);
  void close(suspended_call& s);

  unit& unit_;
  random_source random_;
  mcp::stateless::state_key key_;
  sha256 digest_;
  suspension_table table_;
  std::deque<std::pair<time_point, std::uint64_t>> gathering_;  ///< earliest first
  bool winding_down_ = false;
};

}  // namespace gate::routing
