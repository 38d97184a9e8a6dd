#include "config/snapshot/snapshot.hpp"

#include <utility>

namespace gate::config {
namespace {

compiled_upstream compile_upstream(const upstream& u, std::size_t index,
                                   const std::string& separator) {
  compiled_upstream out;
  out.index = index;
  out.id = u.id;
  out.endpoint = http::parse_url(u.url ? *u.url : u.urls.value().at(0)).value();
  if (u.space) out.prefix = *u.space + separator;
  out.connect = u.timeouts.connect;
  out.request = u.timeouts.request;
  out.auth = u.auth;
  out.per_caller = u.auth.strategy == auth_strategy::passthrough ||
                   u.auth.strategy == auth_strategy::token_exchange;
  // What one caller's credential shows must not reach another caller.
  if (u.cache_ttl >= milliseconds::zero() && !out.per_caller) out.cache_ttl = u.cache_ttl;
  out.max_response_bytes = static_cast<std::size_t>(u.max_response_bytes);
  out.owner = u.owner;
  out.labels = u.labels;
  return out;
}

}  // namespace

const compiled_upstream* snapshot::find_namespace(std::string_view space) const {
  auto at = by_namespace.find(space);
  return at == by_namespace.end() ? nullptr : &upstreams[at->second];
}

std::shared_ptr<const snapshot> compile(document doc, std::uint64_t generation) {
  auto out = std::make_shared<snapshot>();
  out->generation = generation;
  out->separator = doc.routing.namespace_separator;
  if (doc.routing.page_size > 0) out->page_size = static_cast<std::size_t>(doc.routing.page_size);
  out->passthrough = doc.upstreams.size() == 1 && !doc.upstreams.front().space;
  out->upstreams.reserve(doc.upstreams.size());
  std::vector<std::string> ids;
  for (const auto& u : doc.upstreams) {
    ids.push_back(u.id);
    auto index = out->upstreams.size();
    out->upstreams.push_back(compile_upstream(u, index, out->separator));
    if (u.space) out->by_namespace.emplace(*u.space, index);
  }
  out->policy = policy(doc.policy, ids);
  out->tenants = tenant_index(doc.tenants);
  out->doc = std::move(doc);
  return out;
}

}  // namespace gate::config
