#include "protocol/webhook/views.hpp"

#include <algorithm>
#include <bit>

#include "protocol/limits/webhooks.hpp"
#include "protocol/webhook/events.hpp"
#include "protocol/webhook/secrets.hpp"
#include "protocol/webhook/states.hpp"
#include "protocol/webhook/writer.hpp"

namespace gate::webhook {
namespace {

constexpr std::array<std::string_view, dead_counts::ages> age_names{"1h", "24h", "7d", "older"};

void append_events(object_writer& w, event_mask events) {
  const auto names = names_of(events);
  if (std::popcount(events) == 1) return w.text("event", names.front());
  append_list(w, "events", names,
              [](std::string_view name, std::string& out) { json::append_quoted(out, name); });
}

void append_stats(object_writer& of, const webhook& w) {
  object_writer stats(of.key("stats"));
  stats.number("succeeded", w.succeeded);
  stats.number("failed", w.failed);
  if (w.last_status != 0)
    stats.number("last_status", w.last_status);
  else
    stats.key("last_status") += "null";
  if (w.last_at)
    stats.moment("last_at", *w.last_at);
  else
    stats.key("last_at") += "null";
  stats.end();
}

void append_webhook(std::string& out, const webhook& hook, show_secret secret) {
  object_writer w(out);
  w.text("id", hook.id);
  append_events(w, hook.events);
  w.text("url", hook.url);
  w.flag("enabled", hook.why_not == disabled::no);
  if (!hook.description.empty()) w.text("description", hook.description);
  w.moment("created_at", hook.created);
  w.moment("updated_at", hook.updated);
  if (hook.why_not != disabled::no) w.text("disabled_reason", name_of(hook.why_not));
  if (!hook.secret.empty()) {
    if (secret == show_secret::once) w.text("secret", hook.secret);
    w.text("secret_hint", hint_of(hook.secret));
  }
  append_stats(w, hook);
  w.end();
}

void append_attempt(std::string& out, const attempt& a) {
  object_writer w(out);
  w.moment("at", a.at);
  w.number("duration_ms", a.took.count());
  if (a.code != 0) w.number("code", a.code);
  if (!a.error.empty()) w.text("error", a.error);
  w.end();
}

void append_members(object_writer& w, const delivery& d) {
  w.text("id", d.id);
  w.text("webhook_id", d.webhook);
  w.text("event_id", d.event);
  w.text("event_type", name_of(d.type));
  w.text("status", name_of(d.status));
  w.number("attempts", d.attempts);
  if (d.code != 0) {
    w.number("response_code", d.code);
    w.text("response_body", cut_off(d.answer, limits::webhook_answer_bytes));
  }
  if (!d.error.empty()) w.text("error", d.error);
  w.moment("next_attempt_at", d.next_attempt);
  w.moment("created_at", d.created);
  const bool over = d.status == state::succeeded || d.status == state::dead;
  if (over) w.moment("finished_at", d.finished);
}

void append_dead(std::string& out, const delivery& d, wall_time now) {
  const auto since = d.finished.value_or(d.last_failed.value_or(d.created));
  const auto age = std::chrono::floor<std::chrono::seconds>(now - since).count();
  object_writer w(out);
  append_members(w, d);
  w.moment("first_failed_at", d.first_failed);
  w.moment("last_failed_at", d.last_failed);
  w.number("age_seconds", std::max<std::int64_t>(age, 0));
  w.end();
}

void append_accepted(std::string& out, const accepted_event& a) {
  object_writer w(out);
  w.text("id", a.id);
  w.number("deliveries", a.deliveries);
  w.end();
}

/// `{"name":[…],"next":…}`
template <class Range, class Write>
std::string list_of(std::string_view name, const Range& elements, std::string_view next,
                    Write&& write) {
  std::string out;
  object_writer w(out);
  append_list(w, name, elements, write);
  if (!next.empty()) w.text("next", next);
  w.end();
  return out;
}

}  // namespace

std::string view(const webhook& w, show_secret secret) {
  std::string out;
  append_webhook(out, w, secret);
  return out;
}

std::string view(const accepted_event& one) {
  std::string out;
  append_accepted(out, one);
  return out;
}

std::string view(std::span<const accepted_event> several) {
  std::string out = "[";
  for (const auto& one : several) {
    if (&one != several.data()) out += ',';
    append_accepted(out, one);
  }
  return out += ']';
}

std::string view(const delivery& d) {
  std::string out;
  object_writer w(out);
  append_members(w, d);
  append_list(w, "attempt_log", d.log,
              [](const attempt& a, std::string& to) { append_attempt(to, a); });
  w.end();
  return out;
}

std::string dead_view(const delivery& d, wall_time now) {
  std::string out;
  append_dead(out, d, now);
  return out;
}

std::string list_view(std::span<const webhook> webhooks, std::string_view next) {
  return list_of("webhooks", webhooks, next, [](const webhook& w, std::string& out) {
    append_webhook(out, w, show_secret::no);
  });
}

std::string list_view(std::span<const delivery> deliveries, std::string_view next) {
  return list_of("deliveries", deliveries, next, [](const delivery& d, std::string& out) {
    object_writer w(out);
    append_members(w, d);
    w.end();
  });
}

std::string dead_list_view(std::span<const delivery> dead, std::string_view next, wall_time now) {
  return list_of("entries", dead, next,
                 [now](const delivery& d, std::string& out) { append_dead(out, d, now); });
}

std::string view(const dead_counts& c) {
  std::string out;
  object_writer w(out);
  w.number("total", c.total);
  object_writer events(w.key("by_event"));
  for (std::size_t i = 0; i < event_names.size(); ++i) events.number(event_names[i], c.by_event[i]);
  events.end();
  object_writer ages(w.key("by_age"));
  for (std::size_t i = 0; i < age_names.size(); ++i) ages.number(age_names[i], c.by_age[i]);
  ages.end();
  if (c.oldest)
    w.moment("oldest_at", *c.oldest);
  else
    w.key("oldest_at") += "null";
  w.end();
  return out;
}

std::string view(const retried& r) {
  std::string out;
  object_writer w(out);
  w.number("retried", r.requeued);
  w.number("succeeded", r.succeeded);
  w.number("failed", r.failed);
  w.end();
  return out;
}

std::string test_view(const outcome& o) {
  std::string out;
  object_writer w(out);
  w.flag("success", o.succeeded());
  if (o.code != 0) {
    w.number("status", o.code);
    w.text("status_text", status_text(o.code));
  } else {
    w.text("error", o.error);
  }
  w.end();
  return out;
}

}  // namespace gate::webhook
