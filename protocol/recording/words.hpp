#pragma once
/// What enumerators are called in a recording, in their order: of the HTTP gate (`flaw`), and of
/// what comes back from EGRESS (`end`, `obstacle`, `media`). Pure.
#include <array>
#include <string_view>

namespace gate::recording {

/// Of `http::defect`; the first stands for none, and is not written.
inline constexpr std::array<std::string_view, 13> flaws{
    "none",           "malformed",         "host",           "method",
    "content_length", "transfer_encoding", "folding",        "target",
    "bare_line_feed", "header_too_large",  "body_too_large", "timeout",
    "crowded"};
/// Of `fetch_end`.
inline constexpr std::array<std::string_view, 8> ends{
    "complete", "connect_failed", "connect_timeout", "overloaded",
    "broken",   "too_large",      "malformed",       "redirected"};
/// Of `obstacle`; the first is not written.
inline constexpr std::array<std::string_view, 5> obstacles{"none", "unresolved", "forbidden",
                                                           "unreachable", "tls"};
/// Of `media`.
inline constexpr std::array<std::string_view, 4> medias{"none", "json", "events", "other"};

/// The word of one.
template <std::size_t N, class Enum>
constexpr std::string_view word(const std::array<std::string_view, N>& words, Enum e) {
  const auto at = static_cast<std::size_t>(e);
  return at < N ? words[at] : std::string_view{};
}

/// What a word stands for; `otherwise` if it is none of them.
template <std::size_t N, class Enum>
constexpr Enum enumerator(const std::array<std::string_view, N>& words, std::string_view word,
                          Enum otherwise) {
  for (std::size_t i = 0; i < N; ++i)
    if (words[i] == word) return static_cast<Enum>(i);
  return otherwise;
}

}  // namespace gate::recording
