#include "protocol/mcp/stateless/input_requests.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "protocol/json/scan.hpp"
#include "protocol/mcp/methods.hpp"

namespace gate::mcp::stateless {
namespace {

TEST(input_requests, are_answers_to_three_methods) {
  std::size_t count = 0;
  for (const auto& m : methods) count += asks_by_result(m.name);
  EXPECT_EQ(count, 3U);
  EXPECT_TRUE(asks_by_result("tools/call") && asks_by_result("prompts/get") &&
              asks_by_result("resources/read"));
}

TEST(attempts, are_known_by_what_they_add) {
  EXPECT_FALSE(read_attempt("").again());
  EXPECT_FALSE(read_attempt("7").again());
  EXPECT_FALSE(read_attempt(R"({"name":"x","arguments":{"requestState":"s"}})").again());
  auto a = read_attempt(R"({"requestState":"s","name":"x"})");
  EXPECT_TRUE(a.again());
  EXPECT_EQ(a.state, R"("s")");
  a = read_attempt(R"({"inputResponses": {"q1":{}}})");
  EXPECT_TRUE(a.again());
  EXPECT_EQ(a.responses, R"({"q1":{}})");
  EXPECT_EQ(read_attempt(R"({"request\u0053tate":7})").state, "7") << "however it is written";
}

TEST(attempts, have_all_else_in_common) {
  const auto first = lasting_params(R"({"name":"x","arguments":{"a":1.0},"_meta":{"p":1}})");
  EXPECT_EQ(first, R"({"arguments":{"a":1.0},"name":"x"})");
  EXPECT_EQ(lasting_params(R"({"inputResponses":{"q1":{}},"arguments":{"a":1.0},)"
                           R"("requestState":"s","n\u0061me":"x"})"),
            first);
  for (const auto other : {R"({"name":"y","arguments":{"a":1.0}})", R"({"name":"x"})",
                           R"({"name":"x","arguments":{"a":1}})", "{}", "",
                           R"({"name":"x","arguments":{"a":1.0},"more":1})"})
    EXPECT_NE(lasting_params(other), first) << other;
}

TEST(questions, lose_what_only_their_session_can_mean) {
  const std::string plain = R"({"message":"m","requestedSchema":{"a":[1.0]},"mode":"form"})";
  EXPECT_EQ(asked_params(plain), plain);
  EXPECT_EQ(asked_params(R"({"mode":"url","elicitationId":"e","url":"u"})"),
            R"({"mode":"url","url":"u"})");
  EXPECT_EQ(asked_params(R"({"_meta":{"progressToken":1},"a":1e0})"), R"({"a":1e0})");
  EXPECT_EQ(asked_params(R"({"_meta":{"x":1.0,"progressToken":"p"},"a":2})"),
            R"({"_meta":{"x":1.0},"a":2})");
  EXPECT_EQ(asked_params(R"({"_meta":{"x":1},"a":2})"), R"({"_meta":{"x":1},"a":2})");
  EXPECT_EQ(asked_params(R"({"elicitationId":"e","_meta":{"progressToken":1}})"), "{}");
}

TEST(questions, are_a_result) {
  const std::vector<shown_question> all{{"q1", names::elicit, R"({"message":"m"})"},
                                        {"q2", names::list_roots, ""}};
  const auto text = question_result(all, "STATE");
  EXPECT_EQ(json::validate(text), json::fault::none) << text;
  EXPECT_EQ(json::member(text, "resultType"), R"("input_required")");
  EXPECT_EQ(json::member(text, "requestState"), R"("STATE")");
  EXPECT_EQ(json::member(text, "inputRequests"),
            R"({"q1":{"method":"elicitation/create","params":{"message":"m"}},)"
            R"("q2":{"method":"roots/list"}})");
  EXPECT_FALSE(
      json::member(json::member(text, "_meta"), "io.modelcontextprotocol/serverInfo").empty());
  EXPECT_EQ(json::member(question_result({}, "s"), "inputRequests"), "{}");
}

TEST(input_requests, leave_nothing_of_an_attempt_for_servers_that_know_none) {
  struct row {
    std::string_view with, without;
  };
  for (const auto& [with, without] : {
           row{R"({"name":"x"})", R"({"name":"x"})"},
           row{"{}", "{}"},
           row{R"({ "inputResponses" : {"a":[1, 2]} })", "{  }"},
           row{R"({"inputResponses":{},"name":"x"})", R"({"name":"x"})"},
           row{R"({"name":"x","requestState":"s"})", R"({"name":"x"})"},
           row{R"({"requestState":"s","inputResponses":{}})", "{}"},
           row{R"({ "a":1.0 , "inputResponses":{} ,"b":[ ],"requestState":5 , "c":{"requestState":1}
 })",
               R"({ "a":1.0 ,"b":[ ] , "c":{"requestState":1}
 })"},
           row{R"({"input\u0052esponses":1,"a":"\u0052"})", R"({"a":"\u0052"})"},
           row{R"({"inputresponses":1})", R"({"inputresponses":1})"},
       })
    EXPECT_EQ(without_attempt(with), without) << with;
}

}  // namespace
}  // namespace gate::mcp::stateless
