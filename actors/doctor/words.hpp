#pragma once
/// How `gate doctor` writes what it has seen: what others said is cut and made harmless, since it
/// goes to a terminal. Pure.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/doctor/finding.hpp"

namespace gate::doctor {

/// In quotation marks: printable ASCII, at most `limits::doctor_quoted_bytes`.
std::string in_quotes(std::string_view said);
/// The same without quotation marks.
std::string printable(std::string_view said);
/// The first of them, cleaned and quoted, and how many more there are.
std::string listed(const std::vector<std::string>& names, const notes& by);
/// `1 tool`, `2 tools`.
std::string counted(std::size_t n, std::string_view what);
/// `12 ms`; less than one is `less than 1 ms`.
std::string in_milliseconds(std::chrono::microseconds t);
/// `2026-11-28`, UTC.
std::string on_day(std::chrono::sys_seconds t);
/// The time that a Date header names, as far as it is within half a year of `now`; one that is not
/// is half a year away. Nothing if it is none.
std::optional<std::chrono::system_clock::time_point> read_date(
    std::string_view header, std::chrono::system_clock::time_point now);

}  // namespace gate::doctor
