#include "actors/guards/refusals.hpp"

#include <string>

#include "actors/guards/calendar.hpp"

namespace gate::guards {
namespace {

std::string named(std::string_view what, std::string_view name) {
  std::string out(what);
  out.append(" \"").append(name).append("\"");
  return out;
}

}  // namespace

refusal rate_limited(std::string_view upstream, std::chrono::seconds retry_after) {
  refusal out;
  out.why = reason::upstream_rate_limited;
  out.upstream = upstream;
  out.message = named("upstream", upstream) + " rate limit exceeded; retry in " +
                std::to_string(retry_after.count()) + "s";
  out.retry_after_ms = std::chrono::milliseconds(retry_after).count();
  return out;
}

refusal circuit_open(std::string_view upstream) {
  return unavailable_upstream(upstream, no_answer::circuit_open);
}

refusal budget_exhausted(const charged& no) {
  refusal out;
  out.why = reason::budget_exhausted;
  switch (no.scope.what) {
    case scope::upstream:
      out.upstream = no.scope.name;
      out.message = named("upstream", no.scope.name);
      break;
    case scope::tenant:
      out.tenant = no.scope.name;
      out.message = named("tenant", no.scope.name);
      break;
    case scope::principal:  // has none: a budget is of many
    case scope::server:
      out.message = "server";
      break;
  }
  out.resets_at = rfc3339(no.resets);
  out.message += " budget exhausted (" + std::to_string(no.used) + "/" + std::to_string(no.limit) +
                 "); resets " + out.resets_at;
  return out;
}

std::shared_ptr<const refusal> refused_by_all(const config::snapshot& s,
                                              const identity::access& who,
                                              const refusals_by_upstream& by) {
  std::shared_ptr<const refusal> first;
  std::size_t count = 0;
  for (const auto& u : s.upstreams) {
    if (!who.view->reaches(u.index)) continue;
    auto no = by(u.index);
    if (!no || (!no->tenant.empty() && no->tenant != who.tenant)) return nullptr;
    if (count++ == 0) first = std::move(no);
  }
  return count > 1 && first->why == reason::upstream_down ? nullptr : first;
}

}  // namespace gate::guards
