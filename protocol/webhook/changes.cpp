#include "protocol/webhook/changes.hpp"

#include <utility>

#include "protocol/limits/webhooks.hpp"

namespace gate::webhook {

webhook make_webhook(new_webhook from, std::string id, std::string organization, wall_time now) {
  webhook out;
  out.id = std::move(id);
  out.organization = std::move(organization);
  out.events = from.events;
  out.url = std::move(from.url);
  out.description = std::move(from.description);
  out.secret = std::move(from.secret);
  out.why_not = from.enabled ? disabled::no : disabled::manual;
  out.created = out.updated = now;
  return out;
}

void apply(webhook& to, const webhook_changes& changes, wall_time now) {
  to.events = changes.events.value_or(to.events);
  to.url = changes.url.value_or(to.url);
  to.description = changes.description.value_or(to.description);
  to.updated = now;
  if (!changes.enabled) return;
  if (!*changes.enabled) {
    if (to.why_not == disabled::no) to.why_not = disabled::manual;
  } else if (to.why_not != disabled::no) {
    to.why_not = disabled::no;
    to.failing_since.reset();
  }
}

void rotate(webhook& of, std::string secret, wall_time now) {
  if (of.secret == secret) return;
  of.old_secret = std::exchange(of.secret, std::move(secret));
  of.old_secret_until = of.old_secret.empty() ? wall_time{} : now + limits::webhook_rotation;
  of.updated = now;
}

}  // namespace gate::webhook
