#include "transport/ledger/rules.hpp"

namespace gate::ledger::rules {
namespace {

using webhook::disabled;
using webhook::state;

/// Sizes of the enumerators that the tables and the counters have.
static_assert(static_cast<std::size_t>(state::dead) == 4);
static_assert(static_cast<std::size_t>(webhook::event_type::usage_threshold) == 4);

refusal invalid(std::string what) {
  return {refusal::reason::invalid, std::move(what)};
}

}  // namespace

std::optional<refusal> wrong(const accept_events& r) {
  if (!r.events.empty() && r.events.size() <= limits::ledger_events) return {};
  return invalid("a request has 1 to " + std::to_string(limits::ledger_events) + " events");
}

std::optional<refusal> wrong(const disable_webhook& r) {
  if (r.why != disabled::no) return {};
  return invalid("there is no reason to disable " + r.id);
}

std::optional<refusal> wrong(const take_due& r) {
  if (!r.lease.empty() && r.until > r.now && r.until <= r.now + limits::ledger_lease) return {};
  return invalid("a lease has a token, and ends later, but not after " +
                 std::to_string(limits::ledger_lease.count()) + " s");
}

std::optional<refusal> wrong(const note_attempt& r) {
  const bool ends = r.status == state::succeeded || r.status == state::dead;
  if (ends || (r.status == state::failed && r.next)) return {};
  return invalid("an attempt succeeds, fails until a next time, or was the last");
}

refusal no_such(std::string_view what, const std::string& id) {
  return {refusal::reason::not_found, "there is no " + std::string(what) + " " + id};
}

refusal another_event(const std::string& id) {
  return {refusal::reason::conflict, "there is another event with the id " + id};
}

refusal too_many_webhooks() {
  return {refusal::reason::too_many, "an organization has at most " +
                                         std::to_string(limits::ledger_webhooks) +
                                         " webhooks; delete one"};
}

refusal lease_is_over(const std::string& delivery) {
  return {refusal::reason::lease_lost,
          "the lease on " + delivery + " is over: somebody else may have made it"};
}

std::optional<refusal> not_tried_again(const std::string& delivery, state s) {
  if (s != state::succeeded && s != state::delivering) return {};
  return refusal{refusal::reason::conflict,
                 delivery + (s == state::succeeded ? " has succeeded" : " is being delivered")};
}

bool same_event(const new_event& e, webhook::event_type type, std::string_view body,
                std::string_view fingerprint) {
  return type == e.type && fingerprint == e.fingerprint &&
         (!e.fingerprint.empty() || body == e.body);
}

void patch(webhook::webhook& w, const patch_webhook& by) {
  if (by.events) w.events = *by.events;
  if (by.url) w.url = *by.url;
  if (by.description) w.description = *by.description;
  // Whoever enables it has looked after it: what it failed before does not count any more.
  if (by.enabled && *by.enabled) {
    if (w.why_not != disabled::no) w.failing_since.reset();
    w.why_not = disabled::no;
  } else if (by.enabled) {
    w.why_not = disabled::manual;
  }
  w.updated = by.now;
}

void add(dead_counts& to, std::size_t type, std::size_t age, std::uint64_t n, wall_time oldest) {
  to.total += n;
  if (type < to.by_event.size()) to.by_event[type] += n;
  if (age < to.by_age.size()) to.by_age[age] += n;
  to.oldest = std::min(to.oldest.value_or(oldest), oldest);
}

}  // namespace gate::ledger::rules
