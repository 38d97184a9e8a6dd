#pragma once
/// The command line of `gate-discovery`: a table of options (config/options/options.hpp). Pure.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "config/cli.hpp"
#include "protocol/http/url.hpp"

namespace gate::kubernetes {

enum class action : std::uint8_t { run, healthcheck, version, help };

struct options {
  kubernetes::action action = action::run;
  std::string api_server;  ///< a URL; empty: that of the cluster that we run in
  std::string token_file;  ///< empty: that of our account there; with `api_server` none
  std::string ca_file;     ///< the same; with `api_server` the system's authorities
  std::string space;       ///< a namespace of the cluster; empty: all
  std::string label_selector;
  std::string domain = "cluster.local";
  std::vector<std::string> reserved;
  std::vector<std::string> secret_refs;
  std::optional<std::vector<std::string>> upstream_hosts;    ///< nothing: all
  std::optional<std::vector<std::string>> credential_hosts;  ///< nothing: none
  std::string host = "127.0.0.1";
  std::uint16_t port = 8093;  ///< 0: any free port
  std::string bearer_env;     ///< a name; empty: no token is asked for
  config::log_format log_format = config::log_format::text;
  config::log_level log_level = config::log_level::info;
};

/// `args` without the program's name. To listen beyond loopback needs a token.
std::variant<options, config::usage_error> parse_options(std::span<const char* const> args);

/// Whom to ask, and as whom.
struct account {
  http::url server;  ///< its target is the path below which the API is
  std::string token_file, ca_file;
};
/// As the options say, or as every container of a cluster finds it in its environment.
result<account> account_of(const options& o, const config::environment& env);

/// The text of `--help`.
std::string help();
/// The command line, for other texts.
config::described_program command_line();

}  // namespace gate::kubernetes
