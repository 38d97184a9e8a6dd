#pragma once
/// Every bound of the gateway that the configuration does not set, with its reason.
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- HTTP, our listener --------------------------------------------------------------------------
/// Header block of a request: long bearer tokens fit, floods do not.
inline constexpr std::size_t header_bytes = 64 * 1024;
/// Its lines, without the request line. Each is listed, which takes eight times what the shortest
/// do themselves; clients send ten, and what stands between adds some.
inline constexpr std::size_t header_lines = 128;
/// A connection keeps its last header, idle or not, to recognise the next by it: if it is no longer
/// than this, and has no more lines. (20,000 connections keep 100 MiB at the most.)
inline constexpr std::size_t known_header_bytes = 4096;
inline constexpr std::size_t known_header_lines = 32;
/// A client that dribbles its header or body is cut off (slow loris).
inline constexpr seconds header_read{10};
inline constexpr seconds body_read{30};
/// A connection that ends is read on for so long, lest the client loses the answer by a reset; and
/// until then for as long as the body that was announced, and not read, may take; if it was held
/// back (`Expect`), only once its client has begun to send it.
inline constexpr seconds linger{2};
/// A body that is longer than this, or held back (`Expect`), is read only once its header has
/// passed Host and token. Shorter ones come in one piece with their header as a rule: there is
/// nothing to save then, and judging them first would cost every call two messages.
inline constexpr std::size_t body_unjudged = 64 * 1024;
/// The judgement may wait for a key set (10 s). Beyond this nobody judges.
inline constexpr seconds header_judged{30};
/// Idle keep-alive connections are closed after this.
inline constexpr seconds keep_alive_idle{120};
/// Open client connections of one unit; fewer where the limit of open files is lower, of which so
/// many are left for upstreams, the event loop and files (but never more than half). When it is
/// full, who never brought a request that was accepted goes for the next, or who was idle for so
/// long; if there is nobody, the next is refused.
inline constexpr std::size_t client_connections = 20'000;
inline constexpr std::size_t other_descriptors = 2048;
inline constexpr seconds idle_yields{10};
/// Of fewer client connections than this the operator is warned.
inline constexpr std::size_t few_connections = 1000;
/// Bodies of requests that one unit has read in part; half of it for connections that never brought
/// a request that was accepted.
inline constexpr std::size_t bodies_total = 128 * 1024 * 1024;
/// What waits in one unit for clients to take it, of answers and streams: beyond it, who has kept
/// most waiting for longest is cut off.
inline constexpr std::size_t waiting_total = 256 * 1024 * 1024;
/// One turn of a unit, before its other sockets are looked at.
inline constexpr std::chrono::microseconds unit_turn{500};
/// Bytes queued towards one slow client before its stream is closed.
inline constexpr std::size_t client_queue_bytes = 4 * 1024 * 1024;
/// A client that stops reading while bytes wait for it is cut off; so is one that takes less than
/// this part of them, or than 1 KiB a second.
inline constexpr seconds write_stall{30};
inline constexpr std::size_t write_stall_share = 8;

// --- HTTP, towards upstreams ---------------------------------------------------------------------
/// Header block of an upstream's answer.
inline constexpr std::size_t answer_header_bytes = 64 * 1024;
/// Connections to one origin from one unit; requests beyond wait in line.
/// (One session takes no more than three quarters, and no more than a quarter while others wait.)
inline constexpr std::size_t origin_connections = 1024;
/// Addresses of one host that are tried, and how long one is waited for alone (RFC 8305).
inline constexpr std::size_t connect_addresses = 16;
inline constexpr milliseconds connect_stagger{250};
/// Ends of sessions (DELETE) that are told to one origin at a time, behind its calls; how many may
/// wait for that, and how long before they are given up: the server forgets its sessions by itself.
inline constexpr std::size_t origin_ends = 16;
inline constexpr std::size_t origin_ends_queue = 20'000;
inline constexpr seconds end_wait{60};
/// Streams of sessions (GET) that listen to one origin, beside those.
inline constexpr std::size_t origin_streams = 20'000;
/// Requests that may wait for a connection to one origin; more are refused as overload.
inline constexpr std::size_t origin_queue = 4096;
/// Idle connections kept per origin.
inline constexpr std::size_t origin_idle = 256;
/// Idle upstream connections are closed after this, or earlier if the server announced less.
inline constexpr seconds origin_idle_time{60};
/// Redirects followed within one origin.
inline constexpr int redirects = 3;
/// Read of one answer before the other sockets of the unit get their turn.
inline constexpr std::size_t answer_turn_bytes = 256 * 1024;
/// Events of one answer's stream, sustained and at once: a program that reports its progress stays
/// far below; one that floods must not take the unit's thread from everybody. Beyond them the
/// answer is not read, until time has made up for it, and TCP stops the sender.
inline constexpr double stream_events_per_second = 1000;
inline constexpr double stream_events_at_once = 2000;
/// Lines and chunks are free as long as they carry this much on average; of those beyond, this many
/// cost what an event costs.
inline constexpr std::size_t stream_piece_bytes = 32;
inline constexpr double stream_pieces_per_event = 8;
/// Bytes of one answer, sustained; at once `maxResponseBytes`, so that no single event waits.
inline constexpr double stream_bytes_per_second = 64.0 * 1024 * 1024;

// --- JSON and MCP --------------------------------------------------------------------------------
/// Nesting of any JSON we read (the messages of peers and the configuration).
inline constexpr std::uint32_t json_depth = 128;
/// Nesting of what upstreams answer: passed on, never built into a document, so it may be deeper.
inline constexpr std::uint32_t upstream_json_depth = 4096;
/// Raw bytes of a JSON-RPC id; it is echoed and kept while the call runs.
inline constexpr std::size_t request_id_bytes = 1024;
/// A method's name. Those of MCP have at most 36 bytes; one that nobody knows is written into the
/// audit trail as it is.
inline constexpr std::size_t method_bytes = 256;
/// Raw bytes of a progress token; every message of its call's progress repeats it.
inline constexpr std::size_t progress_token_bytes = 1024;
/// Messages in one batch (MCP 2025-03-26).
inline constexpr std::size_t batch_length = 100;
/// Name of a tool or prompt, prefix included.
inline constexpr std::size_t name_bytes = 1024;
/// A resource's URI as a client names it.
inline constexpr std::size_t uri_bytes = 8 * 1024;
/// Pages drained from one upstream's list, and items and bytes kept of it.
inline constexpr std::size_t list_pages = 1000;
inline constexpr std::size_t list_items = 100'000;
inline constexpr std::size_t list_bytes = 64 * 1024 * 1024;
/// What an upstream's list result says beside the list (`_meta`, …); a member that does not fit is
/// left out.
inline constexpr std::size_t list_rest_bytes = 16 * 1024;
/// Of an upstream that is a gateway too: how many of its own upstreams it may name as missing, and
/// how long such a name may be; it grows with each gateway on the way.
inline constexpr std::size_t nested_failures = 100;
inline constexpr std::size_t nested_failure_bytes = 256;

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
/// Resources that one client may be subscribed to, and the bytes of their URIs, those included that
/// it is about to be subscribed to; what was not kept could not be passed on.
inline constexpr std::size_t session_subscriptions = 1000;
inline constexpr std::size_t session_subscription_bytes = 256 * 1024;
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
/// Bits of each of two filters that know which tasks were given up for room: 4 MiB. They exist once
/// there are such tasks.
inline constexpr std::size_t task_filter_bits = std::size_t{1} << 25U;
/// Tasks that one filter takes, with two keys of four bits each: by then it takes 1 of 120 other
/// keys for one of them. Beyond it is not trusted to refuse a task to its minter any more.
inline constexpr std::size_t task_filter_tasks = 1'500'000;
/// Between two lines of the log about claims to tasks of others.
inline constexpr seconds task_claims_logged{60};
/// Tokens of progress that tasks of one upstream session go on to use behind their call's answer.
inline constexpr std::size_t task_tokens = 256;
/// `tasks/result` waits for the task's end, so it may take longer than other requests.
inline constexpr seconds task_result{600};
/// A client's `initialize` waits this long for upstreams of which nothing is known yet.
inline constexpr seconds introduction{2};
/// Answers to `initialize` that are remembered: one for each kind of caller. Each names all
/// servers.
inline constexpr std::size_t told_abilities = 64;
/// What a server may tell about itself in `instructions`, and what of all of them is passed on.
inline constexpr std::size_t instructions_bytes = 16 * 1024;
/// A question of an upstream may take a human this long; so long its call goes on.
inline constexpr seconds question{600};
/// The first call in a session waits this long for a question of the server, which asks at once if
/// it does at all; and this long at most for all that comes before a call.
inline constexpr milliseconds greeting_quiet{50};
inline constexpr seconds greeting_most{2};
/// Calls that may wait in one upstream session: while its handshake runs, or for BUDGET.
inline constexpr std::size_t session_backlog = 1024;
/// Requests to one upstream that may wait on one unit for RATE LIMITER or BREAKER. These answer as
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

// --- tokens and keys -----------------------------------------------------------------------------
/// A bearer token or an assertion as it is presented.
inline constexpr std::size_t token_bytes = 16 * 1024;
/// What a token says about its key and its audience: more is no use to anybody.
inline constexpr std::size_t key_name_bytes = 1024;
inline constexpr std::size_t token_audiences = 100;
/// Clocks of issuers may differ from ours by this.
inline constexpr seconds token_leeway{30};
/// Verified tokens that one unit remembers; half of them surely, the others if they are used.
inline constexpr std::size_t verified_tokens = 20'000;
inline constexpr std::size_t verified_token_bytes = 64 * 1024 * 1024;
/// Views of the policy that one unit remembers: kinds of callers, not callers.
inline constexpr std::size_t policy_views = 1000;
/// An issuer's key set: its size, its keys, and how long a fetch may take.
inline constexpr std::size_t key_set_bytes = 1024 * 1024;
inline constexpr std::size_t key_set_keys = 1000;
inline constexpr seconds key_set_fetch{10};
/// A key set is fetched anew this often, and no more often than that because a token names a key
/// that it lacks.
inline constexpr seconds key_set_refresh{300};
inline constexpr seconds key_set_again{30};
/// As long as there is no set at all, it is asked for this often.
inline constexpr seconds key_set_retry{5};
/// The last good key set is trusted so long while the issuer can not be reached.
inline constexpr seconds key_set_last{24 * 3600};
/// A stream, and a call that is answered by one, outlives the moment in which its caller showed a
/// token by no more than this, however late that token ends: what has been withdrawn meanwhile
/// (a group, the account) is only heard of by the next token.
inline constexpr seconds token_shown{24 * 3600};
/// The id of an assertion, and assertions that were redeemed and have not expired.
inline constexpr std::size_t jti_bytes = 1024;
inline constexpr std::size_t once_records = 100'000;
/// STORE answers within this, or what was asked of it is refused; if it dies, it does not answer.
inline constexpr milliseconds store_answer{500};
/// An assertion that lives longer than this is refused: its id would have to be kept as long.
inline constexpr seconds assertion_life{3600};
/// Fields of a form.
inline constexpr std::size_t form_fields = 64;
/// Client addresses whose futile requests to the token endpoint are counted at a time. Beyond that
/// the others are not counted: whoever has so many addresses is not stopped by counting them.
inline constexpr std::size_t token_addresses = 10'000;
/// Requests to the token endpoint that may wait for keys while these are fetched.
inline constexpr std::size_t token_requests_waiting = 1024;

// --- guards --------------------------------------------------------------------------------------
/// Principals whose requests are counted at a time, in one process; each for two minutes after its
/// last. Beyond that the others come in uncounted: only an issuer that is trusted can name so many,
/// and refusing all of them would be worse. (Other scopes are as many as the configuration names.)
inline constexpr std::size_t rate_windows = 100'000;
/// Consumptions that are counted, of one process and kind of period. The configuration names who
/// has a budget, but discovery may replace the names, and what is used is kept to the period's end.
inline constexpr std::size_t budget_records = 100'000;
/// What invocations cost, as one unit remembers it: by upstream, and by upstream and tenant.
inline constexpr std::size_t price_list = 10'000;

// --- credentials towards upstreams ---------------------------------------------------------------
/// A token endpoint's answer: how large, and how long it may take.
inline constexpr std::size_t token_answer_bytes = 1024 * 1024;
inline constexpr seconds token_fetch{10};
/// No token is taken to live longer, whatever its server says.
inline constexpr seconds token_life_most{10 * 365 * 24 * 3600};
/// A token is replaced this long before it expires; one that says nothing is kept that long.
inline constexpr seconds token_margin{60};
inline constexpr seconds token_unspoken{300};
/// Tokens kept for callers at one upstream, on one unit.
inline constexpr std::size_t exchanged_tokens = 10'000;
/// A token that the upstream refuses is replaced, but not more often than this.
inline constexpr seconds credential_renewal{5};
/// After a token could not be had, it is not asked for again before this.
inline constexpr seconds failed_token{1};
/// Callers whose tokens fail alternate with others whose do not: all of that is one outage for the
/// log, until nobody has failed for this long. So many are told apart.
inline constexpr seconds credential_outage{600};
inline constexpr std::size_t credential_outage_callers = 1000;
/// An assertion by which the gateway says who it is (RFC 7523 §2.2) lives this long: for clocks
/// that differ, and no longer than one request takes.
inline constexpr seconds client_assertion{120};

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

// --- lists ---------------------------------------------------------------------------------------
/// One list request waits at most this long for all upstreams together.
inline constexpr seconds list_deadline{10};
/// A failed fill is not tried again before this.
inline constexpr seconds failed_fill{1};
/// `list_changed` notifications of one upstream are gathered until none came for this long, and no
/// longer than that.
inline constexpr milliseconds list_changed_debounce{100};
inline constexpr milliseconds list_changed_most{1000};
/// Moments at which root sessions of one upstream were told of changed lists, as they are kept to
/// compare with what clients' sessions were told.
inline constexpr std::size_t news_times = 16;
/// Clients of one unit that see lists of their own, since a server changed them for them alone or
/// has `listsPerClient`.
inline constexpr std::size_t own_lists = 1000;
/// What such lists take on one unit, those that are equal each by itself. Lists are some 50 KiB
/// each; one may be 64 MiB, and a server must not multiply that by its clients.
inline constexpr std::size_t own_list_bytes = 256 * 1024 * 1024;
/// Callers of one unit for whom lists are kept that depend on them.
inline constexpr std::size_t personal_lists = 1000;
/// Kinds of callers (policy views) for whom one list is merged and kept.
inline constexpr std::size_t list_views = 256;
/// Merged pages that one unit keeps, and what one list may keep of that: who reads a long list page
/// by page takes the place of nobody else's pages.
inline constexpr std::size_t page_cache_bytes = 64 * 1024 * 1024;
inline constexpr std::size_t page_cache_share = page_cache_bytes / 8;
/// What a kept page costs beside its text.
inline constexpr std::size_t page_overhead = 256;
/// An upstream that somebody's list lacks is looked for again: this long after it failed, doubling
/// with each failure up to the second.
inline constexpr seconds look_again{1};
inline constexpr seconds look_again_most{30};
/// Where lists are counted by a limit or a budget, clients are told that it may be worth asking,
/// and ask. If that was in vain, the pause goes on to double up to this: a server that answers
/// pings and fails its lists must not use up what is counted.
inline constexpr seconds look_again_in_vain{300};
/// Clients hear of lists that turn out to be others no more often than this: a server that lists
/// something else each time it is asked must not make them ask all the time.
inline constexpr seconds list_news_pause{1};
/// Kinds of clients (capability profiles) of one unit, those without abilities included: each costs
/// a root session and lists at every upstream. Clients of further kinds see the lists of a kind
/// that is alive and can do less.
inline constexpr std::size_t client_profiles = 16;
/// Resources that several upstreams list, and upstreams that are late: of each so many are told to
/// the log.
inline constexpr std::size_t logged_duplicates = 100;
inline constexpr std::size_t logged_late = 1000;

// --- isolation -----------------------------------------------------------------------------------
/// Calls of one upstream that one unit has in flight: one that hangs must not gather calls without
/// end. (A client session is bounded by itself.)
inline constexpr std::size_t upstream_calls = 5000;
/// Reloads that may wait for one another.
inline constexpr std::size_t reloads = 16;
/// Upstreams that the configuration no longer has, and whose counters are kept in case that it has
/// them again: a discovery source may go on inventing ids. The series of one take some 5 KiB.
inline constexpr std::size_t retired_upstreams = 1000;

// --- the shim ------------------------------------------------------------------------------------
/// Sessions that one shim may be allowed to have; each is processes of its own.
inline constexpr std::size_t shim_sessions_most = 10'000;
/// A message of a child: a line of its standard output. Longer ones are dropped; with images in
/// them results are large.
inline constexpr std::size_t child_line_bytes = 16 * 1024 * 1024;
/// Bytes that wait for a child to read its standard input, before further messages are refused.
inline constexpr std::size_t child_input_bytes = 4 * 1024 * 1024;
/// A line of a child's standard error as it is logged; what is beyond is cut off.
inline constexpr std::size_t child_complaint_bytes = 2048;
/// Lines of one child's standard error that are logged a second, sustained and at once.
inline constexpr double child_complaints_per_second = 20;
inline constexpr double child_complaints_at_once = 100;
/// Of a child that complains faster than that, so much of its standard error is read and counted
/// before it is left alone for this long.
inline constexpr std::size_t child_complaint_flood = 4 * 1024 * 1024;
inline constexpr milliseconds child_complaint_pause{50};
/// A child has so long to answer `initialize`: `npx` may have to fetch the server first.
inline constexpr seconds child_initialize{60};
/// And so long when it is only started for `/health`.
inline constexpr seconds child_health{10};
/// A session that saw nothing for this long ends, and its child with it.
inline constexpr seconds child_idle{300};
/// Between closing a child's standard input and SIGTERM, and between that and SIGKILL.
inline constexpr seconds child_patience{5};
/// What a child that has ended had said is read for this long, if something keeps its output open.
inline constexpr seconds child_last_words{1};
/// Processes of one child that are looked for in one pass; more are found in the next.
inline constexpr std::size_t child_processes = 100'000;

// --- operations ----------------------------------------------------------------------------------
/// A configuration document, as a file or from an embedding program.
inline constexpr std::size_t document_bytes = 16 * 1024 * 1024;
/// With `--watch` the configuration file is looked at this often.
inline constexpr seconds watch_poll{2};
/// The text of `/metrics` is used again for so long: making it takes its unit some milliseconds.
inline constexpr seconds metrics_reuse{1};
/// `/health` waits this long for all probes, and its answer is reused this long.
inline constexpr seconds health_budget{5};
inline constexpr seconds health_reuse{1};
/// So often it is looked whether a peak of memory is over, and if the process has so much more in
/// memory than after the last time, the allocator gives back what is free. That stops everybody for
/// about a millisecond per 4 MiB.
inline constexpr seconds trim_pause{10};
inline constexpr std::size_t trim_worth = 32 * 1024 * 1024;
/// Calls in flight have this long to end after SIGTERM; then they are refused.
inline constexpr seconds drain{10};
/// After that, upstreams are told that their sessions end, and the audit trail is flushed.
inline constexpr seconds goodbye{2};
/// A crashed actor is restarted after 100 ms, doubling up to this.
inline constexpr milliseconds restart_first{100};
inline constexpr seconds restart_most{30};
/// What an audit event says of an error.
inline constexpr std::size_t audit_error_bytes = 1024;
/// `_meta.usage` of a result as the audit trail carries it; of what is longer it says only so. What
/// servers report takes some hundred bytes.
inline constexpr std::size_t audit_usage_bytes = 16 * 1024;
/// Any other text of an audit event: a URI as long as may be asked for fits.
inline constexpr std::size_t audit_text_bytes = uri_bytes;
/// Audit lines that may wait for a slow standard output before the oldest are dropped and counted,
/// and their bytes: of usual lines (500 bytes) the first bound is met first.
inline constexpr std::size_t audit_queue = 65'536;
inline constexpr std::size_t audit_queue_bytes = 32 * 1024 * 1024;
/// W3C Trace Context §3.3.1.5: 512 bytes of `tracestate` are to be passed on at least; Baggage
/// §3.3: 8192 bytes. Longer ones are left out.
inline constexpr std::size_t trace_state_bytes = 2048;
inline constexpr std::size_t trace_state_members = 32;
inline constexpr std::size_t baggage_bytes = 8000;

}  // namespace gate::limits
