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
  EXPECT_EQ(changed(R"({"server": {"mcpPath": "/mcp", "maxBodyBytes": 0}, "routing": {}})"),
            keys{});
}

}  // namespace
}  // namespace gate::config
