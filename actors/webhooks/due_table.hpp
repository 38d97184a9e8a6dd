#pragma once
/// DUE TABLE: which webhooks have something due, and when; and which of them have a DESTINATION
/// that sees to it. A webhook is here as long as either is so: there are no more than LEDGER has.
/// Pure; part of DISPATCH.
///
///   state               what happens                      then
///   -                   something is due                  waiting
///   waiting             something is due                  waiting, for the earlier one
///   waiting             its time has come (`begin`)       running: a DESTINATION is to be started
///   running             something is due                  running: the DESTINATION is to be told
///   running             it rests, and knows all that      waiting for what it says is due; or gone
///                       it was told
///   running             it rests, but was told since      running
///   running             it has crashed                    waiting, for a pause
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "protocol/webhook/records.hpp"

namespace gate::hooks {

using webhook::wall_time;

class due_table {
 public:
  /// Something of a webhook is due then. The number of the DESTINATION to be told; 0: it has none.
  std::uint64_t told(const std::string& webhook, const std::string& organization, wall_time at);

  struct beginning {
    std::uint64_t number;
    std::string webhook, organization;
    wall_time due;
  };
  /// The next webhook whose time has come and that has no DESTINATION: it has this one now.
  std::optional<beginning> begin(wall_time now);
  /// When `begin` has something to give.
  std::optional<wall_time> next() const;

  /// A DESTINATION has nothing to do before then, and was told of so many things by `told`. False:
  /// it was told of more, and goes on; else it is no DESTINATION any more.
  bool rests(std::uint64_t number, std::uint64_t told, std::optional<wall_time> due);
  /// It has crashed: another one has its webhook from then on.
  void crashed(std::uint64_t number, wall_time again);

  /// 0: it has none.
  std::uint64_t running(std::string_view webhook) const;
  std::size_t running() const { return running_.size(); }
  std::size_t size() const { return all_.size(); }

 private:
  struct entry {
    std::string organization;
    std::uint64_t number = 0;  ///< of its DESTINATION
    std::uint64_t told = 0;    ///< what that was told of
    std::optional<wall_time> due;
  };
  using entries = std::map<std::string, entry, std::less<>>;
  void wait(entries::iterator it, std::optional<wall_time> due);

  entries all_;
  std::set<std::pair<wall_time, std::string_view>> waiting_;
  std::unordered_map<std::uint64_t, entries::iterator> running_;
  std::uint64_t last_ = 0;
};

}  // namespace gate::hooks
