#include "actors/kubernetes/publication.hpp"

#include <algorithm>
#include <utility>

#include "protocol/audit/event.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/http/bearer.hpp"
#include "protocol/http/media.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/http/verbs.hpp"
#include "protocol/mcp/http_rules.hpp"
#include "protocol/refusals.hpp"

namespace gate::kubernetes {
namespace {

answer no(int status, std::string_view why, std::string headers = {}) {
  return {status, http::json_type, std::move(headers), {}, mcp::plain_refusal(why)};
}

std::string hexadecimal(const sha256_digest& of) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const auto byte : of) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

/// If-None-Match (RFC 9110 §13.1.2), of all such headers. What is between our quotes is
/// hexadecimal, so it can not be a part of something else; a weak tag matches as well.
bool has(std::span<const http::header> headers, std::string_view tag) {
  return std::ranges::any_of(headers, [&](const http::header& h) {
    return http::same_text(h.name, "if-none-match") &&
           (http::trim(h.value) == "*" || h.value.find(tag) != std::string_view::npos);
  });
}

}  // namespace

bool publication::publish(std::string text, std::size_t upstreams, std::size_t left_out,
                          moment now) {
  left_out_ = left_out;
  if (std::exchange(complete_, true) && text == text_) return false;
  text_ = std::move(text);
  tag_ = '"' + hexadecimal(digest_(text_)) + '"';
  upstreams_ = upstreams;
  changed_ = now;
  return true;
}

void publication::touched() {
  lost_since_.reset();
}

void publication::lost(moment now) {
  if (!lost_since_) lost_since_ = now;
}

void publication::listed(moment now) {
  if (lost_since_) lost_since_ = now;
}

answer publication::answer_to(const http_request& r) const {
  const auto* hosts = front_.any_host ? nullptr : &front_.hosts;
  // The words of gate-stdio name no setting that this program has not.
  if (const auto wrong = mcp::check_arrival(*r.head, r.flaw, hosts, mcp::program::gate_stdio)) {
    auto out = no(row(wrong->why).http_status, wrong->message, wrong->headers);
    // A request that broke the framing leaves nothing to go on with.
    out.close = r.flaw != http::defect::none;
    return out;
  }
  const auto path = r.path();
  const bool of_health = path == "/healthz" || path == "/health";
  const bool of_metrics = path == "/metrics";
  if (!of_health && !of_metrics && front_.who.asks_for_token()) {
    const auto shown = http::read_bearer(r.headers());
    if (shown.twice || !front_.who.find(http::trim(shown.token)))
      return no(401, "a token is required: Authorization: Bearer <token>",
                "WWW-Authenticate: Bearer\r\n");
  }
  static constexpr http::verbs known{verb::get};
  if (!known.contains(r.method())) return no(405, known.hint(), known.allow());
  if (of_metrics) return {.type = http::metrics_type, .of_metrics = true};
  return of_health ? health() : document(r);
}

answer publication::health() const {
  std::string body;
  if (!complete_) {
    body = R"({"status":"starting")";
  } else {
    body = lost_since_ ? R"({"status":"stale")" : R"({"status":"ok")";
    body += R"(,"upstreams":)" + std::to_string(upstreams_) + R"(,"leftOut":)" +
            std::to_string(left_out_) + R"(,"changed":")" + audit::rfc3339(changed_) + '"';
  }
  if (lost_since_) body += R"(,"since":")" + audit::rfc3339(*lost_since_) + '"';
  body += "}\n";
  std::string headers(http::no_store);
  if (!complete_) headers += http::retry_soon;
  return {complete_ ? 200 : 503, http::json_type, std::move(headers), {}, std::move(body)};
}

answer publication::document(const http_request& r) const {
  if (!complete_)
    return no(503, "the Services of the cluster are not known yet", std::string(http::retry_soon));
  auto headers = "ETag: " + tag_ + "\r\nCache-Control: no-cache\r\n";
  if (has(r.headers(), tag_)) return {304, {}, std::move(headers)};
  return {200, http::json_type, std::move(headers), text_};
}

}  // namespace gate::kubernetes
