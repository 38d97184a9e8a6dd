#include "actors/webhooks/api_answer.hpp"

#include "protocol/http/response_lines.hpp"

namespace gate::hooks {

using webhook::error_code;

webhook::api_error plain(error_code code, std::string_view what, std::string_view hint) {
  return {code, std::string(what), webhook::locus::nowhere, {}, std::string(hint)};
}

api_answer refused(const webhook::api_error& why, std::string headers) {
  if (why.code == error_code::auth_required) headers += "WWW-Authenticate: Bearer\r\n";
  if (why.code == error_code::auth_invalid)
    headers += "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n";
  return {webhook::row_of(why.code).status, webhook::render(why), std::move(headers)};
}

api_answer busy(std::string_view what) {
  return refused(plain(error_code::unavailable, what), std::string(http::retry_soon));
}

api_answer away(std::string_view what) {
  return refused(plain(error_code::unavailable, what), std::string(http::retry_later));
}

api_answer refused(const ledger::refusal& why) {
  using enum ledger::refusal::reason;
  switch (why.why) {
    case not_found:
      return refused(plain(error_code::not_found, why.what));
    case conflict:
    case too_many:
      return refused(plain(error_code::conflict, why.what));
    case busy:
      return hooks::busy("the store has too much to do");
    case unavailable:
      return away("the store does not answer");
    case lease_lost:
    case invalid:
      break;
  }
  return refused(plain(error_code::internal, "the store did not understand"));
}

void respond(exchange& to, const api_answer& a) {
  to.respond({a.status, a.type, a.headers, a.close}, {a.body});
}

}  // namespace gate::hooks
