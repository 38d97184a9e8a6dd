#include "transport/ledger/ledger.hpp"

#include <type_traits>

namespace gate::ledger {
namespace {

template <class T, class... Ts>
constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);

template <class T>
constexpr bool only_reads = is_one_of<T, read_webhook, list_webhooks, list_due, list_deliveries,
                                      read_delivery, list_dead, dead_stats, count_all>;

}  // namespace

bool writes(const request& r) {
  return std::visit([]<class T>(const T&) { return !only_reads<T>; }, r);
}

std::size_t bytes_of(const request& r) {
  std::size_t out = sizeof(request);
  if (const auto* events = std::get_if<accept_events>(&r))
    for (const auto& e : events->events)
      out += sizeof(e) + e.id.size() + e.body.size() + e.fingerprint.size();
  if (const auto* attempt = std::get_if<note_attempt>(&r))
    out += attempt->answer.size() + attempt->what.error.size();
  return out;
}

}  // namespace gate::ledger
