#pragma once
/// The parts of ROUTERs that a store brings together: no actors, no messages. What an instance asks
/// the store, and what others say to it, waits until `settle`.
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/fleet/session_record.hpp"
#include "simulations/world/shared_scripts.hpp"
#include "tests/actors/support/router_stage.hpp"

namespace gate::sim {

class staged_instance final : public staged_router, private store_ear {
 public:
  staged_instance(fake_store& store, std::uint64_t seed, std::string_view config = two_servers);
  ~staged_instance() { store_.hear_by_no_more(this); }
  staged_instance(const staged_instance&) = delete;
  staged_instance& operator=(const staged_instance&) = delete;

  routing::fleet_line& line() { return it.fleet->sessions.line(); }
  const std::string& name() { return line().name(); }
  /// It says this, sealed as always, to that one.
  void say(staged_instance& to, fleet::session_word word) {
    line().say(to.name(), std::move(word));
  }
  /// The same, of what it says without a session.
  void say(staged_instance& to, fleet::session_word::kind what, std::string text) {
    say(to, {.what = what, .text = std::move(text)});
  }
  /// The store has come or gone, as this one knows.
  void turn(bool here) override { line().on_turned(here); }
  /// One second of upkeep.
  void tick() { it.on_timer(routing::timer::upkeep); }
  /// What it has asked and heard is answered and delivered; false: there was nothing.
  bool deliver();
  /// Nobody listens to its channel: it is gone, as others see it.
  bool deaf = false;
  /// What the store says to all that it asks, instead of doing it.
  std::optional<store_outcome> store_says{};
  /// What was said to it and is not delivered yet.
  std::deque<store_heard> heard;
  /// What the first server asks within this call.
  void ask_client(std::string_view raw_id, std::uint64_t call,
                  std::string_view method = "elicitation/create",
                  std::string_view params = R"({"message":"m"})");
  /// What its server tells within this call.
  void tell(std::uint64_t call, std::string text);
  /// The number of the latest call that a server was asked.
  std::uint64_t latest() const { return doors.calls.back().second.call; }

 private:
  void hear(const store_heard& m) override {
    if (hears(m.channel)) heard.push_back(m);
  }
  bool hears(const std::string& channel) const override { return !deaf && channel == channel_; }

  fake_store& store_;
  std::string channel_;
};

/// Two instances of a fleet.
class fleet_stage : public ::testing::Test {
 protected:
  explicit fleet_stage(std::string_view config = staged_router::two_servers);

  /// Until nothing is left to be delivered.
  void settle();
  /// A client opens a session at `one`.
  sessions::session_ptr open(const std::string& capabilities = "{}");
  /// The same client comes to `two`; null: it is not found there.
  sessions::session_ptr come(const std::string& id);
  /// Time, for both, and a second's upkeep at its end.
  void pass(std::chrono::milliseconds d);

  /// How a server ends what it was asked without a result, and the code that its client reads.
  struct ending {
    gate::answer is;
    std::string_view text, code;
  };
  static constexpr std::array<ending, 2> endings{
      {{gate::answer::error, R"({"code":-7,"message":"no"})", "-7"},
       {gate::answer::down, "", "-31041"}}};
  static std::string error_code(const receipt_ptr& r);

  fake_store store;
  staged_instance one, two;
};

}  // namespace gate::sim
