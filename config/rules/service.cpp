/// How the gateway is served and observed (server, audit, tracing) and where more upstreams come
/// from (discovery).
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "config/describe.hpp"
#include "config/rules/rules.hpp"
#include "config/text.hpp"
#include "protocol/endpoints.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/http/url.hpp"
#include "protocol/resp/store_url.hpp"

namespace gate::config::rules {
namespace {

/// Must stay 404, and what others may look for below it.
constexpr std::string_view removed_path = "/healthz";
constexpr std::string_view taken_tree = "/.well-known/";

std::optional<std::string> wrong_with_path(std::string_view path) {
  if (!path.starts_with('/')) return "must begin with \"/\"";
  bool printable = std::ranges::all_of(path, [](char c) { return c > 0x20 && c < 0x7f; });
  if (!printable || path.find_first_of("?#%\\\"<>") != std::string_view::npos) {
    return "must be a plain path: printable ASCII without blanks, query, fragment or escapes";
  }
  // Clients resolve these before they send the request, so the path would never be asked for.
  auto dotted = std::string(path) + '/';
  if (dotted.find("/./") != std::string::npos || dotted.find("/../") != std::string::npos) {
    return "must not contain \".\" or \"..\" segments";
  }
  bool taken =
      find_endpoint(path) != nullptr || path == removed_path || path.starts_with(taken_tree);
  if (taken) return "collides with another endpoint of the gateway: choose another path";
  return std::nullopt;
}

void allowed_hosts(const text_list& hosts, findings& out) {
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto& host = hosts[i];
    auto at = item("/server/allowedHosts", i);
    if (host.empty()) continue;  // refused when it was read
    if (host == "*") {
      // Beside other names it would silently open what they are meant to close.
      if (hosts.size() > 1) out.add(at, "\"*\" disables the check and must be the only entry");
    } else if (!is_host(host)) {
      // The port is stripped before matching, so an entry with one would never match.
      out.add(at, "not a host name: give it without scheme, port, path or wildcard");
    }
  }
}

void redis(std::string_view text, findings& out) {
  const std::string at = "/server/redisUrl";
  const auto parsed = resp::parse_store_url(text);
  if (!parsed) return out.add(at, "not a usable URL of a store: " + parsed.error().what);
  // The document never holds secrets; the environment does.
  if (parsed->credentials)
    out.add(at,
            "must not carry credentials: leave the field out and put the whole URL into the "
            "environment variable REDIS_URL");
}

void views(const document& d, findings& out) {
  const auto& s = d.server;
  // Nobody has groups when requests are anonymous: the lock would keep everybody out.
  if (s.introspection.groups && d.auth.mode != auth_mode::required) {
    out.add("/server/introspection/groups", "needs \"auth\": {\"mode\": \"required\"}", {"/auth"});
  }
  // The page shows what /api/federation answers.
  if (s.console.enabled && !s.introspection.enabled) {
    out.add("/server/console/enabled",
            "needs \"server.introspection\": {\"enabled\": true}: the page reads it",
            {"/server/introspection"});
  }
  if (!s.console.oauth) return;
  const auto& o = *s.console.oauth;
  scopes(out, "/server/console/oauth/scopes", o.scopes);
  if (o.issuer) {
    base_url(out, "/server/console/oauth/issuer", *o.issuer, scheme::secure);
  } else if (std::ranges::count(d.auth.issuers, issuer_mode::direct, &issuer::mode) != 1) {
    return out.add("/server/console/oauth/issuer",
                   "required unless \"auth.issuers\" has exactly one direct issuer",
                   {"/auth/issuers"});
  }
  const auto at =
      o.issuer ? http::parse_url(*o.issuer)
               : http::parse_url(
                     std::ranges::find(d.auth.issuers, issuer_mode::direct, &issuer::mode)->url);
  if (at && at->host.find(':') != std::string::npos) {
    out.add("/server/console/oauth/issuer",
            "must have a host name or an IPv4 address: a Content-Security-Policy, which lets the "
            "page ask the issuer, cannot name an IPv6 address",
            {"/auth/issuers"});
  }
}

/// `host` or `*.suffix`.
void host_patterns(const std::string& at, const std::optional<text_list>& list, findings& out) {
  if (!list) return;
  for (std::size_t i = 0; i < list->size(); ++i) {
    std::string_view entry = (*list)[i];
    if (entry.empty()) continue;  // refused when it was read
    if (entry.starts_with("*.")) entry.remove_prefix(2);
    if (!is_host(entry)) {
      out.add(item(at, i),
              "not a host: give a name such as \"mcp.example.com\", or "
              "\"*.example.com\", without scheme or port");
    }
  }
}

}  // namespace

void server(const document& d, findings& out) {
  const auto& s = d.server;
  if (auto wrong = wrong_with_path(s.mcp_path)) out.add("/server/mcpPath", *wrong);
  allowed_hosts(s.allowed_hosts, out);
  if (s.public_url) base_url(out, "/server/publicUrl", *s.public_url, scheme::any);
  if (s.redis_url) redis(*s.redis_url, out);
  views(d, out);
}

namespace {

/// Two sinks of one file would write over each other's lines; so would one whose file is what
/// another's becomes when it is full. (Other names of the same file can not be known here.)
void audit_file(findings& out, const std::string& at, const std::string& path,
                std::set<std::string>& known, const std::vector<std::string>& reads) {
  if (path.find('\0') != std::string::npos) return out.add(at, "must not contain NUL");
  const auto name = std::filesystem::path(path).lexically_normal().string();
  const bool first = known.insert(name).second;
  if (!known.insert(name + ".1").second || !first)
    out.add(at, "is the file of another sink, or its predecessor: choose another one", reads);
}

}  // namespace

void audit(const document& d, findings& out) {
  if (!d.audit) return;
  std::optional<std::size_t> standard_output;
  std::set<std::string> files;
  for (std::size_t i = 0; i < d.audit->sinks.size(); ++i) {
    const auto& sink = d.audit->sinks[i];
    auto at = item("/audit/sinks", i);
    std::vector<std::string> reads{at + "/type"};
    auto type = quote(name_of(sink.type));
    auto only_for = [&](bool given, std::string_view key, sink_type owner, bool needed) {
      if (given && sink.type != owner) {
        out.add(join_pointer(at, key), "has no meaning for a " + type + " sink: remove it", reads);
      } else if (!given && needed && sink.type == owner) {
        out.add(join_pointer(at, key), "required for a " + type + " sink", reads);
      }
    };
    only_for(sink.url.has_value(), "url", sink_type::webhook, true);
    only_for(sink.headers.has_value(), "headers", sink_type::webhook, false);
    only_for(sink.bearer_secret_ref.has_value(), "bearerSecretRef", sink_type::webhook, false);
    only_for(sink.path.has_value(), "path", sink_type::file, true);
    only_for(sink.max_bytes.has_value(), "maxBytes", sink_type::file, false);
    if (sink.url) url(out, at + "/url", *sink.url, scheme::secure);
    if (sink.headers) {
      for (const auto& [name, value] : *sink.headers) {
        auto place = join_pointer(at + "/headers", name);
        header_name(out, place, name);
        // A line break would let one value become further headers.
        if (!is_header_value(value)) {
          out.add(place, "must not contain line breaks or control characters");
        }
        if (sink.bearer_secret_ref && http::same_text(name, "Authorization"))
          out.add(place, "says who sends it, as bearerSecretRef does: remove one of them",
                  {at + "/bearerSecretRef"});
      }
    }
    if (sink.path) audit_file(out, at + "/path", *sink.path, files, reads);
    // One event is one line; a second sink of this kind would double every one of them.
    if (sink.type == sink_type::standard_output) {
      if (standard_output) {
        out.add(at,
                "standard output is already the sink " + item("/audit/sinks", *standard_output) +
                    ": remove one of them",
                reads);
      } else {
        standard_output = i;
      }
    }
  }
}

void discovery(const document& d, findings& out) {
  if (!d.discovery) return;
  const auto& s = *d.discovery;
  url(out, "/discovery/url", s.url, scheme::secure);
  // Whoever writes the discovered document chooses where secrets are sent, unless it is bounded.
  bool strategies =
      s.allowed_auth_strategies && std::ranges::any_of(*s.allowed_auth_strategies, [](auto a) {
        return row(a).from != credential_source::nothing;
      });
  bool secrets = s.allowed_secret_refs && !s.allowed_secret_refs->empty();
  if ((strategies || secrets) && !s.allowed_credential_hosts) {
    out.add("/discovery/allowedCredentialHosts",
            "required when discovered upstreams may use credentials: name the hosts that may be "
            "sent them");
  }
  host_patterns("/discovery/allowedCredentialHosts", s.allowed_credential_hosts, out);
  host_patterns("/discovery/allowedUpstreamHosts", s.allowed_upstream_hosts, out);
}

void tracing(const document& d, findings& out) {
  if (d.tracing) base_url(out, "/tracing/otlpEndpoint", d.tracing->otlp_endpoint, scheme::any);
}

}  // namespace gate::config::rules
