#include "actors/kubernetes/options.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "config/options/listening.hpp"
#include "config/options/options.hpp"
#include "config/text.hpp"
#include "protocol/kubernetes/service.hpp"

namespace gate::kubernetes {
namespace {

using config::as_action;
using config::as_help;
using config::as_number;
using config::as_text;
using config::as_word;
using config::option_failure;
using config::read_by;

/// Where a container finds the account that it runs as.
constexpr std::string_view account_folder = "/var/run/secrets/kubernetes.io/serviceaccount/";

option_failure read_server(options& o, std::string_view value) {
  const auto url = http::parse_url(value);
  if (!url) return "expected a URL: " + url.error().what;
  if (!url->tls && !url->loopback())
    return "expected https, or http on this machine: the token would be there for all to read";
  if (url->target.find('?') != std::string::npos) return "expected a URL without a query";
  o.api_server = value;
  return {};
}

option_failure read_space(options& o, std::string_view value) {
  if (!is_dns_label(value)) return "expected the name of a namespace of the cluster";
  o.space = value;
  return {};
}

option_failure read_bearer_env(options& o, std::string_view value) {
  if (!config::is_variable_name(value)) return "expected the name of a variable";
  o.bearer_env = value;
  return {};
}

option_failure read_names(std::vector<std::string>& out, std::string_view value,
                          std::string_view what) {
  out.clear();
  for (;;) {
    const auto one = value.substr(0, value.find(','));
    if (one.empty())
      return "expected " + std::string(what) + " with commas between, found an empty one";
    out.emplace_back(one);
    if (one.size() == value.size()) return {};
    value.remove_prefix(one.size() + 1);
  }
}

option_failure read_reserved(options& o, std::string_view value) {
  return read_names(o.reserved, value, "namespaces of tools");
}

option_failure read_secret_refs(options& o, std::string_view value) {
  if (auto wrong = read_names(o.secret_refs, value, "names of variables")) return wrong;
  if (!std::ranges::all_of(o.secret_refs, config::is_variable_name))
    return "expected names of variables with commas between";
  return {};
}

/// As in the lists of the gateway's section `discovery`.
option_failure read_hosts(std::optional<std::vector<std::string>>& out, std::string_view value) {
  out.emplace();
  if (auto wrong = read_names(*out, value, "hosts")) return wrong;
  for (std::string_view host : *out) {
    if (host.starts_with("*.")) host.remove_prefix(2);
    if (!config::is_host(host))
      return "expected hosts with commas between, such as notes.tools.svc.cluster.local or "
             "*.svc.cluster.local, without scheme or port";
  }
  return {};
}

option_failure read_upstream_hosts(options& o, std::string_view value) {
  return read_hosts(o.upstream_hosts, value);
}

option_failure read_credential_hosts(options& o, std::string_view value) {
  return read_hosts(o.credential_hosts, value);
}

/// What is wrong with the options together.
option_failure contradiction(const options& o) {
  if (o.action != action::run) return {};
  if (o.api_server.empty() && (!o.token_file.empty() || !o.ca_file.empty()))
    return "--token-file and --ca-file say how --api-server is asked: give that, too";
  if (!config::is_loopback(o.host) && o.bearer_env.empty())
    return "to listen on " + o.host +
           ", which others can reach, callers must present a token: give --bearer-env NAME, or "
           "listen on 127.0.0.1";
  return {};
}

using o = options;
constexpr auto act = &options::action;

constexpr std::array<config::option<options>, 18> rows{{
    // clang-format off
    {"--api-server",     "URL",     "whom to ask",                                    read_by<read_server>(), "that of the cluster it runs in"},
    {"--token-file",     "FILE",    "token to show there, read anew each time",       as_text<&o::token_file>(), "that of its account, or none with --api-server"},
    {"--ca-file",        "FILE",    "who may vouch for it, PEM",                      as_text<&o::ca_file>(), "as the cluster says, or the system with --api-server"},
    {"--namespace",      "NAME",    "watch this namespace of the cluster alone",      read_by<read_space>(), "all"},
    {"--label-selector", "LABELS",  "watch Services with these labels alone",         as_text<&o::label_selector>(), "all"},
    {"--cluster-domain", "NAME",    "what the cluster's names end with",              as_text<&o::domain>()},
    {"--reserve",        "A,B",     "namespaces of tools that no Service may take",   read_by<read_reserved>(), "none"},
    {"--secret-refs",    "NAME,...", "variables of the gateway that Services may name", read_by<read_secret_refs>(), "none"},
    {"--upstream-hosts", "HOST,...", "hosts that the gateway allows upstreams at, exact or *.suffix", read_by<read_upstream_hosts>(), "all"},
    {"--credential-hosts", "HOST,...", "hosts that it shows credentials, exact or *.suffix", read_by<read_credential_hosts>(), "none"},
    {"--host",           "ADDRESS", "address to listen on",                           as_text<&o::host>()},
    {"--port",           "PORT",    "port to listen on, 0 for any free one",          as_number<&o::port, 0, 65'535>()},
    {"--bearer-env",     "NAME",    "variable with the token that callers must present", read_by<read_bearer_env>()},
    {"--log-format",     "FORMAT",  "{}",                                             as_word<&o::log_format, config::log_formats>()},
    {"--log-level",      "LEVEL",   "{}",                                             as_word<&o::log_level, config::log_levels>()},
    {"--healthcheck",    "",        "ask a running gate-discovery for its health, then exit", as_action<act, action::healthcheck>()},
    {"--version",        "",        "print the version, then exit",                   as_action<act, action::version>()},
    {"--help",           "",        "print this text, then exit",                     as_help<act, action::help>()},
    // clang-format on
}};

constexpr config::program<options> gate_discovery{
    .name = "gate-discovery",
    .about = "the Services of a Kubernetes cluster as upstreams of a gateway",
    .usage = "gate-discovery [options]",
    .exit_codes = "0 ok, 1 failed boot, 2 usage error",
    .options = rows,
    .stray_hint = "every option begins with --",
    .contradiction = contradiction};

}  // namespace

std::variant<options, config::usage_error> parse_options(std::span<const char* const> args) {
  return config::parse(gate_discovery, args);
}

result<account> account_of(const options& o, const config::environment& env) {
  if (!o.api_server.empty()) {
    auto url = http::parse_url(o.api_server);
    if (!url) return url.error();
    return account{std::move(*url), o.token_file, o.ca_file};
  }
  const auto host = env("KUBERNETES_SERVICE_HOST").value_or("");
  const auto port = env("KUBERNETES_SERVICE_PORT").value_or("443");
  if (host.empty())
    return problem{
        "this is no container of a cluster (KUBERNETES_SERVICE_HOST is not set): give --api-server "
        "URL, such as http://127.0.0.1:8001 of kubectl proxy"};
  const bool v6 = host.find(':') != std::string::npos;
  auto url = http::parse_url("https://" + (v6 ? '[' + host + ']' : host) + ':' + port);
  if (!url)
    return problem{"KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name no server: " +
                   url.error().what};
  const std::string folder(account_folder);
  return account{std::move(*url), folder + "token", folder + "ca.crt"};
}

std::string help() {
  return config::help_of(gate_discovery);
}

config::described_program command_line() {
  return config::described_of(gate_discovery);
}

}  // namespace gate::kubernetes
