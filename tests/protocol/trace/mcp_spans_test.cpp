#include "protocol/trace/mcp_spans.hpp"

#include <gtest/gtest.h>

#include "tests/support/decoded_span.hpp"

namespace gate::trace {
namespace {

using testing::decode_span;
using attributes = std::map<std::string, std::string>;

place here() {
  place p;
  p.self = {{1}, {2}, 1};
  return p;
}

template <class Facts>
using appended = void (*)(std::string&, const place&, const Facts&);
template <class Facts>
std::string written(appended<Facts> append, const place& at,
                    const std::type_identity_t<Facts>& of) {
  std::string out;
  append(out, at, of);
  return out;
}
std::string token(bool told) {
  std::string out;
  append_token_span(out, here(), "github", told);
  return out;
}

audit::event called() {
  audit::event e;
  e.method = "tools/call";
  e.name = "gh__search";
  e.upstream = "github";
  e.decision = audit::decision::allow;
  e.rule_id = "readers";
  e.principal = "alice";
  e.outcome = audit::outcome::ok;
  return e;
}

TEST(a_server_span, says_what_the_requirements_and_the_conventions_name) {
  const auto e = called();
  const auto s = decode_span(
      written(append_server_span, here(), {e, "tools/call", "\"7\"", "abc", "2025-11-25", {}}));
  EXPECT_EQ(s.name, "tools/call");
  EXPECT_EQ(s.kind, 2U);
  EXPECT_EQ(s.status, 0U);
  EXPECT_EQ(s.attributes, (attributes{{"mcp.method", "tools/call"},
                                      {"mcp.name", "gh__search"},
                                      {"fold.upstream", "github"},
                                      {"fold.outcome", "ok"},
                                      {"fold.policy.decision", "allow"},
                                      {"fold.policy.rule", "readers"},
                                      {"enduser.id", "alice"},
                                      {"mcp.method.name", "tools/call"},
                                      {"gen_ai.tool.name", "gh__search"},
                                      {"gen_ai.operation.name", "execute_tool"},
                                      {"jsonrpc.request.id", "7"},
                                      {"mcp.session.id", "abc"},
                                      {"mcp.protocol.version", "2025-11-25"}}));
}

TEST(a_server_span, names_nobody_if_it_is_not_to) {
  const auto e = called();
  const auto s =
      decode_span(written(append_server_span, here(), {e, "tools/call", "7", "", "", {}, false}));
  EXPECT_FALSE(s.attributes.contains("enduser.id"));
  EXPECT_FALSE(s.attributes.contains("mcp.session.id"));
  EXPECT_EQ(s["jsonrpc.request.id"], "7");
}

TEST(a_server_span, of_other_methods_names_no_tool) {
  auto e = called();
  e.method = "prompts/get";
  const auto s =
      decode_span(written(append_server_span, here(), {e, "prompts/get", "7", "", "", {}}));
  EXPECT_EQ(s["gen_ai.prompt.name"], "gh__search");
  EXPECT_FALSE(s.attributes.contains("gen_ai.tool.name"));
  EXPECT_FALSE(s.attributes.contains("gen_ai.operation.name"));
  // What a client made up names no span, or there would be as many names as clients like.
  e.method = "x/y";
  const auto other =
      decode_span(written(append_server_span, here(), {e, "other", "7", "", "", {}}));
  EXPECT_EQ(other.name, "other");
  EXPECT_EQ(other["mcp.method"], "x/y");
}

TEST(a_server_span, is_an_error_exactly_if_it_says_which) {
  for (const auto outcome : {audit::outcome::ok, audit::outcome::error, audit::outcome::denied,
                             audit::outcome::budget_exhausted})
    for (const failure& why : {failure{}, failure{-32042}, failure{0, true}}) {
      auto e = called();
      e.outcome = outcome;
      e.error = "no";
      const auto s =
          decode_span(written(append_server_span, here(), {e, "tools/call", "7", "", "", why}));
      const std::string type = why.code                        ? "-32042"
                               : why.of_the_tool               ? "tool_error"
                               : outcome != audit::outcome::ok ? std::string(to_string(outcome))
                                                               : "";
      EXPECT_EQ(s["error.type"], type);
      EXPECT_EQ(s["rpc.response.status_code"], why.code ? "-32042" : "");
      EXPECT_EQ(s.status, type.empty() ? 0U : 2U);
      EXPECT_EQ(s.why, type.empty() ? "" : "no");
    }
}

TEST(a_client_span, says_what_became_of_it) {
  auto s = decode_span(written(append_client_span, here(), {"github", "tools/call", "ok", {}}));
  EXPECT_EQ(s.name, "upstream github");
  EXPECT_EQ(s.kind, 3U);
  EXPECT_EQ(s.status, 0U);
  EXPECT_EQ(s.attributes, (attributes{{"fold.upstream", "github"},
                                      {"fold.outcome", "ok"},
                                      {"mcp.method.name", "tools/call"}}));
  s = decode_span(
      written(append_client_span, here(), {"github", "tools/call", "rate_limited", {}}));
  EXPECT_EQ(s["error.type"], "rate_limited");
  EXPECT_EQ(s.status, 2U);
  s = decode_span(
      written(append_client_span, here(), {"a", "tools/call", "error", {0, false, "timed out"}}));
  EXPECT_EQ(s["error.type"], "timed out");
  s = decode_span(written(append_client_span, here(), {"a", "tools/call", "ok", {-32602}, true}));
  EXPECT_EQ(s["rpc.response.status_code"], "-32602");
  EXPECT_EQ(s["gate.suspended"], "true");
  EXPECT_EQ(s.status, 2U);
}

TEST(a_token_span, says_whether_there_was_one) {
  auto s = decode_span(token(true));
  EXPECT_EQ(s.name, "token github");
  EXPECT_EQ(s["fold.outcome"], "ok");
  EXPECT_EQ(s.status, 0U);
  s = decode_span(token(false));
  EXPECT_EQ(s["error.type"], "error");
  EXPECT_EQ(s.status, 2U);
}

}  // namespace
}  // namespace gate::trace
