#pragma once
/// The command line of `gate`: a table of options (options/options.hpp). Pure: the environment is a
/// parameter, and files are read by the caller.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/options/options.hpp"
#include "protocol/limits/recordings.hpp"

namespace gate::config {

/// Exit codes of `gate`.
inline constexpr int exit_ok = 0;
inline constexpr int exit_invalid = 1;  ///< invalid configuration, or the boot failed
inline constexpr int exit_usage = 2;    ///< no configuration, unknown option

enum class log_format { text, json };
enum class log_level { debug, info, warn, error };
/// The values of --log-format and --log-level, as words.
inline constexpr word_table<log_format, 2> log_formats{
    {{"text", log_format::text}, {"json", log_format::json}}};
inline constexpr word_table<log_level, 4> log_levels{{{"debug", log_level::debug},
                                                      {"info", log_level::info},
                                                      {"warn", log_level::warn},
                                                      {"error", log_level::error}}};

/// What the process is asked to do.
enum class cli_action { run, validate, schema, config_reference, version, help, healthcheck };

/// Where the configuration document comes from.
struct source {
  enum class kind { none, file, inlined };
  kind from = kind::none;
  std::string text;  ///< the path, or the document itself
  bool operator==(const source&) const = default;
};

struct cli_options {
  cli_action action = cli_action::run;
  config::source source;
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any free port
  unsigned threads = 1;
  bool watch = false;  ///< reload when the file has changed
  config::log_format log_format = config::log_format::text;
  config::log_level log_level = config::log_level::info;
  std::string record;  ///< the file; empty: nothing is recorded
  std::uint64_t record_limit = limits::recording_bytes;
  std::vector<std::string> record_redact;  ///< names of what is secret as well
};

using environment = std::function<std::optional<std::string>(std::string_view name)>;

/// What GATE_CONFIG says: a path, or the document itself, since containers have no file at hand.
source source_in(const environment& env);
/// What to do about a missing document.
extern const std::string_view no_configuration;

/// `args` without the program's name. `--config` wins over GATE_CONFIG; actions that need no
/// configuration leave `source` as they find it.
std::variant<cli_options, usage_error> parse_cli(std::span<const char* const> args,
                                                 const environment& env);

/// The text of `--help`.
std::string help();
/// The command line, for other texts.
described_program command_line();

}  // namespace gate::config
