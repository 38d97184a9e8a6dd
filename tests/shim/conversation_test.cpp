#include "shim/conversation.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gate::shim {
namespace {

using place = conversation::place;
using destination = conversation::destination;

constexpr destination own{};

struct talking : ::testing::Test {
  conversation c;

  conversation::number ask(std::string id, std::string token = {}) {
    std::string text = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{)";
    if (!token.empty()) text += R"("_meta":{"progressToken":)" + token + "}";
    text += "}}";
    return c.add(jsonrpc::read(text).value());
  }
  std::set<conversation::number> deserted;  ///< nobody listens to these

  destination place_of(std::string_view text) {
    return c.place_of(jsonrpc::read(text).value(),
                      [this](conversation::number n) { return !deserted.contains(n); });
  }
  static destination at(conversation::number n) { return {place::request, n}; }
};

constexpr auto log = R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})";
constexpr auto sampling = R"({"jsonrpc":"2.0","id":0,"method":"sampling/createMessage"})";

std::string progress(std::string token) {
  return R"({"jsonrpc":"2.0","method":"notifications/progress",)"
         R"("params":{"progress":1,"progressToken":)" +
         token + "}}";
}

TEST_F(talking, ids_are_the_same_however_they_are_written) {
  EXPECT_TRUE(same_id("1", "1"));
  EXPECT_TRUE(same_id(R"("a")", R"("\u0061")"));
  EXPECT_FALSE(same_id("1", R"("1")"));
  EXPECT_FALSE(same_id(R"("a")", R"("b")"));
  EXPECT_FALSE(same_id("", R"("")"));
}

TEST_F(talking, a_request_is_taken_once) {
  const auto a = ask("1"), b = ask(R"("x")");
  EXPECT_NE(a, b);
  EXPECT_TRUE(c.has("1"));
  EXPECT_TRUE(c.has(R"("\u0078")"));
  EXPECT_FALSE(c.has("2"));
  EXPECT_EQ(c.take("1"), a);
  EXPECT_EQ(c.take("1"), std::nullopt);
  EXPECT_EQ(c.size(), 1U);
  EXPECT_EQ(c.take(R"("\u0078")"), b);
}

TEST_F(talking, without_requests_everything_is_the_sessions_own) {
  for (const auto& text : {std::string(log), std::string(sampling), progress("1")})
    EXPECT_EQ(place_of(text), own);
}

TEST_F(talking, with_one_request_everything_is_its) {
  const auto a = ask("1", "7");
  for (const auto& text : {std::string(log), std::string(sampling), progress("7")})
    EXPECT_EQ(place_of(text), at(a)) << text;
  for (const auto& text : {progress("8"), progress(R"("7")"), progress("null")})
    EXPECT_EQ(place_of(text), own) << "but progress of something else: " << text;
}

TEST_F(talking, with_several_only_progress_is_placed) {
  const auto a = ask("1", "7");
  const auto b = ask("2", R"("7")");
  ask("3");
  EXPECT_EQ(place_of(progress("7")), at(a));
  EXPECT_EQ(place_of(progress(R"("7")")), at(b));
  EXPECT_EQ(place_of(progress("9")), own);
  EXPECT_EQ(place_of(log), own);
  EXPECT_EQ(place_of(sampling), own);
}

TEST_F(talking, tokens_of_requests_in_flight_are_told_apart_by_type_and_value) {
  const auto has = [this](const std::string& token) {
    return c.has_token_of(jsonrpc::read(R"({"jsonrpc":"2.0","id":99,"method":"x","params":{)"
                                        R"("_meta":{"progressToken":)" +
                                        token + "}}}")
                              .value());
  };
  ask("1");
  EXPECT_FALSE(has("7"));
  ask("2", "7");
  for (auto token : {"7", "7.0", "7e0", "70E-1"}) EXPECT_TRUE(has(token)) << token;
  for (auto token : {R"("7")", "8", "7.5", "70", "-7", "null", "{}"})
    EXPECT_FALSE(has(token)) << token;
  const auto text = ask("3", R"("\u0061")");
  EXPECT_TRUE(has(R"("a")"));
  EXPECT_EQ(place_of(progress(R"("a")")), at(text));
  const auto large = ask("4", "9007199254740993");
  EXPECT_FALSE(has("9007199254740992"));
  EXPECT_EQ(place_of(progress("9007199254740993")), at(large));
  EXPECT_EQ(place_of(progress("7.0")), at(2)) << "as the server writes it";
  c.take("2");
  EXPECT_FALSE(has("7"));
}

TEST_F(talking, requests_that_nobody_listens_to_do_not_count) {
  const auto a = ask("1"), b = ask("2");
  deserted = {a};
  EXPECT_EQ(place_of(log), at(b));
  deserted = {a, b};
  EXPECT_EQ(place_of(log), own);
}

TEST_F(talking, a_token_of_a_request_of_the_server_is_its_own) {
  ask("1", "7");
  ask("2");
  EXPECT_EQ(place_of(R"({"jsonrpc":"2.0","id":1,"method":"sampling/createMessage",)"
                     R"("params":{"_meta":{"progressToken":7}}})"),
            own);
}

TEST_F(talking, with_the_others_answered_the_last_one_is_alone) {
  ask("1");
  const auto b = ask("2");
  EXPECT_EQ(place_of(log), own);
  c.take("1");
  EXPECT_EQ(place_of(log), at(b));
}

}  // namespace
}  // namespace gate::shim
