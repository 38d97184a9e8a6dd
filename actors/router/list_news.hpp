#pragma once
/// Lists that changed. First the caches, then the clients, once for all that an upstream says
/// within a moment. What only a client's own session heard is about that client: some servers
/// change their tools and resources session by session. From then on it sees lists of its own,
/// fetched over its own sessions. Part of ROUTER.
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "actors/router/merged_lists.hpp"

namespace gate::routing {

class client_streams;

class list_news {
 public:
  list_news(unit& u, list_shelf& shelf, merged_lists& lists, client_streams& streams)
      : unit_(u), shelf_(shelf), lists_(lists), streams_(streams) {}

  void on_list_changed(const list_changed& m);
  /// Tells the clients, soon, that this list has changed.
  void tell(list_state& state, std::size_t upstream);
  /// Tells this client, soon, that its list has.
  void tell(std::uint64_t client, mcp::list_kind k);
  /// Tells clients whose list is another one by now, soon, and only them.
  void tell_views(list_state& state);
  /// What is there has become another: whether that is news is seen when all has come that comes in
  /// a moment.
  void expect(list_state& state);
  /// A list has waited long enough to be compared again.
  void compare_soon();
  void on_timer();

  /// What those who see by the first view are to be told, those who see by the second are.
  void pass_on(const config::policy_view& was, const config::policy_view& is);
  /// A client sees by another view from now on: what was to be told to those of the former is still
  /// news to it, and so is every list that is another one by this view.
  void keep(sessions::client_session& s, const config::policy_view& was);
  /// An upstream is gone whose lists had changed: whoever saw them has yet to hear of it. (Lists
  /// that were forgotten for that change can not be compared with those without the upstream.)
  void keep_of(std::size_t departed);

 private:
  using notices = std::set<std::pair<std::uint64_t, std::string_view>>;
  /// Changes that clients have yet to be told, of one upstream.
  struct change {
    time_point first, last;
    std::set<std::pair<mcp::capability_profile, std::string_view>> shared;
    notices clients;     ///< to these clients only
    notices principals;  ///< to these principals'
    /// After a reload: to those of the profile who see by this view now.
    std::set<std::tuple<mcp::capability_profile, std::uint64_t, std::string_view>> views;
    /// Who said so (a client's session, a caller's root session, 0: everybody's), and how many
    /// fetches there were by then.
    std::map<std::pair<std::uint64_t, mcp::list_kind>, std::uint64_t> changed;
    std::set<std::string_view> heard_by_root;
    /// Clients that see lists of their own because of it, and what they heard.
    notices promoted;
    /// The same, when it is known to be everybody's change, and a call waited for the list.
    notices to_share;

    bool rests(time_point t) const;
  };
  void doubt(const list_changed& m);
  bool said_already(const list_changed& m);
  bool concerns(const list_changed& m, const list_state& state) const;
  void own_lists_for(const list_changed& m);
  void compare();
  bool note_views(list_state& state);
  change& of_the_federation();
  void gather(sessions::client_session& s, std::size_t upstream, const change& c) const;
  void tell_clients(const std::vector<std::pair<std::size_t, change>>& due);
  std::set<std::string_view> owed_by(const sessions::client_session& s,
                                     const config::policy_view& was) const;
  bool share_again(std::uint64_t client, std::size_t upstream, std::string_view notice);
  notices share_what_all_heard(std::size_t upstream, change& c);
  void arm();

  unit& unit_;
  list_shelf& shelf_;
  merged_lists& lists_;
  client_streams& streams_;
  std::map<std::size_t, change> changes_;  ///< by upstream
  time_point tell_at_ = time_point::max();
};

}  // namespace gate::routing
