#pragma once
/// ROUTES: the calls of the API of `gate-hooks`, a row each, and what each of them needs. The API
/// judges requests by it, openapi.hpp describes it. Pure.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/http/verbs.hpp"
#include "protocol/webhook/errors.hpp"

namespace gate::webhook {

enum class operation : std::uint8_t {
  create_webhook,
  list_webhooks,
  read_webhook,
  change_webhook,
  delete_webhook,
  test_webhook,
  rotate_secret,
  list_deliveries,
  read_delivery,
  retry_delivery,
  post_events,
  dead_letter_stats,
  list_dead_letters,
  retry_dead_letters,
  delete_dead_letter,
  health,
  metrics,
  openapi,
  console,
};

/// Who may call it. Whoever may read may post events, too.
enum class needs : std::uint8_t { nobody, caller, admin };
/// What its body is, of JSON (requests.hpp, posted.hpp).
enum class body_kind : std::uint8_t { nothing, new_webhook, changes, rotation, events };
/// What its query may have (queries.hpp).
enum class query_kind : std::uint8_t { nothing, webhooks, deliveries, dead_letters };
/// What stands for `{…}` in its path.
enum class path_id : std::uint8_t { none, webhook, delivery, webhook_or_delivery };
/// What it answers if all is well (views.hpp).
enum class answered : std::uint8_t {
  nothing,
  webhook,
  webhook_with_secret,
  webhooks,
  tried,
  delivery,
  deliveries,
  accepted,
  dead_stats,
  dead_letters,
  retried,
  health,
  metrics,
  document,
  page,
};

struct route {
  operation id;
  std::string_view name;  ///< of the operation, for whoever makes a client of the description
  verb method;
  std::string_view path;  ///< `{id}` is one segment
  path_id of_path;
  needs of_caller;
  query_kind query;
  body_kind body;
  int status;  ///< of a success
  answered with;
  std::string_view meaning;
};

/// In this order paths are compared: what is spelled out comes before what an id may be.
inline constexpr std::array routes{
    // clang-format off
    route{operation::create_webhook,     "createWebhook",    verb::post,  "/webhooks",                               path_id::none,                needs::admin,  query_kind::nothing,      body_kind::new_webhook, 201, answered::webhook_with_secret, "Make a webhook. Its secret is shown in this answer only; without one, one is made."},
    route{operation::list_webhooks,      "listWebhooks",     verb::get,   "/webhooks",                               path_id::none,                needs::caller, query_kind::webhooks,     body_kind::nothing,     200, answered::webhooks,            "The webhooks of the organization, newest first."},
    route{operation::read_webhook,       "readWebhook",      verb::get,   "/webhooks/{id}",                          path_id::webhook,             needs::caller, query_kind::nothing,      body_kind::nothing,     200, answered::webhook,             "One webhook."},
    route{operation::change_webhook,     "changeWebhook",    verb::patch, "/webhooks/{id}",                          path_id::webhook,             needs::admin,  query_kind::nothing,      body_kind::changes,     200, answered::webhook,             "Change a webhook. What is not given stays as it is."},
    route{operation::delete_webhook,     "deleteWebhook",    verb::del,   "/webhooks/{id}",                          path_id::webhook,             needs::admin,  query_kind::nothing,      body_kind::nothing,     204, answered::nothing,             "Delete a webhook, with its deliveries."},
    route{operation::test_webhook,       "testWebhook",      verb::post,  "/webhooks/{id}/test",                     path_id::webhook,             needs::admin,  query_kind::nothing,      body_kind::nothing,     200, answered::tried,               "Send a signed event to the receiver, once. It is not kept, and not a delivery."},
    route{operation::rotate_secret,      "rotateSecret",     verb::post,  "/webhooks/{id}/rotate",                   path_id::webhook,             needs::admin,  query_kind::nothing,      body_kind::rotation,    200, answered::webhook_with_secret, "Sign by another secret from now on; without one, one is made. The one before signs as well for a day."},
    route{operation::list_deliveries,    "listDeliveries",   verb::get,   "/webhooks/{id}/deliveries",               path_id::webhook,             needs::caller, query_kind::deliveries,   body_kind::nothing,     200, answered::deliveries,          "The deliveries of a webhook, newest first."},
    route{operation::read_delivery,      "readDelivery",     verb::get,   "/deliveries/{id}",                        path_id::delivery,            needs::caller, query_kind::nothing,      body_kind::nothing,     200, answered::delivery,            "One delivery, with its attempts."},
    route{operation::retry_delivery,     "retryDelivery",    verb::post,  "/deliveries/{id}/retry",                  path_id::delivery,            needs::admin,  query_kind::nothing,      body_kind::nothing,     200, answered::delivery,            "Make a delivery due at once, unless it has succeeded or is being made."},
    route{operation::post_events,        "postEvents",       verb::post,  "/events",                                 path_id::none,                needs::caller, query_kind::nothing,      body_kind::events,      202, answered::accepted,            "Post one event, or an array of events that are accepted together or not at all. What is accepted is on disk."},
    route{operation::dead_letter_stats,  "deadLetterStats",  verb::get,   "/webhook-deliveries/dlq/stats",           path_id::none,                needs::caller, query_kind::nothing,      body_kind::nothing,     200, answered::dead_stats,          "What lies in the dead-letter queue, by event and by age."},
    route{operation::list_dead_letters,  "listDeadLetters",  verb::get,   "/webhook-deliveries/dlq",                 path_id::none,                needs::caller, query_kind::dead_letters, body_kind::nothing,     200, answered::dead_letters,        "The dead-letter queue, newest first."},
    route{operation::retry_dead_letters, "retryDeadLetters", verb::post,  "/webhook-deliveries/dlq/{webhook_id}/retry", path_id::webhook_or_delivery, needs::admin, query_kind::nothing,   body_kind::nothing,     200, answered::retried,             "Attempt all dead letters of a webhook again, or one of them by its own id, and wait for what becomes of them."},
    route{operation::delete_dead_letter, "deleteDeadLetter", verb::del,   "/webhook-deliveries/dlq/{id}",            path_id::delivery,            needs::admin,  query_kind::nothing,      body_kind::nothing,     204, answered::nothing,             "Take an entry out of the dead-letter queue for good."},
    route{operation::health,             "health",           verb::get,   "/health",                                 path_id::none,                needs::nobody, query_kind::nothing,      body_kind::nothing,     200, answered::health,              "Whether the store answers."},
    route{operation::metrics,            "metrics",          verb::get,   "/metrics",                                path_id::none,                needs::nobody, query_kind::nothing,      body_kind::nothing,     200, answered::metrics,             "Metrics in the text exposition format."},
    route{operation::openapi,            "openapi",          verb::get,   "/openapi.json",                           path_id::none,                needs::nobody, query_kind::nothing,      body_kind::nothing,     200, answered::document,            "This document."},
    route{operation::console,            "console",          verb::get,   "/console",                                path_id::none,                needs::nobody, query_kind::nothing,      body_kind::nothing,     200, answered::page,                "The page for operators, and its files below it."},
    // clang-format on
};
constexpr const route& row_of(operation o) noexcept {
  return routes[static_cast<std::size_t>(o)];
}
static_assert([] {
  for (std::size_t i = 0; i < routes.size(); ++i)
    if (routes[i].id != static_cast<operation>(i)) return false;
  return routes.size() == static_cast<std::size_t>(operation::console) + 1;
}());

/// Where a request leads.
struct found_route {
  const route* row = nullptr;
  std::string_view id;  ///< of its path; empty without one
};
/// `path` without its query. 404: no such path, or what stands for an id is none (nobody has to
/// look for it); 405: the path has other methods, which are in `headers`.
struct no_route {
  api_error why;
  std::string headers;  ///< `Allow: …` CRLF, or empty
};
boost::system::result<found_route, no_route> find_route(verb method, std::string_view path);
[[noreturn]] inline void throw_exception_from_error(const no_route& e,
                                                    const boost::source_location&) {
  throw std::runtime_error(e.why.error);
}

}  // namespace gate::webhook
