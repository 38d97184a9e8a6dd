#pragma once
/// OUTCOME: what became of one attempt to deliver, and what that means. Pure; made by DESTINATION
/// of what EGRESS reports.
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/webhook/records.hpp"

namespace gate::webhook {

enum class ending : std::uint8_t {
  success,    ///< 2xx
  gone,       ///< 410: its owner wants no more of it
  redirect,   ///< 3xx; never followed, since it would lead past the checks of the URL
  throttled,  ///< 429, 502, 503, 504: come back later, perhaps it says when
  rejected,   ///< any other answer
  // No answer:
  timeout,
  unresolved,  ///< its name stands for no address
  forbidden,   ///< its name stands for addresses that are not public
  refused,     ///< nobody listens there, or it can not be reached
  tls,         ///< no TLS, or a certificate that is not its own
  cut,         ///< the connection ended before the answer did
  malformed,   ///< what came is no HTTP, or has no end
};

/// The values of the label `outcome`, in the order of `ending`.
inline constexpr std::array<std::string_view, 12> ending_names{
    "success",    "gone",      "redirect", "throttled", "rejected", "timeout",
    "unresolved", "forbidden", "refused",  "tls",       "cut",      "malformed"};
constexpr std::string_view name_of(ending e) noexcept {
  return ending_names[static_cast<std::size_t>(e)];
}

struct outcome {
  ending end = ending::success;
  int code = 0;       ///< 0: there was no answer
  std::string error;  ///< a sentence, at most `limits::webhook_error_bytes`; empty for a success
  /// What a throttled attempt was told, at most `limits::webhook_retry_after_most`.
  std::optional<std::chrono::seconds> retry_after;

  bool succeeded() const noexcept { return end == ending::success; }
};

/// Of an answer. `retry_after`: the header's value, seconds or a date; empty if it is absent.
outcome of_answer(int code, std::string_view retry_after, wall_time now);
/// Of an attempt without an answer: one of those `ending`s. `why` is put behind what the ending
/// says: how long was waited, which rule of addresses; or empty.
outcome of_failure(ending end, std::string_view why);

/// `text`, cut off behind a whole character of UTF-8 if it is longer than `most` bytes.
std::string_view cut_off(std::string_view text, std::size_t most) noexcept;

/// The words of RFC 9110 and IANA for a status, `Not Found`; empty for one that has none.
std::string_view status_text(int code) noexcept;

}  // namespace gate::webhook
