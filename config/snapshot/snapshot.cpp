#include "config/snapshot/snapshot.hpp"

#include <algorithm>
#include <utility>

namespace gate::config {
namespace {

std::vector<http::url> endpoints_of(const upstream& u) {
  std::vector<http::url> out;
  if (u.url) out.push_back(http::parse_url(*u.url).value());
  if (u.urls)
    for (const auto& text : *u.urls) out.push_back(http::parse_url(text).value());
  return out;
}

compiled_upstream compile_upstream(const upstream& u, std::size_t index,
                                   const std::string& separator) {
  compiled_upstream out;
  out.index = index;
  out.id = u.id;
  out.endpoints = endpoints_of(u);
  out.endpoint = out.endpoints.at(0);
  if (u.space) {
    out.space = *u.space;
    out.prefix = out.space + separator;
  }
  out.connect = u.timeouts.connect;
  out.request = u.timeouts.request;
  out.max_request =
      u.timeouts.max_request.count() > 0 ? u.timeouts.max_request : 10 * u.timeouts.request;
  out.stream_idle = u.timeouts.stream_idle;
  out.breaker = u.circuit_breaker;
  if (u.rate_limit) out.requests_per_minute = u.rate_limit->requests_per_minute;
  out.budget = u.budget;
  if (u.health_check) out.probe_interval = u.health_check->interval;
  out.auth = u.auth;
  out.protocol = u.protocol;
  out.per_caller = row(u.auth.strategy).of_caller;
  // What one caller's credential shows must not reach another caller.
  if (u.cache_ttl >= milliseconds::zero() && !out.per_caller) out.cache_ttl = u.cache_ttl;
  out.per_client = u.lists_per_client;
  out.max_response_bytes = static_cast<std::size_t>(u.max_response_bytes);
  out.owner = u.owner;
  out.labels = u.labels;
  return out;
}

/// The numbers of upstreams that are as they were.
std::unordered_map<std::string_view, std::size_t> kept_numbers(const snapshot* before,
                                                               const document& doc) {
  std::unordered_map<std::string_view, std::size_t> out;
  if (!before) return out;
  std::unordered_map<std::string_view, std::size_t> old;
  for (std::size_t i = 0; i < before->upstreams.size(); ++i)
    old.emplace(before->upstreams[i].id, i);
  for (const auto& u : doc.upstreams) {
    const auto at = old.find(u.id);
    if (at != old.end() && same_shape(before->doc.upstreams[at->second], u))
      out.emplace(u.id, before->upstreams[at->second].index);
  }
  return out;
}

}  // namespace

const compiled_upstream* snapshot::find_namespace(std::string_view space) const {
  auto at = by_namespace.find(space);
  return at == by_namespace.end() ? nullptr : &upstreams[at->second];
}

const compiled_upstream* snapshot::find(std::string_view id) const {
  const auto place = place_of(id);
  return place == none ? nullptr : &upstreams[place];
}

std::size_t snapshot::place_of(std::string_view id) const {
  const auto at = by_id.find(id);
  return at == by_id.end() ? none : at->second;
}

bool same_shape(const upstream& a, const upstream& b) {
  auto other = b;
  other.labels = a.labels;
  other.owner = a.owner;
  other.rate_limit = a.rate_limit;
  other.budget = a.budget;
  other.cache_ttl = a.cache_ttl;
  return a == other;
}

snapshot_ptr compiler::compile(document doc, std::size_t discovered_from) {
  auto out = std::make_shared<snapshot>();
  out->generation = latest_ ? latest_->generation + 1 : 1;
  out->discovered_from = std::min(discovered_from, doc.upstreams.size());
  out->separator = doc.routing.namespace_separator;
  if (doc.routing.page_size > 0) out->page_size = static_cast<std::size_t>(doc.routing.page_size);
  out->passthrough = doc.upstreams.size() == 1 && !doc.upstreams.front().space;
  out->upstreams.reserve(doc.upstreams.size());
  const auto kept = kept_numbers(latest_.get(), doc);
  std::size_t next = 0;
  for (const auto& u : doc.upstreams) {
    const auto place = out->upstreams.size();
    const auto at = kept.find(u.id);
    if (at == kept.end())
      while (next < leases_.size() && !leases_[next].expired()) ++next;
    const auto index = at == kept.end() ? next++ : at->second;
    auto& made = out->upstreams.emplace_back(compile_upstream(u, index, out->separator));
    made.lease = at == kept.end() ? std::make_shared<const number_lease>() : leases_[index].lock();
    made.discovered = place >= out->discovered_from;
    out->personal |= made.per_caller;
    out->per_client |= made.per_client;
    if (u.space) out->by_namespace.emplace(*u.space, place);
    out->by_id.emplace(u.id, place);
    out->slots = std::max(out->slots, index + 1);
  }
  out->places.assign(out->slots, snapshot::none);
  std::vector<std::string> ids(out->slots);
  for (std::size_t place = 0; place < out->upstreams.size(); ++place) {
    const auto& u = out->upstreams[place];
    out->places[u.index] = place;
    ids[u.index] = u.id;
  }
  out->policy = policy(doc.policy, ids);
  out->tenants = tenant_index(doc.tenants);
  out->doc = std::move(doc);
  follow(out);
  return out;
}

void compiler::follow(const snapshot_ptr& made_elsewhere) {
  latest_ = made_elsewhere;
  if (leases_.size() < latest_->slots) leases_.resize(latest_->slots);
  for (const auto& u : latest_->upstreams) leases_[u.index] = u.lease;
}

snapshot_ptr compile(document doc) {
  return compiler().compile(std::move(doc));
}

}  // namespace gate::config
