#pragma once
/// The merged lists. What the cache wants is fetched from UPSTREAMs; calls that can not be served
/// at once wait until everything is there, or until their deadline. Part of ROUTER.
#include <functional>
#include <vector>

#include "actors/router/list_shelf.hpp"
#include "actors/router/unit.hpp"
#include "transport/metrics.hpp"

namespace gate::routing {

class list_news;

/// In an upstream's place: what changed is the federation.
inline constexpr std::size_t the_federation = ~std::size_t{0};

class merged_lists final : public pipeline::list_desk {
 public:
  merged_lists(unit& u, list_shelf& shelf, list_news& news, identity::gatekeeper& keeper,
               const mcp::cursor_key& key, labelled<list_found> found)
      : unit_(u),
        shelf_(shelf),
        news_(news),
        keeper_(keeper),
        key_(key),
        found_(std::move(found)) {}

  pipeline::list_outcome list(pipeline::call& c) override;
  void wait(pipeline::fact<pipeline::stage::guard> c) override;
  pipeline::owner_outcome owner(pipeline::call& c) override;
  void wait_for_owner(pipeline::fact<pipeline::stage::rate_limit> c,
                      mcp::list_kind awaited) override;
  pipeline::tool_outcome tool(pipeline::call& c, bool wanted) override;
  void wait_for_tool(pipeline::fact<pipeline::stage::guard> c) override;
  const mcp::cursor_key& cursor_key() const override { return key_; }

  void on_listed(listed& m);
  /// Nobody will answer what was asked of this upstream for these lists. With `again` that is asked
  /// once more if a call can not go on without: where it goes is not known, or what its headers are
  /// to say.
  void lost(std::size_t upstream, const std::function<bool(const list_state&)>& which, bool again);
  /// Somebody has waited long enough: who is due gets what is there, and is told what is missing.
  void on_timer();
  /// The federation is another one. Calls that wait go over to it.
  void adopt(const federation::catalogue::succession& views);
  /// A newcomer that hangs must not hold back what else has changed.
  void on_newcomers_due();

  /// On nobody's behalf.
  void fetch(list_state& state, const std::vector<federation::wanted>& what) {
    fetch(state, what, nullptr, 0);
  }
  /// Nobody has asked for it: what is counted is left alone, but one upstream that somebody waits
  /// for.
  void refresh(list_state& state, std::size_t also = the_federation);
  /// Does a limit or a budget count what this upstream is asked?
  bool is_charged(std::size_t upstream);
  /// How many fetches there were so far.
  std::uint64_t fetches() const { return fetches_; }

 private:
  class shown;
  pipeline::list_outcome outcome(pipeline::call& c, list_state& state);
  void note_duplicates(federation::view_list& lists);
  void fetch(list_state& state, const std::vector<federation::wanted>& what,
             const identity::access* who, std::uint64_t cause, const trace_ptr& trace = {});
  void fetch_for(pipeline::call& c, list_state& state, const std::vector<federation::wanted>& what);
  fetch_list request_for(list_state& state, const federation::wanted& w);
  pipeline::call* caused(const list_state& state, const listed& m) const;
  pipeline::call* stopped_by(const list_state& state, std::size_t upstream) const;
  void arrived(list_state& state);
  pipeline::wait wait_of(const list_state& state);
  void serve_waiting(list_state& state);
  void serve(std::uint64_t number, list_state& state);
  void serve_late(list_state& state, time_point t);
  void give_up_on_late(list_state& state, time_point t);
  void ask_again(std::uint64_t number);

  unit& unit_;
  list_shelf& shelf_;
  list_news& news_;
  identity::gatekeeper& keeper_;
  mcp::cursor_key key_;
  labelled<list_found> found_;
  std::uint64_t fetches_ = 0;  ///< of lists, so far
  std::uint64_t causes_ = 0;   ///< calls that caused some, so far
  bool timer_armed_ = false;
};

}  // namespace gate::routing
