#pragma once
/// The servers of a story, and what is wrong with them at the moment. They are `fake_upstream`s of
/// the world: well unless told otherwise. Belongs to the story.
#include <array>
#include <set>
#include <string>

#include "simulations/stories/scenario.hpp"
#include "simulations/world/world.hpp"

namespace gate::churn {

inline constexpr std::array replicas{"t1", "t2", "t3"};
inline constexpr std::array discoverable{"d1", "d2"};

/// Those that take a time for a call that is known beforehand. (They know no sessions but theirs,
/// and forget none.)
bool keeps_time(std::string_view upstream);
/// How long a call of this number takes at an upstream that is well.
std::chrono::milliseconds delay_of(std::string_view upstream, std::uint32_t call);
/// The arguments of a call, and what an upstream that is well answers with; byte for byte.
std::string arguments_of(std::uint32_t call);
std::string result_of(std::uint32_t call);
/// A long thing that a server says.
inline constexpr std::size_t wide_notice_bytes = 32 * 1024;
/// The number in the name of a tool, such as `t17`.
std::uint32_t number_in(std::string_view raw_name);

class fleet {
 public:
  explicit fleet(const scenario& s) : scenario_(s) {}

  /// Hosts beside those of the document's upstreams.
  std::vector<std::string> more_hosts() const;
  /// Before the gateway starts.
  void prepare(sim::fake_network& net);

  void sicken(const std::string& host, std::uint32_t sickness);
  void cure(const std::string& host);
  void forget(const std::string& host);
  /// With `wide` things, no stream holds as many as there may be.
  void announce(const std::string& host, std::uint32_t lines, bool wide = false);
  void take_down(std::uint32_t replica, std::uint32_t how);
  void bring_up(std::uint32_t replica);
  void publish(std::uint32_t registry_answer);
  /// Everybody is well from now on.
  void heal();
  void swap_replicas() { std::swap(host("t1"), host("t2")); }
  void fail_good_once();

  /// Hosts that can be sick.
  std::vector<std::string> weak() const;
  /// All hosts that speak MCP.
  std::vector<std::string> all() const;
  sim::fake_upstream& host(const std::string& name) const { return *net_->at(name); }
  /// Whose sessions may be left behind: something was wrong with their host meanwhile.
  bool excused(const std::string& host) const { return excused_.contains(host); }

 private:
  void be_well(const std::string& host);

  const scenario& scenario_;
  sim::fake_network* net_ = nullptr;
  std::set<std::string> excused_;
};

}  // namespace gate::churn
