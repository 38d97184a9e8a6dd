#include "protocol/mcp/stateless/listen.hpp"

#include <gtest/gtest.h>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::mcp::stateless {
namespace {

server_features only(feature f) {
  server_features out;
  out.add(f);
  return out;
}

TEST(listen_filter, is_read) {
  const auto f = read_filter(R"({"toolsListChanged":true,"promptsListChanged":false,)"
                             R"("resourceSubscriptions":["a","b\/c"],"taskIds":["t"],"x":1})");
  ASSERT_TRUE(f);
  EXPECT_EQ(f->lists, only(feature::tools));
  EXPECT_EQ(f->uris, (std::vector<std::string>{"a", "b/c"}));
  EXPECT_TRUE(read_filter("{}"));
}

TEST(listen_filter, says_what_is_wrong) {
  const auto what = [](const std::string& raw) {
    const auto f = read_filter(raw);
    return f ? std::string("nothing") : f.error().what;
  };
  EXPECT_EQ(what(""), "params.notifications must be an object");
  EXPECT_EQ(what("[]"), "params.notifications must be an object");
  EXPECT_EQ(what(R"({"toolsListChanged":1})"),
            "params.notifications.toolsListChanged must be a boolean");
  EXPECT_EQ(what(R"({"resourceSubscriptions":{}})"),
            "params.notifications.resourceSubscriptions must be an array");
  const auto uris = [&](const std::string& of) {
    return what(R"({"resourceSubscriptions":[)" + of + "]}");
  };
  for (const auto& bad :
       {std::string("7"), std::string(R"("")"), '"' + std::string(limits::uri_bytes, 'x') + '"'})
    EXPECT_NE(uris(bad).find("URIs of at most"), std::string::npos) << bad.substr(0, 9);
  std::string many = R"("a")";
  for (std::size_t i = 1; i < limits::session_subscriptions; ++i) many += R"(,"a")";
  EXPECT_EQ(uris(many), "nothing");
  EXPECT_NE(uris(many + R"(,"a")"), "nothing");
}

TEST(listen_filter, is_restricted_to_what_servers_have) {
  auto three = only(feature::tools);
  three.add(feature::prompts);
  three.add(feature::resources);
  listen_filter f{three, {"a"}};
  auto all = f;
  restrict_to(all, usual_features);
  EXPECT_EQ(all.lists, three);
  EXPECT_FALSE(all.uris.empty());
  restrict_to(f, only(feature::prompts));
  EXPECT_EQ(f.lists, only(feature::prompts));
  EXPECT_TRUE(f.uris.empty());
}

TEST(listen_filter, lets_through_what_was_wanted_and_nothing_else) {
  const listen_filter tools{only(feature::tools), {}}, one{{}, {"a"}};
  EXPECT_TRUE(wants(tools, "notifications/tools/list_changed"));
  for (const auto other : {"notifications/prompts/list_changed", "notifications/message",
                           "notifications/resources/updated", "notifications/progress", ""})
    EXPECT_FALSE(wants(tools, other)) << other;
  EXPECT_TRUE(wants(one, "notifications/resources/updated"));
  EXPECT_FALSE(wants(one, "notifications/resources/list_changed"));
}

TEST(listen_filter, is_acknowledged_as_it_is_honoured) {
  EXPECT_EQ(acknowledgement({only(feature::tools), {"a\"b"}}, "7"),
            R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{)"
            R"("_meta":{"io.modelcontextprotocol/subscriptionId":7},)"
            R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["a\"b"]}}})");
  EXPECT_EQ(json::validate(acknowledgement({}, R"("x")")), json::fault::none);
  const auto end = conclusion(R"("x")");
  EXPECT_EQ(json::validate(end), json::fault::none);
  EXPECT_TRUE(end.starts_with(R"({"jsonrpc":"2.0","id":"x","result":{"resultType":"complete",)"));
}

}  // namespace
}  // namespace gate::mcp::stateless
