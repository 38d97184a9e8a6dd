#pragma once
/// Servers with tools whose arguments headers repeat, and clients of both generations.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "protocol/jsonrpc/message.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate::sim {

inline constexpr auto annotated = R"({"name":"x","inputSchema":{"type":"object","properties":{)"
                                  R"("region":{"type":"string","x-mcp-header":"Region"},)"
                                  R"("count":{"type":"integer","x-mcp-header":"Count"}}}})";
inline constexpr auto wrongly =
    R"({"name":"wrong","inputSchema":{"properties":{"n":{"type":"number","x-mcp-header":"N"}}}})";
inline constexpr auto mismatch =
    R"({"jsonrpc":"2.0","id":$id,"error":{"code":-32020,"message":"other headers"}})";

/// One server without sessions, `a`, and one with, `b`.
inline world_options annotated_servers(std::string_view more = {}) {
  return {.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a",)"
                    R"("protocol":"2026-07-28")" +
                    std::string(more) +
                    R"(},{"id":"b","url":"http://b.test/mcp","namespace":"b"}]})",
          .prepare = [](fake_network& net) {
            net.at("a")->stateless = true;
            net.at("a")->tools = net.at("b")->tools = {annotated, wrongly, R"({"name":"plain"})"};
          }};
}

struct annotated_stage : ::testing::Test {
  world w{annotated_servers()};
  stateless_client c{w};
  client s{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");

  /// A call of a stateless client with these headers.
  receipt_ptr call(std::string_view name, std::string_view arguments,
                   std::vector<std::string> headers = {}) {
    c.more_headers = std::move(headers);
    return c.request(
        "1", "tools/call",
        R"("name":")" + std::string(name) + R"(","arguments":)" + std::string(arguments));
  }
  static std::string code(const receipt_ptr& r) { return at(r->last(), "error", "code"); }
};

}  // namespace gate::sim
