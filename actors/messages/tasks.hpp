#pragma once
/// What TASKS says of a task: where it was minted, and whose it is; and what it hears of calls that
/// may mint one.
#include <array>
#include <cstdint>
#include <string>

namespace gate::tasks {

/// The unit of all that was minted at other instances of the fleet; there are fewer units.
inline constexpr std::uint8_t elsewhere = 255;

/// Where a task was minted.
struct place {
  std::string upstream;      ///< id in the configuration: survives a reload
  std::uint8_t unit = 0;     ///< of the client session, or `elsewhere`
  std::uint64_t client = 0;  ///< the client session; some servers bind tasks to the session
  /// The ROUTER of that session, if it can be asked about the task: of a fleet, and of a client
  /// without a session, whose session with the server no other instance can use. Else all zero.
  std::array<std::uint8_t, 16> instance{};
  bool operator==(const place&) const = default;
};

/// What is heard of a call that may mint a task.
enum class minting : std::uint8_t {
  begun,
  answered,  ///< what it minted is pinned, or it minted nothing
  lost,      ///< it ended without an answer: it may have minted one all the same
};

enum class verdict : std::uint8_t { own, foreign, unknown };

struct finding {
  tasks::verdict verdict = verdict::unknown;
  tasks::place place;  ///< with `own`
};

}  // namespace gate::tasks
