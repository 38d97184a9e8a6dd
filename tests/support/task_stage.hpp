#pragma once
/// Clients of both generations before two servers that make tasks, one of each.
#include <gtest/gtest.h>

#include "actors/upstream/task_errand.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate::sim {

using namespace std::chrono_literals;

inline constexpr auto extension = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";
inline constexpr auto not_there = R"({"code":-32602,"message":"no such task"})";

inline std::string member(const receipt_ptr& r, std::string_view key) {
  return at(r->last(), "result", key);
}
inline std::string declared(const sight_ptr& s) {
  return at(s->param("_meta"), "io.modelcontextprotocol/clientCapabilities");
}

/// `a` has no sessions and makes tasks; `b` has sessions, and tasks too.
struct task_stage : ::testing::Test {
  world w{
      {.config = R"({"upstreams":[
             {"id":"a","url":"http://a.test/mcp","namespace":"a","protocol":"auto"},
             {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})",
       .met = false,
       .prepare = [](fake_network& net) {
         auto& a = *net.at("a");
         a.stateless = true;
         a.capabilities = R"({"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";
         a.tools = {R"({"name":"x","n":1.0})"};
         auto& b = *net.at("b");
         b.version = "2025-11-25";
         b.capabilities = R"({"tools":{},"tasks":{"list":{},"cancel":{},)"
                          R"("requests":{"tools":{"call":{}}}}})";
         b.tools = {R"({"name":"y","execution":{"taskSupport":"required"}})", R"({"name":"z"})"};
       }}};
  client c{w};
  stateless_client s{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");

  task_stage() {
    s.capabilities = extension;
    const auto r = c.request(
        "0", "initialize",
        R"({"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"tasks":{}}})");
    c.session = r->header("mcp-session-id");
    for (auto* u : {&a, &b}) u->always("tasks/get", reply::error(not_there));
  }
  ~task_stage() override { EXPECT_EQ(a.wrongs, std::vector<std::string>{}); }

  /// The client with a session, about a task.
  receipt_ptr about(std::string_view method, std::string_view id = "t") {
    return c.request("9", method, R"({"taskId":")" + std::string(id) + R"("})");
  }
  receipt_ptr ask_about(std::string_view method, std::string_view more = {}) {
    return s.request("9", method, R"("taskId":"t")" + std::string(more));
  }
  void mint_at_a() {
    a.next("tools/call",
           reply::result(R"({"resultType":"task","taskId":"t","status":"working","x":1.0,)"
                         R"("ttlMs":60000,"pollIntervalMs":500})"));
  }
  receipt_ptr wish() {
    mint_at_a();
    return c.request("1", "tools/call",
                     R"({"name":"a__x","task":{"ttl":5},"arguments":{"n":1e0}})");
  }
  receipt_ptr make_at_b() {
    b.next("tools/call",
           reply::result(R"({"task":{"taskId":"t","status":"working","ttl":60000}})"));
    return s.call("1", "b__y");
  }
  void tell(fake_upstream& u, std::string_view status, std::string_view more = {}) {
    u.next("tasks/get", reply::result(R"({"taskId":"t","status":")" + std::string(status) + '"' +
                                      std::string(more) + "}"));
  }
};

}  // namespace gate::sim
