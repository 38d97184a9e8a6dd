#pragma once
/// Bounds of the configuration, isolation, and running the process, each with its reason; and what
/// happens at each, as docs/operations.md has it.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "protocol/limits/messages.hpp"
#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- configuration -------------------------------------------------------------------------------
/// Upstreams, static and discovered together: each costs actors, and a row in every table by their
/// number.
inline constexpr std::size_t upstreams = 10'000;
/// Replica endpoints of one upstream.
inline constexpr std::size_t endpoints = 1000;
/// Problems of one document that are told; whoever mends these asks again. A hostile document has
/// as many as it has bytes.
inline constexpr std::size_t config_problems = 1000;
/// What a problem's pointer says of one member's name: no field has a longer one.
inline constexpr std::size_t pointer_key_bytes = 256;
/// A discovery source's document: 10,000 upstreams fit, with 400 bytes each.
inline constexpr std::size_t discovery_bytes = 4 * 1024 * 1024;
/// How long it may take to fetch, and to be judged and taken over: it may wait for a document of
/// the operator that came first.
inline constexpr seconds discovery_fetch{10};
inline constexpr seconds discovery_settle{120};
/// What the log tells of the problems of one refused document.
inline constexpr std::size_t logged_problems = 10;
inline constexpr std::size_t logged_problem_bytes = 512;
/// Upstreams of one document that the log names in warnings of one kind.
inline constexpr std::size_t logged_upstreams = 10;

// --- isolation -----------------------------------------------------------------------------------
/// Calls of one upstream that one unit has in flight: one that hangs must not gather calls without
/// end. (A client session is bounded by itself.)
inline constexpr std::size_t upstream_calls = 5000;
/// Reloads that may wait for one another.
inline constexpr std::size_t reloads = 16;
/// Upstreams that the configuration no longer has, and whose counters are kept in case that it has
/// them again: a discovery source may go on inventing ids. The series of one take some 5 KiB.
inline constexpr std::size_t retired_upstreams = 1000;

// --- operations ----------------------------------------------------------------------------------
/// Threads that serve requests, each a unit with its own sessions and pools.
inline constexpr unsigned threads_most = 64;
/// Whose time is over is looked for this often, among connections, streams and sessions: a timer
/// for each operation costs 3 µs a request.
inline constexpr seconds sweep{1};
/// A configuration document, as a file or from an embedding program.
inline constexpr std::size_t document_bytes = 16 * 1024 * 1024;
/// With `--watch` the configuration file is looked at this often.
inline constexpr seconds watch_poll{2};
/// The text of `/metrics` is used again for so long: making it takes its unit some milliseconds.
inline constexpr seconds metrics_reuse{1};
/// `/health` waits this long for all probes, and its answer is reused this long.
inline constexpr seconds health_budget{5};
inline constexpr seconds health_reuse{1};
/// `--healthcheck` waits this long: the report may take its budget.
inline constexpr seconds healthcheck_wait{6};
/// So often it is looked whether a peak of memory is over, and if the process has so much more in
/// memory that is not in use than after the last time, the allocator gives back what is free. That
/// stops everybody for about a millisecond per 4 MiB.
inline constexpr seconds trim_pause{10};
inline constexpr std::size_t trim_worth = 32 * 1024 * 1024;
/// Calls in flight have this long to end after SIGTERM; then they are refused.
inline constexpr seconds drain{10};
/// Refusals of the last calls get this long to leave the building.
inline constexpr seconds refusals_flush{1};
/// After that, upstreams are told that their sessions end, and the audit trail is flushed.
inline constexpr seconds goodbye{2};
/// A reader of audit lines that is stuck holds up the end of the process no longer than this.
inline constexpr seconds lines_flush{3};
/// A crashed actor is restarted after 100 ms, doubling up to this.
inline constexpr milliseconds restart_first{100};
inline constexpr seconds restart_most{30};
/// One that lived this long starts over.
inline constexpr seconds restart_good{60};
/// What an audit event says of an error.
inline constexpr std::size_t audit_error_bytes = 1024;
/// `_meta.usage` of a result as the audit trail carries it; of what is longer it says only so. What
/// servers report takes some hundred bytes.
inline constexpr std::size_t audit_usage_bytes = 16 * 1024;
/// Any other text of an audit event: a URI as long as may be asked for fits.
inline constexpr std::size_t audit_text_bytes = uri_bytes;
/// Audit lines that may wait for a slow standard output or disk before the oldest are dropped and
/// counted, and their bytes: of usual lines (500 bytes) the first bound is met first.
inline constexpr std::size_t audit_queue = 65'536;
inline constexpr std::size_t audit_queue_bytes = 32 * 1024 * 1024;
/// Lines are gathered for so long before they are written, and so much of them is written at a
/// time: one system call for many.
inline constexpr milliseconds lines_gather{10};
inline constexpr std::size_t lines_at_once_bytes = 256 * 1024;
/// Sinks of one document.
inline constexpr std::size_t audit_sinks = 16;
/// A file of audit lines becomes its own predecessor at this size, if the document names no other.
inline constexpr std::size_t audit_file_bytes = 256 * 1024 * 1024;
/// What waits for a webhook, that which is under way included: events, and their bytes. The oldest
/// that waits makes room.
inline constexpr std::size_t outbox_items = 1024;
inline constexpr std::size_t outbox_bytes = 8 * 1024 * 1024;
/// Events of one delivery; it begins when there are as many, or so long after the first of them.
inline constexpr std::size_t outbox_batch = 100;
inline constexpr milliseconds outbox_gather{100};
/// A delivery is tried so often: after half a second, doubling, each pause half as long or half as
/// long again; each attempt has so long to be answered.
inline constexpr unsigned outbox_attempts = 4;
inline constexpr milliseconds outbox_pause{500};
inline constexpr seconds outbox_answer{10};
/// What its receiver says is not looked at, and is not to cost much.
inline constexpr std::size_t outbox_answer_bytes = 64 * 1024;
/// When the process ends, what waits has so long to leave.
inline constexpr seconds outbox_flush{3};
/// Spans that wait for the collector, those under way included, and their bytes: 8 MiB hold some
/// 20,000 usual ones. The oldest that waits makes room.
inline constexpr std::size_t trace_items = 8192;
inline constexpr std::size_t trace_bytes = 8 * 1024 * 1024;
/// Spans of one export; it begins when there are as many, or so long after the first of them.
inline constexpr std::size_t trace_batch = 512;
inline constexpr seconds trace_gather{4};
/// Spans that leave their unit together, or as many bytes of them; a second after they ended at
/// the latest.
inline constexpr std::size_t trace_gathered = 64;
inline constexpr std::size_t trace_gathered_bytes = 64 * 1024;
/// An export is tried so often: after a second, doubling, each pause half as long or half as long
/// again; each attempt has so long to be answered.
inline constexpr unsigned trace_attempts = 5;
inline constexpr milliseconds trace_pause{1000};
inline constexpr seconds trace_answer{10};
/// A collector that names a longer pause is asked again after this.
inline constexpr seconds trace_retry_after{60};
/// What of `Retry-After` is kept: a date in any form that HTTP knows fits.
inline constexpr std::size_t retry_after_bytes = 40;
/// Of its answer no more is looked at: how many spans it has refused, and why.
inline constexpr std::size_t trace_answer_bytes = 64 * 1024;
/// What is there at the end of the process has this long to leave.
inline constexpr seconds trace_flush{3};
/// A text within a span: a name as long as anybody gives one.
inline constexpr std::size_t trace_text_bytes = 1024;
/// What caused a span that is not its parent: another context of the same request, a call's
/// earlier attempt.
inline constexpr std::size_t trace_links = 4;
/// What `/api/activity` can tell: the latest events, and what they may take. An answer, or what a
/// stream is told at once, has so much of it: that is made on a unit's thread. Events for streams
/// are gathered for a moment, so that a busy gateway does not write to its viewers at every call.
inline constexpr std::size_t activity_events = 4096;
inline constexpr std::size_t activity_bytes = 8 * 1024 * 1024;
inline constexpr std::size_t activity_answer = 1000;
inline constexpr std::size_t activity_usual = 100;
inline constexpr std::size_t activity_answer_bytes = 256 * 1024;
inline constexpr std::size_t activity_batch = 256;
inline constexpr milliseconds activity_gather{250};
inline constexpr std::size_t activity_streams = 64;
inline constexpr std::size_t activity_streams_each = 16;
/// Viewers whose question one unit works at: they wait for probes of upstreams, perhaps.
inline constexpr std::size_t inquiries = 32;
/// What viewers see of upstreams is written once for all who see the same, until the next report:
/// so many different views, and their bytes. A thousand upstreams take 200 to 450 kB.
inline constexpr std::size_t federation_views = 64;
inline constexpr std::size_t federation_views_bytes = 8 * 1024 * 1024;
/// W3C Trace Context §3.3.1.5: 512 bytes of `tracestate` are to be passed on at least; Baggage
/// §3.3: 8192 bytes. Longer ones are left out.
inline constexpr std::size_t trace_state_bytes = 2048;
inline constexpr std::size_t trace_state_members = 32;
/// A key and a value of `tracestate`; and a `traceparent` of a version to come: nobody knows how
/// long these are, but they have to end.
inline constexpr std::size_t trace_state_part_bytes = 256;
inline constexpr std::size_t trace_parent_bytes = 512;
inline constexpr std::size_t baggage_bytes = 8000;

inline constexpr std::array of_configuration{
    // clang-format off
    row{"upstreams", upstreams, "refused"},
    row{"endpoints", endpoints, "refused"},
    row{"config_problems", config_problems, "further problems are counted only"},
    row{"pointer_key_bytes", bytes(pointer_key_bytes), "the name is cut off, with `...`"},
    row{"discovery_bytes", bytes(discovery_bytes), "the poll failed"},
    row{"discovery_fetch", discovery_fetch, "the poll failed"},
    row{"discovery_settle", discovery_settle, "DISCOVERY begins anew"},
    row{"logged_problems", logged_problems, "of one refused discovery document: the others are not logged"},
    row{"logged_problem_bytes", bytes(logged_problem_bytes), "the problem is cut off"},
    row{"logged_upstreams", logged_upstreams, "of one warning about credentials: the others are counted only"},
    // clang-format on
};

inline constexpr std::array of_isolation{
    // clang-format off
    row{"upstream_calls", upstream_calls, "per upstream and unit: `-32041` (too many requests are in flight)"},
    row{"reloads", reloads, "the reload is refused"},
    row{"retired_upstreams", retired_upstreams, "the counters of the one that left first are forgotten"},
    // clang-format on
};

inline constexpr std::array of_operations{
    // clang-format off
    row{"threads_most", threads_most, "`--threads` takes no more"},
    row{"sweep", sweep, "what a bound in seconds ends is ended so much later at the most, or twice that"},
    row{"document_bytes", bytes(document_bytes), "refused"},
    row{"watch_poll", watch_poll, "the file is looked at again"},
    row{"metrics_reuse", metrics_reuse, "the text is made anew"},
    row{"health_budget", health_budget, "probes that have not been answered count as failed"},
    row{"health_reuse", health_reuse, "the upstreams are probed again"},
    row{"healthcheck_wait", healthcheck_wait, "`--healthcheck` fails"},
    row{"trim_pause", trim_pause, "it is looked again whether a peak of memory is over"},
    row{"trim_worth", bytes(trim_worth), "so much more memory that is not in use than after the last time, and no longer growing, is given back to the system, which stops the process for about 1 ms per 4 MiB"},
    row{"drain", drain, "calls in flight are refused (503)"},
    row{"refusals_flush", refusals_flush, "upstreams are told that their sessions end"},
    row{"goodbye", goodbye, "the process does not wait for them any longer"},
    row{"lines_flush", lines_flush, "audit lines that nobody has taken are dropped"},
    row{"restart_first", restart_first, "after a crash, then doubling, the actor is started again"},
    row{"restart_most", restart_most, "the pause does not grow further"},
    row{"restart_good", restart_good, "an actor that lived so long starts over"},
    row{"audit_error_bytes", bytes(audit_error_bytes), "cut off"},
    row{"audit_usage_bytes", bytes(audit_usage_bytes), "left out, with a marker"},
    row{"audit_text_bytes", bytes(audit_text_bytes), "cut off"},
    row{"audit_queue", audit_queue, "the oldest lines are dropped, and counted in `gate_audit_dropped_total`"},
    row{"audit_queue_bytes", bytes(audit_queue_bytes), "the same"},
    row{"lines_gather", lines_gather, "audit lines are written"},
    row{"lines_at_once_bytes", bytes(lines_at_once_bytes), "of these: the rest is written next"},
    row{"audit_sinks", audit_sinks, "refused"},
    row{"audit_file_bytes", bytes(audit_file_bytes), "it becomes `PATH.1`, and the next one is begun (`maxBytes`)"},
    row{"outbox_items", outbox_items, "the oldest events that wait for this webhook are dropped, and counted in `gate_audit_dropped_total`"},
    row{"outbox_bytes", bytes(outbox_bytes), "the same"},
    row{"outbox_batch", outbox_batch, "the rest waits for the next delivery"},
    row{"outbox_gather", outbox_gather, "a delivery begins with what there is"},
    row{"outbox_attempts", outbox_attempts, "the events of this delivery are dropped, and counted in `gate_audit_dropped_total`"},
    row{"outbox_pause", outbox_pause, "after a failure, then doubling, half as long or half as long again, it is tried again"},
    row{"outbox_answer", outbox_answer, "the attempt has failed"},
    row{"outbox_answer_bytes", bytes(outbox_answer_bytes), "the rest of the answer is not read"},
    row{"outbox_flush", outbox_flush, "at the end of the process: what has not left is dropped"},
    row{"trace_items", trace_items, "the oldest spans that wait are dropped, and counted in `gate_trace_dropped_total`"},
    row{"trace_bytes", bytes(trace_bytes), "the same"},
    row{"trace_batch", trace_batch, "the rest waits for the next export"},
    row{"trace_gather", trace_gather, "an export begins with what there is"},
    row{"trace_gathered", trace_gathered, "they go to the queue for the collector; and so they do each second"},
    row{"trace_gathered_bytes", bytes(trace_gathered_bytes), "the same"},
    row{"trace_attempts", trace_attempts, "the spans of this export are dropped, and counted in `gate_trace_dropped_total`"},
    row{"trace_pause", trace_pause, "after a failure, then doubling, half as long or half as long again, it is tried again"},
    row{"trace_answer", trace_answer, "the attempt has failed"},
    row{"trace_retry_after", trace_retry_after, "a longer `Retry-After` is taken for this"},
    row{"retry_after_bytes", bytes(retry_after_bytes), "`Retry-After` of an upstream or a receiver is cut off"},
    row{"trace_answer_bytes", bytes(trace_answer_bytes), "the rest of the answer is not read"},
    row{"trace_flush", trace_flush, "at the end of the process: spans that have not left are dropped"},
    row{"trace_text_bytes", bytes(trace_text_bytes), "a text of a span is cut off"},
    row{"trace_links", trace_links, "of one span: further ones are left out"},
    row{"activity_events", activity_events, "the oldest event is forgotten by `/api/activity`"},
    row{"activity_bytes", bytes(activity_bytes), "the same"},
    row{"activity_answer", activity_answer, "a larger `limit` means so much"},
    row{"activity_usual", activity_usual, "of an answer without a `limit`: `next` leads to the rest"},
    row{"activity_answer_bytes", bytes(activity_answer_bytes), "`next` leads to the rest; on a stream, the others are left out and counted in `missed`"},
    row{"activity_batch", activity_batch, "on a stream, within `activity_gather`: the others are left out and counted in `missed`"},
    row{"activity_gather", activity_gather, "streams are told what has come"},
    row{"activity_streams", activity_streams, "503 with `Retry-After`"},
    row{"activity_streams_each", activity_streams_each, "of one principal, or one address of anonymous viewers: the same"},
    row{"inquiries", inquiries, "per unit: 503 with `Retry-After`"},
    row{"federation_views", federation_views, "what further viewers see of upstreams is written for each of them"},
    row{"federation_views_bytes", bytes(federation_views_bytes), "the same"},
    row{"trace_state_bytes", bytes(trace_state_bytes), "`tracestate` is not passed on"},
    row{"trace_state_members", trace_state_members, "the same"},
    row{"trace_state_part_bytes", bytes(trace_state_part_bytes), "the same"},
    row{"trace_parent_bytes", bytes(trace_parent_bytes), "no trace context is passed on"},
    row{"baggage_bytes", bytes(baggage_bytes), "`baggage` is not passed on"},
    // clang-format on
};

}  // namespace gate::limits
