#pragma once
/// What is owed to whom in a story of `gate-hooks`, by what the storage was asked and has done, in
/// its order: a model of webhooks and events that knows nothing of how they are kept. Pure.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulations/stories/hooks_evidence.hpp"

namespace gate::hook_churn {

/// From then to then.
struct span_of {
  time_point from{}, until = time_point::max();
};

class model {
 public:
  struct secret {
    std::string text;
    span_of valid;
  };
  struct hook {
    std::string organization, host;
    webhook::event_mask events = 0;
    std::vector<span_of> on;  ///< when it was enabled; the last one may go on
    std::vector<secret> secrets;
    time_point deleted = time_point::max();
    bool is_on() const { return !on.empty() && on.back().until == time_point::max(); }
  };
  struct event {
    std::string organization;
    webhook::event_type type{};
    std::string body;
    time_point at{};
    std::size_t wanted = 0;  ///< by so many webhooks
  };
  struct debt {
    std::string event, webhook;
    time_point at{};
  };
  /// An attempt of a delivery, as it was noted; in their order.
  struct note {
    std::uint32_t attempt = 0;
    ledger::note_attempt what;
    bool only_one = false;  ///< it was a dead letter: there is no other attempt
    time_point at{};
  };
  struct delivery {
    std::vector<note> notes;
    std::vector<time_point> retries;  ///< by hand
    bool dead = false;                ///< it was, once
  };

  explicit model(const evidence& e);

  /// Null: there is no such thing.
  const hook* at_host(const std::string& host) const;
  bool owes(const std::string& event, const std::string& host) const;

  std::map<std::string, hook> hooks;
  /// By organization and id: see `name_of`. One that nobody wants (any more) is forgotten after a
  /// while, and can then be accepted anew.
  std::map<std::string, std::vector<event>> events;
  std::vector<debt> debts;
  std::map<std::string, delivery> deliveries;
  std::vector<std::string> deleted_letters;
  /// What receivers got, in its order: of a delivery; and at a host, of an event by its id alone.
  std::map<std::string, std::vector<const arrived*>, std::less<>> of_delivery;
  std::map<std::pair<std::string, std::string>, std::vector<const arrived*>> at_of_event;
  const std::vector<const arrived*>& arrivals_of(const std::string& host,
                                                 std::string_view event) const;

  static std::string name_of(const std::string& organization, const std::string& id) {
    return organization + '/' + id;
  }

 private:
  void learn(const deed& d);
  void learn(const ledger::accept_events& r, const ledger::accepted& said, time_point at);
  void learn(const ledger::patch_webhook& r, time_point at);
  void learn(const ledger::note_attempt& r, time_point at);
  void learn(const ledger::requeued& said, time_point at);
  void turn_on(hook& h, bool on, time_point at);

  std::set<std::pair<std::string, std::string>> owed_;  ///< events, and hosts that are to have them
};

}  // namespace gate::hook_churn
