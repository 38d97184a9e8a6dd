#pragma once
/// The sessions of clients: opened, found, renewed by a reload, swept, ended; and what upstreams
/// are told of them. Part of ROUTER.
#include <vector>

#include "actors/federation/catalogue.hpp"
#include "actors/federation/profile_table.hpp"
#include "actors/router/unit.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"

namespace gate::routing {

class list_news;
class list_shelf;
class listeners;
class subscription_upkeep;

class client_sessions final : public pipeline::session_desk {
 public:
  client_sessions(unit& u, identity::gatekeeper& keeper, list_shelf& lists, list_news& news,
                  subscription_upkeep& subscriptions, listeners& listening, random_source random,
                  metrics::value open);
  client_sessions(const client_sessions&) = delete;
  client_sessions& operator=(const client_sessions&) = delete;

  sessions::session_ptr find(std::string_view id, const identity::access_ptr& who) override;
  sessions::session_ptr open(const identity::access_ptr& owner, std::string_view peer) override;
  search seek(pipeline::fact<pipeline::stage::rate_limit>& c) override;
  bool share(pipeline::fact<pipeline::stage::guard>& c) override;
  sessions::session_ptr visit(const identity::access_ptr& who,
                              const mcp::stateless::known_envelope& by,
                              std::string_view peer) override;
  void subscribe(const sessions::session_ptr& listener,
                 const std::vector<std::pair<std::string, std::size_t>>& to) override;
  void end(const sessions::session_ptr& s) override;
  bool end_by(pipeline::fact<pipeline::stage::guard>& c) override;
  bool hand_over(pipeline::fact<pipeline::stage::guard>& c) override;
  void set_level(sessions::client_session& s, std::string_view raw_level) override;
  void tell_upstreams(sessions::client_session& s, std::string_view notification) override;
  bool cancel(sessions::client_session& s, std::string_view raw_id,
              std::string_view reason) override;

  /// A session that another instance has opened, for its owner; null if there are too many.
  sessions::session_ptr take_up(std::string id, const identity::access_ptr& owner,
                                std::string_view peer);
  void tell_upstreams_here(sessions::client_session& s, std::string_view notification);
  /// Another one; those upstreams that know the client are told.
  void change_profile(sessions::client_session& s, client_profile p);

  /// The client of the stateless generation has closed the exchange of this call, which cancels it
  /// (MCP 2026-07-28 /basic/transports/streamable-http).
  void abandon(std::uint64_t call);
  /// What its upstream sessions know of the client's stream.
  void be_present(sessions::client_session& s, bool listening, bool away);
  /// The profile whose lists such a client sees.
  mcp::capability_profile admit(mcp::capability_profile as) {
    return profiles_.admit(as, unit_.now());
  }
  /// After a reload everybody's rights are what the new policy and tenants say; who lost an
  /// upstream leaves it. Returns which views follow which.
  federation::catalogue::succession renew(const config::snapshot& before);
  /// Every second; and in between, when more sessions are about to end.
  void tick(time_point t);
  void end_expired();
  /// They are counted no more.
  void uncount();

 private:
  using lost_upstreams = std::vector<const config::compiled_upstream*>;
  void leave_upstreams(sessions::client_session& s, const config::policy_view& before);
  void leave_upstream(sessions::client_session& s, const config::compiled_upstream& u);
  void leave_roots(mcp::capability_profile as, std::uint64_t principal, const lost_upstreams& lost);
  lost_upstreams lost_by(const config::policy_view& was, const config::policy_view& is) const;
  void tell_cancelled(const pipeline::call& c, std::string_view reason);
  void forget(sessions::client_session& s);
  void sweep_profiles(time_point t);

  unit& unit_;
  identity::gatekeeper& keeper_;
  list_shelf& lists_;
  list_news& news_;
  subscription_upkeep& subscriptions_;
  listeners& listeners_;
  random_source random_;
  metrics::value open_;
  federation::profile_table profiles_;
  time_point next_sweep_{};
  bool sweeping_ = false;  ///< more sessions are about to end
};

}  // namespace gate::routing
