#include "config/cli.hpp"

#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using arguments = std::vector<const char*>;

environment variables(std::optional<std::string> gate_config) {
  return [gate_config](std::string_view name) -> std::optional<std::string> {
    return name == "GATE_CONFIG" ? gate_config : std::nullopt;
  };
}

std::variant<cli_options, usage_error> parsed_of(const arguments& args,
                                                 std::optional<std::string> gate_config = {}) {
  return parse_cli(args, variables(std::move(gate_config)));
}

cli_options options_of(const arguments& args, std::optional<std::string> gate_config = {}) {
  auto p = parsed_of(args, std::move(gate_config));
  if (auto* error = std::get_if<usage_error>(&p)) {
    ADD_FAILURE() << error->what;
    return {};
  }
  return std::get<cli_options>(p);
}

std::string error_of(const arguments& args, std::optional<std::string> gate_config = {}) {
  auto p = parsed_of(args, std::move(gate_config));
  auto* error = std::get_if<usage_error>(&p);
  return error ? error->what : "";
}

TEST(cli, defaults) {
  auto o = options_of({"--config", "gate.json"});
  EXPECT_EQ(o.action, cli_action::run);
  EXPECT_EQ(o.source, (source{source::kind::file, "gate.json"}));
  EXPECT_EQ(o.host, "127.0.0.1");
  EXPECT_EQ(o.port, 8080);
  EXPECT_EQ(o.threads, 1U);
  EXPECT_EQ(o.log_format, log_format::text);
  EXPECT_EQ(o.log_level, log_level::info);
}

TEST(cli, both_spellings) {
  for (const auto& args : {arguments{"--config", "c", "--host", "::", "--port", "0", "--threads",
                                     "64", "--log-format", "json", "--log-level", "debug"},
                           arguments{"--config=c", "--host=::", "--port=0", "--threads=64",
                                     "--log-format=json", "--log-level=debug"}}) {
    auto o = options_of(args);
    EXPECT_EQ(o.source.text, "c");
    EXPECT_EQ(o.host, "::");
    EXPECT_EQ(o.port, 0);
    EXPECT_EQ(o.threads, 64U);
    EXPECT_EQ(o.log_format, log_format::json);
    EXPECT_EQ(o.log_level, log_level::debug);
  }
  EXPECT_EQ(options_of({"--config", "a=b"}).source.text, "a=b");
  EXPECT_EQ(options_of({"--config=a=b"}).source.text, "a=b");
  EXPECT_EQ(options_of({"--config", "a", "--config", "b"}).source.text, "b") << "the last one wins";
}

TEST(cli, watching) {
  EXPECT_FALSE(options_of({"--config=c"}).watch);
  const auto o = options_of({"--watch", "--config=c"});
  EXPECT_TRUE(o.watch);
  EXPECT_EQ(o.action, cli_action::run);
  EXPECT_TRUE(options_of({"--watch"}, "{}").watch) << "whoever runs it warns";
  EXPECT_EQ(options_of({"--watch", "--validate"}, "{}").action, cli_action::validate);
}

TEST(cli, log_levels) {
  EXPECT_EQ(options_of({"--config=c", "--log-level=info"}).log_level, log_level::info);
  EXPECT_EQ(options_of({"--config=c", "--log-level=warn"}).log_level, log_level::warn);
  EXPECT_EQ(options_of({"--config=c", "--log-level=error"}).log_level, log_level::error);
}

TEST(cli, gate_config_is_a_path_or_the_document_itself) {
  EXPECT_EQ(options_of({}, "/etc/gate.json").source,
            (source{source::kind::file, "/etc/gate.json"}));
  EXPECT_EQ(options_of({}, R"({"upstreams": []})").source,
            (source{source::kind::inlined, R"({"upstreams": []})"}));
  EXPECT_EQ(options_of({}, " \n\t{}").source, (source{source::kind::inlined, " \n\t{}"}));
  EXPECT_EQ(options_of({}, "[]").source.from, source::kind::file);
  EXPECT_EQ(options_of({"--config", "c"}, "{}").source, (source{source::kind::file, "c"}));
}

TEST(cli, no_configuration_is_a_usage_error) {
  for (const auto& environment : {std::optional<std::string>{}, std::optional<std::string>{""},
                                  std::optional<std::string>{"  \n"}}) {
    EXPECT_TRUE(error_of({}, environment).starts_with("no configuration: give --config PATH"));
    EXPECT_NE(error_of({}, environment).find("gate-up"), std::string::npos);
    EXPECT_TRUE(error_of({"--validate"}, environment).starts_with("no configuration"));
  }
}

TEST(cli, actions) {
  EXPECT_EQ(options_of({"--validate", "--config", "c"}).action, cli_action::validate);
  EXPECT_EQ(options_of({"--validate"}, "{}").source.from, source::kind::inlined);
  EXPECT_EQ(options_of({"--schema"}).action, cli_action::schema);
  EXPECT_EQ(options_of({"--config-reference"}).action, cli_action::config_reference);
  EXPECT_EQ(options_of({"--version"}).action, cli_action::version);
  EXPECT_EQ(options_of({"--help"}).action, cli_action::help);
  EXPECT_EQ(options_of({"--schema", "--help"}).action, cli_action::help);
  EXPECT_EQ(options_of({"--help", "--schema"}).action, cli_action::help);
  EXPECT_EQ(options_of({"--schema", "--schema"}).action, cli_action::schema);
  auto o = options_of({"--healthcheck", "--port", "9"});
  EXPECT_EQ(o.action, cli_action::healthcheck);
  EXPECT_EQ(o.port, 9);
}

TEST(cli, errors_say_what_to_do) {
  const std::vector<std::pair<arguments, std::string>> cases{
      {{"--confg", "x"}, "unknown option --confg; did you mean --config?; see gate --help"},
      {{"--frobnicate"}, "unknown option --frobnicate; see gate --help"},
      {{"--frobnicate=1"}, "unknown option --frobnicate; see gate --help"},
      {{"-h"}, "unknown option -h; see gate --help"},
      {{"gate.json"}, "unexpected argument \"gate.json\"; see gate --help"},
      {{""}, "unexpected argument \"\"; see gate --help"},
      {{"--config"}, "--config needs a value: --config PATH"},
      {{"--config="}, "--config needs a value: --config PATH"},
      {{"--config", ""}, "--config needs a value: --config PATH"},
      {{"--config", "--validate"}, "--config needs a value: --config PATH"},
      {{"--port", "65536"}, "--port: expected a number from 0 to 65535, found \"65536\""},
      {{"--port", "-1"}, "--port: expected a number from 0 to 65535, found \"-1\""},
      {{"--port", "80a"}, "--port: expected a number from 0 to 65535, found \"80a\""},
      {{"--threads", "0"}, "--threads: expected a number from 1 to 64, found \"0\""},
      {{"--threads=65"}, "--threads: expected a number from 1 to 64, found \"65\""},
      {{"--log-format=xml"}, "--log-format: expected one of text, json, found \"xml\""},
      {{"--log-level=trace"},
       "--log-level: expected one of debug, info, warn, error, found \"trace\""},
      {{"--validate=yes"}, "--validate takes no value"},
      {{"--validate", "--schema"}, "--validate and --schema exclude each other: give one of them"},
      {{"--watch=yes"}, "--watch takes no value"},
  };
  for (const auto& [args, what] : cases) EXPECT_EQ(error_of(args, "{}"), what);
}

TEST(cli, recordings) {
  const auto o = options_of(
      {"--config", "x", "--record", "f", "--record-redact", "a,B-c", "--record-limit", "65536"});
  EXPECT_EQ(o.record, "f");
  EXPECT_EQ(o.record_limit, 65536u);
  EXPECT_EQ(o.record_redact, (std::vector<std::string>{"a", "B-c"}));
  EXPECT_EQ(options_of({"--config", "x"}).record, "");
}

TEST(cli, help_is_made_from_the_rows) {
  EXPECT_EQ(help(),
            "gate - one MCP server in front of many\n"
            "\n"
            "usage: gate --config PATH [options]\n"
            "       GATE_CONFIG=<path or JSON document> gate [options]\n"
            "       gate doctor --config PATH [options]   looks at all that a document names\n"
            "\n"
            "options:\n"
            "  --config PATH             configuration document; wins over GATE_CONFIG\n"
            "  --watch                   reload when the document's file has changed\n"
            "  --host ADDRESS            address to listen on (127.0.0.1)\n"
            "  --port PORT               port to listen on, 0 for any free one (8080)\n"
            "  --threads N               threads that serve requests, 1 to 64 (1)\n"
            "  --log-format FORMAT       text or json (text)\n"
            "  --log-level LEVEL         debug, info, warn or error (info)\n"
            "  --record FILE             record what happens, in a file that does not exist\n"
            "  --record-limit BYTES      what the recording may have (1073741824)\n"
            "  --record-redact NAME,...  headers and members that are secret as well\n"
            "  --validate                check the configuration document, then exit\n"
            "  --schema                  print the JSON Schema of the document, then exit\n"
            "  --healthcheck             ask a running gate for its health, then exit\n"
            "  --version                 print the version, then exit\n"
            "  --help                    print this text, then exit\n"
            "\n"
            "exit codes: 0 ok, 1 invalid configuration or failed boot, 2 usage error\n");
}

TEST(cli, help_lists_every_visible_option) {
  auto text = help();
  for (auto name : {"--config PATH", "--host", "--port", "--threads", "--log-format", "--log-level",
                    "--watch", "--validate", "--schema", "--healthcheck", "--version", "--help",
                    "GATE_CONFIG", "exit codes"}) {
    EXPECT_NE(text.find(name), std::string::npos) << name;
  }
  EXPECT_EQ(text.find("--config-reference"), std::string::npos);
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    EXPECT_LE(end - at, 80U) << text.substr(at, end - at);
  }
}

}  // namespace
}  // namespace gate::config
