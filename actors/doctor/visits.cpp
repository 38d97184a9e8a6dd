#include "actors/doctor/visits.hpp"

#include <set>
#include <string>
#include <utility>

#include "actors/doctor/discovery_visit.hpp"
#include "actors/doctor/service_visits.hpp"
#include "actors/doctor/upstream_visit.hpp"
#include "actors/upstream/credential_slot.hpp"
#include "protocol/http/bearer.hpp"
#include "protocol/oauth/metadata.hpp"
#include "protocol/trace/export.hpp"

namespace gate::doctor {
namespace {

/// Fills the list, in the document's order.
class planner {
 public:
  planner(const config::document& doc, const secret_source& secrets, const wall_clock& wall)
      : doc_(doc), secrets_(secrets), wall_(wall) {}

  examinations take() {
    for (std::size_t i = 0; i < doc_.upstreams.size(); ++i) upstream(i);
    for (std::size_t i = 0; i < doc_.auth.issuers.size(); ++i) issuer(i);
    enterprise();
    for (std::size_t i = 0; doc_.audit && i < doc_.audit->sinks.size(); ++i) receiver(i);
    store();
    discovery();
    collector();
    return std::move(out_);
  }

 private:
  template <class V, class... Args>
  V& add(Args&&... args) {
    auto it = std::make_unique<V>(std::forward<Args>(args)...);
    auto& out = *it;
    out_.push_back(std::move(it));
    return out;
  }

  void upstream(std::size_t i) {
    const auto& u = doc_.upstreams[i];
    const auto at = "/upstreams/" + std::to_string(i);
    visit_upstream(
        u, doc_.routing.namespace_separator,
        [&at](std::string_view field) { return at + std::string(field); }, secrets_, wall_, out_);
  }

  void keys_of(std::string pointer, const std::string& issuer,
               const std::optional<std::string>& uri) {
    auto bare = issuer;
    while (bare.ends_with('/')) bare.pop_back();
    const auto where = uri ? *uri : bare + std::string(oauth::key_set_path);
    if (!met_.insert(issuer + ' ' + where).second) return;
    add<issuer_visit>(std::move(pointer), issuer, http::parse_url(where).value(), wall_);
  }

  void issuer(std::size_t i) {
    const auto& it = doc_.auth.issuers[i];
    // Of the others assertions are taken, by the key set of "auth.ema".
    if (doc_.auth.mode == config::auth_mode::required && it.mode == config::issuer_mode::direct)
      keys_of("/auth/issuers/" + std::to_string(i), it.url, it.jwks_uri);
  }

  void enterprise() {
    if (const auto& ema = doc_.auth.ema) keys_of("/auth/ema", ema->idp_issuer, ema->idp_jwks_uri);
  }

  void receiver(std::size_t i) {
    const auto& sink = doc_.audit->sinks[i];
    if (sink.type != config::sink_type::webhook) return;
    const auto where = http::parse_url(*sink.url).value();
    add<reach_visit>("/audit/sinks/" + std::to_string(i) + "/url", where.host, check::audit, where,
                     wall_);
  }

  void store() {
    const auto text = doc_.server.redis_url ? doc_.server.redis_url : secrets_("REDIS_URL");
    if (!text) return;
    if (const auto where = resp::parse_store_url(*text)) add<store_visit>(*where, wall_);
  }

  void discovery() {
    if (!doc_.discovery) return;
    const auto& d = *doc_.discovery;
    std::string bearer;
    if (d.bearer_secret_ref) {
      const auto secret = secrets_(*d.bearer_secret_ref);
      if (!secret || !http::can_be_bearer(*secret)) return;
      bearer = upstream::bearer_line(*secret);
    }
    add<discovery_visit>(doc_, bearer, secrets_, wall_);
  }

  void collector() {
    if (!doc_.tracing) return;
    auto where = http::parse_url(doc_.tracing->otlp_endpoint).value();
    if (where.target == "/") where.target = trace::export_path;
    // A message without a field: it exports nothing.
    auto nothing = make_request(where, verb::post,
                                "Content-Type: " + std::string(trace::protobuf_type) + "\r\n", {});
    add<asking_visit>(asking_visit::question{"/tracing/otlpEndpoint", check::collector, where,
                                             std::move(nothing), judge_collector},
                      wall_);
  }

  const config::document& doc_;
  const secret_source& secrets_;
  const wall_clock& wall_;
  std::set<std::string> met_;  ///< issuers with their key sets
  examinations out_;
};

}  // namespace

examinations visits_of(const config::document& doc, const secret_source& secrets,
                       const wall_clock& wall) {
  return planner(doc, secrets, wall).take();
}

}  // namespace gate::doctor
