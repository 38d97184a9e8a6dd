#pragma once
/// Bounds of webhooks, their events and deliveries, each with its reason; and what happens at each,
/// as docs/operations.md has it.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- what callers say --------------------------------------------------------------------------
/// Longer URLs are cut off by proxies on the way.
inline constexpr std::size_t webhook_url_bytes = 2048;
/// A sentence or two for whoever reads the list.
inline constexpr std::size_t webhook_description_bytes = 500;
/// A secret that is shorter can be guessed by whoever has seen one signature.
inline constexpr std::size_t webhook_secret_least = 16;
inline constexpr std::size_t webhook_secret_most = 256;
/// What a `whsec_` secret stands for (Standard Webhooks 1.0.0), and what is made here: as much as
/// SHA-256 can make use of.
inline constexpr std::size_t webhook_key_least = 24;
inline constexpr std::size_t webhook_key_most = 64;
inline constexpr std::size_t webhook_key_new = 32;
/// Of an event as it is delivered: `{"type","timestamp","data"}` is shorter than this, since
/// receivers are written for that (Standard Webhooks 1.0.0).
inline constexpr std::size_t webhook_body_bytes = 20'000;
/// An event's `data` may have arrays and objects within each other: receivers read it, too.
inline constexpr std::uint32_t webhook_data_depth = 64;
/// Events of one request; they are one transaction.
inline constexpr std::size_t webhook_batch = 1000;
/// An Idempotency-Key becomes the event's id, which each delivery names in a header.
inline constexpr std::size_t webhook_event_id_bytes = 128;
/// What a page of a list has if nobody says, and at most.
inline constexpr std::size_t webhook_page_usual = 50;
inline constexpr std::size_t webhook_page_most = 100;
/// Cursors are ours and short; what is longer is none.
inline constexpr std::size_t webhook_cursor_bytes = 128;

// --- deliveries ----------------------------------------------------------------------------------
/// After a rotation the secret that was signs, too, for so long.
inline constexpr seconds webhook_rotation{24 * 3600};
/// What is kept of an answer's body, and of what went wrong.
inline constexpr std::size_t webhook_answer_bytes = 4096;
inline constexpr std::size_t webhook_error_bytes = 500;
/// Attempts that a schedule may have, and what may lie between two of them: a schedule that takes
/// longer than what is dead is kept helps nobody.
inline constexpr std::size_t webhook_attempts_most = 30;
inline constexpr seconds webhook_pause_most{7 * 24 * 3600};
/// No receiver puts its deliveries off for longer by `Retry-After`.
inline constexpr seconds webhook_retry_after_most{24 * 3600};
/// Nothing but failures for so long: nobody is there any more.
inline constexpr seconds webhook_failing{5 * 24 * 3600};

inline constexpr std::array of_webhooks{
    // clang-format off
    row{"webhook_url_bytes", bytes(webhook_url_bytes), "400"},
    row{"webhook_description_bytes", bytes(webhook_description_bytes), "400"},
    row{"webhook_secret_least", bytes(webhook_secret_least), "400, with less"},
    row{"webhook_secret_most", bytes(webhook_secret_most), "400"},
    row{"webhook_key_least", bytes(webhook_key_least), "400, with less behind `whsec_`"},
    row{"webhook_key_most", bytes(webhook_key_most), "400, with more behind `whsec_`"},
    row{"webhook_key_new", bytes(webhook_key_new), "what a secret that is made here stands for"},
    row{"webhook_body_bytes", bytes(webhook_body_bytes), "400: as it is delivered, an event is shorter"},
    row{"webhook_data_depth", webhook_data_depth, "400"},
    row{"webhook_batch", webhook_batch, "400"},
    row{"webhook_event_id_bytes", bytes(webhook_event_id_bytes), "400, for an `Idempotency-Key`"},
    row{"webhook_page_usual", webhook_page_usual, "a page has so many without `limit`"},
    row{"webhook_page_most", webhook_page_most, "400, for a `limit`"},
    row{"webhook_cursor_bytes", bytes(webhook_cursor_bytes), "400"},
    row{"webhook_rotation", webhook_rotation, "the secret before a rotation signs no longer"},
    row{"webhook_answer_bytes", bytes(webhook_answer_bytes), "the rest of a receiver's answer is not kept"},
    row{"webhook_error_bytes", bytes(webhook_error_bytes), "the text of an attempt's error is cut off"},
    row{"webhook_attempts_most", webhook_attempts_most, "the start fails, with a longer schedule"},
    row{"webhook_pause_most", webhook_pause_most, "the start fails, with a longer pause in a schedule"},
    row{"webhook_retry_after_most", webhook_retry_after_most, "a longer `Retry-After` is taken for this"},
    row{"webhook_failing", webhook_failing, "of nothing but failures: the webhook is disabled (`failing`)"},
    // clang-format on
};

}  // namespace gate::limits
