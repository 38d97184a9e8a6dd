#include "simulations/replay/retelling.hpp"

#include <gtest/gtest.h>

namespace gate::replay {
namespace {

TEST(retelling, what_is_drawn_anew_is_found_wherever_it_stands) {
  const auto call = drawn_in(
      R"({"id":7,"method":"tools/call","params":{"name":"id","arguments":{"id":1,"requestId":2},)"
      R"("_meta":{"progressToken":"p"}}})");
  EXPECT_EQ(call.method, "\"tools/call\"");
  EXPECT_EQ(call.id, "7");
  EXPECT_EQ(call.meta_token, "\"p\"");
  EXPECT_EQ(call.token, "");
  EXPECT_EQ(call.request, "");
  const auto news = drawn_in(R"({"params":{"progressToken":3,"requestId":[1]},"result":{"id":4}})");
  EXPECT_EQ(news.token, "3");
  EXPECT_EQ(news.request, "[1]");
  EXPECT_EQ(news.id, "");
  EXPECT_EQ(drawn_in(R"({"id":1,"id":2,"params":"text","method":{}})").id, "1");
  for (const auto* odd : {"", "[]", "{", R"({"id":1)", R"({"id":1} x)"})
    EXPECT_EQ(drawn_in(odd).id, "") << odd;
}

TEST(retelling, an_answer_is_told_with_the_ids_that_we_drew) {
  const auto between = ids_of(R"({"id":1,"method":"m","params":{"_meta":{"progressToken":"a"}}})",
                              R"({"id":9,"method":"m","params":{"_meta":{"progressToken":"b"}}})");
  EXPECT_EQ(retold(R"({"id":1,"result":{}})", between), R"({"id":9,"result":{}})");
  EXPECT_EQ(retold(R"({"method":"n","params":{"progressToken":"a"}})", between),
            R"({"method":"n","params":{"progressToken":"b"}})");
}

}  // namespace
}  // namespace gate::replay
