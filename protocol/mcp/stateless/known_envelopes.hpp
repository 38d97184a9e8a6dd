#pragma once
/// The envelopes of late, by their bytes. A client says the same of itself with each request, so
/// what was found in it is found again by a comparison. Pure; one for each unit; stage 4 of the
/// pipeline asks.
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/mcp/capability_profile.hpp"

namespace gate::mcp::stateless {

/// An envelope that was read once. Shared by all requests that carry it.
struct known_envelope {
  std::string version;                              ///< as `envelope::version`
  std::shared_ptr<const std::string> capabilities;  ///< raw object
  std::string log_level;                            ///< raw string, a level; empty: none is wanted
  capability_profile asked_by = 0;                  ///< `asked_by` of the capabilities
  bool takes_tasks = false;                         ///< `declares_tasks` of them
  bool alone = true;                                ///< `_meta` holds nothing else
};
using known_envelope_ptr = std::shared_ptr<const known_envelope>;

class known_envelopes {
 public:
  struct reading {
    /// It names a revision (`envelope_members::name_version`).
    bool named = false;
    known_envelope_ptr it;  ///< null: not named, or not a good one
    std::string flaw;       ///< of one that is not: a sentence that names the key
  };
  /// What `_meta` (raw object, or empty) holds of an envelope.
  reading read(std::string_view raw_meta);

 private:
  struct place {
    std::string text;
    known_envelope_ptr it;
  };
  /// Two that meet in a place take turns in it. Longer ones are read each time.
  static constexpr std::size_t longest = 2048;
  std::array<place, 64> places_;
};

}  // namespace gate::mcp::stateless
