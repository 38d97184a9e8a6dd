// Clients of many kinds, and URIs that several upstreams list.
#include "tests/actors/gateway/lists/lists_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

void open_with(client& c, std::string_view capabilities) {
  auto r = c.request(
      "0", "initialize",
      R"({"protocolVersion":"2025-11-25","capabilities":)" + std::string(capabilities) + "}");
  c.session = r->header("mcp-session-id");
  ASSERT_FALSE(c.session.empty());
}

// --- kinds of clients ----------------------------------------------------------------------------

TEST(kinds_of_clients, are_bounded_and_all_are_served) {
  world w;
  auto& a = w.upstream("a");
  std::vector<client> all;
  for (unsigned p = 0; p < mcp::capability_profiles; ++p) {
    client c(w);
    open_with(c, mcp::profile_capabilities(static_cast<mcp::capability_profile>(p)));
    EXPECT_NE(tools(c.list("1")), "") << p;
    all.push_back(std::move(c));
  }
  EXPECT_EQ(a.count("initialize"), 16U);
  for (auto& c : all) EXPECT_NE(tools(c.list("2")), "");
}

TEST(kinds_of_clients, beyond_the_bound_are_shown_what_those_are_who_can_do_less) {
  world w;
  auto& a = w.upstream("a");
  std::vector<client> all;
  for (unsigned p = 0; p < 40; ++p) {
    client c(w);
    open_with(c, mcp::profile_capabilities(static_cast<mcp::capability_profile>(p)));
    c.list("1");
    all.push_back(std::move(c));
  }
  // Alive are the profiles 0 to 15: all without MCP Apps.
  client c(w);
  open_with(c, R"({"roots":{},"elicitation":{},"extensions":{"io.modelcontextprotocol/ui":{}}})");
  const auto handshakes = a.count("initialize");
  EXPECT_NE(tools(c.list("1")), "");
  EXPECT_EQ(a.count("initialize"), handshakes) << "that of form and roots serves it";
}

// --- twice ---------------------------------------------------------------------------------------

TEST(a_uri_that_occurs_twice, is_in_the_log_once) {
  world w;
  client c(w), d(w);
  c.initialize();
  d.initialize();
  for (const auto* id : {"a", "b"})
    w.upstream(id).resources = {R"({"uri":"x://1"})", R"({"uri":"x://2"})"};
  c.request("1", "resources/list");
  EXPECT_EQ(w.logged("list the same resource"), 1U);
  EXPECT_EQ(w.logged("uri=x://1"), 1U);
  w.advance(31s);
  d.request("1", "resources/list");
  w.advance(31s);
  d.request("2", "resources/list");
  EXPECT_EQ(w.logged("list the same resource"), 1U);
}

}  // namespace
}  // namespace gate
