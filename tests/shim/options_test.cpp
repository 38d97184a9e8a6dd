#include "shim/options.hpp"

#include <gtest/gtest.h>

#include "tests/support/parsed_options.hpp"

namespace gate::shim {
namespace {

using gate::testing::words;

options good(const words& args) {
  return gate::testing::good_options<parse_options>(args);
}
std::string bad(const words& args) {
  return gate::testing::bad_options<parse_options>(args);
}

TEST(shim_options, defaults) {
  const auto o = good({"--", "cat"});
  EXPECT_EQ(o.action, action::run);
  EXPECT_EQ(o.host, "127.0.0.1");
  EXPECT_EQ(o.port, 8091);
  EXPECT_EQ(o.max_sessions, 64U);
  EXPECT_EQ(o.max_body_bytes, 1048576U);
  EXPECT_TRUE(o.env_passthrough.empty());
  EXPECT_TRUE(o.directory.empty());
  EXPECT_TRUE(o.bearer_env.empty());
  EXPECT_EQ(o.log_format, config::log_format::text);
  EXPECT_EQ(o.log_level, config::log_level::info);
  EXPECT_EQ(o.command, std::vector<std::string>{"cat"});
}

TEST(shim_options, every_option_in_both_spellings) {
  for (const auto& args :
       {words{"--host",
              "0.0.0.0",
              "--port",
              "0",
              "--max-sessions",
              "7",
              "--max-body-bytes",
              "9",
              "--env-passthrough",
              "PATH,HOME",
              "--dir",
              "/srv",
              "--bearer-env",
              "T",
              "--log-format",
              "json",
              "--log-level",
              "debug",
              "--probe",
              "--",
              "a"},
        words{"--host=0.0.0.0", "--port=0", "--max-sessions=7", "--max-body-bytes=9",
              "--env-passthrough=PATH,HOME", "--dir=/srv", "--bearer-env=T", "--log-format=json",
              "--log-level=debug", "--probe", "--", "a"}}) {
    const auto o = good(args);
    EXPECT_EQ(o.host, "0.0.0.0");
    EXPECT_EQ(o.port, 0);
    EXPECT_EQ(o.max_sessions, 7U);
    EXPECT_EQ(o.max_body_bytes, 9U);
    EXPECT_EQ(o.env_passthrough, (std::vector<std::string>{"PATH", "HOME"}));
    EXPECT_EQ(o.directory, "/srv");
    EXPECT_EQ(o.bearer_env, "T");
    EXPECT_EQ(o.log_format, config::log_format::json);
    EXPECT_EQ(o.log_level, config::log_level::debug);
    EXPECT_EQ(o.action, action::probe);
  }
}

TEST(shim_options, what_follows_two_dashes_is_the_servers) {
  EXPECT_EQ(good({"--port", "1", "--", "npx", "--port", "2", "--", "x", ""}).command,
            (std::vector<std::string>{"npx", "--port", "2", "--", "x", ""}));
}

TEST(shim_options, a_command_is_needed) {
  EXPECT_NE(bad({}).find("no command"), std::string::npos);
  EXPECT_NE(bad({"--probe", "--"}).find("no command"), std::string::npos);
  EXPECT_NE(bad({"--", ""}).find("is empty"), std::string::npos);
  EXPECT_NE(bad({"cat"}).find("unexpected argument \"cat\""), std::string::npos);
  EXPECT_EQ(good({"--help"}).action, action::help);
  EXPECT_EQ(good({"--version"}).action, action::version);
  EXPECT_EQ(good({"--help", "--probe"}).action, action::help);
}

TEST(shim_options, beyond_loopback_a_token_is_needed) {
  for (const char* host : {"0.0.0.0", "::", "10.0.0.1", "example.com", "128.0.0.1", "127.evil.com"})
    EXPECT_NE(bad({"--host", host, "--", "a"}).find("--bearer-env"), std::string::npos) << host;
  EXPECT_EQ(good({"--host", "0.0.0.0", "--bearer-env", "T", "--", "a"}).host, "0.0.0.0");
  for (const char* host : {"127.0.0.1", "127.0.0.2", "::1", "localhost"})
    EXPECT_EQ(good({"--host", host, "--", "a"}).host, host);
  EXPECT_EQ(good({"--host", "0.0.0.0", "--probe", "--", "a"}).action, action::probe);
}

TEST(shim_options, values_out_of_bounds) {
  EXPECT_EQ(bad({"--port", "65536", "--", "a"}),
            "--port: expected a number from 0 to 65535, found \"65536\"");
  EXPECT_EQ(bad({"--max-sessions", "0", "--", "a"}),
            "--max-sessions: expected a number from 1 to 10000, found \"0\"");
  EXPECT_NE(bad({"--max-body-bytes", "1e3", "--", "a"}).find("expected a number"),
            std::string::npos);
  EXPECT_NE(bad({"--env-passthrough", "A,,B", "--", "a"}).find("names of variables"),
            std::string::npos);
  EXPECT_NE(bad({"--env-passthrough", "A=1", "--", "a"}).find("names of variables"),
            std::string::npos);
  EXPECT_NE(bad({"--log-level", "loud", "--", "a"}).find("debug, info, warn, error"),
            std::string::npos);
  EXPECT_EQ(bad({"--port", "--", "a"}), "--port needs a value: --port PORT");
  EXPECT_EQ(bad({"--probe=1", "--", "a"}), "--probe takes no value");
}

TEST(shim_options, an_unknown_option_is_told_what_was_meant) {
  EXPECT_NE(bad({"--prot", "1", "--", "a"}).find("did you mean --port?"), std::string::npos);
}

TEST(shim_options, only_what_was_named_is_passed_on) {
  std::vector<std::string> missing;
  const auto env = [](std::string_view name) -> std::optional<std::string> {
    if (name == "A") return "1";
    if (name == "TOKEN") return "secret";
    return {};
  };
  EXPECT_EQ(passed_environment({"A", "B"}, env, missing), std::vector<std::string>{"A=1"});
  EXPECT_EQ(missing, std::vector<std::string>{"B"});
}

TEST(shim_options, help_is_made_from_the_rows) {
  EXPECT_EQ(help(),
            "gate-stdio - one stdio MCP server, served over streamable HTTP\n"
            "\n"
            "usage: gate-stdio [options] -- COMMAND [ARGUMENTS]\n"
            "\n"
            "options:\n"
            "  --host ADDRESS         address to listen on (127.0.0.1)\n"
            "  --port PORT            port to listen on, 0 for any free one (8091)\n"
            "  --max-sessions N       sessions at a time, each a child process (64)\n"
            "  --max-body-bytes N     largest body of a request (1048576)\n"
            "  --env-passthrough A,B  variables that the child may see (none)\n"
            "  --dir DIR              working directory of the child (our own)\n"
            "  --bearer-env NAME      variable with the token that callers must present\n"
            "  --log-format FORMAT    text or json (text)\n"
            "  --log-level LEVEL      debug, info, warn or error (info)\n"
            "  --probe                start the server once to check that it runs, then exit\n"
            "  --version              print the version, then exit\n"
            "  --help                 print this text, then exit\n"
            "\n"
            "exit codes: 0 ok, 1 failed boot or probe, 2 usage error\n");
}

TEST(shim_options, help_names_every_option) {
  for (const char* name :
       {"--host", "--port", "--max-sessions", "--max-body-bytes", "--env-passthrough", "--dir",
        "--bearer-env", "--probe", "--log-format", "--log-level", "--version", "--help"})
    EXPECT_NE(help().find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace gate::shim
