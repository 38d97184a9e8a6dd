#include "config/clients/units.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "config/clients/hardening.hpp"
#include "config/validate.hpp"

namespace gate::clients {
namespace {

unit_place place() {
  return {"/usr/bin", "/etc/it", "/w", "/bin", "/users/a", "127.0.0.1", 8080};
}

planned_server command(std::string id) {
  planned_server s;
  s.id = std::move(id);
  s.entry.command = {"npx", "-y", "a b"};
  s.entry.environment = {{"KEY", "s3cr3t$"}};
  return s;
}

const written_file& named(const std::vector<written_file>& all, std::string_view name) {
  return *std::ranges::find(all, name, &written_file::name);
}

TEST(units, are_one_a_process_and_secrets_are_apart) {
  planned_server remote;
  remote.id = "r";
  remote.entry.url = "https://r.example/mcp";
  remote.entry.headers = {{"Authorization", "Bearer t0k3n"}};
  const auto all = units_of({command("a"), command("b"), remote}, {}, place()).files;
  std::vector<std::string> names;
  for (const auto& f : all) names.push_back(f.name);
  EXPECT_EQ(names, (std::vector<std::string>{"gate-stdio-a.service", "gate-stdio-a.env",
                                             "gate-stdio-b.service", "gate-stdio-b.env",
                                             "gate.json", "gate.env", "gate.service"}));
  for (const auto& f : all) {
    const bool tells = f.text.find("s3cr3t") != f.text.npos || f.text.find("t0k3n") != f.text.npos;
    EXPECT_EQ(tells, f.name.ends_with(".env")) << f.name;
  }
  EXPECT_TRUE(config::load(named(all, "gate.json").text).problems.empty());
  EXPECT_NE(named(all, "gate.json").text.find("http://127.0.0.1:8102/mcp"), std::string::npos);
  const auto& a = named(all, "gate-stdio-a.service").text;
  EXPECT_NE(a.find("ExecStart=/usr/bin/gate-stdio --port 8101 --env-passthrough PATH,HOME,KEY "
                   "--dir /w -- npx -y \"a b\"\n"),
            std::string::npos)
      << a;
  EXPECT_NE(a.find("EnvironmentFile=/etc/it/gate-stdio-a.env\n"), std::string::npos) << a;
  EXPECT_EQ(named(all, "gate-stdio-a.env").text,
            "PATH=\"/bin\"\nHOME=\"/users/a\"\nKEY=\"s3cr3t\\$\"\n");
  const auto& g = named(all, "gate.service").text;
  EXPECT_NE(g.find("Wants=gate-stdio-a.service gate-stdio-b.service\n"), std::string::npos) << g;
  EXPECT_NE(g.find("/gate --config /etc/it/gate.json --watch --host 127.0.0.1 --port 8080\n"),
            std::string::npos)
      << g;
}

TEST(units, keep_clear_of_the_gateways_port_and_know_relative_folders) {
  auto at = place();
  at.port = 8101;
  auto s = command("a");
  s.entry.directory = "sub";
  const auto all = units_of({s}, {}, at).files;
  EXPECT_NE(named(all, "gate-stdio-a.service").text.find("--port 8102"), std::string::npos);
  EXPECT_NE(named(all, "gate-stdio-a.service").text.find("--dir /w/sub "), std::string::npos);
}

TEST(units, take_from_programs_what_these_do_not_need) {
  const auto all = units_of({command("a")}, {}, place()).files;
  const auto& server = named(all, "gate-stdio-a.service").text;
  const auto& gateway = named(all, "gate.service").text;
  for (const auto& s : hardening) {
    const auto line = '\n' + std::string(s.line) + '\n';
    EXPECT_NE(gateway.find(line), std::string::npos) << line << gateway;
    EXPECT_EQ(server.find(line) != std::string::npos, s.of_servers) << line << server;
  }
}

TEST(units, words_are_read_back_as_they_were) {
  EXPECT_EQ(unit_word("--plain=a/b.c,d@e:1+2"), "--plain=a/b.c,d@e:1+2");
  EXPECT_EQ(unit_word(""), "\"\"");
  EXPECT_EQ(unit_word(";"), "\";\"");
  EXPECT_EQ(unit_word("~"), "\"~\"");
  EXPECT_EQ(unit_word(R"(a "b" \c)"), R"("a \"b\" \\c")");
  EXPECT_EQ(unit_word("100% $HOME"), "\"100%% $$HOME\"");
  EXPECT_EQ(unit_word("a\nb\rc"), "\"a\\x0ab\\x0dc\"");
  EXPECT_EQ(environment_line("A", "x\"y`z\\"), "A=\"x\\\"y\\`z\\\\\"\n");
}

}  // namespace
}  // namespace gate::clients
