#pragma once
/// What the gateway mints at random - session ids, cursors, event ids, states, ids of its own
/// requests - is another thing in a replay. COUNTERPARTS learns from each pair of answers which of
/// the replay stands for which of the recording, so that clients send what they would have got; and
/// compares the rest of the pair, byte for byte. Pure.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/replay/tape.hpp"

namespace gate::replay {

/// Behind these a refusal says how many seconds are left, which depends on when one asks.
inline constexpr std::string_view wait_words = "; retry in ";

/// Where two texts differ.
struct contrast {
  std::string where;  ///< `/result/tools/3/name`, `status`, `header Retry-After`
  std::string recorded, replayed;
};
using contrasts = std::vector<contrast>;

/// Which of the gateway's surfaces said it.
enum class surface : std::uint8_t {
  mcp,       ///< all of it counts
  endpoint,  ///< `/health` and the like: times, counts and measures do not
};

class counterparts {
 public:
  /// Compares what a client was told, and learns. `whole`: the recorded stream ended, so that all
  /// of its events must be there; else those are compared that both have.
  void compare(const told& recorded, const told& replayed, surface by, bool whole, contrasts& out);
  /// The same of two JSON texts that are no answers. Learns nothing.
  static void compare_texts(std::string_view recorded, std::string_view replayed, surface by,
                            contrasts& out);

  /// A header's value as the client has it in the replay.
  std::string_view header(std::string_view name, std::string_view value) const;
  /// A request's body, likewise: cursors, states, and the ids of what it answers.
  std::string body(std::string_view text) const;
  /// Any text, with what stands for each that was learned, wherever it stands. Not for each text:
  /// it looks for all of them.
  std::string renamed(std::string_view recorded) const;
  /// The other way round: what the recording has for each.
  std::string restored(std::string_view replayed) const;
  /// Of what is minted elsewhere: an access token.
  void learn(std::string_view recorded, std::string_view replayed);
  /// What stands for it, or itself.
  std::string_view of(std::string_view recorded) const;

 private:
  void compare_headers(const told& recorded, const told& replayed, contrasts& out);
  void compare_streams(const told& recorded, const told& replayed, surface by, bool whole,
                       contrasts& out);
  void compare_bodies(std::string_view recorded, std::string_view replayed, surface by,
                      contrasts& out);

  std::map<std::string, std::string, std::less<>> known_;
};

}  // namespace gate::replay
