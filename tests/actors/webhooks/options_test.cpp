#include "actors/webhooks/options.hpp"

#include <gtest/gtest.h>

#include "tests/support/parsed_options.hpp"

namespace gate::hooks {
namespace {

using namespace std::chrono_literals;
using gate::testing::words;

options good(const words& args) {
  return gate::testing::good_options<parse_options>(args);
}
std::string bad(const words& args) {
  return gate::testing::bad_options<parse_options>(args);
}

TEST(hooks_options, defaults) {
  const auto o = good({});
  EXPECT_EQ(o.store.what, ledger_place::kind::sqlite);
  EXPECT_EQ(o.store.where, "gate-hooks.db");
  EXPECT_EQ(o.host, "127.0.0.1");
  EXPECT_EQ(o.port, 8092);
  EXPECT_EQ(o.timeout, 15U);
  EXPECT_EQ(o.schedule.attempts(), 7U);
  EXPECT_EQ(o.succeeded_kept, 7 * 24h);
  EXPECT_EQ(o.dead_kept, 30 * 24h);
  EXPECT_FALSE(o.calling.loopback);
  EXPECT_TRUE(o.calling.hosts.empty());
}

TEST(hooks_options, every_option) {
  const auto o =
      good({"--store=sqlite:/srv/h.db", "--host=0.0.0.0", "--port=0", "--bearer-env=T",
            "--schedule=0,1,2", "--timeout=3", "--allow-hosts=a.example.com,*.example.org",
            "--retain-succeeded=12h", "--retain-dead", "90", "--dev-allow-loopback",
            "--log-format=json", "--log-level=debug"});
  EXPECT_EQ(o.store.where, "/srv/h.db");
  EXPECT_EQ(o.schedule.pauses(), (std::vector<std::chrono::seconds>{0s, 1s, 2s}));
  EXPECT_EQ(o.timeout, 3U);
  EXPECT_EQ(o.calling.hosts, (std::vector<std::string>{"a.example.com", "*.example.org"}));
  EXPECT_EQ(o.succeeded_kept, 12h);
  EXPECT_EQ(o.dead_kept, 90s);
  EXPECT_TRUE(o.calling.loopback);
  EXPECT_EQ(good({"--store", "postgres://u:p@db/hooks"}).store.what, ledger_place::kind::postgres);
  EXPECT_EQ(good({"--retain-dead=3650d"}).dead_kept, limits::webhook_kept_most);
  EXPECT_EQ(good({"--retain-dead=30m"}).dead_kept, 30min);
}

TEST(hooks_options, beyond_loopback_a_token_is_needed) {
  EXPECT_NE(bad({"--host", "0.0.0.0"}).find("--bearer-env"), std::string::npos);
  EXPECT_EQ(good({"--host", "0.0.0.0", "--config", "f"}).config, "f");
  EXPECT_NE(bad({"--config", "f", "--bearer-env", "T"}).find("one of them"), std::string::npos);
  EXPECT_EQ(good({"--host", "0.0.0.0", "--help"}).action, action::help);
}

TEST(hooks_options, what_can_not_be_meant) {
  for (const auto& args :
       {words{"--store=hooks.db"},    words{"--store=sqlite:"},
        words{"--store=mysql://x"},   words{"--schedule="},
        words{"--schedule=1,"},       words{"--schedule=-1"},
        words{"--schedule=99999999"}, words{"--timeout=0"},
        words{"--timeout=121"},       words{"--allow-hosts=A.example.com"},
        words{"--allow-hosts=a,,b"},  words{"--allow-hosts=http://a"},
        words{"--retain-dead=0d"},    words{"--retain-dead=d"},
        words{"--retain-dead=3651d"}, words{"--retain-dead=1.5h"},
        words{"--retain-dead=1w"},    words{"--retain-dead=99999999999999999999d"},
        words{"--bearer-env=A=B"},    words{"x"}})
    EXPECT_FALSE(bad(args).empty()) << args.front();
  EXPECT_NE(bad({"--sotre=x"}).find("did you mean --store?"), std::string::npos);
}

TEST(hooks_options, help_names_them_all) {
  const auto text = help();
  for (const char* name : {"--store", "--schedule", "--dev-allow-loopback", "--retain-dead"})
    EXPECT_NE(text.find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace gate::hooks
