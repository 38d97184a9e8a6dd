#pragma once
/// Upstreams that lists lack. They are looked for, less and less often, and whoever lacks one is
/// told when it comes. Where asking for a list is counted by a limit or a budget, nothing of it is
/// spent on nobody's behalf: once a pause is over such an upstream is only met, which is free, and
/// if it answers, clients are told; whoever asks then has it asked. Others' handshakes announce
/// nothing. Part of ROUTER.
#include <vector>

#include "actors/router/merged_lists.hpp"

namespace gate::routing {

class missing_lists {
 public:
  missing_lists(unit& u, list_shelf& shelf, merged_lists& lists, list_news& news)
      : unit_(u), shelf_(shelf), lists_(lists), news_(news) {}

  /// Every second. What was found to be news a moment ago is compared again, too; and whoever saw a
  /// list that is counted, and was invalidated since, is told that it may be another one by now.
  void tick(time_point t);
  /// A session of it answers: this client's (0: a root session).
  void on_met(std::size_t upstream, std::uint64_t client);

 private:
  void look_again(list_state& state, std::size_t upstream, time_point t,
                  std::vector<federation::wanted>& wanted);
  bool is_lacked(list_state& state, std::size_t upstream);
  void announce(list_state& state, std::size_t upstream);

  unit& unit_;
  list_shelf& shelf_;
  merged_lists& lists_;
  list_news& news_;
};

}  // namespace gate::routing
