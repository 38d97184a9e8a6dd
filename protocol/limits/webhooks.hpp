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
/// Attempts of one webhook at a time: a receiver that can do more is asked again at once.
inline constexpr std::size_t webhook_attempts = 8;
/// Deliveries of one webhook that are in memory: those under way, and as many behind them, so that
/// no place waits for the disk.
inline constexpr std::size_t webhook_held = 2 * webhook_attempts;
/// The same of all webhooks together, each with a socket at most; test calls beside them; and
/// connections that are kept for the next delivery. That is a thousand sockets.
inline constexpr std::size_t webhook_held_in_all = 760;
inline constexpr std::size_t webhook_trials = 40;
inline constexpr std::size_t webhook_idle = 200;
/// Without `--timeout`; and what it may say.
inline constexpr seconds webhook_answer{15};
inline constexpr seconds webhook_answer_most{120};
/// To a receiver that is there a connection does not take longer.
inline constexpr seconds webhook_connect{10};
/// A receiver's answer is read so far; what is longer counts by its status.
inline constexpr std::size_t webhook_answer_read = 16 * 1024;
/// Beyond an attempt's time: it is noted meanwhile, or the delivery is another's.
inline constexpr seconds webhook_lease_margin{15};
/// Failures in a row after which a receiver is left alone, and for how long: its deliveries lose no
/// attempts meanwhile.
inline constexpr std::size_t webhook_failures = 5;
inline constexpr seconds webhook_left_alone{30};
/// LEDGER could not answer.
inline constexpr seconds webhook_ledger_pause{1};
/// Nothing to do for so long: a webhook's actor ends.
inline constexpr seconds webhook_rest{30};
/// How often leases that ran out are looked for, and what is due of which nobody was told.
inline constexpr seconds webhook_scan{5};
/// How often what is kept no longer is removed, and what there is counted.
inline constexpr seconds webhook_cleaning{60};
inline constexpr seconds webhook_counting{5};
/// Without `--retain-succeeded` and `--retain-dead`; and what they may say.
inline constexpr seconds webhook_succeeded_kept{7 * 24 * 3600};
inline constexpr seconds webhook_dead_kept{30 * 24 * 3600};
inline constexpr seconds webhook_kept_most{3650LL * 24 * 3600};
/// Webhooks that are delivered to at a time: an actor each, of some kB.
inline constexpr std::size_t webhook_destinations = 10'000;
/// Calls that wait for attempts, of one webhook.
inline constexpr std::size_t webhook_followers = 64;

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
    row{"webhook_attempts", webhook_attempts, "of one webhook: the next ones wait"},
    row{"webhook_held", webhook_held, "of one webhook: the rest stays in the ledger"},
    row{"webhook_held_in_all", webhook_held_in_all, "deliveries: organizations take turns, and none takes all"},
    row{"webhook_trials", webhook_trials, "test calls: the next one fails at once"},
    row{"webhook_idle", webhook_idle, "connections to receivers: a further one is closed after its delivery"},
    row{"webhook_answer", webhook_answer, "an attempt without an answer has failed, without `--timeout`"},
    row{"webhook_answer_most", webhook_answer_most, "the start fails, with a longer `--timeout`"},
    row{"webhook_connect", webhook_connect, "an attempt without a connection has failed"},
    row{"webhook_answer_read", bytes(webhook_answer_read), "the rest of a receiver's answer is not read"},
    row{"webhook_lease_margin", webhook_lease_margin, "beyond the time of an attempt: the delivery is attempted again"},
    row{"webhook_failures", webhook_failures, "in a row: the receiver is left alone for a while"},
    row{"webhook_left_alone", webhook_left_alone, "then one delivery goes ahead of the others"},
    row{"webhook_ledger_pause", webhook_ledger_pause, "the ledger is asked again"},
    row{"webhook_rest", webhook_rest, "without anything to do: a webhook's actor ends"},
    row{"webhook_scan", webhook_scan, "leases that ran out are ended, and what is due is looked for"},
    row{"webhook_cleaning", webhook_cleaning, "what was kept long enough is removed"},
    row{"webhook_counting", webhook_counting, "deliveries are counted for metrics"},
    row{"webhook_succeeded_kept", webhook_succeeded_kept, "a delivery that succeeded is removed, without `--retain-succeeded`"},
    row{"webhook_dead_kept", webhook_dead_kept, "a dead letter is removed, without `--retain-dead`"},
    row{"webhook_kept_most", webhook_kept_most, "the start fails, with a longer time"},
    row{"webhook_destinations", webhook_destinations, "webhooks that are delivered to: the next ones wait"},
    row{"webhook_followers", webhook_followers, "503 for a call that would wait for attempts of the same webhook"},
    // clang-format on
};

}  // namespace gate::limits
