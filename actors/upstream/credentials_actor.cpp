#include "actors/upstream/credentials_actor.hpp"

#include <array>

#include "actors/who/named_in_log.hpp"
#include "protocol/base/base64url.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/client_assertion.hpp"
#include "protocol/oauth/grant.hpp"
#include "transport/log.hpp"

namespace gate::upstream {

credentials_actor::credentials_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                                     credentials_parts parts)
    : pinned(cfg, unit), parts_(std::move(parts)) {
  auto to = std::make_shared<destination>();
  to->url = http::parse_url(parts_.config.auth.token_endpoint.value()).value();
  to->connect_timeout = parts_.config.connect;
  to->max_response_bytes = limits::token_answer_bytes;
  to->redirects = false;
  to_ = std::move(to);
}

credentials_actor::behavior_type credentials_actor::make_behavior() {
  return {
      [this](want_credential& m) {
        using found = credential_cache<credential_user>::found;
        const bool own = !acts_for_callers();
        if (!own && !m.caller) return send(m.asker, credential_told{});
        const auto identity = own ? 0 : m.caller->who.key;
        credential_told told;
        switch (cache_.want(identity, m.asker, clock().now(), told.line, told.until)) {
          case found::ask:
            return ask(identity, m);
          case found::wait:
            return;
          case found::good:
            told.ok = true;
            break;
          case found::failed:
            break;
        }
        send(m.asker, std::move(told));
      },
      [this](const credential_refused& m) {
        cache_.refused(acts_for_callers() ? m.principal : 0, m.line, clock().now());
      },
      [this](const fetched& m) { on_fetched(m); },
      [](const streamed&) {},  // no token comes in events; their end says so
      [this](const credential_late& m) {
        auto node = asked_.extract(m.fetch);
        if (node.empty()) return;
        send(parts_.egress, abandon_fetch{m.fetch, caf::actor_cast<fetch_client>(this)});
        failed(node.mapped(),
               "no answer within " + std::to_string(limits::token_fetch.count()) + " s");
      },
  };
}

void credentials_actor::on_exit() {
  parts_.egress = nullptr;
  cache_ = credential_cache<credential_user>{};
}

bool credentials_actor::acts_for_callers() const {
  return config::row(parts_.config.auth.strategy).of_caller;
}

/// A new one for each request: it is good for one.
result<std::string> credentials_actor::client_assertion(std::string_view pem) const {
  const auto& a = parts_.config.auth;
  std::array<std::uint8_t, 16> bytes{};
  parts_.outside.random(bytes);
  const auto jti = base64url_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return oauth::make_client_assertion(
      pem, a.client_auth->key_id.value_or(""),
      {*a.client_id, a.client_auth->audience.value_or(*a.token_endpoint), jti,
       parts_.outside.wall()});
}

void credentials_actor::ask(std::uint64_t identity, const want_credential& m) {
  const auto& a = parts_.config.auth;
  const auto& name = a.client_auth->secret_ref;
  const auto secret = parts_.outside.secrets(name);
  if (!secret)
    return failed({identity, m.trace}, "the environment variable " + name + " is not set");
  oauth::client_identity who{*a.client_id, *secret,
                             a.client_auth->type == config::client_auth_type::client_secret_basic};
  std::string assertion;
  if (a.client_auth->type == config::client_auth_type::private_key_jwt) {
    auto made = client_assertion(*secret);
    if (!made) return failed({identity, m.trace}, name + ": " + made.error().what);
    assertion = std::move(*made);
    who.assertion = assertion;
  }
  const auto scopes = a.scopes.value_or(config::text_list{});
  const oauth::grant_terms terms{scopes, a.resource ? *a.resource : std::string_view{},
                                 a.audience ? *a.audience : std::string_view{},
                                 m.caller ? m.caller->token : std::string_view{}};
  auto request = config::row(a.strategy).request(who, terms);
  auto f = std::make_shared<fetch>();
  f->id = next_fetch_++;
  f->to = to_;
  f->headers = std::make_shared<const std::string>(std::move(request.headers));
  f->before = std::move(request.body);
  f->repeatable = true;
  asked_.emplace(f->id, question{identity, m.trace});
  delayed_send(this, limits::token_fetch, credential_late{f->id});
  send(parts_.egress, start_fetch{std::move(f), caf::actor_cast<fetch_client>(this)});
}

void credentials_actor::on_fetched(const fetched& f) {
  auto node = asked_.extract(f.id);
  if (node.empty()) return;
  const auto& of = node.mapped();
  if (f.end != fetch_end::complete) return failed(of, f.why.empty() ? "it was cut off" : f.why);
  if (!f.body) return failed(of, "the answer is an event stream");
  auto token = oauth::read_token_response(f.status, *f.body);
  if (!token) return failed(of, token.error().what);
  if (token->value.size() > limits::token_bytes) return failed(of, "the token is too long");
  if (outage_.succeeded(of.identity, clock().now()))
    log::info("The credential for an upstream can be had again.", {{"upstream", parts_.config.id}});
  const auto life =
      token->lifetime ? *token->lifetime - limits::token_margin : limits::token_unspoken;
  parts_.fetches[fetch_outcome::ok].add();
  settle(of.identity, bearer_line(token->value), clock().now() + life, true);
}

void credentials_actor::failed(const question& of, std::string_view why) {
  if (outage_.failed(of.identity, clock().now()))
    log::warn(
        "The credential for an upstream can not be had; further failures are not logged until it "
        "can.",
        {{"upstream", parts_.config.id},
         {"url", to_->url.place()},
         {"detail", std::string(why)},
         named_in_log(of.trace)});
  parts_.fetches[fetch_outcome::error].add();
  settle(of.identity, {}, clock().now() + limits::failed_token, false);
}

void credentials_actor::settle(std::uint64_t identity, std::string line,
                               std::chrono::steady_clock::time_point until, bool ok) {
  const credential_told told{ok, line, until};
  for (auto& who : cache_.answered(identity, std::move(line), until)) send(who, told);
}

}  // namespace gate::upstream
