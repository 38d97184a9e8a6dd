#include "config/discovery/containment.hpp"

#include <algorithm>

#include "config/describe.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/http/url.hpp"
#include "protocol/limits.hpp"

namespace gate::config {
namespace {

std::string quoted(std::string_view word) {
  return '"' + std::string(word) + '"';
}

class bounds {
 public:
  bounds(const discovery_section& rules, std::vector<config_problem>& out)
      : rules_(rules), out_(out) {
    if (rules.allowed_credential_hosts) credential_hosts_.emplace(*rules.allowed_credential_hosts);
    if (rules.allowed_upstream_hosts) upstream_hosts_.emplace(*rules.allowed_upstream_hosts);
  }

  void check(const upstream& u, const std::string& at) {
    const bool credential = row(u.auth.strategy).from != credential_source::nothing;
    if (credential) {
      strategy(u.auth, at + "/auth/strategy");
      if (u.auth.secret_ref) secret(*u.auth.secret_ref, at + "/auth/secretRef");
      if (u.auth.client_auth) {
        secret(u.auth.client_auth->secret_ref, at + "/auth/clientAuth/secretRef");
      }
      if (u.auth.token_endpoint) {
        place(*u.auth.token_endpoint, at + "/auth/tokenEndpoint", true, false);
      }
    }
    if (u.url) place(*u.url, at + "/url", credential, true);
    if (u.urls) {
      for (std::size_t i = 0; i < u.urls->size(); ++i) {
        place((*u.urls)[i], at + "/urls/" + std::to_string(i), credential, true);
      }
    }
    if (u.health_check) probes(u.health_check->interval, at + "/healthCheck/intervalMs");
  }

 private:
  void strategy(const upstream_auth& a, const std::string& at) {
    const auto& allowed = rules_.allowed_auth_strategies;
    if (allowed && std::ranges::find(*allowed, a.strategy) == allowed->end()) {
      add(at, "the strategy " + quoted(name_of(a.strategy)) +
                  " is not one of \"discovery.allowedAuthStrategies\": choose another, or add it "
                  "there");
    }
    // Without it, every secret of the environment could be asked for by whoever writes the
    // document.
    if (!rules_.allowed_credential_hosts) {
      add(at,
          "discovered upstreams may have credentials only with "
          "\"discovery.allowedCredentialHosts\": name there the hosts that may be sent them");
    }
  }

  void secret(const std::string& name, const std::string& at) {
    const auto& allowed = rules_.allowed_secret_refs;
    if (!allowed || std::ranges::find(*allowed, name) != allowed->end()) return;
    add(at, quoted(name) +
                " is not one of \"discovery.allowedSecretRefs\": name another, or add it there");
  }

  /// The same reader of URLs as whoever connects, so that both mean the same host.
  void place(std::string_view text, const std::string& at, bool credential, bool upstream) {
    const auto url = http::parse_url(text);
    if (!url) return add(at, "not a usable URL: " + url.error().what);
    const auto refuse = [&](std::string_view list, std::string_view instead) {
      add(at, "the host " + quoted(url->host) + " is not one of \"discovery." + std::string(list) +
                  "\": " + std::string(instead) + ", or add it there");
    };
    if (credential && credential_hosts_ && !credential_hosts_->covers(url->host)) {
      refuse("allowedCredentialHosts", "this upstream's credential would be sent there; remove it");
    }
    if (upstream && upstream_hosts_ && !upstream_hosts_->covers(url->host)) {
      refuse("allowedUpstreamHosts", "remove this endpoint");
    }
  }

  void probes(milliseconds interval, const std::string& at) {
    const auto least = rules_.min_health_check_interval;
    if (interval == milliseconds::zero() || interval >= least) return;
    add(at, std::to_string(interval.count()) +
                " is less than \"discovery.minHealthCheckIntervalMs\", " +
                std::to_string(least.count()) + ": probe less often, or lower it there");
  }

  void add(const std::string& at, std::string what) {
    if (out_.size() < limits::config_problems) out_.push_back({at, std::move(what)});
  }

  const discovery_section& rules_;
  std::vector<config_problem>& out_;
  std::optional<host_list> credential_hosts_, upstream_hosts_;
};

}  // namespace

host_list::host_list(const text_list& entries) {
  for (std::string_view entry : entries) {
    const bool suffix = entry.starts_with("*.");
    if (suffix) entry.remove_prefix(2);
    if (entry.starts_with('[') && entry.ends_with(']')) entry = entry.substr(1, entry.size() - 2);
    auto host = http::canonical_host(entry);
    if (suffix) {
      suffixes_.push_back('.' + host);
    } else {
      exact_.insert(std::move(host));
    }
  }
}

bool host_list::covers(std::string_view host) const {
  const auto name = http::canonical_host(host);
  if (exact_.contains(name)) return true;
  // Its last label consists of digits, or it has groups.
  if (http::all_digits(std::string_view(name).substr(name.rfind('.') + 1)) ||
      name.find(':') != std::string::npos) {
    return false;
  }
  return std::ranges::any_of(suffixes_, [&](const auto& suffix) {
    return name.size() > suffix.size() && name.ends_with(suffix);
  });
}

std::vector<config_problem> contain(const std::vector<upstream>& upstreams,
                                    const discovery_section& rules) {
  std::vector<config_problem> out;
  bounds b(rules, out);
  for (std::size_t i = 0; i < upstreams.size(); ++i) {
    b.check(upstreams[i], "/upstreams/" + std::to_string(i));
  }
  return out;
}

}  // namespace gate::config
