// Resources of MCP Apps in a federation: minted names in lists and tools, read and subscribed to at
// the server that has them.
#include "protocol/jsonrpc/message.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto tool = R"({"name":"clock","_meta":{"ui":{"resourceUri":"ui://clock/face"}}})";
constexpr auto flat = R"({"name":"old","_meta":{"ui/resourceUri":"ui://clock/face"}})";

struct app_resources : ::testing::Test {
  world w{{.prepare = prepare}};
  client s{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");
  static void prepare(fake_network& net) {
    for (auto& [id, up] : net) {
      up->capabilities = R"({"tools":{},"resources":{"subscribe":true}})";
      up->tools = {tool, flat};
      up->resources = {R"({"uri":"ui://clock/face","name":"face"})"};
      up->templates = {R"({"uriTemplate":"ui://clock/{zone}","name":"zones"})"};
    }
  }
  app_resources() { s.initialize(); }
  std::string listed(std::string_view method, std::string_view member) {
    return at(s.request("1", method)->last(), "result", member);
  }
};

TEST_F(app_resources, have_names_of_the_federation_in_lists) {
  EXPECT_EQ(listed("tools/list", "tools"),
            R"([{"name":"a__clock","_meta":{"ui":{"resourceUri":"ui://gate/a/clock/face"}}},)"
            R"({"name":"a__old","_meta":{"ui/resourceUri":"ui://gate/a/clock/face"}},)"
            R"({"name":"b__clock","_meta":{"ui":{"resourceUri":"ui://gate/b/clock/face"}}},)"
            R"({"name":"b__old","_meta":{"ui/resourceUri":"ui://gate/b/clock/face"}}])");
  EXPECT_EQ(listed("resources/list", "resources"),
            R"([{"uri":"ui://gate/a/clock/face","name":"face"},)"
            R"({"uri":"ui://gate/b/clock/face","name":"face"}])")
      << "they do not collide";
  EXPECT_EQ(listed("resources/templates/list", "resourceTemplates"),
            R"([{"uriTemplate":"ui://gate/a/clock/{zone}","name":"zones"},)"
            R"({"uriTemplate":"ui://gate/b/clock/{zone}","name":"zones"}])");
}

TEST_F(app_resources, are_read_where_they_are) {
  stateless_client c(w);
  for (const auto uri : {"ui://gate/b/clock/face", "ui://gate/b/in/no/list"}) {
    const auto own = '"' + ("ui://" + std::string(uri).substr(12)) + '"';
    s.request("1", "resources/read", R"({"uri":")" + std::string(uri) + R"(","x":1.0})");
    EXPECT_EQ(b.last("resources/read")->param("uri"), own);
    EXPECT_EQ(b.last("resources/read")->param("x"), "1.0");
    c.request("1", "resources/read", R"("uri":")" + std::string(uri) + "\"");
    EXPECT_EQ(b.last("resources/read")->param("uri"), own);
  }
  EXPECT_EQ(b.count("resources/read"), 4U);
  EXPECT_EQ(a.count("resources/read"), 0U);
  EXPECT_EQ(b.count("resources/list"), 0U) << "the name says whose it is";
  EXPECT_EQ(at(w.audit("resources/read")[0], "name"), R"("ui://gate/b/clock/face")");
  EXPECT_EQ(at(s.request("2", "resources/read", R"({"uri":"ui://gate/none/x"})")->last(), "error",
               "code"),
            "-32002");
}

TEST_F(app_resources, keep_their_progress_token) {
  s.request("1", "resources/read",
            R"({"uri":"ui://gate/b/clock/face","_meta":{"progressToken":"mine","k":1.0}})");
  const auto meta = b.last("resources/read")->param("_meta");
  EXPECT_EQ(at(meta, "k"), "1.0");
  EXPECT_NE(at(meta, "progressToken"), R"("mine")");
  EXPECT_NE(at(meta, "progressToken"), "");
}

TEST_F(app_resources, are_completed_where_they_are) {
  b.capabilities = R"({"completions":{}})";
  s.request("1", "completion/complete",
            R"({"ref":{"type":"ref/resource","uri":"ui://gate/b/clock/{zone}"},)"
            R"("argument":{"name":"zone","value":"u"}})");
  EXPECT_EQ(at(b.last("completion/complete")->param("ref"), "uri"), R"("ui://clock/{zone}")");
}

TEST_F(app_resources, tell_of_updates_by_the_name_that_was_subscribed_to) {
  auto own = s.get();
  w.settle();
  s.request("1", "resources/subscribe", R"({"uri":"ui://gate/b/clock/face"})");
  EXPECT_EQ(b.last("resources/subscribe")->param("uri"), R"("ui://clock/face")");
  const auto update = jsonrpc::request({}, "notifications/resources/updated",
                                       R"({"x":1.0,"uri":"ui://clock/face"})");
  for (auto* up : {&a, &b}) up->announce(update);
  w.advance(1s);
  ASSERT_EQ(own->events().size(), 1U) << own->stream;
  EXPECT_EQ(at(own->events()[0], "params"), R"({"x":1.0,"uri":"ui://gate/b/clock/face"})");
  s.request("2", "resources/unsubscribe", R"({"uri":"ui://gate/b/clock/face"})");
  EXPECT_EQ(b.last("resources/unsubscribe")->param("uri"), R"("ui://clock/face")");
}

TEST_F(app_resources, are_listened_to_by_the_name_of_the_federation) {
  stateless_client c(w);
  auto r = c.request("1", "subscriptions/listen",
                     R"("notifications":{"resourceSubscriptions":["ui://gate/b/clock/face"]})");
  w.settle();
  ASSERT_TRUE(b.last("resources/subscribe"));
  EXPECT_EQ(b.last("resources/subscribe")->param("uri"), R"("ui://clock/face")");
  EXPECT_EQ(at(r->events().at(0), "params", "notifications", "resourceSubscriptions"),
            R"(["ui://gate/b/clock/face"])");
}

TEST_F(app_resources, are_judged_by_the_name_that_their_server_knows) {
  world own({.config = R"({"policy":{"rules":[{"id":"r","allow":[{"server":"b",)"
                       R"("names":["ui://clock/face"]}]}]},"upstreams":[
    {"id":"a","url":"http://a.test/mcp","namespace":"a"},
    {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})",
             .prepare = prepare});
  client d(own);
  d.initialize();
  EXPECT_EQ(at(d.request("1", "resources/list")->last(), "result", "resources"),
            R"([{"uri":"ui://gate/b/clock/face","name":"face"}])");
  const auto code = [&](std::string_view uri) {
    return at(d.request("1", "resources/read", R"({"uri":")" + std::string(uri) + "\"}")->last(),
              "error", "code");
  };
  EXPECT_EQ(code("ui://gate/b/clock/face"), "");
  EXPECT_EQ(code("ui://gate/b/clock/other"), "-32042");
  EXPECT_EQ(code("ui://gate/a/clock/face"), "-32042");
  EXPECT_EQ(code("ui://gate/b/clock/face/../other"), "-32042");
}

TEST_F(app_resources, pass_as_they_are_through_a_gateway_without_namespaces) {
  world alone({.config = std::string(one_upstream), .prepare = prepare});
  client d(alone);
  d.initialize();
  EXPECT_EQ(at(d.request("1", "resources/list")->last(), "result", "resources"),
            R"([{"uri":"ui://clock/face","name":"face"}])");
  EXPECT_NE(d.list("2")->last().find(tool), std::string::npos);
  for (const auto uri : {"ui://clock/face", "ui://gate/a/clock/face"}) {
    d.request("3", "resources/read", R"({"uri":")" + std::string(uri) + "\"}");
    EXPECT_EQ(alone.upstream("a").last("resources/read")->param("uri"),
              '"' + std::string(uri) + '"');
  }
}

TEST_F(app_resources, that_a_result_has_named_are_read_at_its_server) {
  b.always("tools/call", reply::result(R"({"content":[{"type":"resource_link","name":"n",)"
                                       R"("uri":"ui://named/x"}]})"));
  s.call("1", "b__clock");
  s.request("2", "resources/read", R"({"uri":"ui://named/x"})");
  ASSERT_TRUE(b.last("resources/read"));
  EXPECT_EQ(b.last("resources/read")->param("uri"), R"("ui://named/x")");
}

/// What a client shows is told to servers of both generations.
TEST(app_clients, are_known_as_such_to_servers) {
  for (const bool stateless : {true, false}) {
    world w({.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","protocol":"auto"}]})",
             .prepare = [&](fake_network& net) { net.at("a")->stateless = stateless; }});
    auto& a = w.upstream("a");
    const auto ui = R"({"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["x"]}}})";
    client s(w);
    s.capabilities = ui;
    s.initialize();
    s.list("1");
    stateless_client c(w);
    c.capabilities = ui;
    c.request("2", "tools/list");
    const auto said = [&](const sight_ptr& seen) {
      return stateless ? at(seen->param("_meta"), "io.modelcontextprotocol/clientCapabilities")
                       : seen->param("capabilities");
    };
    const auto all = a.seen(stateless ? "tools/list" : "initialize");
    ASSERT_FALSE(all.empty());
    for (const auto& seen : all)
      EXPECT_NE(said(seen).find("io.modelcontextprotocol/ui"), std::string::npos) << said(seen);
  }
}

}  // namespace
}  // namespace gate
