#include "protocol/oauth/assertion.hpp"

#include <algorithm>
#include <optional>

#include "protocol/limits.hpp"
#include "protocol/oauth/object.hpp"

namespace gate::oauth {
namespace {

using refusal = std::optional<problem>;

std::string_view without_slash(std::string_view url) {
  if (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

bool is_ours(const assertion_rules& rules, std::string_view audience) {
  return audience == rules.resource || without_slash(audience) == without_slash(rules.our_issuer);
}

/// A claim that is a non-empty string, as the checks below want most of them.
std::optional<std::string> claim(const object& claims, std::string_view name) {
  auto text = text_of(claims.get(name));
  return text && !text->empty() ? text : std::nullopt;
}

refusal check_resource(const object& claims, const assertion_rules& rules) {
  const auto raw = claims.get("resource");
  if (raw.empty()) return {};
  const auto is_resource = [&rules](const std::string& r) { return r == rules.resource; };
  if (const auto one = text_of(raw); one && is_resource(*one)) return {};
  const auto all = texts_of(raw, limits::token_audiences);
  if (all && !all->empty() && std::ranges::all_of(*all, is_resource)) return {};
  return problem{"the assertion is for another resource"};
}

refusal check_parties(const unverified_token& t, const object& claims, const assertion_rules& rules,
                      assertion& out) {
  if (t.audience.size() != 1) return problem{"the assertion does not have exactly one audience"};
  if (!is_ours(rules, t.audience.front())) return problem{"the assertion is for another audience"};
  if (t.subject.empty()) return problem{"the assertion names no subject"};
  auto client = claim(claims, "client_id");
  if (!client) return problem{"the assertion has no client_id"};
  if (!rules.client_id.empty() && *client != rules.client_id)
    return problem{"the assertion is for another client"};
  out.subject = t.subject;
  out.client_id = std::move(*client);
  return check_resource(claims, rules);
}

refusal check_dates(const unverified_token& t, wall_time now, assertion& out) {
  if (!t.expires || !t.issued_at) return problem{"the assertion lacks exp or iat"};
  switch (check_times(t, now)) {
    case token_fault::none:
      break;
    case token_fault::expired:
      return problem{"the assertion has expired"};
    default:
      return problem{"the assertion is not valid yet"};
  }
  // Its id is remembered until then, so neither it nor its issuer may choose how long that is.
  const auto second = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  if (*t.expires > std::min<std::int64_t>(*t.issued_at, second) + limits::assertion_life.count())
    return problem{"the assertion lives too long"};
  out.expires = to_wall_time(*t.expires);
  return {};
}

refusal read_rest(const object& claims, std::string_view groups_claim, assertion& out) {
  auto jti = claim(claims, "jti");
  if (!jti || jti->size() > limits::jti_bytes)
    return problem{"the assertion has no jti, or one that is too long"};
  out.jti = std::move(*jti);
  if (!read_text(claims, "scope", out.scope) || !read_text(claims, "email", out.email))
    return problem{"the assertion's scope or email is not a string"};
  if (groups_claim.empty()) return {};
  const auto groups = claims.get(groups_claim);
  if (texts_of(groups, limits::token_bytes)) out.groups = groups;
  return {};
}

}  // namespace

result<assertion> check_assertion(const unverified_token& t, const key_set& keys,
                                  const assertion_rules& rules, std::string_view groups_claim,
                                  wall_time now, bool& needs_key) {
  needs_key = false;
  if (t.type != assertion_type) return problem{"the assertion's typ is not oauth-id-jag+jwt"};
  if (t.issuer != rules.idp_issuer) return problem{"the assertion's issuer is not trusted"};
  if (auto fault = check_signature(t, keys); fault != token_fault::none) {
    needs_key = fault == token_fault::unknown_key;
    if (needs_key)
      return problem{"the assertion is signed with a key that its issuer does not publish"};
    return problem{"the assertion's signature is not valid"};
  }
  const auto claims = object::read(t.claims);
  if (!claims) return problem{"the assertion's payload " + claims.error().what};
  assertion out;
  if (auto wrong = check_parties(t, *claims, rules, out)) return std::move(*wrong);
  if (claims->has("cnf")) return problem{"the assertion is bound to a key, which is not supported"};
  if (auto wrong = check_dates(t, now, out)) return std::move(*wrong);
  if (auto wrong = read_rest(*claims, groups_claim, out)) return std::move(*wrong);
  return out;
}

}  // namespace gate::oauth
