#pragma once
/// What the instances of a fleet tell each other about a call that waits at one of them for what
/// its client is asked (`requestState`), when the client comes back to another one; and about a
/// task that one of them has minted for a client without a session, when its client asks another
/// one: pure, bounded.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/sha256.hpp"
#include "protocol/mcp/log_levels.hpp"
#include "protocol/refusals.hpp"
#include "protocol/trace/ids.hpp"

namespace gate::fleet {

/// To the instance where the call waits.
struct attempt {
  std::uint64_t waits = 0;  ///< the sender's number for whom it asks
  std::uint64_t call = 0;   ///< as in the state (`mcp::stateless::request_state`)
  std::uint32_t round = 0;
  sha256_digest binding{};
  std::string capabilities{};  ///< raw: what the client can be asked now
  std::string answers{};       ///< raw `inputResponses`; may be empty
  bool operator==(const attempt&) const = default;
};

inline constexpr auto no_log_level = static_cast<std::uint8_t>(mcp::log_levels.size());

/// To the instance whose session with a server has minted a task: a request about it.
struct task_question {
  std::uint64_t waits = 0;     ///< as in `attempt`
  std::uint64_t owner = 0;     ///< whose the task is, as TASKS numbers owners
  std::uint64_t client = 0;    ///< the receiver's client session that minted it
  std::string upstream{};      ///< its id in the configuration
  std::string capabilities{};  ///< raw: what the client has declared
  /// The JSON-RPC request, as the server is to be asked; its id is nobody's.
  std::string request{};
  std::string trace{};  ///< `trace::header_lines` of its context; may be empty
  /// What the client wants to hear: the place in `mcp::log_levels`.
  std::uint8_t log_level = no_log_level;
  bool operator==(const task_question&) const = default;
};

/// Back from there.
struct settlement {
  enum class what : std::uint8_t {
    none,    ///< there is no such call, or the attempt is not good for it
    taken,   ///< it goes on; more follows. `text` is its `cause`, or empty
    said,    ///< `text` is a notification within the call; more follows
    result,  ///< `text` is its result
    asks,    ///< the same, made by the sender: its client is asked more
    error,   ///< `text` is its error
    down,    ///< its upstream has not answered: `why`
  };
  /// A piece of `text`.
  struct piece {
    std::uint32_t at = 0, size = 0;
    bool operator==(const piece&) const = default;
  };

  std::uint64_t waits = 0;
  what is = what::none;
  std::string text{};
  piece usage{};  ///< of a result
  piece task{};   ///< the same: the id that it mints, raw
  no_answer why = no_answer::request_failed;
  bool quotes_credential = false;  ///< an error does
  bool wrapped = false;            ///< as `answered::wrapped`
  bool stateless = false;          ///< an error is worded as its generation does
  std::uint32_t asked = 1;         ///< as `answered::asked`
  bool operator==(const settlement&) const = default;
};

/// In `settlement::text` of `taken`, which instances of earlier versions do not look at: what the
/// spans of this attempt are linked to. Not there, or none that is good: no link.
struct cause {
  trace::span_context span{};  ///< by which the call was known when its client was asked
  bool answered = false;       ///< its upstream has answered meanwhile
  bool operator==(const cause&) const = default;
};

std::string encode(const attempt& a);
std::string encode(const task_question& q);
std::string encode(const settlement& s);
std::string encode(const cause& c);
/// Nothing if it is none, or larger than a word may be.
std::optional<attempt> read_attempt(std::string_view bytes);
std::optional<task_question> read_task_question(std::string_view bytes);
std::optional<settlement> read_settlement(std::string_view bytes);
/// Nothing, too, if its ids are none, or it is not recorded.
std::optional<cause> read_cause(std::string_view bytes);

}  // namespace gate::fleet
