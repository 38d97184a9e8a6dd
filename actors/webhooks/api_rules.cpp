#include "actors/webhooks/api_rules.hpp"

#include <utility>

#include "protocol/http/ascii.hpp"
#include "protocol/http/bearer.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/mcp/http_rules.hpp"

namespace gate::hooks {
namespace {

using webhook::error_code;
using webhook::locus;

judged no(api_answer why) {
  return {judged::kind::refused, std::move(why)};
}
judged no(const webhook::api_error& why, std::string headers = {}) {
  return no(refused(why, std::move(headers)));
}

webhook::api_error of_header(error_code code, std::string sentence, std::string name) {
  return {code, std::move(sentence), locus::header, std::move(name), {}};
}

error_code code_of(reason why) {
  switch (why) {
    case reason::timeout:
      return error_code::timeout;
    case reason::forbidden_host:
    case reason::forbidden_origin:
      return error_code::forbidden;
    case reason::body_too_large:
      return error_code::too_large;
    case reason::overloaded:
      return error_code::unavailable;
    default:
      return error_code::validation;
  }
}

webhook::api_error too_large(std::size_t most) {
  return plain(error_code::too_large, "the body is longer than " + std::to_string(most) + " bytes");
}

bool is_empty_body(const http_request& r) {
  return !r.body_follows && r.body.find_first_not_of(" \t\r\n") == std::string::npos;
}

/// Of the body, as far as the header tells.
std::optional<webhook::api_error> check_body(const http_request& r, const webhook::route& row) {
  const auto most = row.body == webhook::body_kind::events ? limits::hooks_request_bytes
                                                           : limits::hooks_body_bytes;
  const auto announced = r.body_follows ? http::announced_body(*r.head).value_or(0) : 0;
  if (announced > most || r.body.size() > most) return too_large(most);
  if (is_empty_body(r) || r.head->sends_json) return {};
  return of_header(error_code::media_type, "Content-Type must be application/json", "Content-Type");
}

}  // namespace

api_rules::api_rules(api_front front) : front_(std::move(front)), rates_(front_.who.size()) {}

/// The words of gate-stdio name no setting that this program has not.
std::optional<api_answer> api_rules::check_arrival(const http_request& r) const {
  const auto* hosts = front_.any_host ? nullptr : &front_.hosts;
  const auto wrong = mcp::check_arrival(*r.head, r.flaw, hosts, mcp::program::gate_stdio);
  if (!wrong) return {};
  const auto code = code_of(wrong->why);
  auto out = refused(code == error_code::too_large ? too_large(limits::hooks_request_bytes)
                                                   : plain(code, wrong->message),
                     wrong->headers);
  // A request that broke the framing leaves nothing to go on with.
  out.close = r.flaw != http::defect::none;
  return out;
}

webhook::checked<const webhook::caller*> api_rules::identify(const http_request& r) const {
  if (!front_.who.asks_for_token()) return front_.who.find({});
  const auto shown = http::read_bearer(r.headers());
  if (shown.twice)
    return of_header(error_code::validation, "there is more than one Authorization header",
                     "Authorization");
  const auto token = http::trim(shown.token);
  if (token.empty())
    return of_header(error_code::auth_required,
                     "a token is required: Authorization: Bearer <token>", "Authorization");
  if (const auto* who = front_.who.find(token)) return who;
  return of_header(error_code::auth_invalid, "this token is nobody's", "Authorization");
}

judged api_rules::judge(const http_request& r, bool again, call_rates::time_point now) {
  if (auto wrong = check_arrival(r)) return no(std::move(*wrong));
  const auto found = webhook::find_route(r.method(), r.path());
  if (found && found->row->of_caller == webhook::needs::nobody)
    return {judged::kind::call, {}, found->row};
  const auto who = identify(r);
  if (!who) return no(who.error());
  if (!found) return no(found.error().why, found.error().headers);
  const auto& row = *found->row;
  if (row.of_caller == webhook::needs::admin && !(*who)->admin)
    return no(plain(error_code::forbidden, "this token may read and post events, and nothing else",
                    "use a token of an organization with admin rights"));
  const bool events = row.id == webhook::operation::post_events;
  if (!again)
    if (const auto wait = rates_.take((*who)->number, events, now))
      return no(plain(error_code::rate_limited, "too many requests of this organization"),
                http::retry_after(*wait));
  if (!r.head->contradiction.empty())
    return no(of_header(error_code::validation,
                        "two different values of " + std::string(r.head->contradiction),
                        std::string(r.head->contradiction)));
  if (const auto wrong = check_body(r, row)) return no(*wrong);
  return {r.body_follows ? judged::kind::body : judged::kind::call,
          {},
          &row,
          *who,
          std::string(found->id)};
}

}  // namespace gate::hooks
