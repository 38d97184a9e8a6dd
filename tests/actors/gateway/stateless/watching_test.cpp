// Subscriptions of clients at a server of MCP 2026-07-28: one stream for all, in front of which
// each client has its own.
#include "actors/upstream/watching.hpp"

#include "protocol/jsonrpc/message.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct watching : ::testing::TestWithParam<const char*> {
  world w{{.config = R"({"upstreams":[
             {"id":"a","url":"http://a.test/mcp","namespace":"a","protocol":")" +
                     std::string(GetParam()) + R"("},
             {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})",
           .prepare = [](fake_network& net) {
             auto& a = *net.at("a");
             a.stateless = true;
             a.capabilities = R"({"tools":{"listChanged":true},"resources":{"subscribe":true}})";
             a.tools = {R"({"name":"x"})"};
             for (const auto* uri : {"x://1", "x://1/part", "x://1/a", "x://1/b"})
               a.resources.push_back(R"({"uri":")" + std::string(uri) + R"(","name":"n"})");
           }}};
  fake_upstream& a = w.upstream("a");

  /// The stream on which these resources (a raw array, or nothing) are asked for.
  sight_ptr listens(std::string_view uris) {
    for (const auto& s : a.under_way("subscriptions/listen"))
      if (at(s->param("notifications"), "resourceSubscriptions") == uris) return s;
    return nullptr;
  }
  ~watching() override { EXPECT_EQ(a.wrongs, std::vector<std::string>{}); }
};
INSTANTIATE_TEST_SUITE_P(of, watching, ::testing::Values("auto", "2026-07-28"),
                         [](const auto& p) { return p.param[0] == 'a' ? "auto" : "stateless"; });

TEST_P(watching, subscriptions_are_a_stream_with_a_filter) {
  client c(w);
  c.initialize();
  auto own = c.get();
  w.settle();
  auto r = c.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  EXPECT_EQ(at(r->last(), "result"), "{}");
  EXPECT_EQ(a.count("resources/subscribe"), 0U);
  const auto stream = listens(R"(["x://1"])");
  ASSERT_TRUE(stream);
  fake_upstream::push(
      stream, jsonrpc::request({}, "notifications/resources/updated", R"({"uri":"x://1"})"));
  w.settle();
  ASSERT_EQ(own->events().size(), 1U) << own->stream;
  EXPECT_EQ(at(own->events()[0], "method"), R"("notifications/resources/updated")");
  c.request("2", "resources/unsubscribe", R"({"uri":"x://1"})");
  ASSERT_TRUE(listens(""));
  EXPECT_TRUE(stream->abandoned);
}

TEST_P(watching, subscriptions_of_all_clients_are_one_stream) {
  client c(w), d(w);
  c.initialize();
  d.initialize();
  auto of_c = c.get(), of_d = d.get();
  w.settle();
  c.list("0");
  c.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  d.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  d.request("2", "resources/subscribe", R"({"uri":"x://1/part"})");
  ASSERT_EQ(a.under_way("subscriptions/listen").size(), 1U);
  const auto stream = listens(R"(["x://1","x://1/part"])");
  ASSERT_TRUE(stream);
  const auto told = [](const receipt_ptr& own) {
    std::size_t n = 0;
    for (const auto& e : own->events()) n += at(e, "params", "uri") == R"("x://1/part")";
    return n;
  };
  fake_upstream::push(
      stream, jsonrpc::request({}, "notifications/resources/updated", R"({"uri":"x://1/part"})"));
  w.settle();
  EXPECT_EQ(told(of_c), 1U);
  EXPECT_EQ(told(of_d), 1U);
  // Who leaves leaves the others alone.
  d.end();
  w.settle();
  const auto rest = listens(R"(["x://1"])");
  ASSERT_TRUE(rest);
  fake_upstream::push(
      rest, jsonrpc::request({}, "notifications/resources/updated", R"({"uri":"x://1/part"})"));
  w.settle();
  EXPECT_EQ(told(of_c), 2U);
}

TEST_P(watching, a_stream_is_made_before_the_one_that_it_replaces_is_broken) {
  client c(w);
  c.initialize();
  c.get();
  c.list("0");
  c.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  const auto first = listens(R"(["x://1"])");
  ASSERT_TRUE(first);
  a.next("subscriptions/listen", reply{.open = true});  // without a word
  c.request("2", "resources/subscribe", R"({"uri":"x://1/a"})");
  c.request("3", "resources/subscribe", R"({"uri":"x://1/b"})");
  const auto second = listens(R"(["x://1","x://1/a"])");
  ASSERT_TRUE(second);
  EXPECT_FALSE(first->abandoned);
  EXPECT_FALSE(listens(R"(["x://1","x://1/a","x://1/b"])"));
  fake_upstream::push(second, jsonrpc::request({}, "notifications/subscriptions/acknowledged",
                                               R"({"notifications":{}})"));
  w.settle();
  EXPECT_TRUE(first->abandoned);
  ASSERT_TRUE(listens(R"(["x://1","x://1/a","x://1/b"])"));
  EXPECT_TRUE(second->abandoned);
  EXPECT_EQ(a.under_way("subscriptions/listen").size(), 1U);
}

TEST_P(watching, subscriptions_survive_crashes) {
  client c(w);
  c.initialize();
  c.get();
  c.list("0");
  c.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  ASSERT_TRUE(listens(R"(["x://1"])"));
  for (const auto* actor : {"root session", "bridged session"}) {
    for (const auto& s : w.cast(actor)) w.crash(s);
    w.advance(limits::renewal_most);
    EXPECT_TRUE(listens(R"(["x://1"])")) << actor;
  }
  w.crash_upstream(0);
  w.advance(limits::renewal_most);
  EXPECT_TRUE(listens(R"(["x://1"])"));
}

TEST_P(watching, subscriptions_survive_another_kind_of_server) {
  client c(w);
  c.initialize();
  auto own = c.get();
  c.list("0");
  c.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  ASSERT_TRUE(listens(R"(["x://1"])"));
  if (std::string_view(GetParam()) != "auto") return;
  a.stateless = false;
  c.call("2", "a__x");
  w.advance(5s);
  EXPECT_GE(a.count("resources/subscribe"), 1U);
  a.stateless = true;
  c.call("3", "a__x");
  w.advance(5s);
  EXPECT_TRUE(listens(R"(["x://1"])"));
  a.wrongs.clear();
}

TEST_P(watching, a_stream_that_the_server_does_not_take_takes_nothing_away) {
  client c(w), d(w);
  c.initialize();
  d.initialize();
  c.get();
  c.list("0");
  c.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  const auto good = listens(R"(["x://1"])");
  ASSERT_TRUE(good);
  a.next("subscriptions/listen", reply::error(R"({"code":-32602,"message":"too many"})"));
  d.request("1", "resources/subscribe", R"({"uri":"x://1/a"})");
  EXPECT_FALSE(good->abandoned);
  EXPECT_EQ(listens(R"(["x://1"])"), good);
  w.advance(limits::stream_pause_most);
  EXPECT_TRUE(listens(R"(["x://1","x://1/a"])")) << "it is tried again";
  EXPECT_TRUE(good->abandoned);
}

TEST_P(watching, clients_are_not_told_the_name_of_our_stream) {
  client c(w);
  c.initialize();
  auto own = c.get();
  w.settle();
  c.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  fake_upstream::push(
      listens(R"(["x://1"])"),
      jsonrpc::request({}, "notifications/resources/updated",
                       R"({"_meta":{"io.modelcontextprotocol/subscriptionId":3,"v":1.0},)"
                       R"("uri":"x://1"})"));
  w.settle();
  ASSERT_EQ(own->events().size(), 1U);
  EXPECT_EQ(at(own->events()[0], "params"), R"({"_meta":{"v":1.0},"uri":"x://1"})");
}

TEST(watching_with_a_credential, begins_when_that_is_there) {
  world w({.config = R"({"upstreams":[
             {"id":"a","url":"http://a.test/mcp","namespace":"a","protocol":"2026-07-28",
              "auth":{"strategy":"static","secretRef":"KEY"}},
             {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})",
           .secrets = {{"KEY", "s3cret"}},
           .prepare = [](fake_network& net) {
             auto& a = *net.at("a");
             a.stateless = true;
             a.capabilities = R"({"resources":{"subscribe":true}})";
             a.resources = {R"({"uri":"x://1","name":"n"})"};
           }});
  auto& a = w.upstream("a");
  client c(w);
  auto r = c.request("0", "initialize",
                     R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{}}})");
  c.session = r->header("mcp-session-id");
  c.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  w.advance(1s);
  bool asked = false;
  for (const auto& s : a.under_way("subscriptions/listen"))
    asked |= at(s->param("notifications"), "resourceSubscriptions") == R"(["x://1"])";
  EXPECT_TRUE(asked);
}

}  // namespace
}  // namespace gate
