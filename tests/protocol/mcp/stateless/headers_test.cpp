#include "protocol/mcp/stateless/headers.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gate::mcp::stateless {
namespace {

TEST(header_value, is_as_it_is_or_coded) {
  EXPECT_EQ(header_value("plain"), "plain");
  EXPECT_EQ(header_value(""), "");
  EXPECT_EQ(header_value("=?base64?w6Q=?="), "\xC3\xA4");
  EXPECT_EQ(header_value("=?base64\?\?="), "");
  EXPECT_EQ(header_value("=?base64?Pz8/?="), "???");
  // No marker: a literal.
  for (const auto literal : {"=?BASE64?w6Q=?=", "=?base64?w6Q=", "base64?w6Q=?=", "=?base64?="})
    EXPECT_EQ(header_value(literal), literal);
  for (const auto bad : {"=?base64?w6Q?=", "=?base64?w6Q==?=", "=?base64?w6 Q=?=",
                         "=?base64?Pz8_?=", "=?base64?=w6Q?=", "=?base64?w6R=?="})
    EXPECT_FALSE(header_value(bad)) << bad;
}

TEST(header_value, is_coded_where_it_has_to_be) {
  for (const std::string text : {"plain", "", "inner blank\tand tab"})
    EXPECT_EQ(as_header_value(text), text);
  for (const std::string text :
       {" x", "x ", "\tx", "a\r\nEvil: 1", "\xC3\xA4", "=?base64?YQ==?=", "\x7f", "\?\?\?>>>"}) {
    const auto value = as_header_value(text);
    EXPECT_EQ(header_value(value), text) << value;
    EXPECT_EQ(value.find_first_of("\r\n"), std::string::npos);
  }
}

TEST(header_lines, repeat_what_a_request_is_about) {
  const auto lines = [](std::string_view method, std::string_view name) {
    std::string out;
    pen to(out, 0);
    write_header_lines(to << "A: b\r\n", method, name);
    return std::string(to.text());
  };
  EXPECT_EQ(lines("tools/call", "a"), "A: b\r\nMcp-Method: tools/call\r\nMcp-Name: a\r\n");
  EXPECT_EQ(lines("resources/read", "x://\xC3\xA4"),
            "A: b\r\nMcp-Method: resources/read\r\nMcp-Name: =?base64?eDovL8Ok?=\r\n");
  EXPECT_EQ(lines("tools/list", ""), "A: b\r\nMcp-Method: tools/list\r\n");
}

struct agreement : ::testing::Test {
  std::vector<http::header> headers;
  std::string body;
  http::received_head& head() {
    received = std::make_unique<http::received_head>();
    received->headers = headers;
    received->look_up(false);
    return *received;
  }
  std::unique_ptr<http::received_head> received;
  std::optional<std::string> of(std::string_view method, std::string params) {
    body = jsonrpc::request("1", method, params);
    return disagreement(head(), *jsonrpc::read(body), find_method(method, era::stateless));
  }
  static constexpr auto wrong_method =
      "the header Mcp-Method is missing or is not the request's method";
  static constexpr auto wrong_name =
      "the header Mcp-Name is missing or is not what the request names";
};

TEST_F(agreement, of_the_method) {
  EXPECT_EQ(of("tools/list", "{}"), wrong_method);
  headers = {{"mcp-method", "tools/list"}};
  EXPECT_FALSE(of("tools/list", "{}"));
  EXPECT_FALSE(disagreement(head(),
                            *jsonrpc::read(R"({"jsonrpc":"2.0","id":1,"method":"tools\/list"})"),
                            find_method("tools/list")))
      << "compared as a value";
  headers = {{"Mcp-Method", "Tools/list"}};
  EXPECT_EQ(of("tools/list", "{}"), wrong_method);
  headers = {{"Mcp-Method", "tools/list"}, {"mcp-method", "tools/call"}};
  EXPECT_EQ(of("tools/list", "{}"), wrong_method) << "one of them is not";
}

TEST_F(agreement, of_what_is_named) {
  headers = {{"Mcp-Method", "tools/call"}};
  EXPECT_EQ(of("tools/call", R"({"name":"a"})"), wrong_name);
  EXPECT_FALSE(of("tools/call", "{}")) << "nothing to compare with";
  headers = {{"Mcp-Method", "tools/call"}, {"mcp-name", "=?base64?YQ==?="}};
  EXPECT_FALSE(of("tools/call", R"({"name":"a"})"));
  EXPECT_FALSE(of("tools/call", R"({"name":"\u0061"})"));
  EXPECT_EQ(of("tools/call", R"({"name":"A"})"), wrong_name);
  headers.push_back({"Mcp-Name", "b"});
  EXPECT_EQ(of("tools/call", R"({"name":"a"})"), wrong_name) << "one of them is not";
  headers.back().value = "=?base64?YQ==?=";
  EXPECT_FALSE(of("tools/call", R"({"name":"a"})")) << "both are, in two spellings";
  headers = {{"Mcp-Method", "tools/call"}, {"Mcp-Name", ""}};
  EXPECT_EQ(of("tools/call", R"({"name":"a"})"), wrong_name);
  EXPECT_FALSE(of("tools/call", R"({"name":""})"));
  headers.pop_back();
  EXPECT_EQ(of("tools/call", R"({"name":""})"), wrong_name) << "there is none";
  headers = {{"Mcp-Method", "resources/read"}, {"Mcp-Name", "x://1"}};
  EXPECT_FALSE(of("resources/read", R"({"uri":"x://1"})"));
  EXPECT_EQ(of("resources/read", R"({"uri":"x://2"})"), wrong_name);
  headers = {{"Mcp-Method", "completion/complete"}};
  EXPECT_FALSE(of("completion/complete", R"({"ref":{"type":"ref/prompt","name":"p"}})"));
  headers = {{"Mcp-Method", "no/such"}};
  EXPECT_FALSE(of("no/such", R"({"name":"a"})"));
}

TEST(stateless_headers, tell_the_task_that_a_request_is_about) {
  const auto named = [](std::vector<http::header> headers) { return task_named_in(headers); };
  EXPECT_EQ(named({{"mcp-method", "tasks/get"}, {"MCP-NAME", "t 1"}}), "t 1");
  EXPECT_EQ(named({{"Mcp-Name", "=?base64?w6Q=?="}, {"Mcp-Method", "tasks/cancel"}}), "\u00e4");
  EXPECT_FALSE(named({{"Mcp-Method", "tools/call"}, {"Mcp-Name", "t"}}));
  EXPECT_FALSE(named({{"Mcp-Method", "tasks/get"}}));
  EXPECT_FALSE(named({{"Mcp-Method", "tasks/get"}, {"Mcp-Name", "=?base64?!?="}}));
  EXPECT_FALSE(named({}));
}

}  // namespace
}  // namespace gate::mcp::stateless
