#pragma once
/// What else there is to know of the kinds of events: which numbers they have, and which members no
/// event of a kind is without. Beside the tables of event.hpp; the reader and the schema ask here.
#include <array>
#include <cstdint>

#include "protocol/recording/event.hpp"

namespace gate::recording {

/// Whose number `n` is.
enum class series : std::uint8_t {
  none,     ///< it has none; if there is one, it says nothing
  request,  ///< that of a client's request
  fetch,    ///< that of a fetch
  store,    ///< that of an operation of the shared store
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
    case kind::asked:
    case kind::told:
      return series::store;
    case kind::turned:
    case kind::heard:
    case kind::reload:
    case kind::document:
    case kind::adopted:
    case kind::stop:
    case kind::audit:
      return series::none;
  }
  return series::none;
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
