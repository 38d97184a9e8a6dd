#include "protocol/mcp/http_rules.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "protocol/mcp/versions.hpp"

namespace gate::mcp {
namespace {

using lines = std::vector<http::header>;
using rule = http_rule;

struct arrived {
  verb method = verb::post;
  lines headers;
};

std::shared_ptr<http::received_head> head_of(const arrived& a) {
  auto head = std::make_shared<http::received_head>();
  head->method = a.method;
  head->headers = a.headers;
  head->look_up(false);
  return head;
}

const http::header ours{"Host", "gate.test:8080"}, json{"Content-Type", "application/json"},
    both{"Accept", "application/json, text/event-stream"}, events{"Accept", "text/event-stream"},
    plain{"Accept", "application/json"}, session{"Mcp-Session-Id", "x"};

/// Which rule it was, told by its words; nothing: none.
std::optional<http_rule> rule_of(const std::optional<http_refusal>& no, program who) {
  if (!no) return {};
  for (const auto& r : http_rules) {
    const bool own = who == program::gate_stdio && !r.gate_stdio.empty();
    const auto sentence = own ? r.gate_stdio : r.sentence;
    if (sentence.empty() || !no->message.starts_with(sentence)) continue;
    if (r.why != no->why || r.headers != no->headers) continue;
    // (The sentence of another may begin with these words.)
    if (no->message.size() == sentence.size() || sentence.ends_with(' ')) return r.rule;
  }
  ADD_FAILURE() << "by no rule: " << no->message;
  return {};
}

// --- the table -----------------------------------------------------------------------------------

TEST(http_rules, speak_of_the_verbs_that_there_are) {
  EXPECT_EQ(transport_verbs.allow(), allow_transport_verbs);
  EXPECT_EQ(transport_verbs.hint(), row(http_rule::verb).sentence);
}

TEST(http_rules, give_405_with_allow_and_503_with_a_time) {
  for (const auto& r : http_rules) {
    EXPECT_EQ(r.why == reason::method_not_allowed, r.headers.starts_with("Allow: ")) << r.sentence;
    if (r.why == reason::method_not_allowed && r.rule != rule::stateless_verb) {
      EXPECT_EQ(r.headers, allow_transport_verbs) << r.sentence;
    }
    EXPECT_EQ(r.why == reason::overloaded, r.headers == http::retry_soon) << r.sentence;
  }
}

TEST(http_rules, name_settings_of_the_program_that_speaks) {
  for (const auto& r : http_rules) {
    const auto in_gate_stdio = broken(r.rule, {}, program::gate_stdio).message;
    EXPECT_EQ(in_gate_stdio.find("server."), std::string::npos) << in_gate_stdio;
    const auto in_gate = broken(r.rule).message;
    EXPECT_EQ(in_gate.find("--"), std::string::npos) << in_gate;
  }
}

TEST(http_rules, carry_details) {
  const auto no = broken(rule::said_once, "Content-Type");
  EXPECT_EQ(no.why, reason::bad_request);
  EXPECT_EQ(no.message, "two different values of Content-Type");
  EXPECT_EQ(no.headers, "");
}

// --- arrivals ------------------------------------------------------------------------------------

TEST(http_rules, of_flaws) {
  struct row {
    http::defect flaw;
    reason why;
    std::string_view headers, gate, gate_stdio;
  };
  const auto told = [](http::defect d) { return http::describe(d); };
  using enum http::defect;
  for (const auto& r :
       {row{malformed, reason::bad_request, "", told(malformed), told(malformed)},
        row{http::defect::host, reason::bad_request, "", told(http::defect::host),
            told(http::defect::host)},
        row{header_too_large, reason::bad_request, "", told(header_too_large),
            told(header_too_large)},
        row{timeout, reason::timeout, "", told(timeout), told(timeout)},
        row{crowded, reason::overloaded, "Retry-After: 1\r\n", told(crowded), told(crowded)},
        row{body_too_large, reason::body_too_large, "",
            "the request body exceeds server.maxBodyBytes",
            "the request body exceeds --max-body-bytes"}}) {
    for (const auto who : {program::gate, program::gate_stdio}) {
      const auto no = flawed(r.flaw, who);
      EXPECT_EQ(no.why, r.why) << no.message;
      EXPECT_EQ(no.headers, r.headers) << no.message;
      EXPECT_EQ(no.message, who == program::gate ? r.gate : r.gate_stdio);
    }
  }
}

TEST(http_rules, of_arrivals_in_their_order) {
  const http::allowlist listed({"gate.test"});
  const http::header foreign{"Host", "evil.test"}, from_here{"Origin", "https://gate.test"},
      from_elsewhere{"Origin", "https://evil.test"};
  struct row {
    lines headers;
    http::defect flaw;
    std::optional<reason> why;
  };
  using enum http::defect;
  for (const auto& r : {
           row{{ours}, none, {}},
           row{{foreign}, none, reason::forbidden_host},
           row{{}, none, reason::forbidden_host},
           row{{foreign}, malformed, reason::bad_request},  // perhaps it named another
           row{{foreign}, timeout, reason::timeout},
           row{{foreign}, body_too_large, reason::forbidden_host},
           row{{foreign}, crowded, reason::forbidden_host},
           row{{foreign, from_elsewhere}, none, reason::forbidden_host},
           row{{ours, from_here}, none, {}},
           row{{ours, from_elsewhere}, none, reason::forbidden_origin},
           row{{ours, from_here, from_elsewhere}, none, reason::forbidden_origin},
           row{{ours, from_elsewhere}, crowded, reason::forbidden_origin},
           row{{ours, from_here}, body_too_large, reason::body_too_large},
           row{{ours}, crowded, reason::overloaded},
       })
    for (const auto who : {program::gate, program::gate_stdio}) {
      const auto no = check_arrival(*head_of({verb::get, r.headers}), r.flaw, &listed, who);
      EXPECT_EQ(no ? std::optional(no->why) : std::nullopt, r.why) << (no ? no->message : "");
    }
}

TEST(http_rules, of_a_listener_under_names_that_are_not_known) {
  const auto judged = [](const lines& headers) {
    const auto no = check_arrival(*head_of({verb::post, headers}), http::defect::none, nullptr,
                                  program::gate_stdio);
    return no ? no->message : "";
  };
  const http::header named{"Host", "tools.test:8091"};
  EXPECT_EQ(judged({named}), "");
  EXPECT_EQ(judged({{"Host", "anything"}}), "");
  EXPECT_EQ(judged({named, {"Origin", "https://tools.test:8091"}}), "");
  EXPECT_EQ(judged({named, {"Origin", "HTTP://Tools.test:8091"}}), "");
  for (const auto origin : {"https://tools.test", "https://evil.test:8091", "null", ""})
    EXPECT_EQ(judged({named, {"Origin", origin}}), row(http_rule::origin).gate_stdio) << origin;
}

// --- the MCP path --------------------------------------------------------------------------------

TEST(http_rules, of_methods) {
  struct row {
    verb method;
    lines headers;
    std::optional<http_rule> gate, gate_stdio;
  };
  const auto get = verb::get, post = verb::post, del = verb::del, options = verb::options;
  for (const auto& r : {
           row{options, {session, json, both}, rule::verb, rule::verb},
           row{verb::patch, {session, json, both}, rule::verb, rule::verb},
           row{get, {session, events}, {}, {}},
           row{get, {session, both}, {}, {}},
           row{get, {session}, {}, {}},  // without Accept everything is taken
           row{get, {session, plain}, rule::accepts_events, rule::accepts_events},
           row{get, {events}, rule::stream_of_session, rule::stream_of_named_session},
           row{get, {plain}, rule::stream_of_session, rule::stream_of_named_session},
           row{del, {session}, {}, {}},
           row{del, {session, plain}, {}, {}},
           row{del, {}, rule::session_named, rule::session_named},
           row{post, {json, both}, {}, {}},  // its body tells whether it needs a session
           row{post, {json, both, session}, {}, {}},
           row{post, {json}, {}, {}},
           row{post, {both, session}, rule::sends_json, rule::sends_json},
           row{post, {{"Content-Type", "text/plain"}, plain}, rule::sends_json, rule::sends_json},
           row{post, {json, plain}, rule::accepts_both, rule::accepts_both},
           row{post, {json, events}, rule::accepts_both, rule::accepts_both},
       }) {
    const auto head = head_of({r.method, r.headers});
    EXPECT_EQ(rule_of(check_transport(*head, program::gate), program::gate), r.gate);
    EXPECT_EQ(rule_of(check_transport(*head, program::gate_stdio), program::gate_stdio),
              r.gate_stdio);
  }
}

TEST(http_rules, of_headers_that_say_two_things) {
  EXPECT_FALSE(check_said_once(*head_of({verb::post, {session, session}})));
  const auto no = check_said_once(*head_of({verb::post, {session, {"mcp-session-id", "y"}}}));
  ASSERT_TRUE(no);
  EXPECT_EQ(no->why, reason::bad_request);
  EXPECT_EQ(no->message, "two different values of Mcp-Session-Id");
}

TEST(http_rules, of_versions) {
  const auto named = [](std::string_view v) {
    return head_of({verb::post, {{"MCP-Protocol-Version", v}}});
  };
  for (const auto known : session_versions) {
    EXPECT_FALSE(check_version(*named(known), program::gate));
    EXPECT_FALSE(check_version_of("2025-11-25", *named(known)));
  }
  const auto silent = head_of({verb::post, {}});
  EXPECT_FALSE(check_version(*silent, program::gate_stdio));
  EXPECT_FALSE(check_version_of("", *silent));
  for (const auto unknown : {"2026-07-28", "bogus", "2025-06-18 "}) {
    EXPECT_EQ(check_version(*named(unknown), program::gate)->message,
              "unsupported MCP-Protocol-Version: this gateway speaks 2024-11-05 to 2025-11-25");
    EXPECT_EQ(check_version(*named(unknown), program::gate_stdio)->message,
              "unsupported MCP-Protocol-Version");
    EXPECT_EQ(check_version_of("2025-11-25", *named(unknown))->message,
              "unsupported MCP-Protocol-Version for this session");
    EXPECT_FALSE(check_version_of(unknown, *named(unknown))) << "the server knows it";
  }
}

TEST(http_rules, of_revisions_without_sessions_that_are_not_spoken) {
  const auto no = unsupported_era(R"("2027-01-01")");
  EXPECT_EQ(no.why, reason::unsupported_era);
  EXPECT_EQ(no.more, R"("supported":["2026-07-28"],"requested":"2027-01-01")");
}

TEST(http_rules, of_requests_without_sessions) {
  EXPECT_FALSE(check_stateless_transport(*head_of({verb::post, {ours, json}})))
      << "what it accepts is not looked at";
  EXPECT_EQ(check_stateless_transport(*head_of({verb::post, {}}))->why,
            reason::unsupported_media_type);
  for (const auto other : {verb::get, verb::del, verb::patch}) {
    const auto no = check_stateless_transport(*head_of({other, {ours, json}}));
    EXPECT_EQ(no->why, reason::method_not_allowed);
    EXPECT_EQ(no->headers, "Allow: POST\r\n");
  }
}

// --- bodies --------------------------------------------------------------------------------------

TEST(http_rules, of_bodies) {
  EXPECT_TRUE(read_body(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"));
  const auto reason_of = [](std::string_view body) {
    const auto no = unreadable(read_body(body).error());
    EXPECT_FALSE(no.message.empty());
    return no.why;
  };
  EXPECT_EQ(reason_of("{"), reason::parse_error);
  EXPECT_EQ(reason_of("{}"), reason::invalid_request);
  EXPECT_EQ(reason_of("\"\xFF\""), reason::parse_error);
  EXPECT_EQ(reason_of(std::string(limits::json_depth + 1, '[')), reason::parse_error);
}

TEST(http_rules, of_batches) {
  constexpr std::string_view two = R"([{"a":1},[2]])";
  const auto good = read_batch(two, batch_version);
  EXPECT_FALSE(good.refused);
  EXPECT_EQ(good.all, (std::vector<std::string_view>{R"({"a":1})", "[2]"}));
  for (const auto other : session_versions)
    if (other != batch_version) {
      EXPECT_EQ(read_batch(two, other).refused->message, "batches exist only in MCP 2025-03-26");
    }
  EXPECT_EQ(read_batch("[", batch_version).refused->why, reason::parse_error);
  EXPECT_EQ(read_batch("[]", batch_version).refused->why, reason::invalid_request);
}

// --- answers -------------------------------------------------------------------------------------

TEST(http_rules, of_answers) {
  EXPECT_EQ(session_line("x"), "Mcp-Session-Id: x\r\n");
  const refusal gone{reason::session_unknown, "gone", {}, -1};
  EXPECT_EQ(refusal_message(gone, "7"), R"({"jsonrpc":"2.0","id":7,"error":{"code":-32001,)"
                                        R"("message":"gone","data":{"gate":{"reason":)"
                                        R"("session_unknown"}}}})");
  EXPECT_EQ(refusal_message(gone, ""), R"({"jsonrpc":"2.0","error":{"code":-32001,)"
                                       R"("message":"gone","data":{"gate":{"reason":)"
                                       R"("session_unknown"}}}})");
  EXPECT_EQ(refusal_message({reason::policy_denied, "no", {}, -1}, "7", era::stateless),
            R"({"jsonrpc":"2.0","id":7,"error":{"code":-31042,"message":"no",)"
            R"("data":{"gate":{"reason":"policy_denied"}}}})");
  EXPECT_EQ(plain_refusal("no \"such\" thing"), R"({"error":"no \"such\" thing"})");
}

}  // namespace
}  // namespace gate::mcp
