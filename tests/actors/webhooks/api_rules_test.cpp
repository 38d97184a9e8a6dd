// What becomes of a request by its header, and how it is told (api_answer).
#include "actors/webhooks/api_rules.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <deque>

#include "actors/webhooks/api_answer.hpp"
#include "simulations/world/fake_exchange.hpp"

namespace gate::hooks {
namespace {

using kind = judged::kind;
using lines = std::vector<std::string>;
using webhook::operation;

constexpr std::string_view admin_token = "the-token-of-an-admin";
constexpr std::string_view reader_token = "the-token-of-a-reader";
const std::string hook_path = "/webhooks/hook_01ARYZ6S41TSV4RRFFQ69G5FAV";
const call_rates::time_point some_time{std::chrono::hours{1}};

api_front guarded() {
  api_front out;
  const std::vector<webhook::organization> all{{"acme", "A", true}, {"other", "B", false}};
  out.who = *webhook::callers::of(all, [](std::string_view name) {
    return std::optional<std::string>(name == "A" ? admin_token : reader_token);
  });
  return out;
}

struct asked {
  verb method = verb::get;
  std::string target = "/webhooks";
  lines more{};
  std::string body{};
  std::string_view token = admin_token;
  std::string host = "localhost";
  http::defect flaw = http::defect::none;
  bool body_follows = false;
};

http_request made(const asked& a) {
  lines all{"Host: " + a.host};
  if (!a.token.empty()) all.push_back("Authorization: Bearer " + std::string(a.token));
  all.insert(all.end(), a.more.begin(), a.more.end());
  auto r = sim::make_request(a.method, a.target, all, a.body);
  r.flaw = a.flaw;
  r.body_follows = a.body_follows;
  return r;
}

judged judge(const asked& a, api_front front = guarded()) {
  static std::deque<api_rules> all;  // what they say points into them
  return all.emplace_back(std::move(front)).judge(made(a), false, some_time);
}

/// The code of the refusal; empty: it was not refused.
std::string code(const judged& j) {
  if (j.what != kind::refused) return {};
  const auto body = boost::json::parse(j.no.body);
  EXPECT_FALSE(body.at("error").as_string().empty());
  return body.at("code").as_string().c_str();
}

const lines json_body{"Content-Type: application/json"};

TEST(api_rules, say_what_is_refused) {
  struct row {
    asked what;
    int status;
    std::string_view code;
  };
  const std::string some = "{}";
  const std::string long_body(limits::hooks_body_bytes + 1, ' ');
  const std::string length = "Content-Length: " + std::to_string(limits::hooks_body_bytes + 1);
  const std::string too_long = "Content-Length: " + std::to_string(limits::hooks_request_bytes + 1);
  const row table[] = {
      {{.flaw = http::defect::malformed}, 400, "VALIDATION_ERROR"},
      {{.flaw = http::defect::header_too_large}, 400, "VALIDATION_ERROR"},
      {{.flaw = http::defect::method}, 400, "VALIDATION_ERROR"},
      {{.flaw = http::defect::timeout}, 408, "REQUEST_TIMEOUT"},
      {{.flaw = http::defect::body_too_large}, 413, "PAYLOAD_TOO_LARGE"},
      {{.flaw = http::defect::crowded}, 503, "UNAVAILABLE"},
      {{.host = "evil.example"}, 403, "FORBIDDEN"},
      {{.host = "evil.example", .flaw = http::defect::body_too_large}, 403, "FORBIDDEN"},
      {{.more = {"Origin: https://evil.example"}}, 403, "FORBIDDEN"},
      {{.target = "/health", .host = "evil.example"}, 403, "FORBIDDEN"},
      {{.token = {}}, 401, "AUTH_REQUIRED"},
      {{.target = "/nothing", .token = {}}, 401, "AUTH_REQUIRED"},
      {{.more = {"Authorization: Basic YTpi"}, .token = {}}, 401, "AUTH_REQUIRED"},
      {{.token = "the-token-of-nobody"}, 401, "AUTH_INVALID"},
      {{.more = {"Authorization: Bearer x"}}, 400, "VALIDATION_ERROR"},
      {{.target = "/nothing"}, 404, "NOT_FOUND"},
      {{.target = "/webhooks/x"}, 404, "NOT_FOUND"},
      {{.method = verb::del}, 405, "METHOD_NOT_ALLOWED"},
      {{.method = verb::options, .target = "/events"}, 405, "METHOD_NOT_ALLOWED"},
      {{.method = verb::post, .token = reader_token}, 403, "FORBIDDEN"},
      {{.method = verb::del, .target = hook_path, .token = reader_token}, 403, "FORBIDDEN"},
      {{.method = verb::post, .body = some}, 415, "UNSUPPORTED_MEDIA_TYPE"},
      {{.method = verb::post, .more = {"Content-Type: text/plain"}, .body = some},
       415,
       "UNSUPPORTED_MEDIA_TYPE"},
      {{.method = verb::post,
        .more = {"Content-Type: application/json", "Content-Type: text/html"}},
       400,
       "VALIDATION_ERROR"},
      {{.method = verb::post, .more = json_body, .body = long_body}, 413, "PAYLOAD_TOO_LARGE"},
      {{.method = verb::post, .more = {json_body[0], length}, .body_follows = true},
       413,
       "PAYLOAD_TOO_LARGE"},
      {{.method = verb::post,
        .target = "/events",
        .more = {json_body[0], too_long},
        .body_follows = true},
       413,
       "PAYLOAD_TOO_LARGE"},
      {{.method = verb::post, .body_follows = true}, 415, "UNSUPPORTED_MEDIA_TYPE"},
  };
  for (const auto& r : table) {
    const auto j = judge(r.what);
    const auto what = r.what.target + " " + std::string(r.code);
    EXPECT_EQ(code(j), r.code) << what;
    EXPECT_EQ(j.no.status, r.status) << what;
    EXPECT_EQ(j.no.close, r.what.flaw != http::defect::none) << what;
    const auto has = [&](std::string_view header) {
      return j.no.headers.find(header) != std::string::npos;
    };
    EXPECT_EQ(has("WWW-Authenticate: Bearer"), r.status == 401) << what;
    EXPECT_EQ(has("error=\"invalid_token\""), r.code == "AUTH_INVALID") << what;
    EXPECT_EQ(has("Allow: "), r.status == 405) << what;
    EXPECT_EQ(has("Retry-After: "), r.status == 503) << what;
    EXPECT_EQ(j.no.body.find("max-body-bytes"), std::string::npos) << what;
    EXPECT_EQ(j.no.body.find("token-of"), std::string::npos) << what;
  }
}

TEST(api_rules, say_what_is_a_call) {
  const auto list = judge({});
  EXPECT_EQ(list.what, kind::call);
  EXPECT_EQ(list.row->id, operation::list_webhooks);
  EXPECT_EQ(list.who->organization, "acme");
  EXPECT_EQ(list.id, "");
  const auto change =
      judge({.method = verb::patch, .target = hook_path + "?x", .more = json_body, .body = "{}"});
  EXPECT_EQ(change.row->id, operation::change_webhook);
  EXPECT_EQ(change.id, hook_path.substr(10));
  EXPECT_EQ(judge({.method = verb::post, .target = hook_path + "/test"}).what, kind::call);
  EXPECT_EQ(judge({.method = verb::post, .target = hook_path + "/test", .body = " \r\n"}).what,
            kind::call)
      << "blanks are no body";
  const auto events = judge({.method = verb::post,
                             .target = "/events",
                             .more = {json_body[0], "Content-Length: 1000000"},
                             .token = reader_token,
                             .body_follows = true});
  EXPECT_EQ(events.what, kind::body);
  EXPECT_EQ(events.who->organization, "other");
  for (const auto* path : {"/health", "/metrics", "/openapi.json", "/console", "/console/x.js"}) {
    const auto open = judge({.target = path, .token = {}});
    EXPECT_EQ(open.what, kind::call) << path;
    EXPECT_EQ(open.who, nullptr) << path;
  }
}

TEST(api_rules, need_no_token_if_there_is_none) {
  const api_front everybody;
  const auto j =
      judge({.method = verb::post, .more = json_body, .body = "{}", .token = {}}, everybody);
  EXPECT_EQ(j.what, kind::call);
  EXPECT_EQ(j.who->organization, "default");
  EXPECT_EQ(judge({.token = "whatever"}, everybody).what, kind::call);
}

TEST(api_rules, of_a_listener_with_other_names) {
  auto front = guarded();
  front.any_host = true;
  EXPECT_EQ(judge({.host = "hooks.example"}, front).what, kind::call);
  EXPECT_EQ(judge({.more = {"Origin: https://hooks.example"}, .host = "hooks.example"}, front).what,
            kind::call);
  EXPECT_EQ(code(judge({.more = {"Origin: https://evil.example"}, .host = "hooks.example"}, front)),
            "FORBIDDEN");
}

TEST(api_rules, count_each_request_of_an_organization_once) {
  api_rules rules(guarded());
  const auto ask = [&](const asked& a, bool again, call_rates::time_point now) {
    return rules.judge(made(a), again, now);
  };
  for (std::uint32_t i = 0; i < limits::hooks_calls_burst; ++i)
    ASSERT_EQ(ask({}, false, some_time).what, kind::call) << i;
  const auto no = ask({}, false, some_time);
  EXPECT_EQ(code(no), "RATE_LIMITED");
  EXPECT_EQ(no.no.status, 429);
  EXPECT_EQ(no.no.headers, "Retry-After: 1\r\n");
  EXPECT_EQ(ask({}, true, some_time).what, kind::call) << "its body was read, no more";
  EXPECT_EQ(ask({.token = reader_token}, false, some_time).what, kind::call) << "another one";
  EXPECT_EQ(ask({.target = "/health"}, false, some_time).what, kind::call);
  EXPECT_EQ(
      ask({.method = verb::post, .target = "/events", .more = json_body}, false, some_time).what,
      kind::call)
      << "events have a bucket of their own";
  EXPECT_EQ(ask({}, false, some_time + std::chrono::seconds{1}).what, kind::call);
}

TEST(call_rates, let_in_so_many_at_once_and_a_second) {
  using std::chrono::milliseconds, std::chrono::seconds;
  for (const bool events : {false, true}) {
    const std::int64_t rate = events ? limits::hooks_events_rate : limits::hooks_calls_rate;
    const std::int64_t burst = events ? limits::hooks_events_burst : limits::hooks_calls_burst;
    call_rates rates(2);
    const auto taken = [&](call_rates::time_point now) {
      std::int64_t n = 0;
      while (!rates.take(1, events, now)) ++n;
      return n;
    };
    EXPECT_EQ(taken(some_time), burst);
    EXPECT_EQ(rates.take(1, events, some_time), seconds{1});
    EXPECT_EQ(taken(some_time + milliseconds{500}), rate / 2);
    EXPECT_EQ(taken(some_time + milliseconds{1500}), rate);
    EXPECT_EQ(taken(some_time + seconds{3600}), burst) << "no more than a bucket is saved";
    EXPECT_FALSE(rates.take(0, events, some_time)) << "another organization";
    EXPECT_FALSE(rates.take(1, !events, some_time)) << "another bucket";
  }
}

TEST(api_answers, of_what_the_ledger_refused) {
  using enum ledger::refusal::reason;
  const std::tuple<ledger::refusal::reason, int, std::string_view> table[] = {
      {not_found, 404, "NOT_FOUND"},     {conflict, 409, "CONFLICT"},
      {too_many, 409, "CONFLICT"},       {lease_lost, 500, "INTERNAL_ERROR"},
      {invalid, 500, "INTERNAL_ERROR"},  {busy, 503, "UNAVAILABLE"},
      {unavailable, 503, "UNAVAILABLE"},
  };
  for (const auto& [why, status, word] : table) {
    const auto a = refused(ledger::refusal{why, "what is wrong"});
    EXPECT_EQ(a.status, status) << word;
    EXPECT_EQ(boost::json::parse(a.body).at("code"), boost::json::string(word)) << word;
    EXPECT_EQ(a.headers.find("Retry-After: ") != std::string::npos, status == 503) << word;
  }
  EXPECT_NE(refused(ledger::refusal{busy, ""}).headers,
            refused(ledger::refusal{unavailable, ""}).headers);
}

}  // namespace
}  // namespace gate::hooks
