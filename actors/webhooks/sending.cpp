#include "actors/webhooks/sending.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits/webhooks.hpp"
#include "protocol/webhook/signature.hpp"

namespace gate::hooks {

using webhook::ending;

namespace {

ending ending_of(obstacle o) {
  switch (o) {
    case obstacle::unresolved:
      return ending::unresolved;
    case obstacle::forbidden:
      return ending::forbidden;
    case obstacle::tls:
      return ending::tls;
    case obstacle::unreachable:
    case obstacle::none:
      break;
  }
  return ending::refused;
}

}  // namespace

result<std::shared_ptr<const destination>> destination_of(const webhook::webhook& w,
                                                          const sending_rules& rules) {
  auto url = webhook::read_callable(w.url, rules.calling);
  if (!url) return url.error();
  auto out = std::make_shared<destination>();
  out->url = std::move(*url);
  out->connect_timeout = std::min<std::chrono::milliseconds>(limits::webhook_connect, rules.answer);
  out->max_response_bytes = limits::webhook_answer_read;
  out->redirects = false;
  out->idle_in_all = limits::webhook_idle;
  out->share = w.organization;
  out->whom = webhook::callable_peers(rules.calling);
  return {boost::system::in_place_value, std::move(out)};
}

fetch_ptr attempt_fetch(std::uint64_t id, std::shared_ptr<const destination> to,
                        const webhook::webhook& by, const webhook::event& event,
                        std::string_view delivery, std::uint32_t number, webhook::wall_time now) {
  auto out = std::make_shared<fetch>();
  out->id = id;
  out->to = std::move(to);
  out->method = verb::post;
  out->headers = std::make_shared<const std::string>(
      webhook::header_lines(by, {event.id, delivery, number}, now, event.body));
  out->before = event.body;
  // It may come twice anyway, if an answer is lost.
  out->repeatable = true;
  return out;
}

webhook::outcome outcome_of(const fetched& f, webhook::wall_time now) {
  switch (f.end) {
    case fetch_end::complete:
    case fetch_end::redirected:
    case fetch_end::too_large:  // (Its beginning is enough.)
      return webhook::of_answer(f.status, f.retry_after_text, now);
    case fetch_end::connect_failed:
      return webhook::of_failure(ending_of(f.obstacle), f.why);
    case fetch_end::connect_timeout:
      return webhook::of_failure(ending::timeout, f.why);
    case fetch_end::overloaded:
      return webhook::of_failure(ending::refused, f.why);
    case fetch_end::malformed:
      return webhook::of_failure(ending::malformed, f.why);
    case fetch_end::broken:
      break;
  }
  return webhook::of_failure(ending::cut, f.why);
}

webhook::outcome late(std::chrono::milliseconds answer) {
  return webhook::of_failure(ending::timeout, "it had " + std::to_string(answer.count()) + " ms");
}

webhook::outcome endless() {
  return webhook::of_failure(ending::malformed, "it is an event stream");
}

std::string kept_of(const fetched& f) {
  if (!f.body) return {};
  return std::string(webhook::cut_off(*f.body, limits::webhook_answer_bytes));
}

}  // namespace gate::hooks
