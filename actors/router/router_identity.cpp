// ROUTER: what has to do with tokens: keys of issuers, and the token endpoint.
#include <algorithm>

#include "actors/router/router.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/limits.hpp"

namespace gate {

using namespace pipeline;

// --- keys ----------------------------------------------------------------------------------------

bool router::await_keys(fact<stage::host>& c, std::size_t source) {
  auto& state = key_states_[source];
  const auto& actor = parts_.key_sources[source];
  if (!actor || now() < state.again_at) return false;
  // One question is enough for all who wait.
  if (!std::exchange(state.asked, true)) send(actor, want_keys{});
  put_aside(std::move(c), partner::keys, source);
  return true;
}

void router::on_keys(keys_told& m) {
  key_states_[m.source].again_at = m.again_at;
  if (m.news && keeper_.take_keys(m.source, std::move(m.keys))) end_untrusted();
  if (m.settled) go_on_with_keys(m.source);
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
    go_on_with_keys(m.source);  // nobody will tell
}

/// Or without them: then they are judged by those that are known.
void router::go_on_with_keys(std::size_t source) {
  key_states_[source].asked = false;
  for (const auto number : calls_.waiting_for(partner::keys, source))
    if (auto c = take_call<stage::host>(number)) {
      renew(**c);
      mcp_stages::run(std::move(*c), *this);
    }
}

// --- the token endpoint --------------------------------------------------------------------------

void router::redeem_assertion(fact<stage::host> c) {
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
  ask.what.call = put_aside(std::move(c), partner::mint);
  if (!parts_.mint) return do_without<partner::mint>(ask.what.call);
  send(parts_.mint, std::move(ask));
}

void router::on_redeemed(const redeemed& m) {
  auto c = end_call(m.call);
  if (!c) return;
  if (!m.subject.empty()) {
    auto who = std::make_shared<identity::caller>();
    who->who.subject = m.subject;
    who->who.issuer = m.issuer;
    auto access = std::make_shared<identity::access>();
    access->caller = std::move(who);
    c->ticket.notes().access = std::move(access);
  }
  exit_stage::serve(*c, {m.status, "application/json", m.headers, false}, m.body,
                    {m.outcome, m.error, m.rejection});
}

}  // namespace gate
