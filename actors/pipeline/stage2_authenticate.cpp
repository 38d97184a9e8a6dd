#include "actors/pipeline/steps.hpp"
#include "protocol/oauth/metadata.hpp"

namespace gate::pipeline {
namespace {

using state = identity::gatekeeper::answer::state;

/// 401 and where to get a token (RFC 9728 §5.1).
refused challenge(fact<stage::host> c, const identity::authority& rules, std::string why) {
  const auto& where = rules.published.metadata_url;
  if (why.empty())
    return refuse(std::move(c), reason::unauthenticated, "a Bearer token is required",
                  oauth::challenge(where));
  auto headers = oauth::challenge(where, "invalid_token", why);
  return refuse(std::move(c), reason::unauthenticated, std::move(why), std::move(headers));
}

}  // namespace

step_result<fact<stage::authenticate>> authenticate_step::run(fact<stage::host> c, desk& d) {
  // What is read later may be found wrong later.
  if (c->request().flaw != http::defect::none) return flawed(std::move(c));
  const auto pass = [&]() -> step_result<fact<stage::authenticate>> {
    if (!c->request().body_follows) return fact<stage::authenticate>(std::move(c));
    // The client chooses how long that takes: what is good now, a key or a token, may not be by
    // then, so the call comes back here.
    d.entrance.await_body(std::move(c));
    return settled{};
  };
  auto& keeper = d.entrance.keeper();
  if (!keeper.rules().required) {
    c->ticket.notes().access = keeper.anonymous(c->snapshot);
    return pass();
  }
  const auto& head = c->request().head;
  const auto& shown = head->shown;
  if (shown.twice) return refuse_by(std::move(c), mcp::broken(mcp::http_rule::one_authorization));
  if (shown.token.empty()) return challenge(std::move(c), keeper.rules(), {});
  auto answer = keeper.identify(head, c->snapshot, d.entrance.wall_now(), c->asked_keys);
  if (answer.what == state::wants_keys) {
    c->asked_keys = true;
    if (d.entrance.await_keys(c, answer.source)) return settled{};
    answer = keeper.identify(head, c->snapshot, d.entrance.wall_now(), true);
  }
  if (answer.what == state::ambiguous) {
    c->ticket.notes().access = std::move(answer.access);
    d.entrance.count_ambiguous();
    return refuse(std::move(c), reason::tenant_ambiguous, std::move(answer.why));
  }
  if (answer.what != state::known)
    return challenge(std::move(c), keeper.rules(), std::move(answer.why));
  c->ticket.notes().access = std::move(answer.access);
  return pass();
}

}  // namespace gate::pipeline
