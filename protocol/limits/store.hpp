#pragma once
/// Bounds of the shared store, each with its reason; and what happens at each, as
/// docs/operations.md has it.
#include <array>
#include <chrono>
#include <cstddef>

#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// So long anybody waits for one operation: a call must not become slow because the store did.
inline constexpr milliseconds store_operation{500};
/// So many that were waited for in vain, one behind the other, are no accident: the store is away.
inline constexpr std::size_t store_timeouts = 3;
/// At the start the store has this long to say that it is there.
inline constexpr seconds store_boot{5};
/// While the store is away it is looked for this often; and so long each look may take, from the
/// look-up of its name to its first answer.
inline constexpr milliseconds store_probe{1000};
inline constexpr milliseconds store_probe_answer{2000};
/// What others have done to a circuit is told; should that be lost, it is looked at this often.
inline constexpr milliseconds store_circuit_look{5000};
/// A store that loads its data says so, and is asked again this soon, at the start.
inline constexpr milliseconds store_loading{200};
/// A connection that carried nothing for this long is asked for a sign of life: changes elsewhere
/// are heard on it, and nobody would miss them.
inline constexpr seconds store_quiet{5};
/// A store can lose its data while its connections stay.
inline constexpr seconds store_life{10};
/// The store's milliseconds are not ours: whether a circuit's time has passed is asked this often
/// at the most.
inline constexpr milliseconds store_circuit_pause{10};
/// What the log says of a refusal.
inline constexpr std::size_t store_refusal_bytes = 200;
/// Operations of one unit that wait for their answers, and what they have to say.
inline constexpr std::size_t store_queue = 10'000;
inline constexpr std::size_t store_queue_bytes = 32 * 1024 * 1024;
/// What one reply may be: a list of an upstream is the longest thing that is kept there.
inline constexpr std::size_t store_reply_bytes = 64 * 1024 * 1024;
inline constexpr std::size_t store_reply_elements = 100'000;
inline constexpr std::size_t store_reply_depth = 16;
/// A reply's line: an error's words, a length.
inline constexpr std::size_t store_line_bytes = 16 * 1024;
/// Channels that one unit listens to.
inline constexpr std::size_t store_channels = 10'000;
/// The log says of a kind of refusal that it goes on, this often.
inline constexpr seconds store_complaint{60};
/// What was decided alone while the store was away is told to it in portions of this many.
inline constexpr std::size_t store_debts_at_once = 64;
/// Requests that come in one turn and are about the same limits or budgets are one question to the
/// store: at most so many, since its script looks at each.
inline constexpr std::size_t store_asked_together = 64;
/// So long the store says whose a task is, from its minting on: tasks that live longer are rare,
/// and each takes some 400 bytes there.
inline constexpr seconds store_task{24 * 3600};
/// Tasks minted while the store was away that it is told of when it returns.
inline constexpr std::size_t store_task_debts = 20'000;
/// Tasks of one list that the store is asked for at a time.
inline constexpr std::size_t store_tasks_at_once = 1000;
/// What a list of an upstream may take in the store, all pages together: longer ones each instance
/// fetches by itself. A store does nothing else while it hands out such a text.
inline constexpr std::size_t store_list_bytes = 4 * 1024 * 1024;
/// While one instance fetches a list, the others look this often whether it has come, and for so
/// long; then they fetch it themselves. So long the one may take until another takes its place.
inline constexpr milliseconds store_list_look{200};
inline constexpr milliseconds store_list_wait{2000};
inline constexpr milliseconds store_list_fetch{10'000};
/// Lists that are cached for longer are not shared: so long the store knows that one changed.
inline constexpr seconds store_list_kept{24 * 3600};

/// Sessions of clients that are looked for in the store at a time, on one unit: when an instance
/// dies, its clients come all at once.
inline constexpr std::size_t sessions_sought = 256;
/// Who says that it holds a session, too, is told what upstreams have opened for it this short a
/// time ago: it may have looked before that was written down.
inline constexpr milliseconds session_joining{5000};
/// An id that is in no record is not looked for again at once; so many are remembered.
inline constexpr milliseconds session_unknown{1000};
inline constexpr std::size_t sessions_unknown = 10'000;
/// The record of a session in use is kept for longer this often; and it outlives what it tells of
/// by twice that.
inline constexpr seconds session_renewal{60};
/// Subscriptions of one session that were made and ended while the store could not be told.
inline constexpr std::size_t session_unwritten = 2000;
/// Other instances that hold a session, and are told of it.
inline constexpr std::size_t session_holders = 64;
/// What instances tell each other in one piece: what a client says about another's call.
inline constexpr std::size_t fleet_word_bytes = 4 * 1024 * 1024;
/// Who hands a call over is told so soon that it goes on there.
inline constexpr milliseconds handed_call_taken{2000};
/// Requests of other instances about tasks that are minted here, on one unit, that wait for their
/// servers.
inline constexpr std::size_t guest_requests = 1024;
/// Where the stream of a call goes through another instance, both say so often that they are there;
/// and whoever is silent for so long is gone.
inline constexpr milliseconds lent_stream_beat{2000};
inline constexpr milliseconds lent_stream_silence{6000};
/// Of what such a stream's client has taken so many bytes at a time are told.
inline constexpr std::size_t lent_stream_told = 64 * 1024;
/// Senders whose latest word is remembered, so that none counts twice.
inline constexpr std::size_t fleet_senders = 10'000;
/// Names in records: ids of upstreams, versions, keys.
inline constexpr std::size_t fleet_name_bytes = 1024;
/// The secret that the fleet's key is derived from: less can be guessed.
inline constexpr std::size_t fleet_secret_bytes = 32;

inline constexpr std::array of_store{
    // clang-format off
    row{"store_operation", store_operation, "who asked decides without the store"},
    row{"store_timeouts", store_timeouts, "in a row: the store is away"},
    row{"store_boot", store_boot, "the start fails"},
    row{"store_probe", store_probe, "while the store is away: it is looked for again"},
    row{"store_probe_answer", store_probe_answer, "the look failed"},
    row{"store_circuit_look", store_circuit_look, "an instance that was told of nothing looks at a circuit of the fleet"},
    row{"store_loading", store_loading, "at the start: a store that loads its data is asked again"},
    row{"store_quiet", store_quiet, "without a word from the store: it is asked for a sign of life"},
    row{"store_life", store_life, "it is asked again whether its data is still what it was"},
    row{"store_circuit_pause", store_circuit_pause, "until it is asked again whether a circuit's time has passed"},
    row{"store_refusal_bytes", bytes(store_refusal_bytes), "the log's text of a refusal is cut off"},
    row{"store_queue", store_queue, "per unit: who asked decides without the store"},
    row{"store_queue_bytes", bytes(store_queue_bytes), "the same"},
    row{"store_reply_bytes", bytes(store_reply_bytes), "the connection is given up: the store is away"},
    row{"store_reply_elements", store_reply_elements, "the same"},
    row{"store_reply_depth", store_reply_depth, "the same"},
    row{"store_line_bytes", bytes(store_line_bytes), "the same"},
    row{"store_channels", store_channels, "per unit: changes of further ones are not heard"},
    row{"store_complaint", store_complaint, "the log says again that the store refuses what it is asked"},
    row{"store_debts_at_once", store_debts_at_once, "what was decided while the store was away, of each kind: the next ones wait for these"},
    row{"store_asked_together", store_asked_together, "the next ones are a question of their own"},
    row{"store_task", store_task, "after their minting tasks of other instances are looked for"},
    row{"store_task_debts", store_task_debts, "minted while the store was away: the oldest are known to their instance alone"},
    row{"store_tasks_at_once", store_tasks_at_once, "of one list: the next ones wait for these"},
    row{"store_list_bytes", bytes(store_list_bytes), "each instance fetches the list by itself"},
    row{"store_list_look", store_list_look, "while another instance fetches a list: it is looked for again"},
    row{"store_list_wait", store_list_wait, "the list is fetched here as well"},
    row{"store_list_fetch", store_list_fetch, "another instance fetches it, too"},
    row{"store_list_kept", store_list_kept, "with a longer `cacheTtlMs` each instance fetches lists by itself"},
    row{"sessions_sought", sessions_sought, "per unit, at a time: 503 for further sessions that are unknown here"},
    row{"session_joining", session_joining, "so long after an upstream opened a session, another instance that takes the client's up is told of it; later it is in the record"},
    row{"session_unknown", session_unknown, "an id without a record: 404 without a look until then"},
    row{"sessions_unknown", sessions_unknown, "of these per unit: the oldest is looked for again"},
    row{"session_renewal", session_renewal, "of use: a session's record is kept for longer"},
    row{"session_unwritten", session_unwritten, "of one session, while the store is away: the end of further ones is not told"},
    row{"session_holders", session_holders, "of one session: those that were silent for longest find out by its record"},
    row{"fleet_word_bytes", bytes(fleet_word_bytes), "what a client says about another instance's call is not handed over"},
    row{"handed_call_taken", handed_call_taken, "of handing a call, or a question about a task, over to the instance that is named, or of asking for the stream of a call: that one is taken for gone"},
    row{"guest_requests", guest_requests, "per unit: the instance that asks about a task uses a session of its own with the server"},
    row{"lent_stream_beat", lent_stream_beat, "of a call's stream that goes through another instance: both say that they are there"},
    row{"lent_stream_silence", lent_stream_silence, "of one of the two: the stream ends"},
    row{"lent_stream_told", bytes(lent_stream_told), "of what its client has taken of such a stream: the instance that runs the call is told"},
    row{"fleet_senders", fleet_senders, "per unit: words of the one that was silent for longest count as new"},
    row{"fleet_name_bytes", bytes(fleet_name_bytes), "the record is none"},
    row{"fleet_secret_bytes", bytes(fleet_secret_bytes), "the start fails, with less"},
    // clang-format on
};

}  // namespace gate::limits
