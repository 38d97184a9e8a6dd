// What happens in each cell to what clients want to hear of: resources that change, and logs.
#include "tests/actors/gateway/stateless/cells/stage.hpp"

namespace gate::cell_table {
namespace {

class listening_scene final : public scene {
 public:
  listening_scene(const mcp::method& m, cell of) : scene(m, of) {
    request("resources/list");
    for (const auto* m : {"resources/subscribe", "resources/unsubscribe"})
      if (is.server_sessions) a.always(m, reply::result("{}"));
    set();
    if (is.client_sessions) own_ = old.get();
    w.settle();
    if (method.subscribing == mcp::subscribing::ends) begin("resources/subscribe");
  }

 private:
  receipt_ptr begin(std::string_view how) {
    auto r = is.client_sessions
                 ? request(how, R"("uri":"x://1")")
                 : request(how, R"("notifications":{"resourceSubscriptions":["x://1"]})");
    w.settle();
    if (!is.client_sessions) own_ = r;
    return r;
  }
  receipt_ptr begin() { return begin(method.name); }
  /// Those on which the server tells of the resource.
  std::vector<sight_ptr> streams() const {
    std::vector<sight_ptr> out;
    if (!is.server_sessions) {
      for (const auto& s : a.under_way("subscriptions/listen"))
        if (!at(s->param("notifications"), "resourceSubscriptions").empty()) out.push_back(s);
      return out;
    }
    const auto asked = a.last("resources/subscribe");
    for (const auto& s : a.under_way("GET"))
      if (asked && s->session == asked->session) out.push_back(s);
    return out;
  }
  void update() {
    for (const auto& s : streams())
      fake_upstream::push(
          s, jsonrpc::request({}, "notifications/resources/updated", R"({"uri":"x://1","n":1e0})"));
    w.settle();
  }
  std::size_t updates() const {
    std::size_t n = 0;
    for (const auto& e : own_->events())
      n += at(e, "method") == R"("notifications/resources/updated")" &&
           at(e, "params", "uri") == R"("x://1")" && at(e, "params", "n") == "1e0";
    return n;
  }
  bool ends() const { return method.subscribing == mcp::subscribing::ends; }
  void expect_agreed(const receipt_ptr& r) const {
    if (is.client_sessions) {
      EXPECT_NE(at(r->last(), "result"), "") << r->last();
      return;
    }
    ASSERT_FALSE(r->events().empty());
    EXPECT_EQ(at(r->events()[0], "params", "notifications", "resourceSubscriptions"),
              R"(["x://1"])");
  }

  void plain() override {
    const auto r = begin();
    expect_agreed(r);
    if (ends()) {
      EXPECT_TRUE(streams().empty() || is.server_sessions);
      EXPECT_EQ(a.count("resources/unsubscribe"), is.server_sessions ? 1U : 0U);
      return;
    }
    EXPECT_EQ(streams().size(), 1U);
    update();
    update();
    EXPECT_EQ(updates(), 2U) << own_->stream;
  }
  /// Its stream is closed.
  void cancel() override {
    const auto r = begin();
    update();
    give_up(r);
    EXPECT_EQ(a.count("resources/unsubscribe"), is.server_sessions ? 1U : 0U);
    EXPECT_TRUE(streams().empty());
    EXPECT_EQ(updates(), 1U);
  }
  /// It does not tell of this one.
  void error() override {
    a.always("resources/subscribe", reply::error(R"({"code":-32602,"message":"no"})"));
    a.always("subscriptions/listen",
             reply{.events = {R"({"jsonrpc":"2.0","method":)"
                              R"("notifications/subscriptions/acknowledged",)"
                              R"("params":{"notifications":{}}})"},
                   .open = true});
    const auto r = begin();
    w.advance(5s);
    if (is.client_sessions) {
      EXPECT_EQ(at(r->last(), "error", "code"), "-32602") << r->last();
      return;
    }
    ASSERT_FALSE(r->events().empty());
    EXPECT_EQ(at(r->events()[0], "params", "notifications"), "{}");
  }
  /// The stream breaks: it is opened again.
  void lost() override {
    if (!ends()) expect_agreed(begin());
    w.advance(31s);
    for (const auto& s : streams()) fake_upstream::close(s, fetch_end::broken);
    w.advance(limits::renewal_most + 10s);
    EXPECT_EQ(streams().size(), 1U);
    update();
    EXPECT_EQ(updates(), 1U);
    if (ends()) expect_agreed(begin());
  }
  /// … and nobody there knows of it.
  void restart() override {
    if (!ends()) expect_agreed(begin());
    w.advance(31s);
    server_restarts();
    w.advance(limits::renewal_most + 10s);
    EXPECT_EQ(streams().size(), 1U);
    update();
    EXPECT_EQ(updates(), 1U);
    if (ends()) expect_agreed(begin());
  }

  receipt_ptr own_;  ///< on which it hears
};

/// A client with a session says it once, and its calls' servers are told.
class level_scene final : public scene {
 public:
  level_scene(const mcp::method& m, cell of) : scene(m, of) { set(); }

 private:
  void call_and_hear() {
    a.next("tools/call", {.open = true});
    const auto r = request("tools/call", R"("name":"a__x")");
    const auto call = a.last("tools/call");
    if (is.server_sessions) {
      ASSERT_TRUE(a.last("logging/setLevel"));
      EXPECT_EQ(a.last("logging/setLevel")->param("level"), R"("notice")");
      EXPECT_EQ(a.last("logging/setLevel")->session, call->session);
    } else {
      EXPECT_EQ(at(call->param("_meta"), "io.modelcontextprotocol/logLevel"), R"("notice")");
      EXPECT_EQ(a.count("logging/setLevel"), 0U);
    }
    fake_upstream::push(call, jsonrpc::request({}, "notifications/message",
                                               R"({"level":"error","data":{"n":1e0}})"));
    fake_upstream::push(call, jsonrpc::result_head(call->id) + R"({"n":1e0}})");
    fake_upstream::close(call);
    w.settle();
    ASSERT_EQ(r->events().size(), 2U) << r->body;
    EXPECT_EQ(at(r->events()[0], "params"), R"({"level":"error","data":{"n":1e0}})");
  }
  void plain() override {
    const auto r = request(method.name, R"("level":"notice")");
    EXPECT_EQ(at(r->last(), "result"), "{}");
    call_and_hear();
    const auto bad = request(method.name, R"("level":"loud")");
    EXPECT_EQ(at(bad->last(), "error", "code"), "-32602");
  }
  void restart() override {
    request(method.name, R"("level":"notice")");
    call_and_hear();
    server_restarts();
    call_and_hear();
  }
};

}  // namespace

scene_ptr heard(const mcp::method& m, cell of) {
  return std::make_unique<listening_scene>(m, of);
}
scene_ptr level(const mcp::method& m, cell of) {
  return std::make_unique<level_scene>(m, of);
}

}  // namespace gate::cell_table
