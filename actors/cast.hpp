#pragma once
/// THE CAST: one row an actor of the gateway, whoever starts it: what it is called, how many there
/// are, what it runs on and what it does. docs/architecture.md has the same; the messages that each
/// takes are in actors/interfaces.hpp, and what GATEWAY does when one dies in
/// supervisor/children.hpp. (The doors to the outside are in transport/interfaces.hpp.)
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gate {

enum class role : std::uint8_t {
  // Those that GATEWAY supervises.
  audit,
  sink,
  activity,
  health,
  tasks,
  once,
  mint,
  limiter,
  budget,
  loader,
  discovery,
  keys,
  router,
  upstream,
  breaker,
  balancer,
  // It is nobody's; the others are UPSTREAM's.
  gateway,
  credentials,
  root_session,
  bridged_session,
  endpoint_check,
};

struct cast_row {
  role who;
  const char* name;        ///< of the actor, as CAF and tests know it
  std::string_view title;  ///< in prose and in the log
  role parent;             ///< who starts it, and again when it has crashed; GATEWAY's is itself
  std::string_view each;   ///< one for each of these; empty: one
  std::string_view runs;   ///< on which thread
  std::string_view does;
};

inline constexpr std::array cast{
    // clang-format off
    cast_row{role::audit,           "audit",           "AUDIT",           role::gateway,  "",                                 "whichever wakes it",  "makes one line of each audit event; present if the configuration has a sink"},
    cast_row{role::sink,            "sink",            "SINK",            role::gateway,  "place",                            "whichever wakes it",  "takes the lines to it: standard output, a file, or a webhook (on the first unit)"},
    cast_row{role::activity,        "activity",        "ACTIVITY",        role::gateway,  "",                                 "whichever wakes it",  "keeps the latest audit events for viewers; present if introspection is enabled"},
    cast_row{role::health,          "health",          "HEALTH",          role::gateway,  "",                                 "a thread of its own", "probes the upstreams of the first unit, one round at a time; makes the reports `/health`, `/metrics`, `/api/federation`"},
    cast_row{role::tasks,           "tasks",           "TASKS",           role::gateway,  "",                                 "the first unit",      "knows which upstream runs a task, and whose it is"},
    cast_row{role::once,            "once ledger",     "ONCE LEDGER",     role::gateway,  "",                                 "the first unit",      "what may be used only once, here and in the shared store"},
    cast_row{role::mint,            "mint",            "MINT",            role::gateway,  "",                                 "the first unit",      "the token endpoint: assertions for access tokens"},
    cast_row{role::limiter,         "rate limiter",    "RATE LIMITER",    role::gateway,  "",                                 "whichever wakes it",  "requests per minute: of everybody, tenants, principals"},
    cast_row{role::budget,          "budget",          "BUDGET",          role::gateway,  "",                                 "whichever wakes it",  "upstream invocations per calendar period, and requests per minute of upstreams"},
    cast_row{role::loader,          "loader",          "LOADER",          role::gateway,  "",                                 "a thread of its own", "reads, judges and compiles documents"},
    cast_row{role::discovery,       "discovery",       "DISCOVERY",       role::gateway,  "",                                 "the first unit",      "polls the source of further upstreams, if there is one"},
    cast_row{role::keys,            "key set",         "KEY SET",         role::gateway,  "issuer",                           "the first unit",      "fetches the keys that an issuer signs tokens with"},
    cast_row{role::router,          "router",          "ROUTER",          role::gateway,  "unit",                             "its unit",            "takes every request through the nine stages; owns sessions, calls in flight, lists"},
    cast_row{role::upstream,        "upstream",        "UPSTREAM",        role::gateway,  "unit and upstream",                "its unit",            "owns what belongs to one upstream, and supervises its sessions"},
    cast_row{role::breaker,         "breaker",         "BREAKER",         role::gateway,  "upstream",                         "whichever wakes it",  "its circuit breaker"},
    cast_row{role::balancer,        "balancer",        "BALANCER",        role::gateway,  "upstream with replicas or probes", "whichever wakes it",  "which of its replicas are in rotation; active probes"},
    cast_row{role::gateway,         "gateway",         "GATEWAY",         role::gateway,  "",                                 "the first unit",      "supervises all others; starts them, restarts them, ends them in order"},
    cast_row{role::credentials,     "credentials",     "CREDENTIALS",     role::upstream, "UPSTREAM that needs one",          "its unit",            "asks a token endpoint, if the upstream's strategy needs one"},
    cast_row{role::root_session,    "root session",    "root session",    role::upstream, "kind of client",                   "its unit",            "UPSTREAM SESSION: lists, health probes, the stream on which `list_changed` is heard; servers show more to clients that can do more. One for each caller too, if the credential comes from callers"},
    cast_row{role::bridged_session, "bridged session", "bridged session", role::upstream, "client",                           "its unit",            "UPSTREAM SESSION: the calls of one client; opened by its first call, closed after 5 idle minutes; with `listsPerClient` its lists too"},
    cast_row{role::endpoint_check,  "endpoint check",  "endpoint check",  role::upstream, "active probe",                     "its unit",            "UPSTREAM SESSION: a handshake with one replica, and its end, for BALANCER"},
    // clang-format on
};

constexpr const cast_row& cast_of(role r) {
  return cast[static_cast<std::size_t>(r)];
}
constexpr const char* name_of(role r) {
  return cast_of(r).name;
}

namespace detail {
consteval bool cast_in_order() {
  for (std::size_t i = 0; i < cast.size(); ++i)
    if (cast[i].who != static_cast<role>(i)) return false;
  return cast.size() == static_cast<std::size_t>(role::endpoint_check) + 1;
}
}  // namespace detail
static_assert(detail::cast_in_order());

}  // namespace gate
