#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "config/describe.hpp"
#include "config/rules/rules.hpp"
#include "config/text.hpp"
#include "protocol/http/url.hpp"
#include "protocol/limits.hpp"

namespace gate::config::rules {
namespace {

/// Looks at each member of `auth` but the strategy itself. One that the strategy ignores is
/// refused: somebody who wrote a secretRef believes that a secret is sent.
class members_of_auth {
 public:
  members_of_auth(const upstream_auth& a, const std::string& at, findings& out)
      : a_(a), how_(row(a.strategy)), at_(at), out_(out) {}

  void operator()(auth_strategy upstream_auth::*, const field&) {}
  template <class T>
  void operator()(std::optional<T> upstream_auth::*member, const field& f) {
    const bool given = (a_.*member).has_value();
    const auto strategy = quote(how_.name);
    if (names(how_.needs, f.key)) {
      if (!given) add(f, "required with strategy " + strategy);
    } else if (given && !names(how_.takes, f.key)) {
      add(f, "has no meaning with strategy " + strategy + ": remove it");
    }
  }

 private:
  template <std::size_t N>
  static bool names(const std::array<std::string_view, N>& keys, std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
  }
  void add(const field& f, std::string what) {
    out_.add(join_pointer(at_, f.key), std::move(what), {at_ + "/strategy"});
  }

  const upstream_auth& a_;
  const strategy_row& how_;
  const std::string& at_;
  findings& out_;
};

void credential(const document& d, const upstream_auth& a, const std::string& at, findings& out) {
  members_of_auth members(a, at, out);
  describe(members, of<upstream_auth>{});
  // It acts for a verified subject; without authentication there is none.
  if (row(a.strategy).of_caller && d.auth.mode != auth_mode::required) {
    out.add(at + "/strategy",
            quote(row(a.strategy).name) +
                " acts for the caller and needs \"auth\": {\"mode\": \"required\"}",
            {"/auth"});
  }
  if (a.header) header_name(out, at + "/header", *a.header);
  if (a.scheme && !a.scheme->empty() && !is_token(*a.scheme)) {
    out.add(at + "/scheme", "not an authentication scheme: one word such as \"Bearer\"");
  }
  if (a.client_auth && a.client_auth->type != client_auth_type::private_key_jwt) {
    const auto& c = *a.client_auth;
    for (auto [key, given] :
         {std::pair{"keyId", c.key_id.has_value()}, std::pair{"audience", c.audience.has_value()}})
      if (given)
        out.add(join_pointer(at + "/clientAuth", key),
                "has no meaning with type " + quote(name_of(c.type)) + ": remove it",
                {at + "/clientAuth/type"});
  }
  if (a.token_endpoint) url(out, at + "/tokenEndpoint", *a.token_endpoint, scheme::secure);
  if (a.resource) url(out, at + "/resource", *a.resource, scheme::any);
  scopes(out, at + "/scopes", a.scopes);
}

void endpoints(const upstream& u, const std::string& at, findings& out) {
  if (u.url && u.urls) {
    out.add(at, "has both \"url\" and \"urls\": keep one of them", {at + "/url", at + "/urls"});
  } else if (!u.url && !u.urls) {
    out.add(at, "has neither \"url\" nor \"urls\": give the upstream's MCP endpoint",
            {at + "/url", at + "/urls"});
  }
  if (u.url) url(out, at + "/url", *u.url, scheme::any);
  if (!u.urls) return;
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < u.urls->size(); ++i) {
    const auto& text = (*u.urls)[i];
    url(out, item(at + "/urls", i), text, scheme::any);
    // The same replica twice would take two shares of the sessions and hide that one is missing.
    auto [first, fresh] = seen.emplace(text, i);
    if (!fresh) {
      out.add(item(at + "/urls", i),
              "the same endpoint as /urls/" + std::to_string(first->second) + " of this upstream");
    }
  }
}

}  // namespace

void upstreams(const document& d, findings& out) {
  if (d.upstreams.empty() && !d.discovery) {
    out.add("/upstreams", "name at least one upstream, or configure discovery", {"/discovery"});
  }
  // More in one document were refused when it was read; here they may come from two.
  if (d.upstreams.size() > limits::upstreams) {
    out.add("/upstreams", std::to_string(d.upstreams.size()) + " upstreams are too many: at most " +
                              std::to_string(limits::upstreams));
    return;
  }
  std::map<std::string, std::string> ids;
  std::map<std::string, std::string> spaces;
  for (std::size_t i = 0; i < d.upstreams.size(); ++i) {
    const auto& u = d.upstreams[i];
    auto at = item("/upstreams", i);
    // An empty id or namespace was refused when it was read.
    if (auto [first, fresh] = ids.emplace(u.id, at); !fresh && !u.id.empty()) {
      out.add(at + "/id", "the id " + quote(u.id) + " is taken by " + first->second);
    }
    if (u.space) {
      // Names are routed by namespace, so it must say which upstream is meant.
      auto [first, fresh] = spaces.emplace(*u.space, at);
      if (!fresh && !u.space->empty()) {
        out.add(at + "/namespace",
                "the namespace " + quote(*u.space) + " is taken by " + first->second);
      }
    } else if (d.upstreams.size() > 1) {
      // Without one, names could not be told apart. Only a single upstream may be passed through.
      out.add(at + "/namespace", "required when there is more than one upstream");
    }
    const auto most = u.timeouts.max_request;
    if (most.count() > 0 && most < u.timeouts.request) {
      out.add(at + "/timeouts/maxRequestMs",
              "below requestMs: a call may wait that long for its first word",
              {at + "/timeouts/requestMs"});
    }
    endpoints(u, at, out);
    credential(d, u.auth, at + "/auth", out);
  }
}

}  // namespace gate::config::rules
