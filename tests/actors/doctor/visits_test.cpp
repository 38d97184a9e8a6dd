#include "actors/doctor/visits.hpp"

#include <gtest/gtest.h>

#include "actors/doctor/report.hpp"
#include "config/validate.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits/doctor.hpp"
#include "tests/actors/doctor/peers_said.hpp"

namespace gate::doctor {
namespace {

upstream_question question(config::protocol_choice protocol = config::protocol_choice::session) {
  upstream_question q;
  q.pointer = "/upstreams/0/url";
  q.id = "a";
  q.where = http::parse_url("https://a.example/mcp").value();
  q.protocol = protocol;
  q.prefix = "a__";
  q.wall = wall;
  return q;
}

const request& asked(const action& a) {
  static const request none;
  const auto* r = std::get_if<request>(&a);
  EXPECT_NE(r, nullptr);
  return r ? *r : none;
}

std::string method_of(const action& a) {
  const auto* r = std::get_if<request>(&a);
  if (!r) return is_done(a) ? "done" : "look";
  if (r->what->method == verb::del) return "DELETE";
  std::string out;
  json::unquote(json::member(r->what->before, "method"), out);
  return out;
}

reply result_of(std::string raw, std::string session = {}) {
  reply r;
  r.status = 200;
  r.text = R"({"jsonrpc":"2.0","id":1,"result":)" + std::move(raw) + '}';
  r.session_id = std::move(session);
  return r;
}
const std::string agreed =
    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},)"
    R"("serverInfo":{"name":"s"}})";

TEST(upstream_visit, meets_a_server_with_sessions_and_ends_its_session) {
  upstream_visit v(question());
  EXPECT_EQ(method_of(v.begin()), "look");
  EXPECT_EQ(method_of(v.seen(connected())), "initialize");
  auto next = v.heard(result_of(agreed, "session-1"));
  EXPECT_EQ(method_of(next), "notifications/initialized");
  EXPECT_NE(asked(next).what->headers->find("session-1"), std::string::npos);
  next = v.heard(status(202));
  EXPECT_EQ(method_of(next), "tools/list");
  next = v.heard(result_of(R"({"tools":[{"name":"x"}],"nextCursor":"c"})"));
  EXPECT_EQ(method_of(next), "tools/list");
  EXPECT_NE(asked(next).what->before.find(R"("cursor":"c")"), std::string::npos);
  EXPECT_EQ(method_of(v.heard(result_of(R"({"tools":[{"name":"y"}]})"))), "resources/list");
  EXPECT_EQ(method_of(v.heard(result_of(R"({"resources":[{"uri":"u:1"}]})"))), "DELETE");
  EXPECT_TRUE(is_done(v.heard(status(405))));
  EXPECT_EQ(worst(v.found()).level, severity::ok);
  EXPECT_EQ(v.uris(), std::vector<std::string>{"u:1"});
}

TEST(upstream_visit, meets_a_server_without_sessions) {
  upstream_visit v(question(config::protocol_choice::automatic));
  const auto first = v.seen(connected());
  EXPECT_EQ(method_of(first), "server/discover");
  EXPECT_NE(asked(first).what->headers->find("Mcp-Method: server/discover"), std::string::npos);
  EXPECT_EQ(method_of(v.heard(
                result_of(R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})"))),
            "tools/list");
  EXPECT_TRUE(is_done(v.heard(result_of(R"({"tools":[]})"))));
  EXPECT_EQ(worst(v.found()).level, severity::ok);
}

TEST(upstream_visit, falls_back_to_sessions_only_where_the_document_says_so) {
  upstream_visit both(question(config::protocol_choice::automatic));
  both.seen(connected());
  EXPECT_EQ(method_of(both.heard(status(400, "bad"))), "initialize");
  upstream_visit one(question(config::protocol_choice::stateless));
  one.seen(connected());
  EXPECT_TRUE(is_done(one.heard(status(400, "bad"))));
  EXPECT_NE(worst(one.found()).advice.find("auto"), std::string::npos);
}

struct ending {
  reply said;
  check what;
  std::string words;
};

TEST(upstream_visit, says_what_is_wrong_with_a_handshake) {
  const std::vector<ending> cases{
      {status(401), check::handshake, "wants a credential"},
      {status(404), check::handshake, "HTTP 404"},
      {status(200, "<html>"), check::handshake, "no JSON-RPC"},
      {status(200, R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}})"),
       check::handshake, "error -1, \"no\""},
      {failed(fetch_end::broken, "reset"), check::handshake, "reset"},
      {failed(fetch_end::too_large, ""), check::handshake, "larger than"},
      {failed(fetch_end::redirected, "answered 302"), check::handshake, "redirects"},
      {result_of("{}"), check::handshake, "protocolVersion"},
      {status(400, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"v"}})"),
       check::handshake, "without sessions alone"},
  };
  for (const auto& c : cases) {
    upstream_visit v(question());
    v.seen(connected());
    EXPECT_TRUE(is_done(v.heard(c.said))) << c.words;
    const auto f = worst(v.found());
    EXPECT_EQ(f.level, severity::error) << c.words;
    EXPECT_EQ(f.what, c.what) << c.words;
    EXPECT_NE(f.seen.find(c.words), std::string::npos) << f.seen;
    EXPECT_FALSE(f.advice.empty());
  }
}

TEST(upstream_visit, ends_a_session_whose_list_is_bad_or_late) {
  for (const bool late : {false, true}) {
    upstream_visit v(question());
    v.seen(connected());
    v.heard(result_of(agreed, "s1"));
    v.heard(status(202));
    EXPECT_EQ(method_of(late ? v.late({}) : v.heard(status(500))), "DELETE");
    EXPECT_TRUE(is_done(v.late({})));
    EXPECT_EQ(worst(v.found()).what, check::tools);
  }
}

TEST(upstream_visit, a_list_without_an_end_is_left) {
  upstream_visit v(question());
  v.seen(connected());
  v.heard(result_of(agreed));
  auto next = v.heard(status(202));
  std::size_t pages = 0;
  for (; method_of(next) == "tools/list" && pages < 10'000; ++pages)
    next = v.heard(result_of(R"({"tools":[],"nextCursor":"again"})"));
  EXPECT_EQ(pages, limits::doctor_pages);
  EXPECT_NE(worst(v.found()).seen.find("further pages are not looked at"), std::string::npos);
}

TEST(upstream_visit, looks_at_no_more_items_than_its_bound_even_in_one_page) {
  upstream_visit v(question());
  v.seen(connected());
  v.heard(result_of(agreed));
  v.heard(status(202));
  v.heard(result_of(R"({"tools":[]})"));
  std::string list = R"({"resources":[)";
  for (std::size_t i = 0; i <= limits::doctor_items; ++i)
    list += (i == 0 ? "" : ",") + (R"({"name":"n","uri":"u:)" + std::to_string(i)) + R"("})";
  EXPECT_TRUE(is_done(v.heard(result_of(list + "]}"))));
  EXPECT_EQ(v.uris().size(), limits::doctor_items);
  EXPECT_NE(worst(v.found()).seen.find("further items are not looked at"), std::string::npos);
}

TEST(upstream_visit, ends_a_session_whatever_came_of_the_answer_that_began_it) {
  std::vector<reply> bad{status(401), failed(fetch_end::malformed, "no"), status(500)};
  for (auto& r : bad) {
    r.session_id = "s1";
    upstream_visit v(question());
    v.seen(connected());
    EXPECT_EQ(method_of(v.heard(r)), "DELETE") << r.status;
  }
  upstream_visit v(question());
  v.seen(connected());
  const auto next = v.late("s1");
  ASSERT_EQ(method_of(next), "DELETE");
  EXPECT_NE(asked(next).what->headers->find("s1"), std::string::npos);
}

TEST(upstream_visit, says_what_it_waited_for) {
  upstream_visit v(question());
  v.seen(connected());
  v.heard(result_of(agreed));
  v.late({});
  EXPECT_NE(worst(v.found()).seen.find("notifications/initialized"), std::string::npos);
}

TEST(upstream_visit, resources_that_are_not_listed_are_no_error) {
  const std::vector<reply> bad{status(401), status(403), status(500),
                               failed(fetch_end::broken, "")};
  for (const auto& r : bad) {
    upstream_visit v(question());
    v.seen(connected());
    v.heard(result_of(agreed));
    v.heard(status(202));
    v.heard(result_of(R"({"tools":[]})"));
    EXPECT_TRUE(is_done(v.heard(r)));
    EXPECT_EQ(worst(v.found()).level, severity::warning) << r.status;
    EXPECT_EQ(worst(v.found()).what, check::resources);
  }
  upstream_visit v(question());
  v.seen(connected());
  v.heard(result_of(agreed));
  v.heard(status(202));
  v.heard(status(403));
  EXPECT_EQ(worst(v.found()).level, severity::error);
  EXPECT_EQ(worst(v.found()).what, check::tools);
}

/// An upstream that is asked with secrets that are not to be quoted.
findings after_error(const std::string& error) {
  const discretion hide({"s3cr3t/=key", "redis"});
  upstream_visit v(question());
  v.hide(hide);
  v.seen(connected());
  v.heard(status(200, R"({"jsonrpc":"2.0","id":1,"error":)" + error + '}'));
  return v.found();
}

TEST(upstream_visit, quotes_no_secret_however_it_is_spelt) {
  const std::string room(290, 'x');  // so that it would be cut within the secret
  for (const std::string text : {R"(s3cr3t/=key)", R"(s3cr3t\/=key)", R"(s3cr3t/\u003dkey)"}) {
    const auto seen = worst(after_error(R"({"code":-1,"message":")" + room + text + R"("})")).seen;
    EXPECT_EQ(seen.find("s3c"), std::string::npos) << seen;
    EXPECT_NE(seen.find("[secret"), std::string::npos) << seen;
  }
  EXPECT_EQ(worst(after_error(R"({"code":"s3cr3t/=key"})")).seen.find("s3c"), std::string::npos);
}

TEST(upstream_visit, judges_what_came_although_a_word_of_it_is_a_secret) {
  const discretion hide({"redis"});
  upstream_visit v(question());
  v.hide(hide);
  v.seen(connected());
  v.heard(result_of(agreed));
  v.heard(status(202));
  v.heard(result_of(R"({"tools":[{"name":"redis_get","inputSchema":{"type":"object"}}]})"));
  EXPECT_EQ(worst(v.found()).level, severity::ok) << worst(v.found()).seen;
}

TEST(upstream_visit, a_credential_that_is_not_its_own_may_be_missed) {
  using from = config::credential_source;
  for (const auto& [of, level] :
       {std::pair{from::caller, severity::ok}, std::pair{from::token_endpoint, severity::ok},
        std::pair{from::environment, severity::error}, std::pair{from::nothing, severity::error}}) {
    auto q = question();
    q.credential = of;
    upstream_visit v(std::move(q));
    v.seen(connected());
    EXPECT_TRUE(is_done(v.heard(status(401))));
    EXPECT_EQ(worst(v.found()).level, level);
  }
}

TEST(upstream_visit, takes_no_more_than_the_gateway_would) {
  auto q = question();
  q.max_bytes = 1000;
  upstream_visit v(std::move(q));
  const auto first = v.seen(connected());
  EXPECT_EQ(asked(first).what->to->max_response_bytes, 1000U);
  v.heard(failed(fetch_end::too_large, "x"));
  EXPECT_NE(worst(v.found()).seen.find("maxResponseBytes"), std::string::npos);
}

TEST(connections, each_stage_has_its_words) {
  const std::vector<std::pair<inspection_stage, check>> stages{
      {inspection_stage::resolve, check::connection},
      {inspection_stage::connect, check::connection},
      {inspection_stage::tls, check::certificate},
  };
  for (const auto& [stage, what] : stages)
    for (const bool late : {false, true}) {
      upstream_visit v(question());
      inspected m;
      m.ended = stage;
      m.late = late;
      m.why = "a reason";
      EXPECT_TRUE(is_done(v.seen(m)));
      ASSERT_EQ(v.found().size(), 1U);
      EXPECT_EQ(v.found()[0].what, what);
      EXPECT_EQ(v.found()[0].level, severity::error);
    }
}

TEST(connections, certificates_are_judged) {
  using change = void (*)(seen_certificate&);
  const std::vector<std::pair<change, severity>> cases{
      {[](seen_certificate&) {}, severity::ok},
      {[](seen_certificate& c) { c.until = second + 24h; }, severity::warning},
      {[](seen_certificate& c) { c.until = second - 1s; }, severity::error},
      {[](seen_certificate& c) { c.from = second + 1h; }, severity::error},
      {[](seen_certificate& c) { c.until = std::chrono::sys_days(9999y / 12 / 31); }, severity::ok},
      {[](seen_certificate& c) { c.for_host = false; }, severity::error},
      {[](seen_certificate& c) { c.distrust = "self-signed certificate"; }, severity::error},
  };
  for (const auto& [make, level] : cases) {
    auto m = connected();
    make(*m.certificate);
    upstream_visit v(question());
    EXPECT_EQ(is_done(v.seen(m)), level == severity::error);
    EXPECT_EQ(worst(v.found()).level, level) << worst(v.found()).seen;
  }
}

TEST(visits, are_in_the_documents_order) {
  auto read = config::load(
      R"({"upstreams":[{"id":"a","namespace":"a","urls":["http://127.0.0.1:1/","http://127.0.0.1:2/"]}],)"
      R"("auth":{"mode":"required","resource":"http://127.0.0.1/mcp","issuers":[{"issuer":"https://i.example"}]},)"
      R"("server":{"redisUrl":"redis://r"},"tracing":{"otlpEndpoint":"http://127.0.0.1"},)"
      R"("audit":{"sinks":[{"type":"webhook","url":"https://w.example/"}]},"discovery":{"url":"https://d.example/"}})");
  ASSERT_TRUE(read.problems.empty()) << config::to_line(read.problems[0]);
  auto all = visits_of(
      read.doc, [](std::string_view) { return std::nullopt; }, wall);
  std::vector<std::string> places;
  for (auto& v : all) {
    v->unchecked();
    places.push_back(v->found().at(0).pointer);
  }
  EXPECT_EQ(places,
            (std::vector<std::string>{"/upstreams/0/urls/0", "/upstreams/0/urls/1",
                                      "/auth/issuers/0", "/audit/sinks/0/url", "/server/redisUrl",
                                      "/discovery/url", "/tracing/otlpEndpoint"}));
  EXPECT_FALSE(all[0]->of_upstream()->asked().replica);
  EXPECT_TRUE(all[1]->of_upstream()->asked().replica);
  EXPECT_EQ(all[2]->of_upstream(), nullptr);
}

}  // namespace
}  // namespace gate::doctor
