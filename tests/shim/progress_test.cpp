// Progress at a server that has several requests in flight: each hears of its own only.
#include <gtest/gtest.h>

#include "protocol/json/scan.hpp"
#include "tests/shim/support/shim_world.hpp"

namespace gate::sim {
namespace {

struct progress_of_requests : ::testing::Test, shim_world {
  std::string session = open();

  receipt_ptr call(std::string_view id, std::string_view raw_token) {
    return post(R"({"jsonrpc":"2.0","id":)" + std::string(id) +
                    R"(,"method":"tools/call","params":{"_meta":{"progressToken":)" +
                    std::string(raw_token) + "}}}",
                session);
  }
  static std::string report(std::string_view raw_token) {
    return R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
           std::string(raw_token) + R"(,"progress":1}})";
  }
};

TEST_F(progress_of_requests, with_the_same_token_could_not_be_told_apart) {
  const auto one = call("1", "7");
  for (auto token : {"7", "7.0", "7e0"}) {
    const auto same = call("2", token);
    EXPECT_EQ(same->status, 400) << token;
    EXPECT_EQ(json::member(json::member(same->body, "error"), "code"), "-32600");
  }
  const auto text = call("3", R"("7")");
  EXPECT_EQ(latest().heard.size(), 2U) << "what is refused is not passed on";
  say(latest(), {report("7"), report(R"("7")"), report("7.0")});
  EXPECT_EQ(one->events(), (std::vector<std::string>{report("7"), report("7.0")}));
  EXPECT_EQ(text->events(), std::vector<std::string>{report(R"("7")")});
  say(latest(), {R"({"jsonrpc":"2.0","id":1,"result":{}})"});
  EXPECT_FALSE(call("4", "7")->done()) << "the token is free again";
}

TEST_F(progress_of_requests, none_hears_that_of_a_task_which_goes_on) {
  const auto own = get(session);
  const auto first = call("1", "7");
  say(latest(), {R"({"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t"}}})"});
  const auto other = call("2", "8");
  say(latest(), {report("7")});
  EXPECT_TRUE(other->events().empty());
  EXPECT_EQ(own->events(), std::vector<std::string>{report("7")});
}

}  // namespace
}  // namespace gate::sim
