#include "actors/identity/gatekeeper.hpp"

#include <algorithm>

#include "actors/guards/allowances.hpp"

namespace gate::identity {
namespace {

using state = gatekeeper::answer::state;

gatekeeper::answer refuse(std::string_view why) {
  return {state::refused, nullptr, std::string(why), 0};
}

/// Tokens are secrets: they are kept only where an upstream is to get them, or what they are
/// exchanged for.
bool keeps_tokens(const config::snapshot& s) {
  return std::ranges::any_of(s.upstreams, &config::compiled_upstream::per_caller);
}

}  // namespace

gatekeeper::gatekeeper(authority_ptr a) : authority_(std::move(a)) {
  for (const auto& i : authority_->issuers)
    keys_.push_back(i.source ? nullptr : authority_->signer->keys());
}

gatekeeper::answer gatekeeper::identify(const http::head_ptr& head, const snapshot_ptr& snapshot,
                                        oauth::wall_time now, bool last_word) {
  const auto token = head->shown.token;
  // Before it is hashed: what is too long is nobody's.
  if (token.size() > limits::token_bytes) return refuse("the token is too long");
  const auto d = digests_.of(token, head);
  auto* e = memory_.find(d, now);
  if (!e) return verify(token, d, snapshot, now, last_word);
  // Of another snapshot; or refused before, for what that snapshot says of tenants.
  if (e->generation != snapshot->generation || !e->access->view) {
    // It was remembered without its text, which is needed now.
    if (keeps_tokens(*snapshot) && e->access->caller->token.empty())
      return verify(token, d, snapshot, now, last_word);
    std::string why;
    auto access = access_of(e->access->caller, snapshot, why);
    if (!why.empty()) return {state::ambiguous, std::move(access), std::move(why), 0};
    e->access = std::move(access);
    e->generation = snapshot->generation;
  }
  return {state::known, e->access, {}, 0};
}

/// In the order of the requirements: the issuer before anything that could cause a fetch, then
/// signature, audience, subject, times.
gatekeeper::answer gatekeeper::verify(std::string_view token, const digest& d,
                                      const snapshot_ptr& snapshot, oauth::wall_time now,
                                      bool last_word) {
  auto read = oauth::read_token(token);
  if (!read) return refuse(read.error().what);
  const auto at = std::ranges::find(authority_->issuers, read->issuer, &trusted_issuer::issuer);
  if (at == authority_->issuers.end()) return refuse("the token's issuer is not trusted");
  const auto index = static_cast<std::size_t>(at - authority_->issuers.begin());
  const auto& keys = keys_[index];
  auto who = std::make_shared<caller>();
  auto fault = oauth::token_fault::unknown_key;
  if (keys)
    fault = oauth::check_access_token(*read, *keys, {authority_->resource, at->groups_claim}, now,
                                      who->who);
  if (fault == oauth::token_fault::unknown_key && at->source && !last_word)
    return {state::wants_keys, nullptr, {}, *at->source};
  if (!keys) return refuse("the issuer's signing keys can not be had at the moment");
  if (fault != oauth::token_fault::none) return refuse(oauth::describe(fault));
  if (keeps_tokens(*snapshot)) who->token = token;
  const auto until = who->who.expires + limits::token_leeway;
  std::string why;
  auto access = access_of(std::move(who), snapshot, why);
  memory_.remember(d, {access, snapshot->generation, index, until});
  if (!why.empty()) return {state::ambiguous, std::move(access), std::move(why), 0};
  return {state::known, std::move(access), {}, 0};
}

access_ptr gatekeeper::anonymous(const snapshot_ptr& snapshot) {
  if (!anonymous_ || anonymous_->generation != snapshot->generation) {
    std::string none;
    anonymous_ = access_of(nullptr, snapshot, none);
  }
  return anonymous_;
}

access_ptr gatekeeper::under(const access_ptr& known, const snapshot_ptr& snapshot) {
  if (known->generation == snapshot->generation) return known;
  if (!known->caller) return anonymous(snapshot);
  std::string why;
  auto out = access_of(known->caller, snapshot, why);
  if (why.empty()) return out;
  static const config::text_list nothing;
  auto blind = std::make_shared<access>(*out);
  blind->view = view_of(&known->caller->who, &nothing, *snapshot);
  return blind;
}

access_ptr gatekeeper::access_of(caller_ptr who, const snapshot_ptr& snapshot, std::string& why) {
  using tenancy = config::tenant_index::state;
  auto out = std::make_shared<access>();
  out->generation = snapshot->generation;
  const auto* principal = who ? &who->who : nullptr;
  const config::text_list* upstreams = nullptr;
  const auto& tenants = snapshot->doc.tenants;
  const auto found = snapshot->tenants.resolve(principal);
  if (found.what == tenancy::ambiguous) {
    why = "the caller belongs to the tenants \"" + tenants[found.index].id + "\" and \"" +
          tenants[found.other].id + "\": a principal may belong to one only";
    out->caller = std::move(who);
    return out;
  }
  if (found.what == tenancy::found) {
    const auto& t = tenants[found.index];
    out->tenant = t.id;
    out->tenant_at = found.index;
    if (t.upstreams) upstreams = &*t.upstreams;
  }
  out->view = view_of(principal, upstreams, *snapshot);
  out->caller = std::move(who);
  out->counted_in = guards::rate_scopes(*snapshot, *out);
  return out;
}

config::view_ptr gatekeeper::view_of(const oauth::principal* who,
                                     const config::text_list* upstreams,
                                     const config::snapshot& snapshot) {
  // (Whoever has a view of another snapshot keeps it.)
  if (std::exchange(generation_, snapshot.generation) != snapshot.generation ||
      views_.size() >= limits::policy_views)
    views_.clear();
  auto& view = views_[snapshot.policy.view_key(who, upstreams)];
  if (!view) view = snapshot.policy.make_view(who, upstreams, next_view_++);
  return view;
}

bool gatekeeper::trusts(const identity::access& who, key_verdicts& known) const {
  const auto* p = who.who();
  if (!p || !p->signed_by) return true;
  const auto [it, fresh] = known.try_emplace(p->signed_by.get(), false);
  if (!fresh) return it->second;
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (authority_->issuers[i].issuer == p->issuer)
      return it->second = keys_[i] && keys_[i]->holds(*p->signed_by);
  return false;
}

bool gatekeeper::take_keys(std::size_t source, oauth::key_set_ptr keys) {
  bool gone = false;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (authority_->issuers[i].source != source || keys_[i] == keys) continue;
    gone |= keys_[i] && !(keys && keys->holds_all(*keys_[i]));
    keys_[i] = keys;
    memory_.forget_issuer(i);
  }
  return gone;
}

}  // namespace gate::identity
