#include "config/diff.hpp"

#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

std::vector<std::string_view> changed(std::string_view patch) {
  return needs_restart(parse(secured).doc, parse(patched(secured, patch)).doc);
}

using keys = std::vector<std::string_view>;

TEST(diff, live_sections_may_change) {
  EXPECT_EQ(changed("{}"), keys{});
  EXPECT_EQ(changed(R"({"upstreams": [], "policy": {}, "tenants": [{"id": "t",
                        "subjects": {"subs": ["x"]}}]})"),
            keys{});
}

TEST(diff, others_are_named) {
  EXPECT_EQ(changed(R"({"auth": {"resource": "https://other"}})"), keys{"auth"});
  EXPECT_EQ(changed(R"({"audit": {"sinks": []}})"), keys{"audit"});
  EXPECT_EQ(changed(R"({"server": {"budget": {"upstreamCalls": 1}}})"), keys{"server"});
  EXPECT_EQ(changed(R"({"routing": {"pageSize": 1}, "tracing": {"otlpEndpoint": "http://o"},
                        "discovery": {"url": "https://r"}})"),
            (keys{"routing", "discovery", "tracing"}));
}

TEST(diff, a_default_written_out_is_no_change) {
  EXPECT_EQ(changed(R"({"server": {"mcpPath": "/mcp", "maxBodyBytes": 0, "introspection": {},
                                   "console": {"enabled": false}},
                        "routing": {}, "policy": {}, "tenants": []})"),
            keys{});
  EXPECT_EQ(needs_restart(parse(plain).doc, parse(patched(plain, R"({"auth": {"mode": "disabled",
                "issuers": []}, "server": {}, "routing": {"pageSize": 200}})"))
                                                .doc),
            keys{});
}

/// What can be absent is not the same as there with defaults, even where it would do the same: the
/// operator who wrote it meant something by it.
TEST(diff, a_section_that_was_absent_is_a_change) {
  EXPECT_EQ(changed(R"({"server": {"rateLimit": {"requestsPerMinute": 0}}})"), keys{"server"});
  const auto with = R"({"discovery": {"url": "https://r"}, "audit": {"sinks": []}})";
  EXPECT_EQ(changed(with), (keys{"audit", "discovery"}));
  EXPECT_EQ(needs_restart(parse(patched(secured, with)).doc, parse(secured).doc),
            (keys{"audit", "discovery"}));
  EXPECT_EQ(needs_restart(parse(patched(secured, with)).doc,
                          parse(patched(secured, R"({"audit": {"sinks": []}, "discovery":
                              {"url": "https://r", "intervalMs": 30000}})"))
                              .doc),
            keys{});
}

TEST(diff, reads_as_problems_of_the_reload) {
  EXPECT_EQ(lines(restart_problems(parse(plain).doc, parse(secured).doc)),
            std::vector<std::string>{"/auth: the auth section cannot change without a restart"});
  EXPECT_EQ(
      restart_problems(parse(secured).doc, parse(patched(secured, R"({"routing": {"pageSize": 1},
                                 "server": {"mcpPath": "/m"}})"))
                                               .doc)
          .size(),
      2U);
  EXPECT_TRUE(restart_problems(parse(plain).doc, parse(plain).doc).empty());
}

}  // namespace
}  // namespace gate::config
