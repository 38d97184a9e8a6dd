// What client or server could be read to have said something else, through shim/: refused.
#include "protocol/json/scan.hpp"
#include "tests/shim/support/shim_world.hpp"

namespace gate::sim {
namespace {

using lines = std::vector<std::string>;

struct ambiguity : ::testing::Test, shim_world {
  std::string s = open();

  receipt_ptr call(std::string_view id) {
    return post(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"tools/call"})", s);
  }
  static std::string error_of(const receipt_ptr& r) {
    return std::string(json::member(json::member(r->body, "error"), "code"));
  }
  static std::string id_of(const receipt_ptr& r) {
    return std::string(json::member(r->body, "id"));
  }
};

TEST_F(ambiguity, of_keys_by_letter_case_does_not_reach_the_server) {
  for (auto params : {R"({"name":"read","Name":"delete"})", R"({"name":"read","nam\u0045":"x"})",
                      R"({"name":"read","name\u0000":"x"})", R"({"uri":"a","uri":"b"})",
                      R"({"ref":{"type":"ref/prompt","Type":"x"}})"}) {
    const auto r = post(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)" + std::string(params) + "}",
        s);
    EXPECT_EQ(r->status, 400) << params;
    EXPECT_EQ(error_of(r), "-32600") << params;
  }
  EXPECT_EQ(latest().heard, lines{});
}

TEST_F(ambiguity, of_a_servers_request_does_not_reach_the_client) {
  const auto g = get(s);
  say(latest(), {R"({"jsonrpc":"2.0","id":1,"Id":2,"method":"roots/list"})",
                 R"({"jsonrpc":"2.0","method":"notifications/message","ID":2})"});
  EXPECT_EQ(g->events(), lines{});
  EXPECT_EQ(logged("no message"), 2U);
}

TEST_F(ambiguity, an_answer_that_is_not_utf_8_is_none) {
  const auto r = call("1");
  say(latest(), {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"\xFF\"}}"});
  EXPECT_EQ(r->status, 502);
  EXPECT_EQ(error_of(r), "-32603");
  EXPECT_EQ(id_of(r), "1");
  // Of several at once only the broken one is lost.
  const auto a = call("2"), b = call("3");
  say(latest(), {"[{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"\xC0\x80\"},"
                 "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":\"\xC3\xA9\"}]"});
  EXPECT_EQ(a->status, 502);
  EXPECT_EQ(b->body, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":\"\xC3\xA9\"}");
}

TEST_F(ambiguity, a_notification_that_is_not_utf_8_is_dropped) {
  const auto r = call("1");
  say(latest(), {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":\"\xFF\"}"});
  EXPECT_FALSE(r->streaming);
  const std::string answer = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  say(latest(), {answer});
  EXPECT_EQ(r->body, answer);
}

TEST_F(ambiguity, refusals_by_http_status_carry_no_id) {
  const auto pending = call("7");
  for (const auto& r : {call("7"), post(R"({"jsonrpc":"1.0","id":7,"method":"m"})", s),
                        post(R"({"jsonrpc":"2.0","id":7,"method":"m"})", "0123"),
                        post(R"({"jsonrpc":"2.0","id":7,"method":"m"})")}) {
    EXPECT_GE(r->status, 400);
    EXPECT_NE(error_of(r), "");
    EXPECT_EQ(id_of(r), "") << r->body;
  }
  EXPECT_FALSE(pending->done());
}

TEST_F(ambiguity, of_which_element_of_a_batch_was_refused_is_none) {
  const auto old = open("2025-03-26");
  const auto r = post(R"([{"jsonrpc":"1.0","id":7,"method":"m"}])", old);
  EXPECT_NE(r->body.find(R"("id":7)"), r->body.npos) << r->body;
}

}  // namespace
}  // namespace gate::sim
