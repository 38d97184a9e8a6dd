// Discovery documents, as a source may say anything: what is taken keeps the bounds and makes a
// valid document, and the operator's own upstreams stay what they are.
#include <algorithm>
#include <set>

#include "config/discovery/discovered.hpp"
#include "config/snapshot/snapshot.hpp"
#include "config/validate.hpp"
#include "protocol/limits.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

constexpr std::string_view documents[]{
    R"({"upstreams": [], "discovery": {"url": "https://r"}})",
    R"({"upstreams": [{"id": "own", "url": "http://own"}], "discovery": {"url": "https://r",
        "allowedUpstreamHosts": ["good.com", "*.good.com", "[::1]"],
        "allowedCredentialHosts": ["*.good.com"]}})",
    R"({"upstreams": [{"id": "own", "url": "http://own", "namespace": "own"},
                      {"id": "b", "url": "http://own", "namespace": "x"}],
        "auth": {"mode": "required", "resource": "https://g/mcp", "issuers": [{"issuer": "https://i"}]},
        "discovery": {"url": "https://r", "allowedAuthStrategies": ["static", "token-exchange"],
        "allowedSecretRefs": ["S"], "allowedCredentialHosts": ["good.com", "*.good.com"],
        "minHealthCheckIntervalMs": 5000},
        "policy": {"rules": [{"id": "r", "allow": [{"server": "found"}]}]}})"};

/// Written otherwise than what it checks: names only, as the documents above have them.
bool good_host(std::string host, bool itself) {
  if (host.ends_with('.')) host.pop_back();
  return (itself && host == "good.com") ||
         (host.size() > 9 && host.compare(host.size() - 9, 9, ".good.com") == 0);
}

void check_bounds(const config::compiled_upstream& u, std::size_t which) {
  for (const auto& e : u.endpoints) {
    if (which == 1)
      require(good_host(e.host, true) || e.host.find(':') != e.host.npos, "an upstream elsewhere");
    if (u.auth.strategy != config::auth_strategy::none)
      require(which > 0 && good_host(e.host, which == 2), "a credential goes elsewhere");
  }
  if (u.auth.token_endpoint)
    require(good_host(http::parse_url(*u.auth.token_endpoint)->host, which == 2),
            "a client secret goes elsewhere");
  if (which == 2) {
    require(!u.auth.secret_ref || u.auth.secret_ref == "S", "another secret");
    require(!u.auth.client_auth || u.auth.client_auth->secret_ref == "S", "another client secret");
    require(u.probe_interval.count() == 0 || u.probe_interval.count() >= 5000, "hasty probes");
  }
  require(u.auth.strategy != config::auth_strategy::passthrough || which == 1, "a strategy");
}

void check_problems(const std::vector<config::config_problem>& problems) {
  require(problems.size() <= limits::config_problems, "too many problems");
  for (const auto& p : problems) {
    require(p.pointer.empty() || p.pointer.front() == '/', "no pointer");
    require(!p.what.empty(), "no sentence");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  const auto which = take_byte(text) % 3U;
  static const std::vector<config::document> own = [] {
    std::vector<config::document> out;
    for (const auto d : documents) {
      auto p = config::load(d);
      require(p.problems.empty(), "a document of the operator");
      out.push_back(std::move(p.doc));
    }
    return out;
  }();
  const auto& doc = own[which];
  auto read = config::read_discovered(text, *doc.discovery);
  check_problems(read.problems);
  if (!read.problems.empty()) return 0;
  const auto count = read.upstreams.size();
  auto merged = config::merge(doc, std::move(read.upstreams));
  check_problems(merged.problems);
  if (!merged.problems.empty()) return 0;
  require(config::validate(merged.doc).empty(), "a document that is not valid");
  require(merged.discovered_from == doc.upstreams.size(), "where they begin");
  const auto s = config::compiler().compile(std::move(merged.doc), merged.discovered_from);
  require(s->upstreams.size() == doc.upstreams.size() + count, "how many there are");
  std::set<std::string> ids;
  for (std::size_t i = 0; i < s->upstreams.size(); ++i) {
    const auto& u = s->upstreams[i];
    require(ids.insert(u.id).second, "an id twice");
    require(u.discovered == (i >= doc.upstreams.size()), "whose it is");
    if (u.discovered)
      check_bounds(u, which);
    else
      require(s->doc.upstreams[i] == doc.upstreams[i], "an upstream of the operator");
  }
  return 0;
}
