#include "protocol/mcp/server_request_methods.hpp"

#include <gtest/gtest.h>

namespace gate::mcp {
namespace {

TEST(server_request_method, is_one_of_the_protocol_or_none_of_these) {
  for (const auto name : server_request_methods) {
    const auto quoted = '"' + std::string(name) + '"';
    EXPECT_EQ(server_request_method(quoted), name);
    EXPECT_EQ(server_request_method(quoted).data(), name.data()) << "of static storage";
  }
  EXPECT_EQ(server_request_method(R"("sampling\/createMessage")"), "sampling/createMessage");
  for (auto other : {"", "\"", "\"\"", R"("Ping")", R"("ping ")", R"("acme/x")", "7"})
    EXPECT_EQ(server_request_method(other), other_question) << other;
}

}  // namespace
}  // namespace gate::mcp
