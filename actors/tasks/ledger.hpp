#pragma once
/// The task ledger: which upstream runs a task, and whose it is (MCP 2025-11-25 /basic/utilities/
/// tasks: task ids are to be bound to the caller). Ids are the upstreams' own and never rewritten,
/// so two of them may choose the same: each owner then finds its own. Pure; part of TASKS.
///
///   of an id there is              the caller asks: its verdict
///   a record of the caller's       own, and where
///   others' records only           foreign
///   only records that were given   foreign, to everybody: it is nobody's, since whose it was is
///   up for room                    not known any more
///   nothing                        unknown: it was minted elsewhere, or before a restart
///
///   a result mints an id, and there is     the minter has it from then on
///   a record of the minter's               yes, and where: the latest place counts
///   another's record, same upstream        no: the first keeps it (`claimed`)
///   another's record, other upstreams      yes: these are different tasks
///   one of that upstream's that was        no: it could be anybody's (`claimed`); unless more
///   given up for room                      were than can be told apart (given_up.hpp)
///   nothing, or another upstream's         yes
///   that was given up
///
/// A record lives for `limits::task_record` from its last use by its owner, and what is given up is
/// nobody's for at least that long. Where the ledger is full (`limits::task_records`, or
/// `limits::task_records_each` of one owner) the longest unused record is given up: of that owner,
/// or else of whoever has most.
#include <chrono>
#include <cstdint>
#include <list>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "actors/messages/tasks.hpp"
#include "actors/tasks/given_up.hpp"
#include "protocol/limits.hpp"

namespace gate::tasks {

class ledger {
 public:
  explicit ledger(given_up before = {}) : given_up_(std::move(before)) {}
  enum class pinned : std::uint8_t {
    yes,
    claimed,  ///< it is another's, or nobody's: nothing was changed
  };
  /// `owner` is a hash of the principal, 0 for anonymous callers.
  pinned pin(std::string_view id, std::uint64_t owner, place where, time_point now);
  /// Somebody who was told of it first says so: at this place it is this owner's, and of others
  /// there it is not. A record that the owner has already stays as it is.
  void correct(std::string_view id, std::uint64_t owner, place where, time_point now);
  finding find(std::string_view id, std::uint64_t owner, time_point now);
  std::size_t size() const { return by_id_.size(); }
  /// `f(id, owner, place, last use)` for each, each owner's longest unused first.
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [owner, of] : by_owner_)
      for (const auto& r : of) f(r.id, r.owner, r.place, r.expires - limits::task_record);
  }

 private:
  struct record {
    std::string id;
    std::uint64_t owner = 0;
    tasks::place place;
    time_point expires;
  };
  using records = std::list<record>;  ///< longest unused first

  void use(records& of, records::iterator it, time_point now);
  void make_room(std::uint64_t owner, time_point now);
  void give_up_oldest(std::uint64_t owner, time_point now);
  void forget(std::uint64_t owner, records& of, records::iterator it);
  void expire(time_point now);
  void count(std::uint64_t owner, std::size_t was, std::size_t is);

  std::unordered_map<std::uint64_t, records> by_owner_;
  /// The keys are the records' own ids.
  std::unordered_multimap<std::string_view, records::iterator> by_id_;
  std::set<std::pair<std::size_t, std::uint64_t>> by_count_;  ///< who has how many
  given_up given_up_;
  time_point next_look_{};
};

}  // namespace gate::tasks
