#pragma once
/// The task ledger: which upstream runs a task, and whose it is (MCP 2025-11-25 /basic/utilities/
/// tasks: task ids are to be bound to the caller). Ids are the upstreams' own and never rewritten,
/// so two of them may choose the same: each owner then finds its own. Pure; part of TASKS.
///
///   asked for an id by      with a record of the caller    with others' records only    with none
///   its verdict             own, and where                 foreign                      unknown
#include <chrono>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gate::tasks {

using time_point = std::chrono::steady_clock::time_point;

/// Where a task was minted.
struct place {
  std::string upstream;      ///< id in the configuration: survives a reload
  std::uint8_t unit = 0;     ///< of the client session
  std::uint64_t client = 0;  ///< the client session; some servers bind tasks to the session
  bool operator==(const place&) const = default;
};

enum class verdict : std::uint8_t { own, foreign, unknown };

struct finding {
  tasks::verdict verdict = verdict::unknown;
  tasks::place place;  ///< with `own`
};

class ledger {
 public:
  /// Remembers the task for `limits::task_record`. `owner` is a hash of the principal, 0 for
  /// anonymous callers. Where the ledger is full (`limits::task_records`, or
  /// `limits::task_records_each` of this owner) the owner's oldest record makes room; an owner
  /// without one is refused: false.
  bool pin(std::string_view id, std::uint64_t owner, place where, time_point now);
  finding find(std::string_view id, std::uint64_t owner, time_point now);
  std::size_t size() const { return by_id_.size(); }

 private:
  struct record {
    std::string id;
    std::uint64_t owner = 0;
    tasks::place place;
    time_point expires;
  };
  using records = std::list<record>;  ///< oldest first

  void forget(records& of, records::iterator it);
  void expire(time_point now);

  std::unordered_map<std::uint64_t, records> by_owner_;
  /// The keys are the records' own ids.
  std::unordered_multimap<std::string_view, records::iterator> by_id_;
  time_point next_look_{};
};

}  // namespace gate::tasks
