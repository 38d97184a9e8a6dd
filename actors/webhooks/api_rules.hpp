#pragma once
/// API RULES: what becomes of a request, by its header, in this order:
///
///   the strict gate     400, 408
///   Host, Origin        403
///   its size, room      413, 503
///   path                (what needs no token goes on)
///   token               401
///   path, method        404, 405
///   rights              403
///   rate                429
///   size, type of body  413, 415
///
/// What its query and body say is read once it is a call (api_calls.hpp). Pure, but for the rates
/// that it counts in. Owned by API, which asks for each request, and once more when its body has
/// been read.
#include <cstdint>
#include <optional>
#include <string>

#include "actors/webhooks/api_answer.hpp"
#include "actors/webhooks/call_rates.hpp"
#include "protocol/http/allowlist.hpp"
#include "protocol/webhook/callers.hpp"
#include "protocol/webhook/routes.hpp"
#include "transport/interfaces.hpp"

namespace gate::hooks {

struct api_front {
  http::allowlist hosts;
  /// The listener can be reached from elsewhere, under names that we do not know: any Host may be
  /// named, and an Origin must be that same host.
  bool any_host = false;
  webhook::callers who;
};

struct judged {
  enum class kind : std::uint8_t {
    refused,
    body,  ///< so far nothing is wrong with it; its body is to be read, and it judged again
    call,
  } what = kind::refused;
  api_answer no{};                       ///< with `refused`
  const webhook::route* row = nullptr;   ///< with the others
  const webhook::caller* who = nullptr;  ///< null if the call needs no token
  std::string id{};                      ///< of the path; empty without one
};

class api_rules {
 public:
  explicit api_rules(api_front front);

  /// `again`: its body has been read, and it was counted before.
  judged judge(const http_request& r, bool again, call_rates::time_point now);
  bool asks_for_token() const { return front_.who.asks_for_token(); }

 private:
  std::optional<api_answer> check_arrival(const http_request& r) const;
  webhook::checked<const webhook::caller*> identify(const http_request& r) const;

  api_front front_;
  call_rates rates_;
};

}  // namespace gate::hooks
