// What somebody behind the gateway could read in another way than the gateway does is refused:
// keys that differ by letter case only.
#include "simulations/world/guarded_world.hpp"

namespace gate {
namespace {

using namespace sim;

/// Everybody may read, nobody may delete.
constexpr std::string_view readers = R"("policy":{"rules":[{"id":"r","subjects":{"subs":["r"]},
  "allow":[{"server":"*","methods":["tools/call"],"names":["read"]}]}]})";

struct ambiguity : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");
  ambiguity() { c.initialize(); }

  /// Refused with -32600, and no upstream has heard of it.
  void expect_refused(std::string_view method, const std::string& params) {
    const auto heard = a.seen().size();
    const auto r = c.post(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
                          R"(","params":)" + params + "}");
    EXPECT_EQ(r->status, 400) << params;
    EXPECT_EQ(at(r->body, "error", "code"), "-32600") << params;
    EXPECT_EQ(a.seen().size(), heard) << params;
  }
};

TEST_F(ambiguity, of_names_by_letter_case_is_no_way_around_policy) {
  world strict(guarded_world(guarded(a_and_b, readers)));
  client d(strict);
  d.token = token_for("r");
  d.initialize();
  EXPECT_EQ(at(d.call("1", "a__delete")->body, "error", "code"), "-32042");
  EXPECT_EQ(d.call("1", "a__read")->status, 200);
  for (auto key : {"Name", "NAME", R"(N\u0061me)", R"(nam\u0045)", R"(name\u0000)"}) {
    const auto r = d.request("2", "tools/call",
                             R"({"name":"a__read",")" + std::string(key) + R"(":"delete"})");
    EXPECT_EQ(r->status, 400) << key;
    EXPECT_EQ(at(r->body, "error", "code"), "-32600") << key;
  }
  EXPECT_EQ(strict.upstream("a").count("tools/call"), 1U);
}

TEST_F(ambiguity, of_members_of_params_is_refused_before_anybody_is_asked) {
  expect_refused("tools/call", R"({"name":"a__x","Arguments":{}})");
  expect_refused("tools/call", R"({"name":"a__x","_META":{}})");
  expect_refused("tools/call", "{\"name\":\"a__x\",\"argument\xC5\xBF\":{}}");
  expect_refused("resources/read", R"({"uri":"file:///a","URI":"file:///b"})");
  expect_refused("tasks/get", R"({"taskId":"t","taskid":"u"})");
  expect_refused("tasks/get", "{\"taskId\":\"t\",\"tas\xE2\x84\xAAId\":\"u\"}");
  expect_refused("completion/complete", R"({"ref":{"type":"ref/prompt","name":"a__p"},"Ref":{}})");
  for (auto key : {"Name", "TYPE", "Uri", R"(uri\u0000)"})
    expect_refused("completion/complete", R"({"ref":{"type":"ref/prompt","name":"a__p",")" +
                                              std::string(key) + R"(":"x"}})");
  expect_refused("completion/complete",
                 R"({"ref":{"type":"ref/prompt","name":"a__p","name":"a__q"}})");
  expect_refused("logging/setLevel", R"({"level":"info","Level":"debug"})");
  expect_refused("logging/setLevel", R"({"level":"info","level":"debug"})");
  // Payloads are nobody's business.
  EXPECT_EQ(c.call("1", "a__x", R"("arguments":{"name":1,"Name":2,"NAME":3})")->status, 200);
}

TEST_F(ambiguity, of_what_a_server_sends_to_the_client_is_dropped) {
  a.always("tools/call", reply{.open = true});
  auto r = c.call("1", "a__x");
  const auto push = [&](std::string text) {
    fake_upstream::push(a.last("tools/call"), std::move(text));
    w.settle();
  };
  push(R"({"jsonrpc":"2.0","method":"notifications/message","ID":7,"params":{}})");
  push(R"({"jsonrpc":"2.0","method":"notifications/message","Method":"roots/list"})");
  push(R"({"jsonrpc":"2.0","id":"q","Id":2,"method":"roots/list"})");
  push(R"({"jsonrpc":"2.0","id":"q","method":"roots/list","params":{"_Meta":{}}})");
  push(R"({"jsonrpc":"2.0","method":"notifications/resources/updated",)"
       R"("params":{"uri":"x","URI":"y"}})");
  EXPECT_TRUE(r->events().empty());
  // What is a server's own business passes, and an answer is taken for what it says.
  push(R"({"jsonrpc":"2.0","method":"notifications/x","params":{"Name":"x"}})");
  push(R"({"jsonrpc":"2.0","id":$id,"result":{"Name":1},"Id":3,"Result":{}})");
  ASSERT_EQ(r->events().size(), 2U);
  EXPECT_EQ(r->events()[1], R"({"jsonrpc":"2.0","id":1,"result":{"Name":1}})");
}

}  // namespace
}  // namespace gate
