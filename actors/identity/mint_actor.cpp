#include "actors/identity/mint_actor.hpp"

#include "protocol/base/base64url.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/metadata.hpp"

namespace gate::identity {
namespace {

constexpr std::string_view no_store = "Cache-Control: no-store\r\nPragma: no-cache\r\n";

}  // namespace

mint_actor::mint_actor(caf::actor_config& cfg, caf::execution_unit* unit, mint_parts parts)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      shares_(parts_.authority->ema->token_rate_limit_per_minute) {}

mint_actor::behavior_type mint_actor::make_behavior() {
  return {
      [this](redeem_for& m) { begin(m); },
      [this](keys_told& m) { on_keys(m); },
      [this](replaced<keys_handle>& m) {
        if (m.index != parts_.authority->idp_source) return;
        source_ = std::move(m.now);
        if (source_)
          send(source_, listen_for_keys{caf::actor_cast<keys_listener>(this)});
        else  // nobody will tell
          for (auto& a : std::exchange(waiting_, {})) judge(std::move(a), true);
      },
      [this](replaced<once_handle>& m) { parts_.once = std::move(m.now); },
  };
}

void mint_actor::on_exit() {
  waiting_.clear();
  source_ = nullptr;
  parts_.once = nullptr;
}

void mint_actor::begin(redeem_for& m) {
  asking a{m.what.call, std::move(m.asker), {}, std::move(m.what.peer)};
  auto read = read_token_request(m.what.body, m.what.content_type, m.what.authorization);
  if (!read) return refuse(a, read.error());
  a.what = std::move(*read);
  judge(std::move(a), false);
}

/// Anything else is refused before its signature is looked at.
bool mint_actor::concerns_us(const oauth::unverified_token& t) const {
  return t.type == oauth::assertion_type && t.issuer == parts_.authority->ema->idp_issuer;
}

void mint_actor::judge(asking a, bool last_word) {
  const auto token = oauth::read_token(a.what.assertion);
  if (!token) return refuse(a, {token_denial::invalid_grant, token.error().what});
  if (concerns_us(*token))
    if (const auto wait = a.charged ? shares_.everybody_refuses(clock().now())
                                    : shares_.refuses(a.peer, clock().now()))
      return refuse_busy(a, *wait);
  judge(std::move(a), *token, last_word);
}

/// Is the assertion good? Its keys may have to be fetched first.
void mint_actor::judge(asking a, const oauth::unverified_token& token, bool last_word) {
  const auto& rules = *parts_.authority;
  const auto bad = [&](std::string why) {
    if (concerns_us(token)) charge(a);
    refuse(a, {token_denial::invalid_grant, std::move(why)});
  };
  bool needs_key = concerns_us(token) && !keys_;
  oauth::assertion said;
  if (!needs_key || last_word) {
    if (!keys_ && needs_key) return bad("the issuer's signing keys can not be had at the moment");
    static const oauth::key_set none{{}};
    auto judged = oauth::check_assertion(
        token, keys_ ? *keys_ : none,
        {rules.ema->idp_issuer, rules.own_issuer, rules.resource, a.what.client_id},
        rules.idp_groups_claim, parts_.wall(), needs_key);
    if (judged)
      said = std::move(*judged);
    else if (!needs_key || last_word)
      return bad(judged.error().what);
  }
  if (needs_key) {
    if (!source_ || clock().now() < again_at_) return judge(std::move(a), token, true);
    if (waiting_.size() >= limits::token_requests_waiting)
      return refuse_busy(a, std::chrono::seconds{limits::key_set_fetch});
    charge(a);
    send(source_, want_keys{});
    waiting_.push_back(std::move(a));
    return;
  }
  std::string scope;
  if (!grant_scope(a.what.scope, said.scope, scope)) {
    charge(a);
    return refuse(a,
                  {token_denial::invalid_scope, "the assertion does not grant the scope asked for"},
                  said.subject);
  }
  redeem_once(std::move(a), std::move(said), std::move(scope));
}

/// To the address that it came from, once.
void mint_actor::charge(asking& a) {
  if (!std::exchange(a.charged, true)) shares_.in_vain(a.peer, clock().now());
}

void mint_actor::on_keys(keys_told& m) {
  if (m.source != parts_.authority->idp_source) return;
  again_at_ = m.again_at;
  if (m.news) keys_ = std::move(m.keys);
  if (!m.settled) return;
  for (auto& a : std::exchange(waiting_, {})) judge(std::move(a), true);
}

/// An assertion is good for one token. Its id is kept until nobody would take it any more.
void mint_actor::redeem_once(asking a, oauth::assertion said, std::string scope) {
  const auto left = said.expires + limits::token_leeway - parts_.wall();
  use_once once{"jti:" + parts_.authority->ema->idp_issuer + '\n' + said.jti,
                std::chrono::ceil<std::chrono::milliseconds>(left),
                parts_.authority->ema->token_rate_limit_per_minute};
  const auto unavailable = [this](const asking& who) {
    refuse(who, {token_denial::unavailable, "assertions can not be taken at the moment"});
  };
  shares_.begin();
  request(parts_.once, limits::once_answer, std::move(once))
      .then(
          [this, a, said, scope, unavailable](const used_once& answer) mutable {
            shares_.end(answer.what == used_once::answer::first, clock().now());
            if (answer.what == used_once::answer::busy) {
              shares_.full_until(clock().now() + answer.retry_after);
              return refuse_busy(a, answer.retry_after);
            }
            if (answer.what == used_once::answer::full) return unavailable(a);
            if (answer.what == used_once::answer::first) return give(a, said, scope);
            charge(a);
            refuse(a, {token_denial::invalid_grant, "the assertion has been used already"},
                   said.subject);
          },
          [this, a, unavailable](const caf::error&) {
            shares_.end(false, clock().now());
            unavailable(a);
          });
}

void mint_actor::give(const asking& a, const oauth::assertion& said, const std::string& scope) {
  const auto& rules = *parts_.authority;
  std::array<std::uint8_t, 16> bytes{};
  parts_.random(bytes);
  const auto jti = base64url_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  oauth::minted_claims c;
  c.issuer = rules.own_issuer;
  c.audience = rules.resource;
  c.subject = said.subject;
  c.jti = jti;
  c.client_id = said.client_id;
  c.email = said.email;
  c.scope = scope;
  c.groups = said.groups;
  c.issued_at = parts_.wall();
  c.lifetime = rules.ema->token_ttl;
  redeemed r;
  r.call = a.call;
  r.status = 200;
  r.headers = no_store;
  r.body = token_body(rules.signer->sign("at+jwt", to_json(c)), c.lifetime, scope);
  r.outcome = audit::outcome::ok;
  r.subject = said.subject;
  r.issuer = rules.ema->idp_issuer;
  parts_.requests[token_outcome::ok].add();
  send(a.asker, std::move(r));
}

void mint_actor::refuse_busy(const asking& a, std::chrono::seconds retry_after) {
  const auto& how = row(token_denial::rate_limited);
  redeemed r;
  r.call = a.call;
  r.headers = http::retry_after(retry_after);
  r.headers += no_store;
  r.error = "too many token requests";
  r.body = oauth::error_body(how.error, r.error);
  send_refusal(a, how, std::move(r));
}

void mint_actor::refuse(const asking& a, const token_refusal& why, std::string_view subject) {
  const auto& how = row(why.why);
  redeemed r;
  r.call = a.call;
  r.headers = no_store;
  r.headers += how.headers;
  r.body = oauth::error_body(how.error, why.description);
  r.error = std::string(how.error) + ": " + why.description;
  r.subject = subject;
  if (!subject.empty()) r.issuer = parts_.authority->ema->idp_issuer;
  send_refusal(a, how, std::move(r));
}

void mint_actor::send_refusal(const asking& a, const token_denial_row& how, redeemed r) {
  r.status = how.http_status;
  r.outcome = how.outcome;
  r.rejection = how.rejection;
  parts_.requests[how.counted].add();
  send(a.asker, std::move(r));
}

}  // namespace gate::identity
