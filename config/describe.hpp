#pragma once
/// The one description of the configuration document. Each section lists its fields once: key,
/// member, required or not, bounds, text kind, live or restart, and one sentence. The reader
/// (config/parse.cpp), the JSON Schema (config/schema.cpp), the reference page
/// (config/reference.cpp) and the reload check (config/diff.cpp) are visitors of it; defaults are
/// the initializers of config/document.hpp.
///
/// A visitor is called as `v(&section::member, field{...})` for each field, in documented order.
///
///   config/describe/field.hpp       what is said of a field; the names of enum values
///   config/describe/upstreams.hpp   `upstreams`, and shapes that several sections share
///   config/describe/access.hpp      `auth`, `policy`, `tenants`
///   config/describe/service.hpp     `audit`, `tracing`, `server`, `routing`, `discovery`
#include "config/describe/access.hpp"
#include "config/describe/field.hpp"
#include "config/describe/service.hpp"
#include "config/describe/upstreams.hpp"
#include "config/document.hpp"
#include "protocol/limits.hpp"

namespace gate::config {

template <class V>
void describe(V& v, of<document>) {
  v(&document::upstreams, {.key = "upstreams",
                           .doc = "The MCP servers that are federated.",
                           .effect = change::live,
                           .max_items = limits::upstreams});
  v(&document::auth, {.key = "auth", .doc = "Inbound authentication.", .effect = change::restart});
  v(&document::policy, {.key = "policy",
                        .doc = "Who may invoke what; without it everything is allowed.",
                        .effect = change::live});
  v(&document::audit, {.key = "audit",
                       .doc = "Audit sinks; without it no events are emitted.",
                       .effect = change::restart});
  v(&document::server,
    {.key = "server", .doc = "Listener, limits, shared store.", .effect = change::restart});
  v(&document::routing,
    {.key = "routing", .doc = "Names and pages of lists.", .effect = change::restart});
  v(&document::discovery,
    {.key = "discovery", .doc = "Dynamic upstream source.", .effect = change::restart});
  v(&document::tenants,
    {.key = "tenants", .doc = "Principal groups with shared allowances.", .effect = change::live});
  v(&document::tracing, {.key = "tracing", .doc = "Trace export.", .effect = change::restart});
}

/// A section: a struct with a description.
namespace detail {
struct any_visitor {
  template <class M, class T>
  void operator()(M T::*, const field&) {}
};
}  // namespace detail

template <class T>
concept described = requires(detail::any_visitor& v) {
  describe(v, of<T>{});
};

}  // namespace gate::config
