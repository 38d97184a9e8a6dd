/// Every sequence of events up to a length, tried on the core of UPSTREAM SESSION; after each, time
/// alone must bring it to its end. What must hold whatever happens:
///
///   a call is answered once, or cancelled and then never; if all is ended at once, at most once
///   nothing but the handshake is sent before it has ended, and each request in the latest session
///   a call is sent twice at most, and only if it was surely not processed the first time
///   told to close, it ends; then nobody waits for a fetch, and nothing is owed to BUDGET
#include "actors/upstream/session.hpp"
#include "tests/actors/upstream/session_stage.hpp"

namespace gate::upstream::testing {
namespace {

enum class event : std::uint8_t {
  call,       ///< that has a price
  well,       ///< the oldest fetch is answered as it should be
  latest,     ///< the latest one is
  unreached,  ///< the oldest one could not connect
  broken,     ///< it broke off
  untouched,  ///< surely before the server saw it
  forgotten,  ///< 404
  refused,    ///< 401
  busy,       ///< 503 with Retry-After
  failing,    ///< 500
  half,       ///< its stream says something with an id, and ends
  yes,
  no,         ///< BUDGET's answer
  no_budget,  ///< BUDGET crashed
  picked,     ///< BALANCER's answer
  cancel,     ///< the oldest call that runs
  later,      ///< time passes to what is due
  close,
  cut,  ///< finish, or end now
};
constexpr std::size_t events = 19;
constexpr std::array<std::string_view, events> event_names{
    "call", "well",   "latest", "unreached", "broken", "untouched", "forgotten",
    "401",  "503",    "500",    "half",      "yes",    "no",        "no budget",
    "pick", "cancel", "later",  "close",     "cut"};

struct options {
  bool several = false, priced = false, listens = false;
  std::size_t length = 4;
};

class play {
 public:
  explicit play(const options& o) : stage_(o.several ? two_endpoints() : one_endpoint()), o_(o) {
    world().budget = o.priced;
    world().balancer = o.several;
    auto p = std::make_shared<client_profile>();
    p->listening = o.listens;
    stage_.profile = p;
  }

  bool can(event e) {
    switch (e) {
      case event::call:
        return calls_.size() < 3;
      case event::latest:
        return world().open.size() > 1;
      case event::yes:
      case event::no:
        return answered_charges_ < world().charges.size();
      case event::no_budget:
        return world().budget;
      case event::picked:
        return answered_picks_ < world().picks.size();
      case event::cancel:
        return running() != 0;
      case event::later:
        return std::min(world().wake, world().reopens) != session_world::never;
      case event::close:
        return !closing_ && !calls_.empty();
      case event::cut:
        return !cut_ && !calls_.empty();
      default:
        return !world().open.empty();
    }
  }

  void happen(event e) {
    switch (e) {
      case event::call:
        calls_.push_back(closing_);
        stage_.call(calls_.size(), o_.priced);
        break;
      case event::well:
        return well(oldest());
      case event::latest:
        return well(world().open.rbegin()->second);
      case event::unreached:
        return end(session_stage::failure(fetch_end::connect_failed), true);
      case event::broken:
        return end(session_stage::failure(fetch_end::broken), false);
      case event::untouched:
        return end(session_stage::failure(fetch_end::broken, true), true);
      case event::forgotten:
        return end(session_stage::status(404), true);
      case event::refused:
        return end(session_stage::status(401), false);
      case event::busy:
        return end(session_stage::busy(), false);
      case event::failing:
        return end(session_stage::status(500), false);
      case event::half:
        if (name_of(*oldest()) == "DELETE") return well(oldest());
        stage_.says(oldest(), R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})",
                    "e" + std::to_string(++ids_));
        if (!world().open.empty()) end(session_stage::over(), false);
        break;
      case event::yes:
      case event::no:
      case event::no_budget:
      case event::picked:
        return guard_says(e);
      case event::cancel: {
        const auto n = running();
        cancelled_.push_back(n);
        stage_.cancel(n);
        break;
      }
      case event::later:
        stage_.later();
        break;
      case event::close:
        closing_ = true;
        stage_.close(true);
        break;
      case event::cut:
        closing_ = cut_ = true;
        stage_.close(false);
        break;
    }
  }

  bool over() { return world().gone; }

  /// From now on nobody answers any more.
  void drain() {
    if (!closing_ && !over()) happen(event::close);
    for (int n = 0; n < 60 && !over(); ++n) {
      if (can(event::picked))
        happen(event::picked);
      else if (!stage_.later())
        break;
    }
  }

  /// What is wrong; empty: nothing.
  std::string wrong() {
    check_sent();
    for (std::size_t n = 1; n <= calls_.size(); ++n) {
      const auto how = stage_.how(n);
      const bool off = std::ranges::find(cancelled_, n) != cancelled_.end();
      if (how == "twice") wrong_ += "call " + std::to_string(n) + " was answered twice; ";
      if (off && how != "nothing") wrong_ += "a cancelled call was answered; ";
    }
    return wrong_;
  }
  std::string wrong_at_the_end() {
    if (!over()) return wrong() + "it does not end";
    for (std::size_t n = 1; n <= calls_.size(); ++n) {
      const bool off = std::ranges::find(cancelled_, n) != cancelled_.end();
      if (!off && !cut_ && stage_.how(n) == "nothing") wrong_ += "a call was never answered; ";
    }
    // What is only said needs nobody who hears how that ended.
    for (const auto& [id, f] : world().open)
      if (name_of(*f) != "notifications/cancelled") wrong_ += name_of(*f) + " is left; ";
    const auto refunds = world().refunds;
    stage_.drop();
    if (world().refunds != refunds) wrong_ += "it left a payment; ";
    const auto spent = static_cast<int>(tools_calls_) - not_sent_;
    if (o_.priced && !forgiven_ && paid_ != spent + refunds) wrong_ += "a unit was lost; ";
    return wrong();
  }

 private:
  session_world& world() { return stage_.world; }
  const fetch_ptr& oldest() { return world().open.begin()->second; }
  /// The oldest call that is neither answered nor cancelled.
  std::uint64_t running() {
    for (std::size_t n = 1; n <= calls_.size(); ++n)
      if (stage_.how(n) == "nothing" && std::ranges::find(cancelled_, n) == cancelled_.end() &&
          !cut_)
        return n;
    return 0;
  }
  void guard_says(event e) {
    if (e == event::no_budget) {
      world().budget = false;
      forgiven_ = true;
      answered_charges_ = world().charges.size();
      return stage_.it().budget_replaced();
    }
    if (e == event::picked) {
      const auto& [number, tried] = world().picks[answered_picks_++];
      std::size_t which = 0;
      while (std::ranges::find(tried, which) != tried.end()) ++which;
      return stage_.it().on(endpoint_picked{number, which});
    }
    charged m;
    m.number = world().charges[answered_charges_++];
    m.yes = e == event::yes;
    if (m.yes) m.paid = a_price();
    m.scope = a_price()->front().key;
    paid_ += m.yes;
    stage_.it().on(m);
  }
  void well(const fetch_ptr f) {
    if (name_of(*f) == "notifications/initialized") acknowledged_ = true;
    stage_.well(f);
  }
  /// The oldest fetch ends so.
  void end(fetched m, bool not_processed) {
    const auto f = oldest();
    if (name_of(*f) == "notifications/initialized" && m.status == 200) acknowledged_ = true;
    if (name_of(*f) == "tools/call" && not_processed) ++harmless_;
    if (name_of(*f) == "tools/call" && m.end == fetch_end::connect_failed) ++not_sent_;
    stage_.end(f, std::move(m));
  }
  void check_sent() {
    for (; looked_ < world().sent.size(); ++looked_) {
      const auto& f = *world().sent[looked_];
      const auto name = name_of(f);
      if (name == "initialize") acknowledged_ = false;
      const bool in_a_session = f.headers->find("Mcp-Session-Id: ") != std::string::npos;
      if (name == "DELETE" && !in_a_session) wrong_ += "it says goodbye without a session; ";
      if (name != "tools/call") continue;
      ++tools_calls_;
      if (!acknowledged_) wrong_ += "a call was sent before the handshake had ended; ";
      if (f.headers->find("Mcp-Session-Id: " + stage_.session_id() + "\r\n") == std::string::npos)
        wrong_ += "a call was sent in another session; ";
    }
    if (tools_calls_ > 2 * calls_.size()) wrong_ += "a call was sent again and again; ";
    if (tools_calls_ > calls_.size() + harmless_)
      wrong_ += "a call that may have been processed was sent again; ";
  }

  session_stage stage_;
  options o_;
  std::vector<bool> calls_;  ///< did it come too late?
  std::vector<std::uint64_t> cancelled_;
  std::size_t answered_charges_ = 0, answered_picks_ = 0, looked_ = 0;
  std::size_t tools_calls_ = 0, harmless_ = 0;
  int paid_ = 0, not_sent_ = 0, ids_ = 0;
  bool closing_ = false, cut_ = false, acknowledged_ = false, forgiven_ = false;
  std::string wrong_;
};

std::string spell(const std::vector<event>& all) {
  std::string out;
  for (const auto e : all) out += std::string(event_names[static_cast<std::size_t>(e)]) + ", ";
  return out;
}

/// Those that begin so. The number of those that were played.
std::size_t explore(const options& o, std::vector<event>& so_far) {
  play p(o);
  for (const auto e : so_far) {
    p.happen(e);
    if (const auto w = p.wrong(); !w.empty()) {
      ADD_FAILURE() << spell(so_far) << w;
      return 1;
    }
  }
  std::vector<event> next;
  if (!p.over() && so_far.size() < o.length)
    for (std::size_t e = 0; e < events; ++e)
      if (p.can(static_cast<event>(e))) next.push_back(static_cast<event>(e));
  p.drain();
  if (const auto w = p.wrong_at_the_end(); !w.empty()) ADD_FAILURE() << spell(so_far) << w;
  std::size_t played = 1;
  for (const auto e : next) {
    if (::testing::Test::HasFailure()) break;
    so_far.push_back(e);
    played += explore(o, so_far);
    so_far.pop_back();
  }
  return played;
}

/// From the first call on; and once it is ready.
std::size_t explore(const options& o) {
  std::vector<event> from_call{event::call};
  auto played = explore(o, from_call);
  std::vector<event> ready{event::call, event::well, event::well};
  if (o.several) ready.insert(ready.begin() + 1, event::picked);
  auto longer = o;
  longer.length += ready.size();
  return played + explore(longer, ready);
}

TEST(all_sequences, with_one_endpoint) {
  EXPECT_GT(explore({}), 5'000u);
}
TEST(all_sequences, with_a_budget) {
  EXPECT_GT(explore({.priced = true}), 5'000u);
}
TEST(all_sequences, with_two_endpoints) {
  EXPECT_GT(explore({.several = true}), 5'000u);
}
TEST(all_sequences, with_a_client_that_listens) {
  EXPECT_GT(explore({.listens = true}), 5'000u);
}

}  // namespace
}  // namespace gate::upstream::testing
