#pragma once
/// What clients said, and what they were told, in a few words: method and name of a body, the
/// outcome of an answer. Pure; `story` asks, and what sends a recording again.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gate::recording {

enum class speech : std::uint8_t { nothing, request, notification, response, batch, other };
struct said {
  speech how = speech::nothing;
  std::string id{};      ///< raw; of requests and responses
  std::string method{};  ///< of requests and notifications
  std::string name{};    ///< of a tool or prompt, a URI, a task, what a completion is for
};
said what_was_said(std::string_view body);

/// "ok", "tool error", "error -32602"; nothing if `text` is not the response to `id` (raw).
std::optional<std::string> outcome_of_message(std::string_view text, std::string_view id);

/// Of a whole answer over HTTP: the same, "accepted", or "HTTP 404".
std::string outcome_of_answer(std::uint64_t status, std::string_view body, std::string_view id);

}  // namespace gate::recording
