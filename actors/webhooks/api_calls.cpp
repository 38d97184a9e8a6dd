#include "actors/webhooks/api_calls.hpp"

#include <array>
#include <optional>
#include <utility>

#include "protocol/http/response_lines.hpp"
#include "protocol/limits/webhooks.hpp"
#include "protocol/webhook/changes.hpp"
#include "protocol/webhook/events.hpp"
#include "protocol/webhook/posted.hpp"
#include "protocol/webhook/queries.hpp"
#include "protocol/webhook/requests.hpp"
#include "protocol/webhook/secrets.hpp"
#include "protocol/webhook/views.hpp"

namespace gate::hooks {
namespace {

using webhook::error_code;
using webhook::listing;
using webhook::operation;

std::string_view query_of(const http_request& r) {
  const auto target = r.head->target;
  const auto at = target.find('?');
  return at == target.npos ? std::string_view{} : target.substr(at + 1);
}

webhook::checked<std::optional<std::string>> read_key(const http_request& r) {
  constexpr std::string_view name = "Idempotency-Key";
  std::optional<std::string> out;
  for (const auto& h : r.headers()) {
    if (!http::same_name(h.name, name)) continue;
    if (out)
      return webhook::api_error{error_code::validation,
                                "there is more than one Idempotency-Key header",
                                webhook::locus::header,
                                std::string(name),
                                {}};
    auto key = webhook::read_idempotency_key(h.value);
    if (!key) return key.error();
    out = std::move(*key);
  }
  return out;
}

std::string next_of(listing of, const std::optional<ledger::position>& next) {
  return next ? webhook::cursor_at(of, *next) : std::string();
}

std::string view_of(const api_call& call, const webhook::webhook& w) {
  const bool shown = webhook::row_of(call.what).with == webhook::answered::webhook_with_secret;
  return webhook::view(w, shown ? webhook::show_secret::once : webhook::show_secret::no);
}

std::string view_of(const api_call& call, const ledger::delivery_page& p, wall_time now) {
  if (call.what == operation::list_dead_letters)
    return webhook::dead_list_view(p.deliveries, next_of(listing::dead_letters, p.next), now);
  return webhook::list_view(p.deliveries, next_of(listing::deliveries, p.next));
}

std::string view_of(const api_call& call, const ledger::accepted& a) {
  return call.several ? webhook::view(std::span(a.events)) : webhook::view(a.events.front());
}

/// Which answer belongs to which call.
struct answering {
  const api_call& call;
  wall_time now;

  std::optional<std::string> operator()(const webhook::webhook& w) const {
    return view_of(call, w);
  }
  std::optional<std::string> operator()(const ledger::webhook_page& p) const {
    return webhook::list_view(p.webhooks, next_of(listing::webhooks, p.next));
  }
  std::optional<std::string> operator()(const ledger::delivery_page& p) const {
    return view_of(call, p, now);
  }
  std::optional<std::string> operator()(const ledger::whole_delivery& d) const {
    return webhook::view(d.delivery);
  }
  std::optional<std::string> operator()(const ledger::accepted& a) const {
    if (a.events.empty()) return {};
    return view_of(call, a);
  }
  std::optional<std::string> operator()(const ledger::dead_counts& c) const {
    return webhook::view(c);
  }
  std::optional<std::string> operator()(const ledger::done&) const { return std::string(); }
  template <class Other>
  std::optional<std::string> operator()(const Other&) const {
    return {};
  }
};

}  // namespace

api_calls::api_calls(webhook::calling rules, std::chrono::milliseconds first_pause,
                     random_source random)
    : rules_(std::move(rules)), first_pause_(first_pause), random_(random), ids_(random) {}

std::string api_calls::draw_secret() {
  std::array<std::uint8_t, limits::webhook_key_new> bytes{};
  random_(bytes);
  return webhook::new_secret(bytes);
}

// --- what is asked -------------------------------------------------------------------------------

webhook::checked<ledger::request> api_calls::question(api_call& call, const http_request& r,
                                                      wall_time now) {
  const auto query = query_of(r);
  const auto& row = webhook::row_of(call.what);
  if (row.query == webhook::query_kind::nothing)
    if (const auto good = webhook::read_no_query(query); !good) return good.error();
  switch (row.body) {
    case webhook::body_kind::new_webhook:
      return create(call, r.body, now);
    case webhook::body_kind::changes:
      return change(call, r.body, now);
    case webhook::body_kind::rotation:
      return rotate(call, r.body, now);
    case webhook::body_kind::events:
      return post(call, r, now);
    case webhook::body_kind::nothing:
      break;
  }
  if (const auto good = webhook::read_nothing(r.body); !good) return good.error();
  return without_body(call, query, now);
}

webhook::checked<ledger::request> api_calls::create(const api_call& call, std::string_view body,
                                                    wall_time now) {
  auto read = webhook::read_new_webhook(body, rules_);
  if (!read) return read.error();
  if (read->secret.empty()) read->secret = draw_secret();
  return ledger::request{ledger::create_webhook{webhook::make_webhook(
      std::move(*read), ids_(webhook::id_kind::webhook, now), call.organization, now)}};
}

webhook::checked<ledger::request> api_calls::change(const api_call& call, std::string_view body,
                                                    wall_time now) const {
  auto read = webhook::read_webhook_changes(body, rules_);
  if (!read) return read.error();
  return ledger::request{ledger::patch_webhook{call.organization, call.id, now, read->events,
                                               std::move(read->url), std::move(read->description),
                                               read->enabled}};
}

webhook::checked<ledger::request> api_calls::rotate(const api_call& call, std::string_view body,
                                                    wall_time now) {
  auto read = webhook::read_rotation(body);
  if (!read) return read.error();
  auto secret = *read ? std::move(**read) : draw_secret();
  return ledger::request{ledger::rotate_secret{call.organization, call.id, std::move(secret), now,
                                               now + limits::webhook_rotation}};
}

webhook::checked<ledger::request> api_calls::post(api_call& call, const http_request& r,
                                                  wall_time now) {
  auto key = read_key(r);
  if (!key) return key.error();
  auto read = webhook::read_events(r.body, now);
  if (!read) return read.error();
  call.several = read->several;
  if (*key && read->several)
    return webhook::api_error{error_code::validation,
                              "an Idempotency-Key is for one event, and not for an array",
                              webhook::locus::header, "Idempotency-Key",
                              "post each event by itself, with a key of its own"};
  ledger::accept_events out{call.organization, {}, now, now + first_pause_};
  out.events.reserve(read->events.size());
  call.events.reserve(read->events.size());
  for (auto& e : read->events) {
    // Only what has the caller's name may come again.
    auto fingerprint = *key ? webhook::fingerprint_of(e, digest_) : std::string();
    call.events.push_back(e.type);
    auto id = *key ? std::move(**key) : ids_(webhook::id_kind::event, now);
    out.events.push_back({std::move(id), e.type, e.at, std::move(e.body), std::move(fingerprint)});
  }
  return ledger::request{std::move(out)};
}

webhook::checked<ledger::request> api_calls::without_body(const api_call& call,
                                                          std::string_view query,
                                                          wall_time now) const {
  const auto& organization = call.organization;
  const auto& id = call.id;
  switch (call.what) {
    case operation::list_webhooks: {
      const auto page = webhook::read_webhooks_query(query);
      if (!page) return page.error();
      return ledger::request{ledger::list_webhooks{organization, page->before, page->limit}};
    }
    case operation::list_deliveries: {
      const auto q = webhook::read_deliveries_query(query);
      if (!q) return q.error();
      return ledger::request{
          ledger::list_deliveries{organization, id, q->status, q->part.before, q->part.limit}};
    }
    case operation::list_dead_letters: {
      const auto q = webhook::read_dead_query(query);
      if (!q) return q.error();
      return ledger::request{
          ledger::list_dead{organization, q->event, q->webhook, q->part.before, q->part.limit}};
    }
    case operation::delete_webhook:
      return ledger::request{ledger::delete_webhook{organization, id, now}};
    case operation::read_delivery:
      return ledger::request{ledger::read_delivery{organization, id}};
    case operation::retry_dead_letters:
      if (webhook::is_id(webhook::id_kind::webhook, id)) break;
      return ledger::request{ledger::read_delivery{organization, id}};
    case operation::retry_delivery:
      return ledger::request{ledger::retry_delivery{organization, id, now}};
    case operation::dead_letter_stats:
      return ledger::request{ledger::dead_stats{organization, now}};
    case operation::delete_dead_letter:
      return ledger::request{ledger::delete_dead{organization, id}};
    default:
      break;
  }
  return ledger::request{ledger::read_webhook{organization, id}};
}

webhook::event api_calls::trial_of(const webhook::webhook& w, wall_time now) {
  webhook::event out;
  out.id = ids_(webhook::id_kind::event, now);
  out.organization = w.organization;
  for (std::size_t i = webhook::event_names.size(); i-- > 0;)
    if (webhook::wants(w.events, static_cast<webhook::event_type>(i)))
      out.type = static_cast<webhook::event_type>(i);
  out.at = now;
  out.body = webhook::event_body(out.type, now, R"({"test":true})");
  return out;
}

// --- what is answered ----------------------------------------------------------------------------

api_answer answer_of(const api_call& call, const ledger::answer& said, wall_time now) {
  if (const auto* no = std::get_if<ledger::refusal>(&said)) return refused(*no);
  auto body = std::visit(answering{call, now}, said);
  if (!body)
    return refused(plain(error_code::internal, "the store said what nobody has asked for"));
  const auto& row = webhook::row_of(call.what);
  if (body->empty()) return {row.status, {}, {}, {}};
  const bool secret = row.with == webhook::answered::webhook_with_secret;
  return {row.status, std::move(*body), std::string(secret ? http::no_store : "")};
}

std::vector<due_told> api_calls::due_after(const api_call& call, const ledger::answer& said,
                                           wall_time now) const {
  std::vector<due_told> out;
  if (const auto* a = std::get_if<ledger::accepted>(&said))
    for (const auto& id : a->webhooks) out.push_back({id, call.organization, now + first_pause_});
  if (const auto* r = std::get_if<ledger::requeued>(&said))
    if (!r->deliveries.empty()) out.push_back({r->webhook, call.organization, now});
  if (const auto* w = std::get_if<webhook::webhook>(&said))
    // One that was enabled may have something; DISPATCH finds out.
    if (call.what == operation::change_webhook && w->why_not == webhook::disabled::no)
      out.push_back({w->id, call.organization, now});
  return out;
}

}  // namespace gate::hooks
