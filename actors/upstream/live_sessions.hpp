#pragma once
/// The live sessions of one upstream on one unit: a root session for each capability profile of
/// clients (and each caller, if the upstream tells them apart), one bridged session for each
/// client, and checks of endpoints; who has which, and which of them is told what. A session that
/// is closing is told what concerns it until it has ended. Part of UPSTREAM, which makes them.
#include <map>
#include <unordered_map>

#include "actors/interfaces.hpp"
#include "actors/upstream/role.hpp"

namespace gate::upstream {

class session_maker {
 public:
  virtual ~session_maker() = default;
  virtual upstream_session_handle make(const role& what) = 0;
};

class live_sessions {
 public:
  /// Which root session: of which kind of clients, on behalf of which caller.
  using audience = std::pair<mcp::capability_profile, std::uint64_t>;

  explicit live_sessions(session_maker& by) : maker_(by) {}

  upstream_session_handle make(role r);
  /// Null: there are too many (`limits::caller_roots`).
  upstream_session_handle root(audience a);
  bool has_root(audience a) const { return roots_.contains(a); }
  /// Whoever asks for one hands it a request.
  upstream_session_handle& bridged(std::uint64_t client);
  /// The client's session if there is one, else a root session.
  upstream_session_handle any(std::uint64_t client, audience a);

  bool empty() const { return live_.empty(); }
  /// To the client's bridged session, if there is one.
  template <class Message>
  void pass(std::uint64_t client, Message& m) const {
    auto it = bridged_.find(client);
    if (it != bridged_.end()) caf::anon_send(it->second.session, std::move(m));
  }
  /// To this one, if it lives.
  template <class Message>
  void tell(caf::actor_id who, Message m) const {
    auto it = live_.find(who);
    if (it != live_.end()) tell(it->second, std::move(m));
  }
  template <class Message>
  void tell_everybody(const Message& m) const {
    for (const auto& [id, one] : live_) tell(one, m);
  }
  /// All sessions of the client (0: the root sessions), those that are closing included.
  void tell_all_of(std::uint64_t client, const cancel_call& m) const;

  /// The root sessions of this profile, whoever they are for.
  std::vector<audience> roots_of(mcp::capability_profile as) const;
  void end_root(audience a);
  void end_bridged(std::uint64_t client, close_session how);
  /// A bridged session that has been idle; one that has work on its way goes on.
  void end_idle(const session_idle& m);
  /// Nobody finds one any more; what is under way in them goes on.
  void forget_all();
  /// At once, without a word.
  void kill_all();

  /// It has ended: what it was for. Nothing: it is none of these.
  std::optional<role> ended(const caf::actor_addr& who);

 private:
  struct one {
    caf::actor_addr address;
    role what;
  };
  template <class Message>
  static void tell(const one& to, Message m) {
    if (auto strong = caf::actor_cast<caf::strong_actor_ptr>(to.address))
      caf::anon_send(caf::actor_cast<upstream_session_handle>(strong), std::move(m));
  }
  struct bridge {
    upstream_session_handle session;
    std::uint64_t handed = 0;  ///< so many requests were put into its mailbox
  };

  session_maker& maker_;
  std::map<audience, upstream_session_handle> roots_;
  std::unordered_map<std::uint64_t, bridge> bridged_;
  std::unordered_map<caf::actor_id, one> live_;  ///< those that are closing included
  std::unordered_multimap<std::uint64_t, caf::actor_id> by_client_;
};

}  // namespace gate::upstream
