#pragma once
/// Bounds of `gate doctor`: how long it looks, and how much of what others say it reads.
#include <array>
#include <chrono>
#include <cstddef>

#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// What one peer may take, all its answers together, unless `--timeout` says otherwise.
inline constexpr seconds doctor_peer{10};
inline constexpr seconds doctor_peer_most{300};
/// All peers together may take so many times what one may: there may be more than are looked at at
/// once.
inline constexpr int doctor_rounds = 3;
inline constexpr std::size_t doctor_at_once = 128;
/// Of one answer, and of the events of one answer.
inline constexpr std::size_t doctor_answer_bytes = 8 * 1024 * 1024;
inline constexpr std::size_t doctor_events = 1000;
/// Of the head of an answer whose date is looked at.
inline constexpr std::size_t doctor_head_bytes = 32 * 1024;
/// Of one list of an upstream: a server can go on naming pages for ever.
inline constexpr std::size_t doctor_pages = 100;
inline constexpr std::size_t doctor_items = 20'000;
/// Of names that are shown for one reason; the others are counted.
inline constexpr std::size_t doctor_names = 5;
/// Of what others said, in one line.
inline constexpr std::size_t doctor_quoted_bytes = 300;
/// Until a session that was opened has to be ended.
inline constexpr seconds doctor_goodbye{2};
/// A certificate that ends sooner is warned of: those of most authorities are renewed 30 days
/// ahead.
inline constexpr seconds doctor_certificate{14 * 24 * 3600};
/// A clock that is off by more is warned of; beyond `token_leeway` tokens are refused.
inline constexpr seconds doctor_skew{5};
/// An answer to a list that takes longer is warned of.
inline constexpr milliseconds doctor_slow{2000};
/// Of a tool's whole name: APIs of models take no more.
inline constexpr std::size_t doctor_name_characters = 64;

inline constexpr std::array of_doctor{
    // clang-format off
    row{"doctor_peer", doctor_peer, "of all that one peer is asked, unless `--timeout` says otherwise: it is told as one that does not answer"},
    row{"doctor_peer_most", doctor_peer_most, "the most that `--timeout` takes"},
    row{"doctor_rounds", doctor_rounds, "times that: who has not been asked by then is told as unchecked"},
    row{"doctor_at_once", doctor_at_once, "further peers are asked when one is done"},
    row{"doctor_answer_bytes", bytes(doctor_answer_bytes), "of one answer: an error"},
    row{"doctor_events", doctor_events, "of an answer that is an event stream: an error"},
    row{"doctor_head_bytes", bytes(doctor_head_bytes), "of the head whose date is looked at: its clock is unknown"},
    row{"doctor_pages", doctor_pages, "of one list: the rest is not looked at, and told"},
    row{"doctor_items", doctor_items, "of one list: the rest is not looked at, and told"},
    row{"doctor_names", doctor_names, "that are shown for one reason; the others are counted"},
    row{"doctor_quoted_bytes", bytes(doctor_quoted_bytes), "of what a peer said: cut off"},
    row{"doctor_goodbye", doctor_goodbye, "until the end of a session is no longer waited for"},
    row{"doctor_certificate", doctor_certificate, "a certificate that ends sooner is warned of"},
    row{"doctor_skew", doctor_skew, "a clock that is off by more is warned of; beyond `token_leeway` it is an error"},
    row{"doctor_slow", doctor_slow, "a list that takes longer is warned of"},
    row{"doctor_name_characters", doctor_name_characters, "a longer name of a tool is warned of"},
    // clang-format on
};

}  // namespace gate::limits
