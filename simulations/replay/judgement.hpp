#pragma once
/// What came of a replay, for people and for programs: whether it was equal, and of a replay with
/// another document, which requests would have ended otherwise. Pure.
#include <cstdint>
#include <string>
#include <vector>

#include "simulations/replay/player.hpp"
#include "simulations/replay/tape.hpp"

namespace gate::replay {

/// How a client's request ended, in a word: `ok`, the reason of a refusal (`policy_denied`,
/// `rate_limited`, …), `error` (the upstream's), `HTTP 404`, `open` (a stream), `dropped`,
/// `unanswered`. Of a batch, those of its messages: each once, in the order of the alphabet.
std::string outcome_of(const told& t);

struct summary {
  std::size_t requests = 0, equal = 0, differ = 0;
  std::size_t uncompared = 0;  ///< whose clients did not wait
  std::size_t beside = 0;      ///< differences of what servers were sent, and of audit events
  bool all_equal() const { return differ == 0 && beside == 0; }
};
summary summed_up(const tape& of, const played& p);

/// `N requests, N equal, N differ`, and each difference. At most `most` of them.
std::string as_text(const tape& of, const played& p, std::size_t most);
std::string as_json(const tape& of, const played& p);

/// A request that would have ended otherwise.
struct shift_example {
  std::uint64_t at = 0;  ///< µs
  std::string method, name, principal, rule, upstream;
};
struct shift {
  std::string recorded, replayed;
  std::size_t count = 0;
  std::vector<shift_example> examples;  ///< the first few
};
/// By outcome, the most frequent first; those that stayed the same have no examples.
std::vector<shift> shifts(const tape& of, const played& p);
std::string shifts_as_text(const tape& of, const played& p);
std::string shifts_as_json(const tape& of, const played& p);

}  // namespace gate::replay
