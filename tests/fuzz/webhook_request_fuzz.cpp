// What callers of gate-hooks say, in bodies, queries and headers: what is taken is within its
// bounds, and what is refused is told in JSON.
#include <string>

#include "protocol/json/scan.hpp"
#include "protocol/limits/webhooks.hpp"
#include "protocol/webhook/callable.hpp"
#include "protocol/webhook/events.hpp"
#include "protocol/webhook/posted.hpp"
#include "protocol/webhook/queries.hpp"
#include "protocol/webhook/requests.hpp"
#include "protocol/webhook/secrets.hpp"
#include "protocol/webhook/times.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

const webhook::calling rules;
const webhook::wall_time now{std::chrono::milliseconds{1'700'000'000'123}};

/// True: it was taken.
template <class T>
bool taken(const webhook::checked<T>& read) {
  if (read) return true;
  const auto& e = read.error();
  require(e.code == webhook::error_code::validation, "another code");
  require(!e.error.empty() && e.error.size() < 1000, "a sentence that is none");
  require(json::validate(webhook::render(e)) == json::fault::none, "an error that is not JSON");
  return false;
}

void callable(std::string_view text) {
  const auto url = webhook::read_callable(text, rules);
  if (!url) return;
  require(url->tls && url->port != 0, "not https");
  require(!url->loopback() && !url->host.ends_with('.'), "a host of this machine");
  if (const auto v4 = http::read_ipv4(url->host))
    require(http::reach_of(*v4) == http::reach::anybody, "an IPv4 address that is not public");
  if (const auto v6 = http::read_ipv6(url->host))
    require(http::reach_of(*v6) == http::reach::anybody, "an IPv6 address that is not public");
  require(http::parse_url("https://" + url->authority() + url->target).has_value(),
          "a URL that can not be written");
}

void changes(std::string_view body) {
  if (const auto w = webhook::read_new_webhook(body, rules); taken(w)) {
    require(w->events != 0 && (w->events & ~webhook::every_event) == 0, "no events");
    require(webhook::read_callable(w->url, rules).has_value(), "a URL that is not callable");
    require(w->secret.empty() || webhook::check_secret(w->secret), "a weak secret");
    require(w->description.size() <= limits::webhook_description_bytes, "a long description");
    require((w->url + w->secret + w->description).find('\0') == std::string::npos, "U+0000");
  }
  if (const auto c = webhook::read_webhook_changes(body, rules); taken(c)) {
    require(c->events || c->url || c->description || c->enabled, "no changes");
    require(!c->events || *c->events != 0, "no events");
  }
  if (const auto r = webhook::read_rotation(body); taken(r))
    require(!*r || webhook::check_secret(**r), "a weak secret");
  taken(webhook::read_nothing(body));
}

void events(std::string_view body) {
  const auto read = webhook::read_events(body, now);
  if (!taken(read)) return;
  const sha256 digest;
  require(!read->events.empty() && read->events.size() <= limits::webhook_batch, "their number");
  require(read->several || read->events.size() == 1, "several of one");
  for (const auto& one : read->events) {
    require(one.body.size() < limits::webhook_body_bytes, "an event is too long");
    require(json::validate(one.body) == json::fault::none, "an event is not JSON");
    const auto data = json::member(one.body, "data");
    require(body.find(data) != body.npos, "data is not what was posted");
    require(webhook::event_body(one.type, one.at, data) == one.body, "another body");
    require(one.timed || one.at == now, "another time");
    const auto fingerprint = webhook::fingerprint_of(one, digest);
    require(fingerprint.empty() == one.timed, "which of body and fingerprint counts");
  }
}

void queries(std::string_view query) {
  const auto within = [](const webhook::page& p) {
    require(p.limit >= 1 && p.limit <= limits::webhook_page_most, "a limit out of bounds");
  };
  if (const auto q = webhook::read_webhooks_query(query); taken(q)) within(*q);
  if (const auto q = webhook::read_deliveries_query(query); taken(q)) within(q->part);
  if (const auto q = webhook::read_dead_query(query); taken(q)) {
    within(q->part);
    require(q->webhook.empty() || webhook::is_id(webhook::id_kind::webhook, q->webhook), "no id");
  }
  taken(webhook::read_no_query(query));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  callable(text);
  changes(text);
  events(text);
  queries(text);
  if (const auto key = webhook::read_idempotency_key(text); taken(key))
    require(key->find_first_of(".\r\n") == std::string::npos, "a key that is no id");
  static_cast<void>(webhook::read_time(text));
  return 0;
}
