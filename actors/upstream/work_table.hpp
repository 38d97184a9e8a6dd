#pragma once
/// WORK TABLE: what a session has to do and has under way. Pure; part of UPSTREAM SESSION.
///
///   a piece of work      is kept
///   can not be sent yet  among the waiting, in the order of coming
///   waits for BUDGET     in `charging`, under the number of the question
///   waits for a list     of tools that another call fetches: among those for tools
///   was sent             with its fetch, until it is answered
///
/// What else is fetched, for the session itself, is here too. All fetches are numbered from one
/// counter; the number is also the JSON-RPC id of what the fetch carries.
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/upstream/numbered_queue.hpp"
#include "actors/upstream/resume_point.hpp"
#include "actors/upstream/work.hpp"
#include "protocol/recycled.hpp"

namespace gate::upstream {

/// What a fetch is for.
enum class purpose : std::uint8_t {
  discover,  ///< whether it speaks the stateless generation
  initialize,
  initialized,
  work,
  replay,   ///< what a new session must be told: log level, subscriptions
  notice,   ///< a notification or response of ours
  stream,   ///< the GET stream, or that of `subscriptions/listen`
  hearing,  ///< `tasks/result`, for the questions on its stream
  goodbye,  ///< DELETE, before the end
  discard,  ///< DELETE of a session whose handshake came to nothing
};

/// A fetch under way, by its id. The GETs that go on with its stream run under the same id: one of
/// all these at a time.
struct pending {
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr auto never = time_point::max();

  purpose kind = purpose::notice;
  gate::upstream::job job;       ///< of purpose work, until it is answered; else null
  time_point until = never;      ///< without a job: when it is given up
  std::uint32_t epoch = 0;       ///< of the session that it was sent in
  bool answered = false;         ///< on a stream that is still open
  resume_point place;            ///< in its stream
  time_point resume_at = never;  ///< between two fetches: when the next one starts
  time_point silent_at = never;  ///< of an open event stream: given up if nothing comes until then
  /// Requests of the upstream on this call's stream that wait for the client, by raw id.
  std::vector<std::string> questions;

  time_point& deadline() { return job ? job->time.deadline : until; }
  /// The call that it carries and that is not answered; or null.
  const invoke* call() const { return job && job->kind == task::call ? &job->call : nullptr; }
};

/// Where this id is, however it is written.
std::vector<std::string>::iterator find_id(std::vector<std::string>& ids, std::string_view raw);

class work_table {
 public:
  using time_point = pending::time_point;
  /// Each request makes an entry, and takes it out.
  using entries =
      std::unordered_map<std::uint64_t, pending, std::hash<std::uint64_t>, std::equal_to<>,
                         recycling<std::pair<const std::uint64_t, pending>>>;
  /// An entry that was taken out.
  using taken = entries::node_type;
  static constexpr auto never = pending::never;

  /// The number that the next fetch gets; and it has it.
  std::uint64_t next_id() const { return next_id_; }
  std::uint64_t new_id() { return next_id_++; }
  /// Others number their requests in the same session of the server.
  void number_from(std::uint64_t first) { next_id_ = first; }

  // What is under way.
  pending& add(std::uint64_t id, purpose kind, std::uint32_t epoch);
  pending* find(std::uint64_t id);
  /// Empty if it is not there (any more).
  taken take(std::uint64_t id);
  taken take_call(std::uint64_t call);
  /// It goes on after all.
  void put_back(taken entry);
  /// All that carry work, answered or not.
  std::vector<taken> take_works();
  /// Entries of this purpose. Those of work count as long as their fetch lasts.
  std::size_t works() const { return works_; }
  std::size_t discards() const { return discards_; }
  entries& all() { return under_way_; }

  /// What a session has to look at now, and when it is to look again.
  struct due {
    std::vector<std::uint64_t> late;       ///< beyond their deadline
    std::vector<std::uint64_t> resumable;  ///< whose pause is over
    std::vector<std::uint64_t> silent;
    time_point next = never;
  };
  due look(time_point now);
  /// What waits to go on with its stream need not wait any more. True: there is something.
  bool end_pauses(time_point now);
  /// The upstream's question of this raw id is answered, or off: what asked it; or null.
  pending* end_question(std::string_view raw_id);

  // What waits.
  void wait(job w) { waiting_.push_back(std::move(w)); }
  const std::vector<job>& waiting() const { return waiting_; }
  std::vector<job> take_waiting() { return std::exchange(waiting_, {}); }
  numbered_queue<job>& charging() { return charging_; }
  void wait_for_tools(job w) { for_tools_.push_back(std::move(w)); }
  std::vector<job> take_for_tools() { return std::exchange(for_tools_, {}); }
  /// So many places are taken by what has not been sent.
  std::size_t queued() const { return waiting_.size() + charging_.length() + for_tools_.size(); }
  /// Forgets a call that waits.
  void drop_waiting(std::uint64_t call);
  /// Takes out what has waited too long; `next`: when the next of the others will have.
  std::vector<job> take_late_waiting(time_point now, time_point& next);
  std::vector<job> take_late_charging(time_point now, time_point& next);
  std::vector<job> take_late_for_tools(time_point now, time_point& next);

  /// Nothing has been asked for that is not answered.
  bool idle() const { return works_ == 0 && queued() == 0; }

 private:
  std::size_t* counter(purpose kind);

  std::uint64_t next_id_ = 1;
  entries under_way_;
  std::vector<job> waiting_;
  numbered_queue<job> charging_;
  std::vector<job> for_tools_;
  std::size_t works_ = 0, discards_ = 0;
};

}  // namespace gate::upstream
