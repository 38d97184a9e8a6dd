#include "protocol/mcp/client_requests.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gate::mcp {
namespace {

struct client_row {
  std::string_view capabilities, method, params;
  int code;
};

TEST(client_requests, are_taken_as_they_were_declared) {
  constexpr std::string_view sample = "sampling/createMessage", elicit = "elicitation/create";
  constexpr std::array rows{
      client_row{"{}", sample, "{}", -32601},
      client_row{"", sample, "", -32601},
      client_row{R"({"sampling":null})", sample, "{}", -32601},
      client_row{R"({"sampling":{}})", sample, "{}", 0},
      client_row{R"({"sampling":{}})", sample, "", 0},
      client_row{R"({"s\u0061mpling":{}})", sample, "{}", 0},
      client_row{R"({"sampling":{}})", sample, R"({"tools":[]})", -32602},
      client_row{R"({"sampling":{}})", sample, R"({"toolChoice":{}})", -32602},
      client_row{R"({"sampling":{"tools":{}}})", sample, R"({"tools":[]})", 0},
      client_row{R"({"elicitation":[]})", elicit, "{}", -32601},
      client_row{R"({"elicitation":{}})", elicit, "{}", 0},
      client_row{R"({"elicitation":{}})", elicit, R"({"mode":"url"})", -32602},
      client_row{R"({"elicitation":{}})", elicit, R"({"mode":7})", -32602},
      client_row{R"({"elicitation":{"url":{}}})", elicit, R"({"mode":"url"})", 0},
      client_row{R"({"elicitation":{"url":{}}})", elicit, "{}", -32602},
      client_row{R"({"elicitation":{"url":{},"form":{}}})", elicit, "{}", 0},
      client_row{R"({"elicitation":{"url":{},"form":{}}})", elicit, R"({"mode":"x"})", -32602},
      client_row{"{}", "roots/list", "", -32601},
      client_row{R"({"roots":{}})", "roots/list", "", 0},
      client_row{"{}", "tasks/get", "", -32601},
      client_row{R"({"tasks":{}})", "tasks/get", "", 0},
      client_row{R"({"tasks":{}})", "tasks/list", "", -32601},
      client_row{R"({"tasks":{}})", "tasks/cancel", "", -32601},
      client_row{R"({"tasks":{"list":{},"cancel":{}}})", "tasks/list", "", 0},
      client_row{R"({"tasks":{"list":{},"cancel":{}}})", "tasks/cancel", "", 0},
      client_row{R"({"tools":{}})", "tools/call", R"({"name":"x"})", -32601},
      client_row{"{}", "initialize", "", -32601},
      client_row{"{}", "server/discover", "", -32601},
      client_row{"{}", "logging/setLevel", "", -32601},
      client_row{"{}", "ping", "", 0},
      client_row{"{}", "vendor/x", "", 0},
  };
  for (const auto& r : rows)
    EXPECT_EQ(refuses_request(r.capabilities, r.method, r.params), r.code)
        << r.capabilities << ' ' << r.method << ' ' << r.params;
}

}  // namespace
}  // namespace gate::mcp
