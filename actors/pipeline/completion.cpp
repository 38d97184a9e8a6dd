#include "actors/pipeline/completion.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/results.hpp"
#include "protocol/mcp/stateless/wrapping.hpp"

namespace gate::pipeline {
namespace {

using mcp::stateless::cache_hint;
using std::chrono::milliseconds;

/// Is it the same for everybody?
bool is_everybodys(const config::snapshot& s) {
  const auto& doc = s.doc;
  return doc.auth.mode == config::auth_mode::disabled && !doc.policy && doc.tenants.empty() &&
         !s.personal && !s.per_client;
}

/// What is made of lists holds as long as these are kept here.
milliseconds kept_for(const config::snapshot& s) {
  auto ttl = s.upstreams.empty() ? milliseconds{0} : milliseconds::max();
  for (const auto& u : s.upstreams) ttl = std::min(ttl, u.cache_ttl.value_or(milliseconds{0}));
  return std::clamp<milliseconds>(ttl, milliseconds{0}, limits::list_ttl);
}

std::optional<cache_hint> hint_for(const call& c) {
  if (c.partial) return cache_hint{};
  if (c.method->name == mcp::names::discover)
    return cache_hint{kept_for(*c.snapshot), is_everybodys(*c.snapshot)};
  if (c.method->list != mcp::list_kind::none) {
    const auto kept = kept_for(*c.snapshot);
    return cache_hint{std::min(kept, c.caching.ttl.value_or(kept)),
                      c.caching.everybodys && is_everybodys(*c.snapshot)};
  }
  // Servers that have sessions do not say how long their resources hold.
  if (c.method->name == mcp::names::read_resource) return cache_hint{};
  return {};
}

/// The result is another text now.
void give(call& c, std::string text) {
  auto kept = std::make_shared<const std::string>(std::move(text));
  c.result = *kept;
  c.keep = std::move(kept);
}

void keep_private(call& c) {
  const auto scope = json::member(c.result, "cacheScope");
  if (!json::says(scope, "public")) return;
  std::string text(c.result);
  text.replace(static_cast<std::size_t>(scope.data() - c.result.data()), scope.size(),
               R"("private")");
  give(c, std::move(text));
}

/// A stateless server's result as a client with a session reads it, values that are no objects
/// included. False: it is no complete one, which such a client would take for an empty result.
bool give_to_session(call& c) {
  if (c.method->name != mcp::names::call_tool)
    return mcp::stateless::is_complete(json::member(c.result, "resultType"));
  const mcp::stateless::tool_result found(c.result);
  if (!mcp::stateless::is_complete(found.type)) return false;
  if (auto text = mcp::stateless::wrap_result(c.result, found, c.wrapped))
    give(c, std::move(*text));
  return true;
}

}  // namespace

std::optional<refusal> complete(call& c) {
  if (!c.error.empty()) {
    auto text =
        std::make_shared<const std::string>(mcp::stateless::translate_error(c.error, c.by, c.era));
    if (text->empty()) return {};
    c.error = *text;
    c.keep = text;
    return {};
  }
  const auto unusable = [&]() -> std::optional<refusal> {
    if (c.upstream) return unavailable_upstream(c.upstream->id, no_answer::request_failed);
    return refusal{reason::internal, "the gateway's answer is not complete", {}, -1};
  };
  if (c.by == mcp::era::stateless) {
    if (c.era == mcp::era::stateless) {
      // What the server gives to everybody is not everybody's here.
      if (c.method->name == mcp::names::read_resource && !is_everybodys(*c.snapshot))
        keep_private(c);
      return {};
    }
    if (!give_to_session(c)) return unusable();
    return {};
  }
  const auto hint = hint_for(c);
  auto done = mcp::stateless::complete(c.result, c.tail, hint ? &*hint : nullptr, c.has);
  if (!done) return unusable();
  c.lead = std::move(done->lead);
  c.result = done->rest;
  return {};
}

}  // namespace gate::pipeline
