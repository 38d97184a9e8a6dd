#pragma once
/// What else there is to know of the kinds of events: which numbers they have, and which members no
/// event of a kind is without. Beside the tables of event.hpp; the reader and the schema ask here.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/recording/event.hpp"

namespace gate::recording {

/// Whose number `n` is.
enum class series : std::uint8_t {
  none,     ///< it has none; if there is one, it says nothing
  request,  ///< that of a client's request
  fetch,    ///< that of a fetch
};

constexpr series series_of(kind k) {
  switch (k) {
    case kind::request:
    case kind::body:
    case kind::answer:
    case kind::stream:
    case kind::sent:
    case kind::ended:
    case kind::dropped:
    case kind::gone:
    case kind::moved:
      return series::request;
    case kind::fetch:
    case kind::abandoned:
    case kind::streamed:
    case kind::fetched:
      return series::fetch;
    default:
      return series::none;
  }
}

/// Has an event of this kind a member of that name? (`in` of the table is a list of words.)
constexpr bool has(kind k, field f) {
  const auto name = row(k).name;
  auto rest = row(f).in;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == name) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

struct duty {
  kind of;
  field what;
};
/// Without these an event says nothing.
inline constexpr std::array duties{
    duty{kind::answer, field::status}, duty{kind::moved, field::to},
    duty{kind::fetch, field::method},  duty{kind::fetch, field::url},
    duty{kind::fetched, field::end},   duty{kind::document, field::document},
    duty{kind::audit, field::line},
};
consteval bool duties_are_members() {
  for (const auto& d : duties)
    if (!has(d.of, d.what)) return false;
  return true;
}
static_assert(duties_are_members());

}  // namespace gate::recording
