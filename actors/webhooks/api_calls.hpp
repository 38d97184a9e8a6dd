#pragma once
/// API CALLS: what LEDGER is asked for a request, and what is answered with what it says. Of most
/// calls that is one question and one answer; what API does beside is in api_actor.hpp. Pure, but
/// for the ids and secrets that are drawn. Owned by API.
#include <chrono>
#include <string>
#include <vector>

#include "actors/webhooks/api_answer.hpp"
#include "actors/webhooks/interfaces.hpp"
#include "protocol/base/sha256.hpp"
#include "protocol/webhook/callable.hpp"
#include "protocol/webhook/ids.hpp"
#include "protocol/webhook/routes.hpp"
#include "transport/clock.hpp"
#include "transport/interfaces.hpp"

namespace gate::hooks {

/// A request that has been judged, as long as somebody works for it.
struct api_call {
  webhook::operation what = webhook::operation::read_webhook;
  std::string organization;
  std::string id;                             ///< of its path
  bool several = false;                       ///< events came as an array
  std::vector<webhook::event_type> events{};  ///< that are posted
};

class api_calls {
 public:
  api_calls(webhook::calling rules, std::chrono::milliseconds first_pause, random_source random);

  /// What is asked first. Refused: what its query or body says.
  webhook::checked<ledger::request> question(api_call& call, const http_request& r, wall_time now);

  /// Of whom DISPATCH is to hear, with what LEDGER said.
  std::vector<due_told> due_after(const api_call& call, const ledger::answer& said,
                                  wall_time now) const;
  /// An event for a test of this webhook, of a type that it wants.
  webhook::event trial_of(const webhook::webhook& w, wall_time now);

 private:
  using asked = webhook::checked<ledger::request>;
  asked create(const api_call& call, std::string_view body, wall_time now);
  asked change(const api_call& call, std::string_view body, wall_time now) const;
  asked rotate(const api_call& call, std::string_view body, wall_time now);
  asked post(api_call& call, const http_request& r, wall_time now);
  asked without_body(const api_call& call, std::string_view query, wall_time now) const;
  std::string draw_secret();

  webhook::calling rules_;
  std::chrono::milliseconds first_pause_;
  random_source random_;
  webhook::id_maker ids_;
  sha256 digest_;
};

/// With what LEDGER said last.
api_answer answer_of(const api_call& call, const ledger::answer& said, wall_time now);

}  // namespace gate::hooks
