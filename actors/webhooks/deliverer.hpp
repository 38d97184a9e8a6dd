#pragma once
/// DELIVERER: the deliveries of one webhook, from LEDGER to their receiver and back. Pure; part of
/// DESTINATION, which does for it what its door says.
///
///   something is due -> claim places -> granted: take -> taken: begin -> ended -> note -> noted:
///   its place is given back
///
/// It has a few deliveries at a time, never the queue, so that its memory does not grow with what
/// waits; and only as many as it was granted places, which all webhooks share. An attempt keeps its
/// place until LEDGER has taken note of it: a disk that is slow or full slows attempts down, as
/// what can not be noted would be delivered again.
///
/// A receiver that does not answer is left alone for a while (BREAKER's rules): what is due stays
/// due and loses no attempt. Then one delivery goes ahead of the others.
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/guards/breaker.hpp"
#include "protocol/webhook/outcome.hpp"
#include "protocol/webhook/schedule.hpp"
#include "transport/ledger_interface.hpp"

namespace gate::hooks {

using webhook::wall_time;

/// The clocks: that of what is kept, and that of what runs.
struct moment {
  wall_time wall{};
  std::chrono::steady_clock::time_point steady{};
};

struct deliverer_rules {
  webhook::schedule schedule;
  std::chrono::milliseconds answer;  ///< an attempt has so long
  std::chrono::milliseconds lease;   ///< of what is taken; longer than `answer`
  std::chrono::milliseconds pause;   ///< before LEDGER is asked again that could not answer
  std::size_t in_flight;             ///< attempts at a time
  std::size_t held;                  ///< deliveries in memory, those included
  config::circuit_breaker breaker;
};

/// What is to be sent, and as which attempt of its delivery, counted from 1.
struct attempt_to_make {
  const webhook::webhook& by;
  const webhook::delivery& delivery;
  const webhook::event& event;
  std::uint32_t number;
};

class deliverer_door {
 public:
  /// Of DISPATCH, so many places for deliveries; some of them at least come to `granted`.
  virtual void claim(std::size_t places) = 0;
  /// So many are not needed any more.
  virtual void give_places(std::size_t places) = 0;
  /// For LEDGER; what it says comes to `taken`.
  virtual void take(ledger::take_due what) = 0;
  /// For LEDGER; what it says comes to `noted`, with this number.
  virtual void note(std::uint64_t attempt, ledger::note_attempt what) = 0;
  /// For LEDGER.
  virtual void disable(ledger::disable_webhook what) = 0;
  /// For LEDGER.
  virtual void give_back(ledger::give_back what) = 0;
  /// Over EGRESS; how it ended comes to `ended`, with this number.
  virtual void send(std::uint64_t attempt, const attempt_to_make& what) = 0;
  /// No two are alike.
  virtual std::string new_lease() = 0;
  virtual std::uint32_t chance() = 0;

 protected:
  ~deliverer_door() = default;
};

class deliverer {
 public:
  deliverer(deliverer_door& door, std::string webhook, deliverer_rules rules);

  /// Something is due then, or was disabled and is not any more.
  void due(wall_time at, moment now);
  /// The time that `next` said has come.
  void go_on(moment now);
  void granted(std::size_t places, moment now);
  void taken(ledger::answer said, moment now);
  void ended(std::uint64_t attempt, const webhook::outcome& how, std::string answer, moment now);
  /// The delivery whose attempt LEDGER has now taken note of, and what became of it; null: it is
  /// not noted yet, or was another one's. Good until the next call.
  struct told {
    std::string delivery;
    webhook::state status;
  };
  std::optional<told> noted(std::uint64_t attempt, const ledger::answer& said, moment now);
  /// LEDGER has crashed: it answers nothing that it was asked, and may have done it.
  void ledger_lost(moment now);
  /// No new attempts. What waits for one is given back once no other one of its lease runs; what
  /// runs has until `give_up`.
  void stop(moment now);
  /// Nobody waits for the attempts that run any more: they are due again at once.
  void give_up(moment now);

  /// When something happens by itself.
  std::optional<std::chrono::steady_clock::time_point> next(moment now) const;
  /// Attempts that run, or that LEDGER does not know the end of.
  std::size_t in_flight() const { return running_.size(); }
  /// Its receiver failed so often that it is left alone, or one delivery goes ahead.
  bool left_alone() const { return breaker_.state() != breaker_state::closed; }
  /// It has nothing, and waits for nothing but the time at which something is due.
  bool rests() const { return running_.empty() && waiting_.empty() && !asking_ && !again_; }
  std::optional<wall_time> due() const { return due_; }
  /// There is nothing that it waits for: who tells it of something due may do so to another one.
  bool is_idle() const { return rests() && !due_; }

 private:
  struct held {
    ledger::taken::one what;
    std::string lease;
    wall_time until{};
  };
  struct running {
    held what;
    wall_time since{};
    std::uint64_t breaker_lease = 0;
    std::optional<ledger::note_attempt> end;  ///< LEDGER could not take note of it yet
  };

  void begin(moment now);
  void begin_one(std::uint64_t breaker_lease, moment now);
  void claim_more(moment now);
  std::size_t room() const;
  void leave_alone(moment now);
  void drop_waiting();
  void close(webhook::disabled why, moment now);
  void note_again(moment now);
  void return_leases(moment now);

  deliverer_door& door_;
  std::string webhook_;
  deliverer_rules rules_;
  guards::breaker breaker_;
  webhook::webhook by_;                   ///< as it was when something was taken last
  std::optional<wall_time> due_;          ///< of the earliest delivery that was not taken
  std::optional<wall_time> taken_until_;  ///< the lease that is being asked for
  std::string lease_;                     ///< the same: its token
  bool asking_ = false;                   ///< for places, or LEDGER for deliveries
  std::size_t asked_ = 0;                 ///< LEDGER, with a place for each
  bool stopped_ = false;
  std::vector<std::string> returned_;  ///< leases to give back, as nothing of them is attempted
  /// LEDGER could not answer: not before.
  std::optional<std::chrono::steady_clock::time_point> again_;
  std::deque<held> waiting_;
  std::map<std::uint64_t, running> running_;
  std::uint64_t last_ = 0;
};

/// Whether the receiver was there: any answer but one that says it has too much to do.
verdict verdict_on(webhook::ending how) noexcept;

}  // namespace gate::hooks
