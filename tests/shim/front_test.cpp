#include "shim/front.hpp"

#include <gtest/gtest.h>

#include "simulations/world/fake_exchange.hpp"

namespace gate::shim {
namespace {

using route = verdict::route;
using lines = std::vector<std::string>;
using sim::make_request;

constexpr auto hello = R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})";
constexpr auto list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";

const lines usual{"Host: 127.0.0.1:8091", "Content-Type: application/json",
                  "Accept: application/json, text/event-stream"};

lines with(lines more, lines base = usual) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

verdict post(std::string body, const lines& head = usual,
             const front_rules& rules = front_rules()) {
  return judge(make_request(verb::post, "/mcp", head, std::move(body)), rules);
}

void expect_refused(const verdict& v, reason why) {
  EXPECT_EQ(v.what, route::refuse);
  EXPECT_EQ(v.no.why, why) << v.no.message;
  EXPECT_FALSE(v.no.message.empty());
}

TEST(front, only_initialize_opens_a_session) {
  EXPECT_EQ(post(hello).what, route::open);
  expect_refused(post(list), reason::session_required);
  expect_refused(post(R"({"jsonrpc":"2.0","method":"initialize"})"), reason::session_required);
  expect_refused(post("[" + std::string(hello) + "]"), reason::session_required);
  expect_refused(post("{"), reason::parse_error);
  expect_refused(post("{}"), reason::invalid_request);
  EXPECT_EQ(post(list, with({"Mcp-Session-Id: x"})).what, route::session);
  EXPECT_EQ(post(hello, with({"Mcp-Session-Id: x"})).what, route::session);
}

TEST(front, an_unknown_version_opens_nothing) {
  EXPECT_EQ(post(hello, with({"MCP-Protocol-Version: 2025-06-18"})).what, route::open);
  for (const char* version : {"bogus", "2026-07-28"})
    expect_refused(post(hello, with({"MCP-Protocol-Version: " + std::string(version)})),
                   reason::unsupported_version);
}

TEST(front, media_types) {
  const lines host{"Host: localhost"};
  const std::string accept = "Accept: application/json, text/event-stream";
  for (const char* type : {"text/plain", "application/json-rpc", ""})
    expect_refused(post(hello, with({"Content-Type: " + std::string(type) + " ", accept}, host)),
                   reason::unsupported_media_type);
  expect_refused(post(hello, with({accept}, host)), reason::unsupported_media_type);
  EXPECT_EQ(post(hello, with({"Content-Type: Application/JSON; charset=utf-8", accept}, host)).what,
            route::open);
  for (const char* only : {"application/json", "text/event-stream", "text/html"})
    expect_refused(
        post(hello, with({"Content-Type: application/json", "Accept: " + std::string(only)}, host)),
        reason::not_acceptable);
}

TEST(front, methods_of_the_mcp_path) {
  const auto ask = [](verb v, lines more) {
    return judge(make_request(v, "/mcp", with(std::move(more), {"Host: localhost"})), {});
  };
  expect_refused(ask(verb::get, {"Accept: text/event-stream"}), reason::session_required);
  expect_refused(ask(verb::get, {"Accept: application/json", "Mcp-Session-Id: x"}),
                 reason::not_acceptable);
  EXPECT_EQ(ask(verb::get, {"Accept: text/event-stream", "Mcp-Session-Id: x"}).what,
            route::session);
  expect_refused(ask(verb::del, {}), reason::session_required);
  EXPECT_EQ(ask(verb::del, {"Mcp-Session-Id: x"}).what, route::session);
  for (const auto other : {verb::options, verb::patch}) {
    const auto v = ask(other, {});
    expect_refused(v, reason::method_not_allowed);
    EXPECT_EQ(v.no.headers, "Allow: GET, POST, DELETE\r\n");
  }
}

TEST(front, other_endpoints) {
  const auto ask = [](verb v, std::string_view path) {
    return judge(make_request(v, path, {"Host: localhost"}), {});
  };
  EXPECT_EQ(ask(verb::get, "/health").what, route::health);
  EXPECT_EQ(ask(verb::get, "/health?x=1").what, route::health);
  EXPECT_EQ(ask(verb::get, "/metrics").what, route::metrics);
  expect_refused(ask(verb::post, "/health"), reason::method_not_allowed);
  for (const char* path : {"/", "/healthz", "/mcp/", "/metrics/x", "/sse"}) {
    const auto v = ask(verb::get, path);
    expect_refused(v, reason::not_found);
    EXPECT_EQ(v.no.message, "no such endpoint: MCP is at /mcp") << path;
  }
}

TEST(front, a_loopback_listener_refuses_foreign_hosts_and_origins) {
  for (const char* host : {"evil.example", "127.0.0.1.evil.example", "10.0.0.1", "localhost:x"})
    for (const char* path : {"/mcp", "/health", "/metrics", "/nothing"})
      expect_refused(judge(make_request(verb::get, path, {"Host: " + std::string(host)}), {}),
                     reason::forbidden_host);
  for (const char* origin : {"http://evil.example", "null", "file://", "http://localhost.evil"})
    expect_refused(post(hello, with({"Origin: " + std::string(origin)})), reason::forbidden_origin);
  EXPECT_EQ(post(hello, with({"Origin: http://localhost:3000"})).what, route::open);
}

TEST(front, another_listener_takes_any_host_and_only_its_own_origin) {
  front_rules rules;
  rules.any_host = true;
  const lines head{"Host: tools.example:8091", "Content-Type: application/json", "Accept: */*"};
  EXPECT_EQ(post(hello, head, rules).what, route::open);
  EXPECT_EQ(post(hello, with({"Origin: https://tools.example:8091"}, head), rules).what,
            route::open);
  for (const char* origin : {"https://tools.example", "https://evil.example:8091", "null"})
    expect_refused(post(hello, with({"Origin: " + std::string(origin)}, head), rules),
                   reason::forbidden_origin);
}

TEST(front, a_token_is_asked_for_on_the_mcp_path_only) {
  front_rules rules;
  rules.token = "s3cret";
  for (const lines& head :
       {lines{}, lines{"Authorization: Bearer wrong"}, lines{"Authorization: Bearer s3cre"},
        lines{"Authorization: Bearer s3crett"}, lines{"Authorization: Basic s3cret"},
        lines{"Authorization: s3cret"}, lines{"Authorization: Bearer  "}}) {
    const auto v = post(hello, with(head), rules);
    expect_refused(v, reason::unauthenticated);
    EXPECT_EQ(v.no.headers, "WWW-Authenticate: Bearer\r\n");
    EXPECT_EQ(v.no.message.find("s3cret"), std::string::npos);
  }
  EXPECT_EQ(post(hello, with({"Authorization: Bearer s3cret"}), rules).what, route::open);
  EXPECT_EQ(post(hello, with({"authorization: bearer s3cret"}), rules).what, route::open);
  EXPECT_EQ(judge(make_request(verb::get, "/health", {"Host: localhost"}), rules).what,
            route::health);
}

TEST(front, a_second_token_is_no_token) {
  front_rules rules;
  rules.token = "s3cret";
  for (const char* other : {"Authorization: Bearer other", "authorization: Bearer s3cret"}) {
    expect_refused(post(hello, with({"Authorization: Bearer s3cret", other}), rules),
                   reason::unauthenticated);
    expect_refused(post(hello, with({other, "Authorization: Bearer s3cret"}), rules),
                   reason::unauthenticated);
  }
}

// (protocol/http/repeated.hpp knows which.)
TEST(front, headers_that_say_two_things) {
  for (const lines& two :
       {lines{"Mcp-Session-Id: x", "Mcp-Session-Id: y"}, lines{"Content-Type: text/html"},
        lines{"MCP-Protocol-Version: 2025-06-18", "mcp-protocol-version: 2025-11-25"}})
    expect_refused(post(list, with(two)), reason::bad_request);
  EXPECT_EQ(post(list, with({"Mcp-Session-Id: x", "Mcp-Session-Id: x"})).what, route::session);
  const lines apart{"Host: localhost", "Content-Type: application/json", "Accept: application/json",
                    "Accept: text/event-stream"};
  EXPECT_EQ(post(hello, apart).what, route::open);
  const lines get{"Host: localhost", "Mcp-Session-Id: x", "Mcp-Session-Id: y"};
  for (const auto v : {verb::get, verb::del})
    expect_refused(judge(make_request(v, "/mcp", get), {}), reason::bad_request);
}

TEST(front, broken_requests_come_first) {
  auto r = make_request(verb::post, "/mcp", {"Host: evil.example"});
  r.flaw = http::defect::transfer_encoding;
  expect_refused(judge(r, {}), reason::bad_request);
  r.flaw = http::defect::timeout;
  expect_refused(judge(r, {}), reason::timeout);
  r.flaw = http::defect::body_too_large;
  expect_refused(judge(r, {}), reason::forbidden_host);
  auto large = make_request(verb::post, "/mcp", usual);
  large.flaw = http::defect::body_too_large;
  expect_refused(judge(large, {}), reason::body_too_large);
}

TEST(front, refusals_have_the_form_of_their_path) {
  const auto answer = [](std::string_view path, http::defect flaw = http::defect::none) {
    auto kept = std::make_shared<sim::receipt>();
    auto request = make_request(verb::get, path, {"Host: localhost"});
    request.flaw = flaw;
    sim::fake_exchange e(kept, std::move(request));
    refuse(e, {reason::session_unknown, "gone", "X: y\r\n"}, "7");
    return *kept;
  };
  const auto mcp = answer("/mcp");
  EXPECT_EQ(mcp.status, 404);
  EXPECT_EQ(mcp.headers, "X: y\r\n");
  EXPECT_FALSE(mcp.close);
  EXPECT_EQ(mcp.body, R"({"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"gone",)"
                      R"("data":{"gate":{"reason":"session_unknown"}}}})");
  EXPECT_EQ(answer("/health").body, R"({"error":"gone"})");
  EXPECT_TRUE(answer("/mcp", http::defect::host).close);
}

}  // namespace
}  // namespace gate::shim
