#pragma once
/// LIST AND WATCH: how gate-discovery keeps up with the Services of a cluster. All are listed, page
/// by page, then watched from the version of that list on. Events in, a step out: what to ask next,
/// and what has become known. Pure; owned by REGISTRY, which asks FOLLOWER and keeps the time.
///
///   state     event                        next
///   listing   page, further ones           listing the next page
///   listing   last page                    watching from its version; `all`
///   listing   page beyond the bound        listing anew, half as many at once
///   listing   410 Gone, page that is none  pause, listing anew
///   watching  event                        watching; its version is where to go on
///   watching  ended well                   watching anew from the last version
///   watching  410 Gone, ERROR,             pause, listing anew
///             line too long, or no event
///   watching  403                          pause, listing anew: lists are all that is allowed, and
///                                          after each a watch is tried again
///   watching  ended, refused, no word      pause, watching anew from the last version
///   listing   403                          pause, the same again
///   any       401, 5xx, no answer          pause, the same again
///   pausing   its time is over             what it was for
///
/// A pause is drawn between half and all of a time that doubles up to `limits::cluster_pause_most`,
/// and is short again once a watch has lived for `limits::cluster_well`.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/kubernetes/watch.hpp"
#include "protocol/limits.hpp"
#include "protocol/metrics.hpp"
#include "protocol/stdio/line_reader.hpp"
#include "transport/following.hpp"

namespace gate::kubernetes {

struct change {
  bool gone = false;
  service what;
};

/// What is to be done, in this order: what has become known; then the rest.
struct step {
  std::vector<change> changes;
  std::optional<std::vector<service>> all;  ///< a list is complete: there is nothing else
  std::string trouble;     ///< what failed, for the log: the state may be old by now
  bool anew = false;       ///< for that reason all are listed anew
  bool unwatched = false;  ///< that is: watching is refused, so lists have to do
  bool in_touch = false;   ///< the API server tells what happens: the state is that of now
  /// One has ended, or did not begin: how.
  std::optional<cluster_outcome> list, watch;
  bool drop = false;               ///< what was asked last is of no interest any more
  std::optional<std::string> ask;  ///< path and query of the next question
  std::optional<std::chrono::milliseconds> until;  ///< deadline from now on, of what is asked
  std::optional<std::chrono::milliseconds> wait;   ///< or: come back then
};

class list_watch {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  /// A number from 0 to 1.
  using chance = std::function<double()>;

  list_watch(selection which, chance draw) : which_(std::move(which)), draw_(std::move(draw)) {}

  step begin() { return ask_page(); }
  step on_began(const follow_began& m, time_point now);
  step on_said(std::string_view bytes);
  step on_ended(const follow_ended& m, time_point now);
  /// What was asked has had its time.
  step on_late(time_point now);
  /// It could not even be asked: the token can not be read.
  step on_unasked(std::string why);
  step on_waited();

 private:
  enum class state : std::uint8_t { listing, watching };

  step ask_page();
  step ask_watch();
  /// The same again after a pause.
  step fail(cluster_outcome how, std::string why);
  /// All of it anew, after a pause.
  step list_again(cluster_outcome how, std::string why);
  step refused();
  step read_page();
  step read_lines(std::string_view bytes);
  void keep(std::vector<service>& more);
  std::chrono::milliseconds pause();
  bool well() const { return status_ == 200; }

  selection which_;
  chance draw_;
  state state_ = state::listing;
  std::size_t items_ = limits::cluster_page_items;
  std::string version_;  ///< where a watch goes on
  std::string next_;     ///< of the list: what the last page said
  std::size_t pages_ = 0;
  std::vector<service> listed_;
  int status_ = 0;  ///< of the answer; 0: there is none yet
  std::optional<std::chrono::seconds> retry_after_;
  std::string body_;  ///< of a page, or of a refusal
  stdio::line_reader lines_{limits::cluster_line_bytes};
  std::size_t tail_ = 0;  ///< bytes of a line that has not ended
  time_point began_{};    ///< the watch
  std::chrono::milliseconds pause_{0};
};

}  // namespace gate::kubernetes
