#pragma once
/// Tells a scenario of `gate-hooks` in a world of its own, in virtual time, under a schedule that
/// the seed shuffles. Afterwards everything is healed, every organization posts once more, and the
/// process ends.
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulations/stories/diary.hpp"
#include "simulations/stories/hooks_receivers.hpp"

namespace gate::hook_churn {

class story {
 public:
  /// With `turns`, whose turn it was is part of the trace.
  story(scenario s, bool turns);

  /// Before it is told: how things stand is noted again and again.
  void keep_samples();
  /// Once.
  void tell();

  const evidence& found() const { return evidence_; }
  /// What happened, line by line; the same for the same scenario.
  std::string trace() const;

 private:
  /// A webhook, as its maker knows it.
  struct hook {
    std::string id, organization;
    std::size_t host = 0;
    std::uint32_t secrets = 0;  ///< made for it
    bool removed = false;
  };

  /// What was posted under a key.
  struct keyed {
    std::size_t organization = 0;
    webhook::event_type type{};
    std::string data, body;
  };

  // hooks_story.cpp
  void run(const operation& o);
  void run_on_process(const operation& o);
  void pass(std::chrono::milliseconds time);
  void look_around();
  void meet(std::size_t request);
  void note(const std::string& line);
  void note_log() { diary_.note_log(); }
  void heal();
  void once_more();
  void go();
  std::map<std::string, std::size_t> census() const;

  // hooks_story_calls.cpp: what callers do
  request& call(request::kind what, std::size_t organization, verb method,
                const std::string& target, std::string body = {}, std::string key = {});
  void create(const operation& o);
  void ask_for_hook(const operation& o);
  void post(std::size_t organization, std::uint32_t type, std::size_t count);
  void post_again(std::uint32_t which);
  void rush(std::uint32_t drawn);
  void look(const operation& o);
  void retry_one(std::uint32_t which);
  void vanish(std::uint32_t which);
  hook* hook_of(std::uint32_t which);

  // hooks_story_mischief.cpp: the storage, the process, and what is broken on purpose
  void storage(std::uint32_t how);
  void mend();
  void crash(std::uint32_t role, std::uint32_t which);
  void kill();
  void restart(std::chrono::milliseconds patience);
  void jump(std::uint32_t where);
  void set_clock(std::chrono::milliseconds skew);
  void disturb(std::chrono::milliseconds from_now);
  void leave_open();
  void let_the_canary_in();
  void feed_the_canary();
  bool wants_canary(canary what) const { return scenario_.bird == what; }

  scenario scenario_;
  sim::hooks_service world_;
  evidence evidence_;
  receivers receivers_;
  std::vector<hook> hooks_;
  std::vector<std::string> keys_;  ///< under which something was posted
  std::map<std::string, keyed> keyed_;
  std::vector<std::size_t> open_;  ///< requests that wait, as far as is known
  std::size_t hosts_given_ = 0;
  std::uint32_t next_number_ = 1;
  stories::diary diary_;
  std::chrono::milliseconds skew_{0}, most_skew_{0};
  bool storage_ill_ = false, canary_is_in_ = false, healed_ = false;
  bool turns_;
};

}  // namespace gate::hook_churn
