#include "actors/router/endpoints.hpp"

#include "simulations/peers/forge.hpp"
#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct endpoints_beside_mcp : sim::router_stage {
  sim::receipt_ptr get(std::string_view path, verb method = verb::get) {
    return arrive(method, {}, {}, path);
  }
};

TEST_F(endpoints_beside_mcp, ask_for_the_health_report) {
  const auto r = get("/health");
  ASSERT_EQ(doors.health.size(), 1U);
  EXPECT_FALSE(r->done());
  it.beside.on_health(doors.health[0],
                      {false, std::make_shared<const std::string>(R"({"status":"down"})")});
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->body, R"({"status":"down"})");
}

TEST_F(endpoints_beside_mcp, show_metrics_that_are_made_elsewhere) {
  const auto r = get("/metrics");
  EXPECT_FALSE(r->done());
  ASSERT_EQ(doors.inquired.size(), 1U);
  const auto& [number, question] = doors.inquired[0];
  EXPECT_TRUE(std::holds_alternative<ask_metrics>(question));
  it.beside.of_viewers().on(number,
                            metrics_text{std::make_shared<const std::string>("gate_x 1\n")});
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->body, "gate_x 1\n");
  const auto none = get("/metrics");
  it.beside.of_viewers().on(doors.inquired[1].first, no_text{});
  EXPECT_EQ(none->status, 503);
  EXPECT_EQ(none->header("retry-after"), "1");
}

struct endpoints_for_viewers : sim::router_stage {
  endpoints_for_viewers()
      : router_stage(
            R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],
                "server":{"introspection":{"enabled":true}}})") {}
  sim::receipt_ptr get(std::string_view path, std::vector<std::string> lines = {}) {
    return arrive(verb::get, lines, {}, path);
  }
};

TEST_F(endpoints_for_viewers, are_there_with_introspection) {
  for (const auto& e : gate::endpoints) {
    if (e.offered != offered::with_introspection) continue;
    EXPECT_NE(get(e.path)->status, 404) << e.path;
    const auto no = arrive(verb::post, {}, {}, e.path);
    EXPECT_EQ(no->status, 405) << e.path;
    EXPECT_EQ(no->headers, e.verbs.allow());
  }
}

TEST_F(endpoints_for_viewers, bound_how_many_ask_at_once) {
  for (std::size_t i = 0; i < limits::inquiries; ++i) EXPECT_FALSE(get("/api/activity")->done());
  for (const auto* path :
       {"/api/activity", "/api/federation", "/api/explain?method=tools/call&name=x"}) {
    const auto r = get(path);
    EXPECT_EQ(r->status, 503) << path;
    EXPECT_EQ(r->header("retry-after"), "1");
  }
}

TEST_F(endpoints_for_viewers, are_asked_for_what_they_have) {
  EXPECT_EQ(get("/api/federation", {"Accept: text/html"})->status, 406);
  EXPECT_EQ(get("/api/federation", {"Accept: text/event-stream"})->status, 406);
  EXPECT_EQ(get("/api/activity", {"Accept: text/html"})->status, 406);
  const auto both = get("/api/activity", {"Accept: text/event-stream, application/json"});
  EXPECT_TRUE(std::holds_alternative<read_activity>(doors.inquired.back().second));
  const auto live = get("/api/activity", {"Accept: text/event-stream", "Last-Event-ID: x"});
  const auto* asked = std::get_if<follow_activity>(&doors.inquired.back().second);
  ASSERT_TRUE(asked);
  EXPECT_FALSE(asked->since) << "what is no number is none";
}

TEST_F(endpoints_for_viewers, begin_no_stream_that_lasts_when_the_process_ends) {
  const auto r = get("/api/activity", {"Accept: text/event-stream"});
  it.wind_down();
  it.beside.of_viewers().on_told(
      {doors.inquired.back().first, std::make_shared<const std::string>("retry: 1\n\n")});
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(r->stream, "retry: 1\n\nevent: end\ndata: {\"reason\":\"shutdown\"}\n\n");
  EXPECT_EQ(it.beside.of_viewers().streams(), 0U);
}

TEST_F(endpoints_for_viewers, whose_client_left_before_its_stream_began_follow_nothing) {
  const auto r = get("/api/activity", {"Accept: text/event-stream"});
  const auto number = doors.inquired.back().first;
  r->alive = false;
  it.beside.of_viewers().on_told({number, std::make_shared<const std::string>("x")});
  EXPECT_TRUE(std::holds_alternative<unfollow_activity>(doors.inquired.back().second));
  EXPECT_EQ(it.beside.of_viewers().streams(), 0U);
}

/// Each row with each method: what becomes of it, by the table alone.
void expect_as_in_the_table(const std::function<sim::receipt_ptr(std::string_view, verb)>& ask,
                            const std::function<bool(const endpoint_row&)>& there) {
  for (const auto& e : gate::endpoints)
    for (const auto method : {verb::get, verb::post, verb::del, verb::options, verb::patch}) {
      const auto r = ask(e.path, method);
      const auto what = std::string(e.path) + ' ' + std::string(http::verbs::name(method));
      if (!there(e)) {
        EXPECT_EQ(r->status, 404) << what;
        EXPECT_NE(r->body.find("no such endpoint: MCP is at /mcp"), std::string::npos) << what;
      } else if (!e.verbs.contains(method)) {
        EXPECT_EQ(r->status, 405) << what;
        EXPECT_EQ(r->headers, e.verbs.allow()) << what;
        EXPECT_NE(r->body.find(e.verbs.hint()), std::string::npos) << what;
      } else {
        EXPECT_TRUE(r->status != 404 && r->status != 405) << what;
      }
      const bool oauth = r->body.find("error_description") != std::string::npos;
      if (r->status == 404 || r->status == 405) {
        EXPECT_EQ(oauth, e.oauth_errors) << what;
      }
    }
}

TEST_F(endpoints_beside_mcp, are_there_as_the_configuration_says) {
  expect_as_in_the_table([&](auto path, verb v) { return get(path, v); },
                         [](const endpoint_row& e) { return e.offered == offered::always; });
}

struct endpoints_with_tokens : sim::router_stage {
  endpoints_with_tokens()
      : router_stage(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],
          "auth":{"mode":"required","resource":"https://gate.test/mcp",
            "issuers":[{"issuer":"https://idp.test","mode":"exchange"}],
            "ema":{"idpIssuer":"https://idp.test","signingKeyRef":"KEY"}},
          "server":{"introspection":{"enabled":true},"console":{"enabled":true}}})",
                     oauth::key_file("p256_other")) {}
};

TEST_F(endpoints_with_tokens, are_all_there) {
  expect_as_in_the_table([&](auto path, verb v) { return arrive(v, {}, {}, path); },
                         [](const endpoint_row&) { return true; });
  EXPECT_EQ(arrive(verb::get, {}, {}, "/.well-known/oauth-protected-resource/mcp")->status, 200);
  EXPECT_EQ(arrive(verb::get, {}, {}, "/.well-known/oauth-protected-resource/x")->status, 404);
  EXPECT_EQ(arrive(verb::get, {}, {}, "/console")->status, 308);
  EXPECT_EQ(arrive(verb::get, {}, {}, "/console/")->status, 200);
  EXPECT_EQ(arrive(verb::get, {}, {}, "/console/x")->status, 404);
}

TEST_F(endpoints_beside_mcp, are_few) {
  EXPECT_EQ(get("/elsewhere")->status, 404);
  EXPECT_EQ(get("/oauth/token", verb::post)->status, 404) << "it is not configured";
  EXPECT_EQ(get("/health", verb::post)->status, 405);
}

}  // namespace
}  // namespace gate::routing
