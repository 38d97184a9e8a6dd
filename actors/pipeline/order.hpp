#pragma once
/// The nine stages of every MCP request, in the one order that is allowed, each with its reason.
/// pipeline.hpp chains the steps by type and checks them against this table; a swapped or missing
/// stage does not compile.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gate::pipeline {

enum class stage : std::uint8_t {
  host,
  authenticate,
  rate_limit,
  route,
  authorize,
  guard,
  proxy,
  egress,
  audit,
};

struct stage_info {
  stage id;
  std::string_view name;
  std::string_view why_here;
};

inline constexpr std::array<stage_info, 9> order{{
    // clang-format off
    {stage::host,         "host validation",   "an unlisted Host never reaches token parsing (DNS rebinding)"},
    {stage::authenticate, "authenticate",      "limits are charged to a proven principal"},
    {stage::rate_limit,   "global rate limit", "load is shed before a body is parsed or a fan-out planned"},
    {stage::route,        "route",             "policy judges the upstream that a name resolves to"},
    {stage::authorize,    "authorize",         "denied by default, before an upstream sees the call"},
    {stage::guard,        "upstream guards",   "a slow or failing upstream degrades alone"},
    {stage::proxy,        "proxy",             "the upstream credential is attached here and nowhere else"},
    {stage::egress,       "egress",            "filter and rename what the principal may see"},
    {stage::audit,        "audit",             "the single exit door: one event per terminal response"},
    // clang-format on
}};

consteval std::size_t at(stage s) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i].id == s) return i;
  throw "a stage is missing from the order";
}
consteval bool before(stage a, stage b) {
  return at(a) < at(b);
}

static_assert(at(stage::host) == 0, "nothing looks at a request before its Host is checked");
static_assert(before(stage::authenticate, stage::rate_limit));
static_assert(before(stage::rate_limit, stage::route));
static_assert(before(stage::route, stage::authorize));
static_assert(before(stage::authorize, stage::guard), "a denied call spends nobody's allowance");
static_assert(before(stage::guard, stage::proxy));
static_assert(before(stage::proxy, stage::egress));
static_assert(order.back().id == stage::audit);

}  // namespace gate::pipeline
