#pragma once
/// Whose lists a client sees. Everybody's of its kind; those of its principal, where an upstream's
/// depend on the caller; or its own, where a server has changed something for it alone or has
/// `listsPerClient`. Places for these are bounded (federation/list_places.hpp). Part of ROUTER.
#include <functional>
#include <map>
#include <vector>

#include "actors/federation/catalogue.hpp"
#include "actors/federation/list_places.hpp"
#include "actors/router/unit.hpp"

namespace gate::routing {

class list_news;

struct list_state {
  federation::catalogue lists;
  std::uint64_t id = 0;  ///< calls wait for it by this
  mcp::capability_profile as = 0;
  std::uint64_t client = 0;     ///< for this one alone
  std::uint64_t principal = 0;  ///< for this caller alone
  identity::caller_ptr caller;  ///< with its latest token
  /// Something came or went: it is to be compared with what clients were served.
  bool compare = false;
  time_point told{};  ///< when a comparison last made news
};

struct list_states {
  std::vector<list_state> each;  ///< one of each kept kind
  time_point used;
  time_point since;

  list_state& of(mcp::list_kind k) { return each[static_cast<std::size_t>(k)]; }
};

/// Does one see by this view an upstream whose lists depend on the caller?
bool sees_personal(const config::snapshot& of, const config::policy_view& view);
/// Does one see an upstream whose lists come over the client's own session?
bool sees_per_client(const config::snapshot& of, const config::policy_view& view);
/// Are the lists that one sees by the second view kept elsewhere than those by the first?
bool are_kept_elsewhere(const config::snapshot& before, const config::policy_view& was,
                        const config::snapshot& now, const config::policy_view& is);

class list_shelf {
 public:
  list_shelf(unit& u, list_news& news, std::size_t own_list_bytes)
      : unit_(u), news_(news), places_(limits::own_lists, own_list_bytes) {}

  /// The list as this client sees it.
  list_state& of(const sessions::client_session& s, mcp::list_kind k);
  /// The lists as this client has seen them, if they are there: looking at them makes none, and
  /// takes nobody's place.
  list_states* seen_by(const sessions::client_session& s);
  /// Everybody's.
  list_states& shared(mcp::capability_profile as);
  /// A client listens: it hears of changes before it has listed anything. A place for lists of its
  /// own it gets with the first of them, or with the first news for it alone.
  void await_news(const sessions::client_session& s);
  /// Those that a fetch was for; null: whoever wanted it is gone.
  list_states* find(const listed& m);
  /// The lists of callers and of clients that take this upstream's from these, which are
  /// everybody's.
  std::vector<list_state*> leaning_on(const list_state& shared, std::size_t upstream);
  /// Does a call wait for it?
  bool is_waited_for(const list_state& state) const {
    return unit_.calls.is_waited_for(pipeline::partner::lists, state.id);
  }
  /// Or for one of these?
  bool are_waited_for(const list_states& states) const;
  void for_each(const std::function<void(list_state&)>& f);

  /// Are lists of its own open to it, as soon as it asks for one? Beyond the bound clients see
  /// lists of root sessions, as everywhere else.
  bool opens_own(const sessions::client_session& s) const;
  /// It asks for a list: it gets a place if it needs one.
  bool has_own(const sessions::client_session& s);
  bool holds_place(std::uint64_t client) const { return places_.has(client); }
  list_states& own(const sessions::client_session& s);
  list_states* find_own(std::uint64_t client);
  /// One more client can have lists of its own. False: it has its share (`by_share`), or calls wait
  /// for all that there are, or somebody walks through them.
  bool make_room(const sessions::client_session& s, bool by_share);
  void erase_own(std::uint64_t client);
  /// Its session has ended.
  void forget(std::uint64_t client);
  /// Something came for its lists: all of them together have a bound.
  void weigh(std::uint64_t client);
  /// Whoever could not go may be able to.
  void lighten();

  /// For a client that hears of nothing no session is opened to see what is news to it.
  bool can_be_told(const list_state& state) const;
  /// Nothing is asked in a client's or a caller's name for views that none of its sessions sees by
  /// any more: they may be of a token that could do more.
  void forget_former_views(list_state& state);
  void forget_former_views(const sessions::client_session& s);

  /// Nobody of this kind is left.
  void drop(mcp::capability_profile as);
  /// Lists of callers end some time after these were last seen. So do those of clients that do not
  /// listen, if a server has not changed them for this client: the session that they came over ends
  /// as well.
  void sweep(time_point t);
  void clear();
  federation::commons& commons() { return *commons_; }

  /// As long as there is one, nobody's lists are dropped: somebody walks through them.
  class walk {
   public:
    explicit walk(list_shelf& shelf) : shelf_(shelf) { ++shelf_.walks_; }
    walk(const walk&) = delete;
    walk& operator=(const walk&) = delete;
    ~walk() { --shelf_.walks_; }

   private:
    list_shelf& shelf_;
  };

 private:
  /// For which kind of clients, and for whom (0: everybody).
  using list_key = std::pair<mcp::capability_profile, std::uint64_t>;
  list_states make(mcp::capability_profile as, std::uint64_t principal, std::uint64_t client);
  list_states& personal(const sessions::client_session& s);
  void make_room_for_personal();
  void give_up_own(std::uint64_t client);

  unit& unit_;
  list_news& news_;
  /// Each list as upstreams show it to such clients. Those of one caller lean on everybody's.
  std::map<list_key, list_states> lists_;
  /// The lists of clients that see some of their own.
  std::map<std::uint64_t, list_states> own_lists_;
  federation::list_places places_;  ///< of these
  federation::commons_ptr commons_ = std::make_shared<federation::commons>();
  std::uint64_t last_id_ = 0;
  int walks_ = 0;
};

}  // namespace gate::routing
