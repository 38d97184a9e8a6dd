#include "protocol/mcp/stateless/url_elicitations.hpp"

#include <gtest/gtest.h>

#include "protocol/json/scan.hpp"

namespace gate::mcp::stateless {
namespace {

TEST(url_elicitations, are_questions_without_a_state) {
  const auto text = ask_for_visits(
      R"({"code":-32042,"message":"m","data":{"elicitations":[)"
      R"({"mode":"url","elicitationId":"e1","url":"https://a.test/1","message":"one"},)"
      R"({"mode":"url","elicitationId":"e2","url":"https://a.test/2","x":1.0}]}})");
  EXPECT_EQ(json::validate(text), json::fault::none) << text;
  EXPECT_EQ(json::member(text, "resultType"), R"("input_required")");
  EXPECT_EQ(json::member(text, "requestState"), "");
  EXPECT_EQ(json::member(text, "inputRequests"),
            R"({"q1":{"method":"elicitation/create","params":)"
            R"({"mode":"url","url":"https://a.test/1","message":"one"}},)"
            R"("q2":{"method":"elicitation/create","params":)"
            R"({"mode":"url","url":"https://a.test/2","x":1.0}}})");
}

TEST(url_elicitations, are_nothing_else) {
  for (const auto other :
       {"", "7", R"({"code":-32042})", R"({"code":-32042,"data":{"elicitations":[]}})",
        R"({"code":-32042,"data":{"elicitations":{}}})",
        R"({"code":-32042,"data":{"elicitations":[7,{"mode":"form"}]}})",
        R"({"code":-32041,"data":{"elicitations":[{"url":"u"}]}})"})
    EXPECT_EQ(ask_for_visits(other), "") << other;
}

TEST(url_elicitations, that_can_not_be_asked_name_what_lacks) {
  EXPECT_EQ(json::validate(visits_not_declared), json::fault::none);
  EXPECT_EQ(json::member(visits_not_declared, "code"), "-32021");
}

}  // namespace
}  // namespace gate::mcp::stateless
