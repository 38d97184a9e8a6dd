#include "simulations/replay/turns.hpp"

namespace gate::replay {
namespace {

using recording::kind;

/// Events of one turn are not further apart, in µs: each is written down when it is read, and a
/// busy unit reads from many sockets before it begins to work at what it has read.
constexpr std::uint64_t longest = 250;
/// Where they are on a machine that is slow.
constexpr std::uint64_t longest_of_all = 1000;

/// Does it come from outside, whatever the gateway has done meanwhile? (A body is brought only to
/// who has asked for it.)
bool comes_in(kind k) {
  return k == kind::request || k == kind::gone || k == kind::streamed || k == kind::fetched;
}

}  // namespace

std::size_t end_of_turn(const tape& of, std::size_t first, const odd_turns& odd) {
  const auto& begin = of.events[first];
  auto end = first + 1;
  const auto last = begin.at + (odd.longer.contains(first) ? longest_of_all : longest);
  if (!comes_in(begin.what)) return end;
  for (; end < of.events.size(); ++end) {
    const auto& e = of.events[end];
    if (!comes_in(e.what) || e.unit != begin.unit || e.at > last || odd.apart.contains(end)) break;
  }
  return end;
}

}  // namespace gate::replay
