#include "actors/pipeline/steps.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/oauth/metadata.hpp"

namespace gate::pipeline {
namespace {

using state = identity::gatekeeper::answer::state;

/// The credentials of a request (RFC 6750 §2.1).
struct presented {
  std::string_view token;  ///< empty: none of our kind
  bool twice = false;      ///< two of them: whoever reads the other one sees somebody else
};

presented read_bearer(const http_request& request) {
  constexpr std::string_view scheme = "bearer ";
  presented out;
  bool seen = false;
  for (const auto& h : request.headers()) {
    if (!http::same_name(h.name, "authorization")) continue;
    out.twice |= std::exchange(seen, true);
    auto value = h.value;
    if (!http::same_name(value.substr(0, scheme.size()), scheme)) continue;
    value.remove_prefix(scheme.size());
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    out.token = value;
  }
  return out;
}

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
  const auto shown = read_bearer(c->request());
  if (shown.twice)
    return refuse(std::move(c), reason::bad_request, "more than one Authorization header");
  if (shown.token.empty()) return challenge(std::move(c), keeper.rules(), {});
  auto answer = keeper.identify(shown.token, c->snapshot, d.entrance.wall_now(), c->asked_keys);
  if (answer.what == state::wants_keys) {
    c->asked_keys = true;
    if (d.entrance.await_keys(c, answer.source)) return settled{};
    answer = keeper.identify(shown.token, c->snapshot, d.entrance.wall_now(), true);
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
