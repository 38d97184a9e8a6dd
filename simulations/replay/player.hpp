#pragma once
/// Plays a recording to a whole gateway in virtual time: clients' requests arrive when they did,
/// servers answer when they did, documents are read again when they were. What clients are told,
/// what servers are sent and what is audited is kept beside what the recording has of it. One
/// thread; everything that happens follows from the recording and the document.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulations/replay/counterparts.hpp"
#include "simulations/replay/crossings.hpp"
#include "simulations/replay/played_network.hpp"
#include "simulations/replay/tape.hpp"
#include "simulations/replay/turns.hpp"

namespace gate::replay {

struct play_options {
  /// Another document than the recorded one; those that were read later are not read then.
  std::optional<std::string> config{};
};

/// A visit, told again.
struct replayed_visit {
  told now;
  contrasts differences;  ///< empty: it is equal
  bool compared = true;   ///< false: there was nothing to compare, for its client did not wait
};

struct played {
  std::vector<replayed_visit> visits;  ///< as `tape::visits`
  contrasts fetches;                   ///< of what servers were sent
  std::vector<odd_fetch> odd;          ///< that no recorded fetch is
  std::vector<std::string> audit;      ///< lines, without LF
  contrasts audits;
  std::uint64_t virtual_us = 0;  ///< how much time passed
  std::vector<crossing> crossings;
  std::uint64_t first_missing = nothing;  ///< µs: when a fetch should have begun that did not

  bool differs(std::size_t visit) const {
    return visits[visit].compared && !visits[visit].differences.empty();
  }
  /// How many differences there are, of all kinds.
  std::size_t differing() const;
  /// When it begins to differ, in µs, as far as that can be told.
  std::uint64_t first_difference(const tape& of) const;
};

/// What the recording does not say, and is taken to have been otherwise than it looks.
struct deviations {
  late_words late{};  ///< are told behind the takeover that is beside them
  odd_turns turns{};
  bool operator==(const deviations&) const = default;
};

/// The document is a good one (`config::load`).
played play_once(const tape& of, const play_options& o, const deviations& by = {});

}  // namespace gate::replay
