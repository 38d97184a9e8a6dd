#pragma once
/// Bounds of `gate-discovery`: what it reads of an API server, and how it waits for that.
#include <array>
#include <chrono>
#include <cstddef>

#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Services that are told of in one document: what a gateway probes and lists at once has an end,
/// and with all their annotations they fit in what it reads.
inline constexpr std::size_t cluster_services = 2000;
/// Enabled Services that are kept: those beyond may be told of once others are gone.
inline constexpr std::size_t cluster_kept = 10'000;
/// Services of one page of the list. One may have 1.5 MiB (what etcd keeps), most have 2 KiB.
inline constexpr std::size_t cluster_page_items = 200;
inline constexpr std::size_t cluster_page_bytes = 32 * 1024 * 1024;
/// Pages of one list: a server can go on naming further ones for ever.
inline constexpr std::size_t cluster_pages = 10'000;
/// Of what is said again in the next question: a version, the place where the next page begins.
inline constexpr std::size_t cluster_word_bytes = 8 * 1024;
/// Of one event of the watch: a Service, and what the API server puts around it.
inline constexpr std::size_t cluster_line_bytes = 4 * 1024 * 1024;
/// Of an answer that refuses: a Status of some lines.
inline constexpr std::size_t cluster_refusal_bytes = 64 * 1024;
/// Of the value of one of our annotations, and how many labels an upstream may have.
inline constexpr std::size_t cluster_annotation_bytes = 1024;
inline constexpr std::size_t cluster_labels = 32;
/// Of what the API server says, in one line of the log.
inline constexpr std::size_t cluster_quoted_bytes = 300;
/// Services that one line of the log names; the others are counted.
inline constexpr std::size_t cluster_logged = 20;
/// Connecting, with TLS; and the whole answer to one page.
inline constexpr seconds cluster_connect{5};
inline constexpr seconds cluster_answer{30};
/// The API server is asked to end a watch after this; if it has not so much later, the connection
/// is dead: nothing else tells of a machine that is gone.
inline constexpr seconds cluster_watch{240};
inline constexpr seconds cluster_watch_grace{15};
/// Between attempts: the pause doubles, and is between half and all of that.
inline constexpr milliseconds cluster_first_pause{500};
inline constexpr seconds cluster_pause_most{30};
/// A watch that lived so long was well: the pause is short again.
inline constexpr seconds cluster_well{5};

inline constexpr std::array of_kubernetes{
    // clang-format off
    row{"cluster_services", cluster_services, "the newest of the enabled Services are left out, and counted in the log"},
    row{"cluster_kept", cluster_kept, "the newest are forgotten until all are listed anew"},
    row{"cluster_page_items", cluster_page_items, "further Services are on the next page"},
    row{"cluster_page_bytes", bytes(cluster_page_bytes), "the page is asked for with half as many Services"},
    row{"cluster_pages", cluster_pages, "of one list: the attempt has failed"},
    row{"cluster_word_bytes", bytes(cluster_word_bytes), "of a version, or of the place where the next page begins: the attempt has failed"},
    row{"cluster_line_bytes", bytes(cluster_line_bytes), "all Services are listed anew"},
    row{"cluster_refusal_bytes", bytes(cluster_refusal_bytes), "of an answer that refuses: the rest is not read"},
    row{"cluster_annotation_bytes", bytes(cluster_annotation_bytes), "the Service is left out"},
    row{"cluster_labels", cluster_labels, "the Service is left out"},
    row{"cluster_quoted_bytes", bytes(cluster_quoted_bytes), "of what the API server said: cut off in the log"},
    row{"cluster_logged", cluster_logged, "in one line of the log: the other Services are counted"},
    row{"cluster_connect", cluster_connect, "the attempt has failed"},
    row{"cluster_answer", cluster_answer, "of one page: the attempt has failed"},
    row{"cluster_watch", cluster_watch, "the API server ends the watch, which is begun anew"},
    row{"cluster_watch_grace", cluster_watch_grace, "after that the connection is given up"},
    row{"cluster_first_pause", cluster_first_pause, "until the second attempt; doubled for each further one"},
    row{"cluster_pause_most", cluster_pause_most, "between attempts"},
    row{"cluster_well", cluster_well, "a watch that lasted so long begins with the first pause"},
    // clang-format on
};

}  // namespace gate::limits
