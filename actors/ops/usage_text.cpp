#include "actors/ops/usage_text.hpp"

#include <array>

#include "config/describe/service.hpp"
#include "protocol/audit/event.hpp"

namespace gate::ops {
namespace {

/// By `scope`.
constexpr std::array<std::string_view, 4> scope_names{"server", "tenant", "principal", "upstream"};

void append_number(std::string& out, std::string_view name, std::int64_t value) {
  out.append(",\"").append(name).append("\":").append(std::to_string(value));
}

void begin(std::string& out, const scope_key& of) {
  if (!out.ends_with('[')) out += ',';
  out.append(R"({"scope":")").append(scope_names[static_cast<std::size_t>(of.what)]) += '"';
}

}  // namespace

void append_time(std::string& out, wall_time t) {
  out.append("\"").append(audit::rfc3339(t)) += '"';
}

usage_text::usage_text(const usage& u, wall_time now, bool upstreams) : u_(u), now_(now) {
  const auto looked_for = [upstreams](const scope_key& k) {
    return upstreams || k.what != scope::upstream;
  };
  for (std::size_t i = 0; u.scopes && i < u.scopes->size(); ++i)
    if (const auto& k = (*u.scopes)[i].key; looked_for(k)) places_[key(k)].limit = i;
  for (std::size_t i = 0; u.costs && i < u.costs->size(); ++i)
    if (const auto& k = (*u.costs)[i].key; looked_for(k)) places_[key(k)].budget = i;
}

/// (A name is of one kind of scope, a principal has none.)
std::string usage_text::key(const scope_key& k) {
  return std::string(scope_names[static_cast<std::size_t>(k.what)]) + ' ' + k.name;
}

void usage_text::append_limits(std::string& out) const {
  for (std::size_t i = 0; u_.scopes && i < u_.scopes->size(); ++i) append_limit(out, i);
}

void usage_text::append_limits(std::string& out, std::initializer_list<scope_key> of) const {
  for (const auto& k : of)
    if (const auto at = places_.find(key(k)); at != places_.end())
      append_limit(out, at->second.limit);
}

void usage_text::append_budgets(std::string& out) const {
  for (std::size_t i = 0; u_.costs && i < u_.costs->size(); ++i) append_budget(out, i);
}

void usage_text::append_budgets(std::string& out, std::initializer_list<scope_key> of) const {
  for (const auto& k : of)
    if (const auto at = places_.find(key(k)); at != places_.end())
      append_budget(out, at->second.budget);
}

void usage_text::append_limit(std::string& out, std::size_t i) const {
  if (i == place::none) return;
  const auto& scope = (*u_.scopes)[i];
  const auto use = i < u_.shown.windows.size() ? u_.shown.windows[i] : window_use{};
  begin(out, scope.key);
  append_number(out, "limit", scope.per_minute);
  append_number(out, "used", use.used);
  if (use.clears_in.count() > 0) append_time(out += R"(,"resetsAt":)", now_ + use.clears_in);
  if (use.retry_after.count() > 0)
    append_number(out, "retryAfterMs", std::chrono::milliseconds(use.retry_after).count());
  out += '}';
}

void usage_text::append_budget(std::string& out, std::size_t i) const {
  if (i == place::none) return;
  const auto& allowance = (*u_.costs)[i];
  const bool known = i < u_.shown.budgets.size();
  begin(out, allowance.key);
  out.append(R"(,"period":")").append(config::name_of(allowance.period)) += '"';
  append_number(out, "limit", allowance.upstream_calls);
  append_number(out, "used", known ? u_.shown.budgets[i].used : 0);
  if (known) append_time(out += R"(,"resetsAt":)", u_.shown.budgets[i].resets);
  out += '}';
}

}  // namespace gate::ops
