// Tools of servers without sessions whose values are no objects, as clients of both generations see
// them.
#include "simulations/world/stateless_client.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto listing =
    R"({"name":"x","outputSchema":{"type":"array","items":{"$ref":"#/$defs/n"},"$defs":{"n":{}}}})";
constexpr auto either = R"({"name":"y","outputSchema":{"anyOf":[{"type":"object"}]}})";
constexpr auto object = R"({"name":"z","outputSchema":{"type":"object"}})";

struct wrapping : ::testing::Test {
  world w{{.config = R"({"upstreams":[
            {"id":"a","url":"http://a.test/mcp","namespace":"a","protocol":"2026-07-28"},
            {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})",
           .prepare = [](fake_network& net) {
             net.at("a")->stateless = true;
             net.at("a")->tools = {listing, either, object};
             net.at("b")->tools = {listing};
           }}};
  stateless_client c{w};
  client s{w};
  fake_upstream& a = w.upstream("a");

  wrapping() { s.initialize(); }
  void answers(std::string_view members) {
    a.always("tools/call",
             reply::result(R"({"resultType":"complete",)" + std::string(members) + "}"));
  }
  /// The result for a client with a session, behind its `resultType`.
  std::string told(std::string_view tool) {
    const auto result = at(s.call("1", tool)->last(), "result");
    EXPECT_TRUE(result.starts_with(R"({"resultType":"complete",)")) << result;
    return result.substr(std::string(R"({"resultType":"complete",)").size());
  }
};

TEST_F(wrapping, schemas_are_wrapped_for_clients_with_sessions) {
  const auto lists = [&] {
    for (int i = 0; i < 2; ++i) {
      const auto session = at(s.list("1")->last(), "result", "tools");
      EXPECT_NE(session.find(R"({"name":"a__x","outputSchema":{"type":"object","properties":)"
                             R"({"result":{"type":"array","items":{"$ref":)"
                             R"("#/properties/result/$defs/n"},"$defs":{"n":{}}}},)"
                             R"("required":["result"]}})"),
                session.npos)
          << session;
      EXPECT_NE(session.find(R"({"name":"a__z","outputSchema":{"type":"object"}})"), session.npos);
      EXPECT_NE(session.find(R"({"name":"b__x")" + std::string(listing).substr(11)), session.npos)
          << "servers with sessions say what their clients are to see";
      const auto stateless = at(c.request("1", "tools/list")->last(), "result", "tools");
      EXPECT_NE(stateless.find(R"({"name":"a__x")" + std::string(listing).substr(11)),
                stateless.npos)
          << stateless;
    }
  };
  lists();
  lists();
  EXPECT_EQ(a.count("tools/list"), 1U) << "one list for both";
}

TEST_F(wrapping, results_are_wrapped_as_listed_whoever_has_crashed_since) {
  answers(R"("content":[{}],"structuredContent":[1.0])");
  s.list("1");
  const auto before = told("a__x");
  EXPECT_NE(before.find(R"("structuredContent":{"result":[1.0]})"), before.npos) << before;
  const auto listed = a.count("tools/list");
  w.crash_upstream(0);
  w.advance(5s);
  EXPECT_EQ(told("a__x"), before);
  EXPECT_EQ(a.count("tools/list"), listed) << "the list that clients have is the same";
  for (const auto& session : w.cast("root session")) w.crash(session);
  EXPECT_EQ(told("a__x"), before);
}

TEST(wrapped_pages, go_on_by_the_same_cursors) {
  world w({.config = R"({"routing":{"pageSize":1},"upstreams":[
             {"id":"a","url":"http://a.test/mcp","protocol":"2026-07-28"}]})",
           .prepare = [](fake_network& net) {
             net.at("a")->stateless = true;
             net.at("a")->tools = {object, listing};
           }});
  client s(w);
  s.initialize();
  stateless_client c(w);
  const auto cursor = at(s.list("1")->last(), "result", "nextCursor");
  EXPECT_EQ(at(c.request("1", "tools/list")->last(), "result", "nextCursor"), cursor);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(at(c.request("2", "tools/list", "\"cursor\":" + cursor)->last(), "result", "tools"),
              "[" + std::string(listing) + "]");
    EXPECT_NE(
        at(s.list("2", cursor)->last(), "result", "tools").find(R"({"result":{"type":"array")"),
        std::string::npos);
  }
}

TEST_F(wrapping, values_are_wrapped_as_their_schema) {
  s.list("1");
  answers(R"("content":[{}],"structuredContent":[1,2.50])");
  EXPECT_EQ(told("a__x"), R"("content":[{}],"structuredContent":{"result":[1,2.50]}})");
  EXPECT_EQ(at(c.call("1", "a__x")->last(), "result", "structuredContent"), "[1,2.50]");
  answers(R"("content":[{}],"structuredContent":{"a":1.0})");
  EXPECT_EQ(told("a__y"), R"("content":[{}],"structuredContent":{"result":{"a":1.0}}})");
  EXPECT_EQ(told("a__z"), R"("content":[{}],"structuredContent":{"a":1.0}})");
  EXPECT_EQ(at(c.call("1", "a__y")->last(), "result", "structuredContent"), R"({"a":1.0})");
}

TEST_F(wrapping, who_knows_no_structure_finds_a_text) {
  client old(w);
  old.initialize("2025-03-26");
  answers(R"("structuredContent":[1,2.50])");
  for (auto* any : {&s, &old})
    EXPECT_EQ(at(any->call("1", "a__x")->last(), "result", "content"),
              R"([{"type":"text","text":"[1,2.50]"}])");
  EXPECT_EQ(at(c.call("1", "a__x")->last(), "result", "content"), "");
}

TEST_F(wrapping, values_of_tools_that_nobody_has_listed_are_objects_too) {
  answers(R"("content":[{}],"structuredContent":"text")");
  EXPECT_EQ(told("a__unknown"), R"("content":[{}],"structuredContent":{"result":"text"}})");
  answers(R"("content":[{}],"structuredContent":{"a":1.0})");
  EXPECT_EQ(told("a__y"), R"("content":[{}],"structuredContent":{"a":1.0}})");
}

TEST_F(wrapping, results_of_servers_with_sessions_stay) {
  w.upstream("b").always("tools/call",
                         reply::result(R"({"content":[],"structuredContent":[1.0]})"));
  EXPECT_EQ(at(s.call("1", "b__x")->last(), "result"),
            R"({"content":[],"structuredContent":[1.0]})");
}

}  // namespace
}  // namespace gate
