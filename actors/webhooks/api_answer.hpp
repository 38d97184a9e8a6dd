#pragma once
/// What API answers: a status, a body, header lines. Plain values, made by the rules and the calls;
/// sent by API.
#include <string>
#include <string_view>

#include "protocol/http/media.hpp"
#include "protocol/webhook/errors.hpp"
#include "transport/interfaces.hpp"
#include "transport/ledger_interface.hpp"

namespace gate::hooks {

struct api_answer {
  int status = 200;
  std::string body;
  std::string headers{};                    ///< lines, each ending in CRLF
  std::string_view type = http::json_type;  ///< empty: there is no body
  bool close = false;                       ///< the connection ends
};

/// `{"error","code",…}`, with the header that belongs to its code: `WWW-Authenticate`,
/// `Retry-After`. `headers`: further lines.
api_answer refused(const webhook::api_error& why, std::string headers = {});
/// Come again: in a moment, as there are too many; or a little later, as something is away.
api_answer busy(std::string_view what);
api_answer away(std::string_view what);
/// What LEDGER refused.
api_answer refused(const ledger::refusal& why);
/// An error without a place.
webhook::api_error plain(webhook::error_code code, std::string_view what,
                         std::string_view hint = {});

/// Sends it; if the client is gone, nothing happens.
void respond(exchange& to, const api_answer& a);

}  // namespace gate::hooks
