#pragma once
/// EGRESS as it was recorded. A fetch that says what a recorded one said is told what that one was
/// told, at the recorded moment; one that comes at another time, or for which there is only a
/// similar one, as long after it began as it took then. What no recorded fetch is like is answered
/// as if nobody was there, or nothing was found, and counted.
#include <caf/typed_event_based_actor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulations/replay/counterparts.hpp"
#include "simulations/replay/errand_book.hpp"
#include "simulations/replay/retelling.hpp"
#include "simulations/replay/stand_in_issuer.hpp"
#include "simulations/replay/tape.hpp"
#include "transport/interfaces.hpp"

namespace gate::replay {

/// A fetch of the replay.
struct playing {
  fetch_ptr what;
  fetch_client asker;
  std::string url;
  std::string subject;  ///< of one that no recorded one is
  likeness how = likeness::nowhere;
  std::size_t errand = nothing;
  ids between;
  bool over = false;
};
using playing_ptr = std::shared_ptr<playing>;

/// What is to be told, after how long.
struct due_word {
  std::chrono::microseconds after{0};
  std::size_t event = nothing;  ///< of the recording; `nothing`: what is made up
};

/// A fetch that no recorded one is.
struct odd_fetch {
  likeness how = likeness::nowhere;
  std::uint64_t at = 0;
  std::string subject, url;
};

class played_network {
 public:
  /// `now`: µs since the recording began. `recorded`: a text of the replay, with the names that the
  /// recording has for what was minted. `changed`: other things will be asked than were recorded.
  played_network(const tape& of, stand_in_issuer& issuer, std::function<std::uint64_t()> now,
                 std::function<std::string(std::string_view)> recorded, bool changed);

  /// A fetch begins: what it is told without the recording coming to it.
  std::vector<due_word> start(const playing_ptr& p, std::uint64_t unit);
  /// Tells it; what it was told is sent to its asker.
  void tell(playing& p, std::size_t event);
  /// The recording has come to this event, `streamed` or `fetched`.
  void come_to(std::size_t event);
  void abandon(std::uint64_t id, const fetch_client& asker);

  const std::vector<odd_fetch>& odd() const { return odd_; }
  /// So many have begun and are not over.
  std::size_t under_way() const { return under_way_.size(); }
  std::vector<std::size_t> left() const { return book_.left(); }
  const contrasts& differences() const { return differences_; }

 private:
  recording::header_list headers_of(const fetch& f);
  std::vector<due_word> schedule(const playing_ptr& p);
  /// What it sends, and what the recorded one sent.
  void compare_headers(const playing& p, const std::vector<recording::header>& sent,
                       const recording::event& e);
  void tell_made_up(playing& p);
  void end(playing& p);

  const tape& tape_;
  stand_in_issuer& issuer_;
  std::function<std::uint64_t()> now_;
  std::function<std::string(std::string_view)> recorded_;
  bool changed_;
  errand_book book_;
  /// By who asked, and the number that it gave; only those that are not over, as the next.
  std::map<std::pair<caf::actor_id, std::uint64_t>, playing_ptr> under_way_;
  std::map<std::size_t, playing_ptr> in_step_;  ///< by errand
  /// Of header lines that many have in common.
  std::unordered_map<std::shared_ptr<const std::string>, recording::header_list> known_lines_;
  std::size_t reached_ = 0;  ///< events that the recording has come to
  std::vector<odd_fetch> odd_;
  contrasts differences_;
};

/// To itself: something is due.
struct word_due {
  playing_ptr to;
  std::size_t event = nothing;
};

class playing_egress final : public egress_handle::extend<caf::reacts_to<word_due>>::base {
 public:
  playing_egress(caf::actor_config& cfg, std::shared_ptr<played_network> net, std::size_t unit);
  behavior_type make_behavior() override;
  const char* name() const override { return "playing egress"; }

 private:
  std::shared_ptr<played_network> net_;
  std::size_t unit_;
};

}  // namespace gate::replay

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::replay::word_due)
