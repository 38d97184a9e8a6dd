// Checkers of what callers see of upstreams, and upstreams of callers: denials, order, revisions.
#include <algorithm>
#include <cstdlib>

#include "protocol/limits/sessions.hpp"
#include "simulations/stories/checkers.hpp"
#include "simulations/stories/fleet.hpp"
#include "simulations/world/client.hpp"

namespace gate::churn {
namespace {

using sim::at;
using std::to_string;

/// The numbers of a call's own notices, in the order in which they came.
std::vector<std::size_t> notices_in(const request& r) {
  std::vector<std::size_t> out;
  for (const auto& text : r.receipt->events())
    if (at(text, "params", "data", "call") == to_string(r.number))
      out.push_back(std::strtoul(at(text, "params", "data", "n").c_str(), nullptr, 10));
  return out;
}

/// It was not even looked at: its session is over, too much came in, the gateway stops.
bool is_turned_away(const request& r) {
  const auto status = r.receipt->status;
  return r.cancelled || r.left || r.vanished || status == 404 || status == 429 || status == 503 ||
         r.receipt->last().find("stopping") != std::string::npos;
}

}  // namespace

void check_policy(const scenario& s, const evidence& e, complaints& out) {
  if (!s.guarded) return;
  for (const auto& r : e.requests) {
    if (r.what == request::kind::list && r.receipt->last().find("__hidden\"") != std::string::npos)
      out.push_back("policy: " + name_of(r) + " shows what is denied: " + r.receipt->last());
    if (r.what == request::kind::forbidden && !is_turned_away(r) && !is_refused(r, denied))
      out.push_back("policy: " + name_of(r) + " is denied, and was answered " +
                    to_string(r.receipt->status) + ' ' + r.receipt->last());
  }
  for (const auto& [host, seen] : e.seen)
    for (const auto& x : seen)
      if (x->method == "tools/call" && x->param("name").starts_with("\"hidden"))
        out.push_back("policy: " + host + " was sent what is denied: " + x->body);
}

void check_order(const evidence& e, complaints& out) {
  // Who has chosen what it hears of misses some.
  std::set<std::size_t> choosy;
  for (const auto& r : e.requests)
    if (r.what == request::kind::level) choosy.insert(r.visitor);
  for (const auto& r : e.requests) {
    if (r.what != request::kind::call || !r.receipt->streaming) continue;
    const auto all = notices_in(r);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool follows =
          i == 0 ? all[i] == 0 || choosy.contains(r.visitor)
                 : all[i] == all[i - 1] + 1 || (choosy.contains(r.visitor) && all[i] > all[i - 1]);
      if (follows) continue;
      out.push_back("order: " + name_of(r) + " heard notice " + to_string(all[i]) +
                    " of its call " + (i == 0 ? "first" : "behind " + to_string(all[i - 1])));
    }
  }
}

void check_readers(const evidence& e, complaints& out) {
  // One more message may be on its way when there is enough.
  constexpr std::size_t one_more = 2 * wide_notice_bytes;
  for (const auto& r : e.requests)
    if (r.what == request::kind::listen &&
        r.receipt->most_queued > limits::stream_queue_bytes + one_more)
      out.push_back("readers: for " + name_of(r) + ", which reads nothing, " +
                    to_string(r.receipt->most_queued) + " bytes waited, and there may be " +
                    to_string(limits::stream_queue_bytes));
}

void check_revision(const evidence& e, complaints& out) {
  for (const auto& wrong : e.wrongs)
    out.push_back("revision: new, which speaks MCP 2026-07-28 only, was asked otherwise: " + wrong);
}

}  // namespace gate::churn
