#pragma once
/// Bounds of sessions of clients and with upstreams, their streams and tasks, each with its reason;
/// and what happens at each, as docs/operations.md has it.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "protocol/limits/origins.hpp"
#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- sessions ------------------------------------------------------------------------------------
/// Client sessions of one unit.
inline constexpr std::size_t client_sessions = 100'000;
/// Of these, what one principal may have (without authentication: one client address, or one
/// network of 64 bits of IPv6): a tenth, so that nobody takes what is everybody's, and what a busy
/// host needs in any case.
inline constexpr std::size_t client_sessions_each =
    client_sessions / 10 > 100 ? client_sessions / 10 : 100;
/// Sessions in use that are passed over in one go, when one is looked for whose place can be freed.
inline constexpr std::size_t session_looks = 64;
/// Of these, among the sessions of one holder, when those of others could go as well.
inline constexpr std::size_t session_looks_each = 8;
/// Expired sessions that end in one turn of their unit, and the pause to the next such turn:
/// thousands may expire in the same moment, and each has something to be said to upstreams.
inline constexpr std::size_t session_ends_at_once = 200;
inline constexpr milliseconds session_ends_pause{10};
/// Requests one client session may have in flight.
inline constexpr std::size_t session_calls = 1024;
/// Requests of upstreams that may wait for one client's answer.
inline constexpr std::size_t session_questions = 64;
/// How often a server without sessions may ask for input before it answers one call, and the pause
/// before it is asked again without having asked for anything; and the bytes of the answers
/// that wait for others, of one client at one server.
inline constexpr std::size_t input_rounds = 8;
inline constexpr milliseconds input_pause{250};
inline constexpr std::size_t input_answer_bytes = 4 * 1024 * 1024;
/// Resources that one client may be subscribed to, and the bytes of their URIs, those included that
/// it is about to be subscribed to; what was not kept could not be passed on.
inline constexpr std::size_t session_subscriptions = 1000;
inline constexpr std::size_t session_subscription_bytes = 256 * 1024;
/// `subscriptions/listen` is acknowledged when the servers of its resources have said whether they
/// agree, or at the latest so long after their time is over: what their sessions say then is heard.
inline constexpr seconds subscription_last_word{1};
/// Resources of which a server without sessions is asked to tell by one credential, by one unit:
/// for all clients together; and the bytes of their URIs, which one request has to hold.
inline constexpr std::size_t watched_uris = 10'000;
inline constexpr std::size_t watched_uri_bytes = 1024 * 1024;
/// Resources that results have named to one client and no list need show: how many (of one result
/// the first so many are looked at), in how many bytes, and in how many bytes for all clients of
/// one unit together: beyond that whoever keeps most gives up its longest unused.
inline constexpr std::size_t named_uris = 256;
inline constexpr std::size_t named_uri_bytes = 64 * 1024;
inline constexpr std::size_t named_uri_total = 64 * 1024 * 1024;
/// What is kept of one session's streams for clients that come back: how much, how many, how long,
/// and of how many that have ended; and of all sessions of one unit together.
inline constexpr std::size_t replay_bytes = 1024 * 1024;
inline constexpr std::size_t replay_events = 5000;
inline constexpr seconds replay_time{300};
inline constexpr std::size_t replay_streams = 256;
inline constexpr std::size_t replay_total = 256 * 1024 * 1024;
/// What an upstream says of an updated resource beside its URI, while that waits for a client.
inline constexpr std::size_t notice_bytes = 1024;
/// Subscriptions whose bridged session died soon after they were made again: so long after the last
/// time, doubling, and no more; one that lived this long beyond its pause begins anew.
inline constexpr milliseconds renewal_first{1000};
inline constexpr milliseconds renewal_most{30'000};
inline constexpr seconds renewal_good{60};
/// A client is asked to wait this long before it comes back.
inline constexpr milliseconds client_retry{1000};
/// A client whose stream broke is taken to come back for it within this time.
inline constexpr seconds return_time{30};
/// A call that takes longer than this is answered by a stream, which its client can resume.
inline constexpr seconds plain_answer{1};
/// Bytes that wait for a slow client before what can be told later is held back, and before its
/// stream is ended: it comes back for the rest, which must still be kept then. (gate-stdio ends no
/// stream: beyond the second it hears no more of its server.)
inline constexpr std::size_t stream_held_bytes = 64 * 1024;
inline constexpr std::size_t stream_queue_bytes = replay_bytes / 2;
/// Tasks that are remembered in one process (some 250 bytes each), and of one principal: no more
/// than a tenth; all anonymous callers are one.
inline constexpr std::size_t task_records = 200'000;
inline constexpr std::size_t task_records_each = 20'000;
/// And how long after their owner asked for them last. Then they have to be looked for, as those
/// that were minted elsewhere.
inline constexpr seconds task_record{7 * 24 * 3600};
/// Those are looked for this often; until then they are only not found.
inline constexpr seconds task_look{60};
/// Bits of each of two filters that know which tasks were given up for room: 4 MiB. They exist once
/// there are such tasks.
inline constexpr std::size_t task_filter_bits = std::size_t{1} << 25U;
/// Tasks that one filter takes, with two keys of four bits each: by then it takes 1 of 120 other
/// keys for one of them. Beyond it is not trusted to refuse a task to its minter any more.
inline constexpr std::size_t task_filter_tasks = 1'500'000;
/// A call that may have minted a task, and ended without an answer, keeps tasks that are not known
/// from others at its upstream for so long: that is as long as a call may wait for a task's end,
/// and servers keep tasks that nobody asks for about as long. And of so many owners at one
/// upstream; beyond, such tasks are shown to nobody there.
inline constexpr seconds task_minting_lost{600};
inline constexpr std::size_t task_mintings_lost = 10'000;
/// An upstream whose latest list of tasks was late, or none, has so long (looked at once a second),
/// until it has listed something again.
inline constexpr seconds late_tasks{1};
/// Between two lines of the log about claims to tasks of others.
inline constexpr seconds task_claims_logged{60};
/// Tokens of progress that tasks of one upstream session go on to use behind their call's answer.
inline constexpr std::size_t task_tokens = 256;
/// `tasks/result` waits for the task's end, so it may take longer than other requests.
inline constexpr seconds task_result{600};
/// Tasks of clients without sessions whose unit is known to connections (9 bytes each, with more
/// than one unit).
inline constexpr std::size_t task_units = 16'384;
/// How often a server without sessions is asked how a task is, for a client that waits for its end:
/// as often as it says, within these; and if it says nothing.
inline constexpr milliseconds task_poll{1000};
inline constexpr milliseconds task_poll_least{250};
inline constexpr milliseconds task_poll_most{60'000};
/// Results of calls that were to become tasks, and were answered at once: of one upstream session,
/// and how long they are kept.
inline constexpr std::size_t ended_tasks = 64;
inline constexpr std::size_t ended_task_bytes = 4 * 1024 * 1024;
inline constexpr seconds ended_task_time{600};
/// Tasks at a server with sessions whose questions are heard for clients without one, of one
/// upstream session; and how long such a client waits for a question that its task says to have.
inline constexpr std::size_t task_hearings = 32;
inline constexpr milliseconds task_question{1000};
/// Results and questions of tasks that are kept so, at one upstream and unit.
inline constexpr std::size_t task_bytes = 64 * 1024 * 1024;
/// A client's `initialize` waits this long for upstreams of which nothing is known yet.
inline constexpr seconds introduction{2};
/// Answers to `initialize` that are remembered: one for each kind of caller. Each names all
/// servers.
inline constexpr std::size_t told_abilities = 64;
/// What a server may tell about itself in `instructions`, and what of all of them is passed on.
inline constexpr std::size_t instructions_bytes = 16 * 1024;
/// A question of an upstream may take a human this long; so long its call goes on.
inline constexpr seconds question{600};
/// Calls of clients without a session that wait, at a server with one, for what their client is
/// asked: on one unit; and of one principal (without authentication: of one client address).
inline constexpr std::size_t suspended_calls = 10'000;
inline constexpr std::size_t suspended_calls_each = 32;
/// And at one upstream: each holds a connection to it, and others shall have some, too.
inline constexpr std::size_t suspended_calls_there = origin_connections / 2;
/// Their clients come back within this time of the last question: a little sooner than the server
/// would be given up, so that it is told.
inline constexpr seconds suspended_time = question - seconds{10};
/// What is kept of one of them, questions and the answer that came meanwhile; and of all on one
/// unit.
inline constexpr std::size_t suspended_bytes = 1024 * 1024;
inline constexpr std::size_t suspended_total = 64 * 1024 * 1024;
/// Questions that come so soon after the first one are asked with it.
inline constexpr milliseconds question_gather{50};
/// The first call in a session waits this long for a question of the server, which asks at once if
/// it does at all; and this long at most for all that comes before a call.
inline constexpr milliseconds greeting_quiet{50};
inline constexpr seconds greeting_most{2};
/// Calls that may wait in one upstream session: while its handshake runs, or for BUDGET.
inline constexpr std::size_t session_backlog = 1024;
/// Requests to one upstream that may wait on one unit for BUDGET or BREAKER. These answer as
/// soon as it is their turn, or within the bound of a shared store; more means that they do not.
inline constexpr std::size_t upstream_parked = 4096;
/// Root sessions of one upstream on one unit, where each caller has one of their own: as many as
/// there may be tokens for them.
inline constexpr std::size_t caller_roots = 10'000;
/// Replicas that are tried in one attempt to connect: two that are down at the same time are rare,
/// and each may cost a timeout, of connecting or of the handshake.
inline constexpr std::size_t connect_candidates = 3;
/// A stream of an upstream that lived this long was a good one: the next is opened soon.
inline constexpr seconds stream_good{30};
/// Between two attempts to open a session's own stream: doubling, and no more than this.
inline constexpr milliseconds stream_pause{500};
inline constexpr milliseconds stream_pause_most{30'000};
/// An upstream's event stream that stays open after the answer it was opened for.
inline constexpr seconds stream_linger{5};
/// An event id that an upstream gets back to go on with a stream: it must fit a header line.
inline constexpr std::size_t event_id_bytes = 1024;
/// Before a stream that ended early is asked for again: this if the server named no time, doubling
/// as long as it brings nothing; never less, so that a server can not make us spin.
inline constexpr milliseconds resume_pause{1000};
inline constexpr milliseconds resume_pause_least{100};
inline constexpr seconds resume_pause_most{30};
/// A server may ask to be left alone for so long; a call's own deadline holds all the same.
inline constexpr seconds resume_wanted{300};
/// A call's stream is given up when it was asked for this often in a row and brought nothing.
inline constexpr unsigned resume_attempts = 10;
/// A stream that stayed open for so long was worth asking for, even if nothing was said.
inline constexpr seconds resume_worked{1};
/// Bridged upstream sessions that saw no call for this long are closed.
inline constexpr seconds bridged_idle{300};
/// An upstream that has no room for one more session (503 with Retry-After) is asked again so
/// often, after a pause that doubles, if an idle one of ours can be ended for it: a server needs a
/// moment to take its own down.
inline constexpr unsigned busy_attempts = 6;
inline constexpr milliseconds busy_pause{50};
/// Bridged sessions in use that are passed over when an idle one is looked for.
inline constexpr std::size_t bridged_looks = 256;
/// What a client may tell about itself in `initialize` (kept for the life of the session).
inline constexpr std::size_t client_info_bytes = 4 * 1024;

inline constexpr std::array of_sessions{
    // clang-format off
    row{"client_sessions", client_sessions, "per unit: the longest idle session of whoever has most ends for the new one; 503 only if none is idle"},
    row{"client_sessions_each", client_sessions_each, "of one principal (without authentication: of one client address, or one /64 network of IPv6): its longest idle session ends for the new one; 503 only if none is idle"},
    row{"session_looks", session_looks, "sessions in use are passed over, then it is 503"},
    row{"session_looks_each", session_looks_each, "then those of others are looked at"},
    row{"session_ends_at_once", session_ends_at_once, "further expired ones end in the next turn"},
    row{"session_ends_pause", session_ends_pause, "until that turn"},
    row{"session_calls", session_calls, "503"},
    row{"session_questions", session_questions, "the server's request is answered `-32603`"},
    row{"input_rounds", input_rounds, "the call ends as an error"},
    row{"input_pause", input_pause, "until the call is made again"},
    row{"input_answer_bytes", bytes(input_answer_bytes), "the call ends as an error"},
    row{"session_subscriptions", session_subscriptions, "503"},
    row{"session_subscription_bytes", bytes(session_subscription_bytes), "503"},
    row{"subscription_last_word", subscription_last_word, "after the time of its servers: what listens is acknowledged without those that were silent"},
    row{"watched_uris", watched_uris, "of one credential at one stateless upstream, per unit: nobody hears of further ones"},
    row{"watched_uri_bytes", bytes(watched_uri_bytes), "the same"},
    row{"named_uris", named_uris, "of one client (of one result the first so many): the longest unused is forgotten"},
    row{"named_uri_bytes", bytes(named_uri_bytes), "the same"},
    row{"named_uri_total", bytes(named_uri_total), "per unit: whoever keeps most forgets its longest unused"},
    row{"replay_bytes", bytes(replay_bytes), "of one session: the oldest events are not kept for its client's return"},
    row{"replay_events", replay_events, "the same"},
    row{"replay_time", replay_time, "the same"},
    row{"replay_streams", replay_streams, "of one session's ended streams: the oldest is not kept"},
    row{"replay_total", bytes(replay_total), "per unit: those of the session that holds most go first"},
    row{"notice_bytes", bytes(notice_bytes), "what an update says beside its URI is left out"},
    row{"renewal_first", renewal_first, "after a bridged session died of its subscriptions, they are made again, doubling"},
    row{"renewal_most", renewal_most, "the pause does not grow further"},
    row{"renewal_good", renewal_good, "one that lived so long beyond its pause begins anew"},
    row{"client_retry", client_retry, "a client is told to wait so long before it comes back"},
    row{"return_time", return_time, "a client whose stream broke is not waited for any longer"},
    row{"plain_answer", plain_answer, "the answer becomes a stream, which its client can resume"},
    row{"stream_held_bytes", bytes(stream_held_bytes), "what can be told later is held back"},
    row{"stream_queue_bytes", bytes(stream_queue_bytes), "the stream is ended, to be resumed"},
    row{"task_records", task_records, "in the process: the longest unused are given up; they are looked for when somebody asks"},
    row{"task_records_each", task_records_each, "of one principal: the same"},
    row{"task_record", task_record, "after their last use they are given up"},
    row{"task_look", task_look, "the memory of those is free"},
    row{"task_filter_bits", task_filter_bits, "of each of two filters of tasks that were given up: 4 MiB"},
    row{"task_filter_tasks", task_filter_tasks, "in one filter: a task that is not known is refused to everybody until the filter has turned, and new ones are taken as ever"},
    row{"task_minting_lost", task_minting_lost, "behind a call that may have minted a task and was not answered: what is not known at its upstream is shown to all callers again"},
    row{"task_mintings_lost", task_mintings_lost, "callers of such calls at one upstream: what is not known there is shown to nobody until then"},
    row{"late_tasks", late_tasks, "`tasks/list` is answered without an upstream that was late before"},
    row{"task_claims_logged", task_claims_logged, "between two lines of log about claims to others' tasks"},
    row{"task_tokens", task_tokens, "of one upstream session: the oldest progress token of a task is forgotten"},
    row{"task_result", task_result, "`-32041` (timed out)"},
    row{"task_units", task_units, "a new task takes the place of an older one of those with its hash, whose requests may then come to a unit whose session with the server is another one"},
    row{"task_poll", task_poll, "between two looks at a task for a client that waits for its end, if its server names no time"},
    row{"task_poll_least", task_poll_least, "less is not done, whatever the server says"},
    row{"task_poll_most", task_poll_most, "more is not waited, whatever the server says"},
    row{"ended_tasks", ended_tasks, "calls of one upstream session that were to become tasks and were answered at once: the oldest is forgotten"},
    row{"ended_task_bytes", bytes(ended_task_bytes), "of their results: the same; a larger one is `-32603`"},
    row{"ended_task_time", ended_task_time, "it is forgotten"},
    row{"task_hearings", task_hearings, "tasks of one upstream session that ask stateless clients something: further ones are shown as `working`"},
    row{"task_question", task_question, "a task that says to have a question is shown as `working` until it comes"},
    row{"task_bytes", bytes(task_bytes), "of both, at one upstream and unit: a result is `-32603`; a question is refused to the server"},
    row{"introduction", introduction, "`initialize` is answered without upstreams that nobody has met yet"},
    row{"told_abilities", told_abilities, "answers are made anew"},
    row{"instructions_bytes", bytes(instructions_bytes), "longer instructions of a server are left out; of all together, what does not fit"},
    row{"question", question, "a question to a client no longer prolongs its call"},
    row{"suspended_calls", suspended_calls, "of stateless clients, waiting for answers to a server's questions, per unit: the server is told that nobody can be asked"},
    row{"suspended_calls_each", suspended_calls_each, "of one principal (without authentication: of one client address): the same"},
    row{"suspended_calls_there", suspended_calls_there, "at one upstream, per unit: the same"},
    row{"suspended_time", suspended_time, "after its last question such a call is cancelled at the server; `-32602` for who comes later"},
    row{"suspended_bytes", bytes(suspended_bytes), "of one such call: a question is refused as above; an answer becomes `-31041` (request failed)"},
    row{"suspended_total", bytes(suspended_total), "the same, of all on one unit"},
    row{"question_gather", question_gather, "what is asked later is asked in the next round"},
    row{"greeting_quiet", greeting_quiet, "the first call goes, if the server asks nothing"},
    row{"greeting_most", greeting_most, "the first call goes all the same"},
    row{"session_backlog", session_backlog, "requests waiting for a handshake or BUDGET: `-32041` (request failed)"},
    row{"upstream_parked", upstream_parked, "per upstream and unit, waiting for BUDGET or BREAKER: `-32041` (connect failed)"},
    row{"caller_roots", caller_roots, "per upstream and unit: `-32041` (connect failed); lists come without it"},
    row{"connect_candidates", connect_candidates, "the other replicas are not tried: `-32041` (connect failed)"},
    row{"stream_good", stream_good, "one that lived so long is opened again after the first pause"},
    row{"stream_pause", stream_pause, "until a session's own stream is opened again, doubling"},
    row{"stream_pause_most", stream_pause_most, "the pause does not grow further"},
    row{"stream_linger", stream_linger, "a call's stream that stays open behind the answer is closed"},
    row{"event_id_bytes", bytes(event_id_bytes), "is not sent back; the stream can not be gone on with from there"},
    row{"resume_pause", resume_pause, "before a stream is gone on with if the server named no time, doubling"},
    row{"resume_pause_least", resume_pause_least, "less is not done, whatever the server says"},
    row{"resume_pause_most", resume_pause_most, "the pause does not grow further"},
    row{"resume_wanted", resume_wanted, "more is not waited, whatever the server says"},
    row{"resume_attempts", resume_attempts, "in a row that brought nothing: `-32041` (request failed)"},
    row{"resume_worked", resume_worked, "one that stayed open so long was not in vain"},
    row{"bridged_idle", bridged_idle, "the session with the upstream is closed, [unless something hangs on it](sessions.md#what-ends-a-bridged-session); so is a root session after its last client"},
    row{"busy_attempts", busy_attempts, "`-32041` (busy)"},
    row{"busy_pause", busy_pause, "until an upstream without room is asked again, doubling"},
    row{"bridged_looks", bridged_looks, "sessions in use are passed over, then it is `-32041` (busy)"},
    row{"client_info_bytes", bytes(client_info_bytes), "of `capabilities`: `-32602`"},
    // clang-format on
};

}  // namespace gate::limits
