#include "config/clients/serving_words.hpp"

#include <gtest/gtest.h>

namespace gate::clients {
namespace {

planned_server server() {
  planned_server s;
  s.entry.command = {"npx", "-y", "a b"};
  return s;
}

TEST(serving_words, of_a_server_end_with_its_command) {
  EXPECT_EQ(
      stdio_words(server(), {{}, {"PATH", "KEY"}}, "/p", 8101, "/w", {"--log-format", "json"}),
      (words{"/p/gate-stdio", "--log-format", "json", "--port", "8101", "--env-passthrough",
             "PATH,KEY", "--dir", "/w", "--", "npx", "-y", "a b"}));
}

TEST(serving_words, leave_out_what_there_is_not) {
  EXPECT_EQ(stdio_words(server(), {}, "/p", 1, ""),
            (words{"/p/gate-stdio", "--port", "1", "--", "npx", "-y", "a b"}));
}

TEST(serving_words, of_the_gateway) {
  EXPECT_EQ(gate_words("/p", "/d.json", "::1", 80, {"--watch"}),
            (words{"/p/gate", "--config", "/d.json", "--watch", "--host", "::1", "--port", "80"}));
}

}  // namespace
}  // namespace gate::clients
