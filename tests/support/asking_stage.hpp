#pragma once
/// A client without a session before servers that have sessions and ask within its calls.
#include <gtest/gtest.h>

#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/request_state.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate::sim {

using namespace std::chrono_literals;

inline constexpr std::string_view able =
    R"({"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{}})";
inline constexpr auto soon = limits::question_gather + 10ms;

/// A call that waits for its client.
struct asking {
  receipt_ptr first;
  sight_ptr at;
  std::string state;     ///< its characters
  std::string requests;  ///< raw
};

struct asking_stage : ::testing::Test {
  explicit asking_stage(world_options o = {}) : w(std::move(o)) {
    c.capabilities = able;
    a.always("tools/call", {.open = true});
  }

  world w;
  stateless_client c{w};
  fake_upstream& a = w.upstream("a");

  static void question(const sight_ptr& at, std::string_view raw_id,
                       std::string_view method = "elicitation/create",
                       std::string_view params = R"({"message":"m"})") {
    fake_upstream::push(at, jsonrpc::request(raw_id, method, params));
  }
  static void result(const sight_ptr& at, std::string_view raw) {
    fake_upstream::push(at, jsonrpc::result_head(at->id) + std::string(raw) + "}");
  }
  void ask(const sight_ptr& at, std::string_view raw_id,
           std::string_view method = "elicitation/create",
           std::string_view params = R"({"message":"m"})") {
    question(at, raw_id, method, params);
    w.settle();
  }
  asking read(const receipt_ptr& r, sight_ptr at) const {
    asking out{r, std::move(at), {}, member(r, "inputRequests")};
    EXPECT_EQ(member(r, "resultType"), R"("input_required")") << r->last();
    json::unquote(member(r, "requestState"), out.state);
    return out;
  }
  /// A call in which the server has asked.
  asking begin(stateless_client& who, std::string_view more = {}) {
    const auto r = who.call("1", "a__x", more);
    const auto at = a.last("tools/call");
    question(at, "9");
    w.settle();
    EXPECT_EQ(r->endings, 0) << "others may be asked with it";
    w.advance(soon);
    return read(r, at);
  }
  asking begin() { return begin(c); }
  receipt_ptr retry(stateless_client& who, std::string_view state, std::string_view answers,
                    std::string_view more = {}) {
    return who.call("2", "a__x",
                    R"(,"requestState":)" + json::quoted(state) + R"(,"inputResponses":)" +
                        std::string(answers) + std::string(more));
  }
  receipt_ptr retry(const asking& of, std::string_view answers =
                                          R"({"q1":{"action":"accept","content":{"a":1.0}}})") {
    return retry(c, of.state, answers);
  }
  static std::string member(const receipt_ptr& r, std::string_view key) {
    return at(r->last(), "result", key);
  }
  /// Refused as every state is that is not good; the server has heard nothing of it.
  void expect_refused(const receipt_ptr& r) {
    w.settle();
    EXPECT_EQ(r->status, 200);
    EXPECT_EQ(at(r->last(), "error"),
              R"({"code":-32602,"message":"invalid or expired requestState: begin the request )"
              R"(anew","data":{"gate":{"reason":"state_invalid"}}})");
  }
};

}  // namespace gate::sim
