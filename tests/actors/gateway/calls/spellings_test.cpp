// Peers write the same strings in different ways: `tools\/call` is `tools/call`. Whatever is said
// in another spelling does exactly what the plain one does, in both directions.
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/methods.hpp"
#include "protocol/mcp/server_request_methods.hpp"
#include "simulations/world/world.hpp"
#include "tests/support/server_notices.hpp"
#include "tests/support/spelling.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto declared =
    R"({"tools":{},"prompts":{},"resources":{"subscribe":true},"completions":{},"logging":{},)"
    R"("tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}})";

/// Everything that anybody could see, without the escapes.
using story = std::vector<std::string>;

struct telling {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");
  spelling how;
  story seen;

  explicit telling(spelling s) : how(s) {
    for (auto id : {"a", "b"}) {
      auto& u = w.upstream(id);
      u.version = "2025-11-25";
      u.capabilities = declared;
    }
    a.resources = {R"({"uri":"file:///a/b","name":"x"})"};
    a.templates = {R"({"uriTemplate":"file:///t/{x}","name":"x"})"};
    a.prompts = {R"({"name":"p"})"};
  }
  std::string say(std::string_view text) const { return respelled(text, how); }
  void note(std::string_view what, std::string_view text) {
    seen.push_back(std::string(what) + ' ' + plain(text));
  }
  receipt_ptr post(std::string_view text) {
    auto r = c.post(say(text));
    note("<-", std::to_string(r->status) + ' ' + r->body);
    for (const auto& e : r->events()) note("<-", e);
    return r;
  }
  /// Tokens of progress are ours, and others in each world.
  static std::string without_token(const sight& s) {
    auto text = s.body;
    const auto ours = at(s.param("_meta"), "progressToken");
    if (!ours.empty()) text.replace(text.find(ours), ours.size(), "ours");
    return text;
  }
  /// What the upstreams and the audit have seen since.
  story&& end() {
    for (auto id : {"a", "b"})
      for (const auto& s : w.upstream(id).seen()) note(id, s->method + ' ' + without_token(*s));
    for (const auto& line : w.audit()) note("audit", line);
    for (const auto& line : world::log()) note("log", line);
    return std::move(seen);
  }
  void initialize() {
    auto r =
        post(R"({"jsonrpc":"2.0","id":"i/0","method":"initialize","params":{"protocolVersion":)"
             R"("2025-11-25","capabilities":{"sampling":{},"roots":{},"elicitation":{},)"
             R"("tasks":{"list":{},"cancel":{}}}}})");
    c.session = r->header("mcp-session-id");
    post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  }
};

/// Params with which each method does its work.
std::string params_of(std::string_view method) {
  if (method == "tools/call") return R"({"name":"a__do/it","_meta":{"progressToken":"t/1"}})";
  if (method == "prompts/get") return R"({"name":"a__p"})";
  if (method.starts_with("resources/") && !method.ends_with("list"))
    return R"({"uri":"file:///a/b"})";
  if (method == "logging/setLevel") return R"({"level":"warning"})";
  if (method.starts_with("tasks/") && !method.ends_with("list")) return R"({"taskId":"t/1"})";
  if (method == "notifications/cancelled") return R"({"requestId":"r/1","reason":"a/b"})";
  if (method == "notifications/progress") return R"({"progressToken":1,"progress":1})";
  return "{}";
}

TEST(spellings, of_all_that_clients_say) {
  const auto tell = [](spelling how) {
    telling t(how);
    t.initialize();
    t.a.next("tools/call", reply::result(R"({"task":{"taskId":"t/1","status":"working"}})"));
    t.a.always("tasks/get", reply::result(R"({"taskId":"t/1","status":"working"})"));
    int id = 0;
    for (const auto& m : mcp::methods) {
      if (m.name == "initialize") continue;
      const auto raw_id =
          m.routing == mcp::routing::notice ? std::string{} : "\"r/" + std::to_string(id++) + '"';
      t.post(jsonrpc::request(raw_id, m.name, params_of(m.name)));
    }
    t.post(R"({"jsonrpc":"2.0","id":"r/x","method":"no/such"})");
    t.post(R"({"jsonrpc":"2.0","method":"notifications/no/such"})");
    for (auto ref : {R"({"type":"ref/prompt","name":"a__p"})",
                     R"({"type":"ref/resource","uri":"file:///t/{x}"})", R"({"type":"ref/x"})"})
      t.post(jsonrpc::request(
          R"("c/1")", "completion/complete",
          R"({"argument":{"name":"x","value":"v"},"ref":)" + std::string(ref) + "}"));
    return t.end();
  };
  const auto plainly = tell(spelling::plain);
  EXPECT_GT(plainly.size(), 60U);
  EXPECT_EQ(tell(spelling::slashes), plainly);
  EXPECT_EQ(tell(spelling::unicode), plainly);
}

TEST(spellings, of_all_that_servers_say_on_a_calls_stream) {
  const auto tell = [](spelling how) {
    telling t(how);
    t.initialize();
    t.a.always("tools/call", reply{.open = true});
    auto r = t.post(R"({"jsonrpc":"2.0","id":"r/1","method":"tools/call","params":)"
                    R"({"name":"a__x","_meta":{"progressToken":"t/1"}}})");
    const auto token = at(t.a.last("tools/call")->param("_meta"), "progressToken");
    const auto push = [&](std::string_view text) {
      fake_upstream::push(t.a.last("tools/call"), t.say(text));
      t.w.settle();
    };
    const auto ask = [&](std::string_view method) {
      push(jsonrpc::request("\"q/" + std::string(method) + '"', method,
                            R"({"_meta":{"progressToken":"p/1"},"taskId":"x"})"));
    };
    for (const auto method : mcp::server_request_methods) ask(method);
    ask("no/such");
    for (const auto method : server_notices())
      push(jsonrpc::request({}, method, R"({"uri":"file:///a/b","level":"info"})"));
    push(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)"
         R"({"requestId":"q/elicitation/create","reason":"a/b"}})");
    push(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
         token + R"(,"progress":1}})");
    EXPECT_EQ(at(r->events().back(), "params", "progressToken"), t.say(R"("t/1")"));
    // The client answers one, tells how another comes along.
    t.post(R"({"jsonrpc":"2.0","id":1,"result":{"role":"user"}})");
    t.post(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3}})");
    push(R"({"jsonrpc":"2.0","id":$id,"result":{"_meta":{"usage":{"n":1},)"
         R"("task":{"taskId":"t/9"}},"x":1}})");
    for (const auto& e : r->events()) t.note("event", e);
    EXPECT_TRUE(r->stream_ended);
    return t.end();
  };
  const auto plainly = tell(spelling::plain);
  EXPECT_GT(plainly.size(), 30U);
  EXPECT_EQ(tell(spelling::slashes), plainly);
  EXPECT_EQ(tell(spelling::unicode), plainly);
}

TEST(spellings, of_all_that_servers_say_on_a_sessions_own_stream) {
  const auto tell = [](spelling how) {
    telling t(how);
    t.initialize();
    auto listener = t.c.get();
    t.post(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":)"
           R"({"uri":"file:///a/b"}})");
    const auto announce = [&](std::string_view text) {
      t.a.announce(t.say(text));
      t.w.settle();
      t.w.advance(1s);
    };
    announce(jsonrpc::request(R"("q/1")", "sampling/createMessage", "{}"));
    for (const auto method : mcp::server_request_methods)
      announce(jsonrpc::request("\"q/" + std::string(method) + '"', method, R"({"taskId":"x"})"));
    for (const auto method : server_notices())
      announce(jsonrpc::request({}, method, R"({"uri":"file:///a/b","level":"info"})"));
    announce(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q/1"}})");
    for (const auto& e : listener->events()) t.note("event", e);
    return t.end();
  };
  const auto plainly = tell(spelling::plain);
  EXPECT_GT(plainly.size(), 40U);
  EXPECT_EQ(tell(spelling::slashes), plainly);
  EXPECT_EQ(tell(spelling::unicode), plainly);
}

TEST(spellings, of_ids_tokens_and_uris_are_the_same_value) {
  world w;
  client c(w);
  c.capabilities = R"({"roots":{}})";
  c.initialize();
  auto& a = w.upstream("a");
  a.resources = {R"({"uri":"file:///a/b","name":"x"})"};
  a.always("tools/call", reply{.open = true});
  auto r = c.call(R"("x/1")", "a__x");
  EXPECT_EQ(c.call(R"("x\/1")", "a__x")->status, 400) << "a request with this id is in flight";
  fake_upstream::push(a.last("tools/call"),
                      R"({"jsonrpc":"2.0","id":"q/1","method":"roots/list"})");
  fake_upstream::push(a.last("tools/call"), R"({"jsonrpc":"2.0","method":)"
                                            R"("notifications/cancelled","params":)"
                                            R"({"requestId":"\u0071\/1"}})");
  w.settle();
  ASSERT_EQ(r->events().size(), 2U) << "the question, and that it is withdrawn";
  EXPECT_EQ(at(r->events()[1], "params", "requestId"), "1");
  c.cancel(R"("\u0078\/1")");
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(a.count("notifications/cancelled"), 1U);
  EXPECT_TRUE(a.last("tools/call")->abandoned);
  // Subscribed in one spelling, unsubscribed in another: nothing is left to be renewed.
  a.capabilities = R"({"tools":{},"resources":{"subscribe":true}})";
  client d(w);
  d.initialize();
  d.request("1", "resources/subscribe", R"({"uri":"file:\/\/\/a\/b"})");
  d.request("2", "resources/unsubscribe", R"({"uri":"file:///a/b"})");
  EXPECT_EQ(a.count("resources/subscribe"), 1U);
  a.forget_sessions();
  d.call("3", "a__x");
  EXPECT_EQ(a.count("resources/subscribe"), 1U);
}

}  // namespace
}  // namespace gate
