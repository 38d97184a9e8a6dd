// ROUTER: what has to do with tokens: keys of issuers, and the token endpoint.
#include <algorithm>

#include "actors/router/router.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/limits.hpp"

namespace gate {

using namespace pipeline;

// --- keys ----------------------------------------------------------------------------------------

bool router::await_keys(call_ptr& c, std::size_t source) {
  auto& state = key_states_[source];
  const auto& actor = parts_.key_sources[source];
  if (!actor || now() < state.again_at) return false;
  // One question is enough for all who wait.
  if (state.waiting.empty()) send(actor, want_keys{});
  state.waiting.push_back(park(std::move(c)));
  return true;
}

void router::on_keys(keys_told& m) {
  key_states_[m.source].again_at = m.again_at;
  if (m.news && keeper_.take_keys(m.source, std::move(m.keys))) end_untrusted();
  if (m.settled) resume_for_keys(m.source);
}

/// Streams end with the key of the token that they were opened with. (The calls themselves go on:
/// they were allowed when they came. Whoever has a good token comes back for the answer.)
void router::end_untrusted() {
  identity::gatekeeper::key_verdicts known;
  sessions_.for_each_stream([&](sessions::client_session& s) {
    if (keeper_.trusts(*s.access, known)) return;
    sessions_.end_stream(s);
    await_return(s);
  });
  calls_.for_each([&](call& c) {
    if (!c.access() || keeper_.trusts(*c.access(), known)) return;
    c.revoked = true;
    c.detach();
  });
}

void router::on_keys_replaced(keys_replaced& m) {
  auto& actor = parts_.key_sources[m.source];
  actor = std::move(m.keys);
  if (actor)
    send(actor, listen_for_keys{caf::actor_cast<keys_listener>(this)});
  else
    resume_for_keys(m.source);  // nobody will tell
}

void router::resume_for_keys(std::size_t source) {
  for (auto number : std::exchange(key_states_[source].waiting, {}))
    if (auto c = take_call(number)) {
      renew(*c);
      mcp_stages::resume_after<authenticate_step>(authenticate_step::resume(std::move(c), *this),
                                                  *this);
    }
}

// --- the token endpoint --------------------------------------------------------------------------

void router::redeem_assertion(call_ptr c) {
  auto& notes = c->ticket.notes();
  notes.unaudited = false;
  notes.method = token_endpoint;
  const auto& request = c->request();
  const auto twice = std::ranges::count_if(request.headers(), [](const http::header& h) {
    return http::same_name(h.name, "authorization");
  });
  if (twice > 1)
    return exit_stage::refuse({std::move(c),
                               {reason::bad_request, "more than one Authorization header", {}, -1},
                               "Cache-Control: no-store\r\n"},
                              *this);
  if (request.body_follows) {
    // Nobody has shown anything yet, and no assertion is as long.
    const auto announced = http::announced_body(*request.head);
    if (!announced || *announced > limits::body_unjudged)
      return exit_stage::refuse({std::move(c),
                                 {reason::body_too_large,
                                  "the body is longer than 64 KiB, or its length unknown",
                                  {},
                                  -1},
                                 "Cache-Control: no-store\r\n"},
                                *this);
    return await_body(std::move(c));
  }
  redeem_for ask{{0, request.body, std::string(request.header("content-type")),
                  std::string(request.header("authorization")), std::string(c->from->peer())},
                 caf::actor_cast<redeemer_actor>(this)};
  ask.what.call = park(std::move(c));
  redeeming_.push_back(ask.what.call);
  if (!parts_.mint) return fail_redeeming();
  send(parts_.mint, std::move(ask));
}

void router::on_redeemed(const redeemed& m) {
  std::erase(redeeming_, m.call);
  auto c = take_call(m.call);
  if (!c) return;
  if (!m.subject.empty()) {
    auto who = std::make_shared<identity::caller>();
    who->who.subject = m.subject;
    who->who.issuer = m.issuer;
    auto access = std::make_shared<identity::access>();
    access->caller = std::move(who);
    c->ticket.notes().access = std::move(access);
  }
  c->from->respond({m.status, "application/json", m.headers, false}, {m.body});
  c->ticket.spend({m.outcome, m.error, m.rejection});
}

/// MINT is gone, with whatever it was asked.
void router::fail_redeeming() {
  for (auto number : std::exchange(redeeming_, {}))
    if (auto c = take_call(number))
      exit_stage::refuse({std::move(c),
                          {reason::overloaded, "the token endpoint is restarting", {}, -1},
                          "Retry-After: 1\r\n"},
                         *this);
}

}  // namespace gate
