// What the gateway itself tells a server of resources, with a credential that ends: it is said once
// more with another one, as calls are.
#include "tests/actors/gateway/stateless/listener_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct listener_credentials : listener_stage {
  explicit listener_credentials(bool stateless = false) {
    it = std::make_unique<world>(world_options{
        .config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","protocol":")" +
                  std::string(stateless ? "2026-07-28" : "session") +
                  R"(","auth":{"strategy":"client-credentials",
             "tokenEndpoint":"https://as.test/token","clientId":"me",
             "clientAuth":{"type":"client_secret_post","secretRef":"SECRET"}}}]})",
        .hosts = {"as"},
        .secrets = {{"SECRET", "pass"}},
        .prepare = [stateless](fake_network& net) {
          offer_resources(net);
          net.at("a")->stateless = stateless;
          net.at("as")->always("not JSON-RPC", token("T1"));
        }});
    meet();
  }
  static reply token(const std::string& t) {
    return reply::http(
        200, R"({"access_token":")" + t + R"(","token_type":"Bearer","expires_in":3600})");
  }
  fake_upstream& as() { return it->upstream("as"); }
  void next_is(const std::string& t) { as().always("not JSON-RPC", token(t)); }
  std::size_t asked() { return as().count("not JSON-RPC"); }
  std::string shown(std::string_view method = "resources/subscribe") {
    return a().last(method)->header("authorization");
  }
  /// In a session that is open, with a token that the server takes no more.
  void open_with_old_token() {
    one->call("9", "x");
    EXPECT_EQ(shown("tools/call"), "Bearer T1");
    next_is("T2");
  }
};

TEST_F(listener_credentials, are_renewed_for_a_subscription) {
  open_with_old_token();
  a().next("resources/subscribe", reply::http(401));
  const auto r = listen();
  EXPECT_EQ(honoured(r), R"(["x://1"])");
  expect_counts(2, 0);
  EXPECT_EQ(shown(), "Bearer T2");
  EXPECT_EQ(asked(), 2U);
  update(stream());
  EXPECT_EQ(r->events().size(), 2U);
}

TEST_F(listener_credentials, are_renewed_once) {
  open_with_old_token();
  a().always("resources/subscribe", reply::http(401));
  EXPECT_EQ(honoured(listen()), "");
  expect_counts(2, 0);
  it->advance(10min);
  expect_counts(2, 0);
}

TEST_F(listener_credentials, that_can_not_be_renewed_honour_nothing) {
  open_with_old_token();
  as().always("not JSON-RPC", reply::http(500));
  a().next("resources/subscribe", reply::http(401));
  EXPECT_EQ(honoured(listen()), "");
  expect_counts(1, 0);
}

TEST_F(listener_credentials, of_all_that_is_said_are_renewed_together) {
  open_with_old_token();
  const auto old = [](const sight& s) {
    return s.header("authorization") == "Bearer T1" ? reply{.after = 20ms, .status = 401}
           : s.method == "GET"                      ? reply{.after = 20ms, .open = true}
                                                    : reply::result("{}");
  };
  a().always("resources/subscribe", old);
  a().always("GET", old);
  const auto r = listen(R"(["x://1","x://2"])");
  it->advance(30ms);
  EXPECT_EQ(honoured(r), "nothing yet") << "the stream is not open again";
  it->advance(20ms);
  EXPECT_EQ(honoured(r), R"(["x://1","x://2"])");
  expect_counts(4, 0);
  EXPECT_EQ(a().count("GET"), 2U);
  EXPECT_EQ(asked(), 2U);
  update(stream());
  EXPECT_EQ(r->events().size(), 2U);
}

TEST_F(listener_credentials, are_renewed_when_a_new_session_hears_of_it) {
  const auto r = listen();
  it->advance(31s);
  next_is("T2");
  const auto lost = stream();
  a().forget_sessions();
  a().next("resources/subscribe", reply::http(401));
  fake_upstream::close(lost, fetch_end::broken);
  it->advance(10s);
  expect_counts(3, 0);
  EXPECT_EQ(shown(), "Bearer T2");
  update(stream());
  EXPECT_EQ(r->events().size(), 2U);
}

TEST_F(listener_credentials, that_a_handshake_finds_old_are_renewed_for_who_waits) {
  next_is("T1");
  for (auto method : {"initialize", "notifications/initialized"}) {
    a().next(method, reply::http(401));
    const auto r = listen();
    EXPECT_EQ(honoured(r), R"(["x://1"])") << method;
    update(stream());
    EXPECT_EQ(r->events().size(), 2U) << method;
    leave(r);
    a().forget_sessions();
    it->advance(10min);
  }
}

TEST_F(listener_credentials, that_have_expired_are_not_shown) {
  open_with_old_token();
  it->advance(1min);
  const auto r = listen();
  EXPECT_EQ(shown(), "Bearer T1");
  it->advance(1h);
  next_is("T3");
  as().next("not JSON-RPC", reply{.after = 1s, .body = token("T2").body});
  const auto also = listen(R"(["x://2"])");
  EXPECT_EQ(honoured(also), "nothing yet");
  expect_counts(1, 0);
  it->advance(1s);
  EXPECT_EQ(honoured(also), R"(["x://2"])");
  EXPECT_EQ(shown(), "Bearer T2");
  expect_counts(2, 0);
}

TEST_F(listener_credentials, are_not_waited_for_by_who_has_left) {
  open_with_old_token();
  a().next("resources/subscribe", reply::http(401));
  as().next("not JSON-RPC", reply{.after = 1s, .body = token("T2").body});
  leave(listen());
  expect_counts(1, 0);
  it->advance(1min);
  expect_counts(1, 1);
  EXPECT_EQ(shown("resources/unsubscribe"), "Bearer T2");
}

TEST_F(listener_credentials, are_renewed_for_the_end_of_a_subscription) {
  open_with_old_token();
  const auto r = listen();
  a().next("resources/unsubscribe", reply::http(401));
  leave(r);
  expect_counts(1, 2);
  EXPECT_EQ(shown("resources/unsubscribe"), "Bearer T2");
}

struct listener_credentials_of_a_stateless_server : listener_credentials {
  listener_credentials_of_a_stateless_server() : listener_credentials(true) {}
};

TEST_F(listener_credentials_of_a_stateless_server, are_renewed_for_the_stream_that_tells) {
  const auto old = listen();
  ASSERT_EQ(shown("subscriptions/listen"), "Bearer T1");
  leave(old);
  it->advance(10min);
  next_is("T2");
  a().next("subscriptions/listen", reply::http(401));
  EXPECT_EQ(honoured(listen()), R"(["x://1"])");
  EXPECT_EQ(shown("subscriptions/listen"), "Bearer T2");
}

TEST_F(listener_credentials_of_a_stateless_server, are_renewed_before_the_good_stream_is_left) {
  const auto first = listen();
  ASSERT_EQ(shown("subscriptions/listen"), "Bearer T1");
  const auto good = a().last("subscriptions/listen");
  as().next("not JSON-RPC", reply{.after = 1s, .body = token("T2").body});
  a().next("subscriptions/listen", reply::http(401));
  const auto second = listen(*other, R"(["x://1","x://2"])");
  EXPECT_EQ(honoured(second), "nothing yet");
  update(good);
  EXPECT_EQ(first->events().size(), 2U);
  it->advance(1s);
  EXPECT_EQ(honoured(second), R"(["x://1","x://2"])");
  EXPECT_EQ(shown("subscriptions/listen"), "Bearer T2");
  EXPECT_TRUE(good->abandoned);
  EXPECT_EQ(a().under_way("subscriptions/listen").size(), 1U);
}

}  // namespace
}  // namespace gate
