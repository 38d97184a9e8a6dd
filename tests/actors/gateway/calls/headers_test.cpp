// Headers that say two things, lists in several lines, and refusals by HTTP status.
#include <utility>

#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;

struct http_headers : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");
  http_headers() { c.initialize(); }
};

TEST_F(http_headers, that_say_two_things_are_400) {
  for (const std::string two : {"Mcp-Session-Id: other", "Mcp-Session-Id:",
                                "Content-Type: text/html", "MCP-Protocol-Version: 2025-06-18"}) {
    c.more_headers = {two};
    const auto r = c.request("1", "ping");
    EXPECT_EQ(r->status, 400) << two;
    EXPECT_EQ(at(r->body, "error", "code"), "-32000") << two;
    EXPECT_NE(at(r->body, "error", "message").find(two.substr(1, two.find(':') - 1)),
              std::string::npos)
        << r->body;
  }
  c.more_headers = {"Mcp-Session-Id: " + c.session, "Content-Type: application/json",
                    "MCP-Protocol-Version: " + c.version};
  EXPECT_EQ(c.request("1", "ping")->status, 200) << "saying the same twice is no harm";
  c.more_headers = {"Mcp-Session-Id: other"};
  EXPECT_EQ(c.get()->status, 400);
  EXPECT_EQ(c.end()->status, 400);
  c.more_headers = {};
  EXPECT_EQ(c.request("1", "ping")->status, 200) << "the session is still there";
}

TEST_F(http_headers, of_a_list_may_come_in_several_lines) {
  c.accept = "application/json";
  c.more_headers = {"Accept: text/event-stream"};
  EXPECT_EQ(c.request("1", "ping")->status, 200);
  c.more_headers = {"Accept: text/html"};
  EXPECT_EQ(c.request("1", "ping")->status, 406);
  c.more_headers = {"Accept: text/event-stream;q=0"};
  EXPECT_EQ(c.request("1", "ping")->status, 406);
}

TEST_F(http_headers, refusals_by_http_status_carry_no_id) {
  const auto id_of = [](const receipt_ptr& r) {
    EXPECT_GE(r->status, 400) << r->body;
    EXPECT_FALSE(at(r->body, "error").empty()) << r->body;
    return at(r->body, "id");
  };
  EXPECT_EQ(id_of(c.post(R"({"jsonrpc":"1.0","id":7,"method":"ping"})")), "");
  EXPECT_EQ(id_of(c.post(R"({"jsonrpc":"2.0","id":7,"method":"m","params":[]})")), "");
  EXPECT_EQ(id_of(c.request("7", "initialize", R"({"protocolVersion":"2025-06-18"})")), "");
  a.next("tools/call", reply::silence());
  c.call("7", "a__x");
  EXPECT_EQ(id_of(c.call("7", "a__x")), "");
  const auto session = std::exchange(c.session, "nobody");
  EXPECT_EQ(id_of(c.request("8", "ping")), "");
  c.session.clear();
  EXPECT_EQ(id_of(c.request("8", "ping")), "");
  c.session = session;
  c.host = "evil.test";
  EXPECT_EQ(id_of(c.request("8", "ping")), "");
  c.host = "localhost";
  c.accept = "text/html";
  EXPECT_EQ(id_of(c.request("8", "ping")), "");
  c.accept = "*/*";
  // Who speaks the generation without sessions is owed the id of its request; so is everybody
  // whose refusal is a JSON-RPC answer.
  c.version = "2026-07-28";
  EXPECT_EQ(id_of(c.request("8", "server/discover")), "8");
  c.version.clear();
  EXPECT_EQ(at(c.request("8", "no/such")->body, "id"), "8");
}

}  // namespace
}  // namespace gate
