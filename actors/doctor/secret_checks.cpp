/// The secrets that a document names: there, and of use where they are named.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "actors/doctor/document_checks.hpp"
#include "actors/doctor/words.hpp"
#include "actors/identity/sources.hpp"
#include "actors/upstream/credential_slot.hpp"
#include "protocol/http/bearer.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/client_assertion.hpp"
#include "protocol/resp/store_url.hpp"

namespace gate::doctor {
namespace {

class secret_sheet {
 public:
  explicit secret_sheet(const secret_source& secrets) : secrets_(secrets) {}

  /// `wrong`: why it is of no use there; empty: it is.
  template <class F>
  void look(std::string pointer, const std::string& name, F&& wrong) {
    ++looked_;
    const auto secret = secrets_(name);
    if (!secret)
      return refuse(std::move(pointer), "the environment variable " + name + " is not set",
                    "set it where the gateway is started");
    if (std::string why = wrong(*secret); !why.empty())
      refuse(std::move(pointer), "the environment variable " + name + " " + why,
             "correct its value");
  }
  void refuse(std::string pointer, std::string seen, std::string advice) {
    all_.push_back({severity::error,
                    check::secrets,
                    std::move(pointer),
                    {},
                    std::move(seen),
                    std::move(advice)});
  }
  /// Nothing: all is well.
  findings wrong() { return std::move(all_); }
  findings take() {
    if (all_.empty())
      all_.push_back({severity::ok,
                      check::secrets,
                      {},
                      {},
                      looked_ == 0 ? "the document names none"
                                   : counted(looked_, "secret") + " set, and of use where named",
                      {}});
    return std::move(all_);
  }

 private:
  const secret_source& secrets_;
  std::size_t looked_ = 0;
  findings all_;
};

std::string no_bearer(const std::string& secret) {
  return http::can_be_bearer(secret) ? "" : "holds what is not a bearer token";
}

std::string no_client_key(const config::upstream_auth& a, const std::string& pem) {
  // Signed for nobody: it is thrown away.
  const auto made = oauth::make_client_assertion(pem, a.client_auth->key_id.value_or(""),
                                                 {"doctor", "nobody", "none", {}});
  return made ? "" : "holds no usable key: " + printable(made.error().what);
}

void upstream_secrets(const config::upstream_auth& a, const std::string& at, secret_sheet& out) {
  if (a.secret_ref)
    out.look(at + "/secretRef", *a.secret_ref, [&a](const std::string& s) {
      return upstream::fixed_credential(a, s) ? std::string{} : "does not fit into a header";
    });
  if (!a.client_auth) return;
  out.look(at + "/clientAuth/secretRef", a.client_auth->secret_ref, [&a](const std::string& s) {
    const bool key = a.client_auth->type == config::client_auth_type::private_key_jwt;
    return key ? no_client_key(a, s) : std::string{};
  });
}

}  // namespace

findings wrong_secrets_of(const config::upstream& u, const secret_source& secrets) {
  secret_sheet out(secrets);
  upstream_secrets(u.auth, {}, out);
  return out.wrong();
}

findings secrets_of(const config::document& doc, const secret_source& secrets) {
  secret_sheet out(secrets);
  for (std::size_t i = 0; i < doc.upstreams.size(); ++i)
    upstream_secrets(doc.upstreams[i].auth, "/upstreams/" + std::to_string(i) + "/auth", out);
  if (doc.auth.ema)
    out.look("/auth/ema/signingKeyRef", doc.auth.ema->signing_key_ref,
             [&doc](const std::string& s) {
               const auto made = identity::make_authority(doc, s);
               return made ? std::string{} : "does not do: " + printable(made.error().what);
             });
  for (std::size_t i = 0; doc.audit && i < doc.audit->sinks.size(); ++i)
    if (const auto& name = doc.audit->sinks[i].bearer_secret_ref)
      out.look("/audit/sinks/" + std::to_string(i) + "/bearerSecretRef", *name, no_bearer);
  if (const auto& name = doc.server.fleet_key_ref)
    out.look("/server/fleetKeyRef", *name, [](const std::string& s) {
      return s.size() < limits::fleet_secret_bytes
                 ? "is too short: at least " + std::to_string(limits::fleet_secret_bytes) +
                       " characters"
                 : std::string{};
    });
  if (!doc.server.redis_url && secrets("REDIS_URL"))
    out.look("/server/redisUrl", "REDIS_URL", [](const std::string& s) {
      const auto read = resp::parse_store_url(s);
      return read ? std::string{}
                  : "is not a usable URL of a store: " + printable(read.error().what);
    });
  if (doc.discovery && doc.discovery->bearer_secret_ref)
    out.look("/discovery/bearerSecretRef", *doc.discovery->bearer_secret_ref, no_bearer);
  return out.take();
}

}  // namespace gate::doctor
