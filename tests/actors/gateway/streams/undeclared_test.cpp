// Requests of upstreams for which the client has declared nothing: answered as it would.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;

struct row {
  std::string_view capabilities, method, params;
  int code;  ///< 0: the client is asked
};

constexpr std::string_view sample = "sampling/createMessage", elicit = "elicitation/create";

constexpr std::array rows{
    row{"{}", sample, "{}", -32601},
    row{R"({"sampling":{}})", sample, "{}", 0},
    row{R"({"sampling":{}})", R"(sampling\/createMessage)", "{}", 0},
    row{"{}", R"(sampling\/createMessage)", "{}", -32601},
    row{R"({"sampling":true})", sample, "{}", -32601},
    row{R"({"sampling":{}})", sample, R"({"tools":[]})", -32602},
    row{R"({"sampling":{"tools":{}}})", sample, R"({"tools":[],"toolChoice":{}})", 0},
    row{"{}", elicit, "{}", -32601},
    row{R"({"elicitation":{}})", elicit, "{}", 0},
    row{R"({"elicitation":{}})", elicit, R"({"mode":"form"})", 0},
    row{R"({"elicitation":{}})", elicit, R"({"mode":"url"})", -32602},
    row{R"({"elicitation":{"form":{}}})", elicit, R"({"mode":"url"})", -32602},
    row{R"({"elicitation":{"url":{}}})", elicit, R"({"mode":"url"})", 0},
    row{R"({"elicitation":{"url":{}}})", elicit, R"({"mode":"u\u0072l"})", 0},
    row{R"({"elicitation":{"url":{}}})", elicit, "{}", -32602},
    row{R"({"elicitation":{"url":{},"form":{}}})", elicit, R"({"mode":"form"})", 0},
    row{R"({"elicitation":{"url":{},"form":{}}})", elicit, R"({"mode":"other"})", -32602},
    row{"{}", "roots/list", "{}", -32601},
    row{R"({"roots":{}})", "roots/list", "{}", 0},
    row{R"({"roots":{"listChanged":true}})", "roots/list", "{}", 0},
    row{"{}", "tasks/get", R"({"taskId":"x"})", -32601},
    row{R"({"tasks":{}})", "tasks/get", R"({"taskId":"x"})", 0},
    row{R"({"tasks":{}})", "tasks/result", R"({"taskId":"x"})", 0},
    row{R"({"tasks":{}})", "tasks/list", "{}", -32601},
    row{R"({"tasks":{"list":{}}})", "tasks/list", "{}", 0},
    row{R"({"tasks":{"list":{}}})", "tasks/cancel", R"({"taskId":"x"})", -32601},
    row{R"({"tasks":{"cancel":{}}})", "tasks/cancel", R"({"taskId":"x"})", 0},
    row{"{}", "vendor/ask", "{}", 0},
};

TEST(undeclared, requests_are_answered_as_a_client_without_it_would) {
  for (const auto& row : rows) {
    for (const bool within_a_call : {true, false}) {
      world w;
      auto& a = w.upstream("a");
      a.always("tools/call", reply{.open = true});
      client c(w);
      auto hello = c.request("0", "initialize",
                             R"({"protocolVersion":"2025-11-25","capabilities":)" +
                                 std::string(row.capabilities) + "}");
      c.session = hello->header("mcp-session-id");
      auto own = c.get();
      auto r = c.call("1", "a__x");
      w.advance(std::chrono::seconds(3));
      const auto question = R"({"jsonrpc":"2.0","id":"q","method":")" + std::string(row.method) +
                            R"(","params":)" + std::string(row.params) + "}";
      auto stream = a.last("tools/call");
      if (!within_a_call)
        for (const auto& s : a.under_way("GET"))
          if (s->session == a.last("tools/call")->session) stream = s;
      fake_upstream::push(stream, question);
      w.settle();
      const auto what = std::string(row.capabilities) + ' ' + question;
      const auto& heard = within_a_call ? r : own;
      if (row.code == 0) {
        EXPECT_EQ(heard->events().size(), 1U) << what;
        EXPECT_EQ(a.count("response"), 0U) << what;
        continue;
      }
      EXPECT_TRUE(r->events().empty()) << what;
      EXPECT_TRUE(own->events().empty()) << what;
      ASSERT_EQ(a.count("response"), 1U) << what;
      EXPECT_EQ(at(a.last("response")->body, "error", "code"), std::to_string(row.code)) << what;
      EXPECT_EQ(at(a.last("response")->body, "id"), R"("q")");
    }
  }
}

}  // namespace
}  // namespace gate
