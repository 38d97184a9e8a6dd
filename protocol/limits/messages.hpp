#pragma once
/// Bounds of JSON, messages and lists, each with its reason; and what happens at each, as
/// docs/operations.md has it.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- JSON and MCP --------------------------------------------------------------------------------
/// Nesting of any JSON we read (the messages of peers and the configuration).
inline constexpr std::uint32_t json_depth = 128;
/// Nesting of what upstreams answer: passed on, never built into a document, so it may be deeper.
inline constexpr std::uint32_t upstream_json_depth = 4096;
/// A protocol version that a client names; longer ones are none.
inline constexpr std::size_t version_bytes = 64;
/// A session's id as an upstream gives it: it must fit a header line.
inline constexpr std::size_t session_id_bytes = 1024;
/// Of an answer 400, where it is looked for the word that says that the session is lost.
inline constexpr std::size_t session_lost_bytes = 4096;
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
/// How long clients are told at most that a list holds, whatever servers say and however long it is
/// kept here.
inline constexpr seconds list_ttl{24 * 60 * 60};
/// Of an upstream that is a gateway too: how many of its own upstreams it may name as missing, and
/// how long such a name may be; it grows with each gateway on the way.
inline constexpr std::size_t nested_failures = 100;
inline constexpr std::size_t nested_failure_bytes = 256;
/// Schemas within schemas, of a tool's `inputSchema` and `outputSchema`: each level costs a frame.
inline constexpr std::uint32_t schema_depth = 64;
/// Of one tool of MCP 2026-07-28: arguments that headers repeat, how deep they lie, and the name of
/// such a header. A hostile list must not make calls slow.
inline constexpr std::size_t param_headers = 64;
inline constexpr std::size_t param_depth = 16;
inline constexpr std::size_t param_name_bytes = 128;
/// The header lines of one call that repeat its arguments: servers take some 16 KiB of all headers.
inline constexpr std::size_t param_header_bytes = 8 * 1024;
/// Tools of one upstream on one unit whose headers, or whose wrapped schemas, are remembered.
inline constexpr std::size_t known_tools = 10'000;

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
/// Steps that matching a URI against the templates of one upstream may take: hostile ones must not
/// hold the thread. What would cost more is not looked at.
inline constexpr std::size_t template_steps = 1'000'000;
/// Pairs of upstreams that list the same URI, of one merged list.
inline constexpr std::size_t list_duplicates = 16;
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

inline constexpr std::array of_messages{
    // clang-format off
    row{"json_depth", json_depth, "400; a configuration is refused"},
    row{"upstream_json_depth", upstream_json_depth, "`-32041` (request failed)"},
    row{"version_bytes", bytes(version_bytes), "`-32602`"},
    row{"session_id_bytes", bytes(session_id_bytes), "the handshake fails: `-32041` (connect failed)"},
    row{"session_lost_bytes", bytes(session_lost_bytes), "what stands behind is not looked at"},
    row{"request_id_bytes", bytes(request_id_bytes), "400"},
    row{"method_bytes", bytes(method_bytes), "400"},
    row{"progress_token_bytes", bytes(progress_token_bytes), "`-32602`"},
    row{"batch_length", batch_length, "400"},
    row{"name_bytes", bytes(name_bytes), "`-32602`; an item of a list is left out"},
    row{"uri_bytes", bytes(uri_bytes), "`-32602`"},
    row{"list_pages", list_pages, "the list failed: it comes without this upstream"},
    row{"list_items", list_items, "the same"},
    row{"list_bytes", bytes(list_bytes), "the same"},
    row{"list_rest_bytes", bytes(list_rest_bytes), "of what stands beside a list: a member that does not fit is left out"},
    row{"list_ttl", list_ttl, "clients of MCP 2026-07-28 are told that a list holds no longer (`ttlMs`)"},
    row{"nested_failures", nested_failures, "of a gateway behind: further names of upstreams are left out"},
    row{"nested_failure_bytes", bytes(nested_failure_bytes), "such a name is left out"},
    row{"schema_depth", schema_depth, "schemas nested deeper are not looked at; with an `x-mcp-header` in them the annotations of the tool are not valid"},
    row{"param_headers", param_headers, "of one tool: its annotations are not valid"},
    row{"param_depth", param_depth, "the same"},
    row{"param_name_bytes", bytes(param_name_bytes), "the same"},
    row{"param_header_bytes", bytes(param_header_bytes), "of one call: `Mcp-Param-*` headers that do not fit are not sent"},
    row{"known_tools", known_tools, "per upstream and unit: all are forgotten, and known again with the next list"},
    // clang-format on
};

inline constexpr std::array of_lists{
    // clang-format off
    row{"list_deadline", list_deadline, "the list is served without those that have not answered"},
    row{"failed_fill", failed_fill, "a list that failed is not asked for before this"},
    row{"list_changed_debounce", list_changed_debounce, "after the last of several `list_changed`, the list is asked for"},
    row{"list_changed_most", list_changed_most, "or this long after the first"},
    row{"news_times", news_times, "the oldest is forgotten; a client may be told of a change that it knows"},
    row{"own_lists", own_lists, "clients per unit: whoever has not used its own for longest sees everybody's again; places of clients that do not listen are free after 5 minutes"},
    row{"own_list_bytes", bytes(own_list_bytes), "per unit: whoever has most sees everybody's again, or, while its calls wait for lists, who has most after it and more than a fair part"},
    row{"personal_lists", personal_lists, "callers per unit: the longest unused are forgotten, and asked for anew"},
    row{"list_views", list_views, "of one list: the longest unused is merged anew when it is asked for"},
    row{"page_cache_bytes", bytes(page_cache_bytes), "per unit: the longest unused pages are made anew when they are asked for"},
    row{"page_cache_share", bytes(page_cache_share), "of one list: the same"},
    row{"page_overhead", bytes(page_overhead), "is counted for each kept page"},
    row{"template_steps", template_steps, "of one upstream's templates: those that would cost more match nothing"},
    row{"list_duplicates", list_duplicates, "further pairs are not looked at"},
    row{"look_again", look_again, "after an upstream's list failed, while somebody's list lacks it: asked for again, doubling"},
    row{"look_again_most", look_again_most, "the pause does not grow further"},
    row{"look_again_in_vain", look_again_in_vain, "nor this one, where lists are counted and clients were told to ask in vain"},
    row{"list_news_pause", list_news_pause, "between two notifications about the same list"},
    row{"client_profiles", client_profiles, "per unit: clients of further kinds see the lists of a kind that can do less"},
    row{"logged_duplicates", logged_duplicates, "per unit: further pairs are not logged"},
    row{"logged_late", logged_late, "per unit: further upstreams are not logged"},
    // clang-format on
};

}  // namespace gate::limits
