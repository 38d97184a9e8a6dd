// What client and server say in another spelling does what the plain one does, through shim/.
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/methods.hpp"
#include "protocol/mcp/server_request_methods.hpp"
#include "tests/shim/support/shim_world.hpp"
#include "tests/support/server_notices.hpp"
#include "tests/support/spelling.hpp"

namespace gate::sim {
namespace {

using story = std::vector<std::string>;

struct telling : shim_world {
  spelling how;
  story seen;
  std::string session;

  explicit telling(spelling s) : how(s) {
    const auto r = post(respelled(initialize(R"("i/0")"), how));
    if (children() == 0) return;  // it was not even taken for initialize
    start(latest());
    say(latest(), {respelled(initialized(R"("i/0")"), how)});
    note("<-", r->body);
    session = r->header("mcp-session-id");
    ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  }
  void note(std::string_view what, std::string_view text) {
    seen.push_back(std::string(what) + ' ' + plain(text));
  }
  receipt_ptr ask(std::string_view text) {
    auto r = post(respelled(text, how), session);
    if (r->done()) note("<-", std::to_string(r->status) + ' ' + r->body);
    return r;
  }
  void tell_all(std::string_view text) { say(latest(), {respelled(text, how)}); }
  story&& end() {
    if (children() > 0)
      for (const auto& line : latest().heard) note("child", line);
    return std::move(seen);
  }
};

TEST(spellings, of_all_that_clients_say) {
  const auto tell = [](spelling how) {
    telling t(how);
    if (t.session.empty()) return story{};
    int n = 0;
    for (const auto& m : mcp::methods) {
      if (m.routing == mcp::routing::notice) {
        t.ask(jsonrpc::request({}, m.name, R"({"requestId":"i/0"})"));
        continue;
      }
      const auto id = "\"r/" + std::to_string(n++) + '"';
      const auto r = t.ask(jsonrpc::request(id, m.name, R"({"uri":"a/b"})"));
      if (r->done()) continue;
      t.tell_all(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})");
      t.note("<-", std::to_string(r->status) + ' ' + r->body);
    }
    return t.end();
  };
  const auto plainly = tell(spelling::plain);
  EXPECT_GT(plainly.size(), 40U);
  EXPECT_EQ(tell(spelling::slashes), plainly);
  EXPECT_EQ(tell(spelling::unicode), plainly);
}

TEST(spellings, of_all_that_servers_say) {
  const auto tell = [](spelling how) {
    telling t(how);
    if (t.session.empty()) return story{};
    const auto listener = t.get(t.session);
    const auto a = t.ask(R"({"jsonrpc":"2.0","id":"r/1","method":"tools/call","params":)"
                         R"({"_meta":{"progressToken":"p/1"}}})");
    const auto b = t.ask(R"({"jsonrpc":"2.0","id":"r/2","method":"tools/call"})");
    for (const auto method : mcp::server_request_methods)
      t.tell_all(jsonrpc::request("\"q/1\"", method, R"({"taskId":"x"})"));
    for (const auto method : server_notices())
      t.tell_all(jsonrpc::request({}, method, R"({"progressToken":"p/1","requestId":"q/1"})"));
    t.tell_all(R"({"jsonrpc":"2.0","id":"r/1","result":{}})");
    t.ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"r/2"}})");
    t.note("b", std::to_string(b->status) + ' ' + b->body);
    for (const auto& e : a->events()) t.note("a", e);
    for (const auto& e : listener->events()) t.note("listener", e);
    return t.end();
  };
  const auto plainly = tell(spelling::plain);
  EXPECT_GT(plainly.size(), 25U);
  EXPECT_EQ(tell(spelling::slashes), plainly);
  EXPECT_EQ(tell(spelling::unicode), plainly);
}

TEST(spellings, of_the_handshakes_id_are_the_same_value) {
  shim_world w;
  const auto r = w.post(initialize(R"("i/0")"));
  ASSERT_EQ(w.children(), 1U);
  w.start(w.latest());
  w.say(w.latest(), {initialized(R"("\u0069\/0")")});
  EXPECT_EQ(r->status, 200) << r->body;
}

}  // namespace
}  // namespace gate::sim
