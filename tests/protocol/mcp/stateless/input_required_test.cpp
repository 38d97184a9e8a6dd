#include "protocol/mcp/stateless/input_required.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::mcp::stateless {
namespace {

TEST(input_required, is_asked_for_by_the_type_of_the_result) {
  EXPECT_TRUE(asks_for_input(R"("input_required")"));
  EXPECT_TRUE(asks_for_input(R"("input\u005frequired")"));
  for (const auto* no : {R"("complete")", "1", "{}", "input_required", ""})
    EXPECT_FALSE(asks_for_input(no)) << no;
}

TEST(input_required, is_read_with_its_params_and_state_as_they_were_written) {
  const auto read = read_input_required(
      R"({"resultType":"input_required","requestState":"a\/b","inputRequests":{)"
      R"("b\u0065":{"params":{ "n":1.0 },"method":"elicitation/create"},)"
      R"("r":{"method":"roots\/list"},"s":{"method":"sampling/createMessage","params":{}}}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->state, R"("a\/b")");
  ASSERT_EQ(read->requests.size(), 3U);
  EXPECT_EQ(read->requests[0].key, R"(b\u0065)");
  EXPECT_EQ(read->requests[0].method, "elicitation/create");
  EXPECT_EQ(read->requests[0].params, R"({ "n":1.0 })");
  EXPECT_EQ(read->requests[1].method, "roots/list");
  EXPECT_EQ(read->requests[1].params, "");
  EXPECT_EQ(read->requests[2].method, "sampling/createMessage");
}

TEST(input_required, may_be_a_state_alone_or_requests_alone) {
  EXPECT_TRUE(read_input_required(R"({"requestState":""})"));
  EXPECT_TRUE(read_input_required(R"({"inputRequests":{},"requestState":"s"})"));
  EXPECT_TRUE(read_input_required(R"({"inputRequests":{"k":{"method":"roots/list"}}})"));
}

TEST(input_required, is_refused_if_it_is_malformed) {
  const auto why = [](std::string_view raw) {
    const auto read = read_input_required(raw);
    return read ? "accepted" : read.error().what;
  };
  EXPECT_EQ(why("{}"), "the upstream asks for input but says neither what nor a state");
  EXPECT_EQ(why(R"({"inputRequests":{}})"),
            "the upstream asks for input but says neither what nor a state");
  EXPECT_EQ(why(R"({"requestState":7})"),
            "the upstream asks for input with a requestState that is no string");
  EXPECT_EQ(why(R"({"inputRequests":[]})"),
            "the upstream asks for input with inputRequests that are no object");
  for (const auto* entry : {R"({"method":"tasks/list"})", R"({"method":7})", "{}", "[]", "7",
                            R"({"method":"roots/list","params":[]})"})
    EXPECT_EQ(why(R"({"inputRequests":{"k":)" + std::string(entry) + "}}"),
              "the upstream asks for input by a request of a kind that there is not")
        << entry;
  EXPECT_EQ(
      why(R"({"inputRequests":{"k":{"method":"roots/list"},"\u006b":{"method":"roots/list"}}})"),
      "the upstream asks for input by two requests of one name");
}

TEST(input_required, is_bounded) {
  const auto with = [](std::size_t n) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i)
      all += (i ? ",\"" : "\"") + std::to_string(i) + R"(":{"method":"roots/list"})";
    return read_input_required(R"({"inputRequests":{)" + all + "}}");
  };
  EXPECT_EQ(with(limits::session_questions)->requests.size(), limits::session_questions);
  ASSERT_FALSE(with(limits::session_questions + 1));
  EXPECT_EQ(with(limits::session_questions + 1).error().what,
            "the upstream asks for input by too many requests");
}

TEST(input_required, goes_into_the_params_in_front_of_all_others) {
  EXPECT_EQ(with_input(R"({"name":"x","arguments":{"n":1.0}})", R"("k":{"a":1})", R"("s\/t")"),
            R"({"inputResponses":{"k":{"a":1}},"requestState":"s\/t","name":"x",)"
            R"("arguments":{"n":1.0}})");
  EXPECT_EQ(with_input(R"({"name":"x"})", {}, R"("s")"), R"({"requestState":"s","name":"x"})");
  EXPECT_EQ(with_input("{}", R"("k":{})", {}), R"({"inputResponses":{"k":{}}})");
}

TEST(input_required, takes_the_place_of_what_the_client_has_put_there) {
  EXPECT_EQ(with_input(R"({"requestState":"old","name":"x","input\u0052esponses":{"k":1}})", {},
                       R"("new")"),
            R"({"requestState":"new","name":"x"})");
}

}  // namespace
}  // namespace gate::mcp::stateless
