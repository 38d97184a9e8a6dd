// The document as it is served, and who gets it.
#include "actors/kubernetes/publication.hpp"

#include <gtest/gtest.h>

#include "simulations/world/fake_exchange.hpp"

namespace gate::kubernetes {
namespace {

using namespace std::chrono_literals;
using sim::make_request;

const std::string secret = "a-token-of-some-length";
const publication::moment then{std::chrono::sys_days{std::chrono::year{2026} / 5 / 1}};

publication_front front(bool token = false, bool any_host = false) {
  publication_front out{http::allowlist({"localhost", "127.0.0.1"}), any_host, {}};
  if (token) {
    const webhook::organization one{std::string(webhook::callers::only), "T", true};
    out.who = webhook::callers::of({&one, 1}, [](std::string_view) { return secret; }).value();
  }
  return out;
}

answer get(const publication& p, std::string_view target, std::vector<std::string> lines = {},
           verb method = verb::get) {
  lines.insert(lines.begin(), "Host: localhost:8093");
  return p.answer_to(make_request(method, target, lines));
}

std::string header(const answer& a, const std::string& name) {
  const auto at = a.headers.find(name + ": ");
  if (at == std::string::npos) return {};
  const auto from = at + name.size() + 2;
  return a.headers.substr(from, a.headers.find('\r', at) - from);
}

TEST(kubernetes_publication, nothing_before_all_is_known) {
  publication p(front());
  for (const auto* path : {"/", "/upstreams.json", "/a/b?c"}) {
    const auto a = get(p, path);
    EXPECT_EQ(a.status, 503) << path;
    EXPECT_EQ(header(a, "Retry-After"), "1");
    EXPECT_EQ(header(a, "ETag"), "");
  }
  for (const auto* path : {"/healthz", "/health"}) {
    EXPECT_EQ(get(p, path).status, 503);
    EXPECT_EQ(get(p, path).own_body, "{\"status\":\"starting\"}\n");
  }
  p.lost(then);
  EXPECT_EQ(get(p, "/health").own_body,
            "{\"status\":\"starting\",\"since\":\"2026-05-01T00:00:00.000Z\"}\n");
}

TEST(kubernetes_publication, the_document_at_any_path) {
  publication p(front());
  EXPECT_TRUE(p.publish("{\"upstreams\":[]}\n", 0, 0, then));
  for (const auto* path :
       {"/", "/upstreams", "/healthz/", "/health/x", "/HEALTH", "/?health", "/metrics/"}) {
    const auto a = get(p, path);
    EXPECT_EQ(a.status, 200) << path;
    EXPECT_EQ(a.type, "application/json");
    EXPECT_EQ(a.body, "{\"upstreams\":[]}\n");
  }
}

TEST(kubernetes_publication, tags) {
  publication p(front());
  p.publish("a", 0, 0, then);
  const auto tag = header(get(p, "/"), "ETag");
  EXPECT_EQ(tag.size(), 66U);
  EXPECT_TRUE(tag.starts_with('"')) << "strong";
  for (const auto& match : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
    const auto a = get(p, "/", {"If-None-Match: " + match});
    EXPECT_EQ(a.status, 304) << match;
    EXPECT_TRUE(a.type.empty() && a.body.empty() && a.own_body.empty());
    EXPECT_EQ(header(a, "ETag"), tag);
  }
  EXPECT_EQ(get(p, "/", {"If-None-Match: \"x\"", "If-None-Match: " + tag}).status, 304);
  EXPECT_EQ(get(p, "/", {"If-None-Match: \"x\""}).status, 200);
  EXPECT_FALSE(p.publish("a", 0, 3, then)) << "it is the same document";
  EXPECT_EQ(header(get(p, "/"), "ETag"), tag);
  EXPECT_TRUE(p.publish("b", 0, 0, then));
  EXPECT_NE(header(get(p, "/"), "ETag"), tag);
  EXPECT_EQ(get(p, "/", {"If-None-Match: " + tag}).status, 200);
  EXPECT_TRUE(p.publish("a", 0, 0, then));
  EXPECT_EQ(header(get(p, "/"), "ETag"), tag) << "the same bytes, the same tag";
}

TEST(kubernetes_publication, an_outage_is_told_and_the_document_stays) {
  publication p(front());
  p.publish("d", 2, 1, then);
  EXPECT_EQ(get(p, "/health").own_body,
            "{\"status\":\"ok\",\"upstreams\":2,\"leftOut\":1,\"changed\":"
            "\"2026-05-01T00:00:00.000Z\"}\n");
  p.lost(then + 1s);
  p.lost(then + 5s);
  auto a = get(p, "/healthz");
  EXPECT_EQ(a.status, 200);
  EXPECT_EQ(a.own_body,
            "{\"status\":\"stale\",\"upstreams\":2,\"leftOut\":1,\"changed\":"
            "\"2026-05-01T00:00:00.000Z\",\"since\":\"2026-05-01T00:00:01.000Z\"}\n");
  EXPECT_EQ(get(p, "/").body, "d");
  p.touched();
  EXPECT_EQ(get(p, "/health").own_body.find("stale"), std::string::npos);
}

TEST(kubernetes_publication, an_outage_in_which_lists_are_had_is_as_old_as_the_last_one) {
  publication p(front());
  p.publish("d", 0, 0, then);
  p.listed(then + 1s);
  EXPECT_EQ(get(p, "/health").own_body.find("since"), std::string::npos);
  p.lost(then + 2s);
  p.listed(then + 9s);
  EXPECT_NE(get(p, "/health").own_body.find("\"since\":\"2026-05-01T00:00:09.000Z\""),
            std::string::npos);
}

TEST(kubernetes_publication, metrics) {
  const publication p(front(true));
  const auto a = get(p, "/metrics");
  EXPECT_TRUE(a.of_metrics && a.status == 200) << "before all is known, and without a token";
  EXPECT_TRUE(a.type.starts_with("text/plain"));
  EXPECT_EQ(get(p, "/metrics", {}, verb::post).status, 405);
  EXPECT_EQ(get(p, "/metrics", {"Origin: http://evil.example"}).status, 403);
  EXPECT_FALSE(get(p, "/").of_metrics || get(p, "/health").of_metrics);
}

TEST(kubernetes_publication, tokens) {
  publication p(front(true));
  p.publish("d", 0, 0, then);
  EXPECT_EQ(get(p, "/health").status, 200) << "whoever probes has none";
  for (const auto& lines :
       {std::vector<std::string>{},
        {"Authorization: Bearer wrong"},
        {"Authorization: Bearer "},
        {"Authorization: Basic " + secret},
        {"Authorization: Bearer " + secret + "x"},
        {"Authorization: Bearer " + secret, "Authorization: Bearer " + secret}}) {
    const auto a = get(p, "/", lines);
    EXPECT_EQ(a.status, 401);
    EXPECT_EQ(header(a, "WWW-Authenticate"), "Bearer");
    EXPECT_EQ(a.own_body.find(secret), std::string::npos);
  }
  EXPECT_EQ(get(p, "/", {"Authorization: Bearer " + secret}).body, "d");
  EXPECT_EQ(get(p, "/", {"authorization: bearer  " + secret}).body, "d");
  EXPECT_EQ(get(p, "/", {}, verb::post).status, 401) << "methods are told to callers alone";
}

TEST(kubernetes_publication, only_get) {
  publication p(front());
  p.publish("d", 0, 0, then);
  for (const auto v : {verb::post, verb::del, verb::options, verb::patch})
    for (const auto* path : {"/", "/health"}) {
      const auto a = get(p, path, {}, v);
      EXPECT_EQ(a.status, 405);
      EXPECT_EQ(header(a, "Allow"), "GET");
    }
}

TEST(kubernetes_publication, hosts) {
  publication p(front());
  p.publish("d", 0, 0, then);
  EXPECT_EQ(p.answer_to(make_request(verb::get, "/", {"Host: evil.example"})).status, 403);
  EXPECT_EQ(p.answer_to(make_request(verb::get, "/health", {"Host: evil.example"})).status, 403);
  EXPECT_EQ(get(p, "/", {"Origin: http://evil.example"}).status, 403);
  publication open(front(true, true));
  open.publish("d", 0, 0, then);
  EXPECT_EQ(open.answer_to(make_request(verb::get, "/health", {"Host: 10.0.0.7:8093"})).status,
            200);
}

TEST(kubernetes_publication, what_breaks_the_framing_ends_the_connection) {
  publication p(front());
  auto r = make_request(verb::get, "/", {"Host: localhost"});
  r.flaw = http::defect::malformed;
  const auto a = p.answer_to(r);
  EXPECT_EQ(a.status, 400);
  EXPECT_TRUE(a.close);
}

}  // namespace
}  // namespace gate::kubernetes
