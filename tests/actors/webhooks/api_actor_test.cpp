// API: every call, by way of api_calls and api_answer, with a LEDGER that keeps
// organizations; who sees what; what happens when others die. Retries of dead letters and /health
// have tests of their own.
#include "actors/webhooks/api_actor.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "protocol/limits.hpp"
#include "protocol/webhook/openapi.hpp"
#include "tests/actors/webhooks/api_stage.hpp"

namespace gate::hooks {
namespace {

using namespace std::chrono_literals;
using webhook::state;

const std::string a_letter = "dlv_01ARYZ6S41TSV4RRFFQ69G5FAV";
const std::string new_hook = R"({"url":"https://a.example.com/x","event":"deploy.failed"})";
const std::string an_event = R"({"type":"deploy.failed","data":{"n":1}})";

struct api : ::testing::Test, api_stage {
  static boost::json::value read(const receipt_ptr& r) { return boost::json::parse(r->body); }
  static std::string text(const receipt_ptr& r, std::string_view member) {
    return read(r).at(member).as_string().c_str();
  }
  static std::string code(const receipt_ptr& r) { return r->status < 400 ? "" : text(r, "code"); }
};

// --- webhooks ------------------------------------------------------------------------------------

TEST_F(api, makes_webhooks_and_shows_a_secret_once) {
  const auto made = post("/webhooks", new_hook);
  EXPECT_EQ(made->status, 201);
  EXPECT_EQ(made->content_type, "application/json");
  EXPECT_EQ(made->header("cache-control"), "no-store");
  const auto id = text(made, "id");
  EXPECT_TRUE(id.starts_with("hook_"));
  EXPECT_TRUE(text(made, "secret").starts_with("whsec_")) << "one is made";
  EXPECT_EQ(text(made, "created_at"), "2023-11-14T22:13:20.123Z");
  EXPECT_EQ(it->books.webhooks.at(0).organization, "acme");
  const auto given = post("/webhooks", R"({"url":"https://a.example.com","events":["*"],)"
                                       R"("secret":"sixteen characters","enabled":false})");
  EXPECT_EQ(text(given, "secret"), "sixteen characters");
  EXPECT_EQ(text(given, "disabled_reason"), "manual");
  const auto one = get("/webhooks/" + id);
  EXPECT_EQ(one->status, 200);
  EXPECT_EQ(text(one, "id"), id);
  EXPECT_FALSE(read(one).as_object().contains("secret"));
  const auto all = get("/webhooks?limit=1");
  EXPECT_EQ(read(all).at("webhooks").as_array().size(), 1U);
  EXPECT_FALSE(text(all, "next").empty());
  EXPECT_EQ(get("/webhooks?cursor=" + text(all, "next"))->status, 200);
  EXPECT_EQ(std::get<ledger::list_webhooks>(it->asked.back()).before, 7);
  EXPECT_TRUE(it->due.empty());
}

TEST_F(api, changes_webhooks) {
  const auto id = make_webhook();
  const auto off = call(verb::patch, "/webhooks/" + id, R"({"enabled":false})");
  EXPECT_EQ(off->status, 200);
  EXPECT_EQ(text(off, "disabled_reason"), "manual");
  EXPECT_TRUE(it->due.empty());
  const auto on = call(verb::patch, "/webhooks/" + id, R"({"enabled":true,"description":"d"})");
  EXPECT_EQ(text(on, "description"), "d");
  ASSERT_EQ(it->due.size(), 1U) << "it may have something";
  EXPECT_EQ(it->due[0].webhook, id);
  EXPECT_EQ(it->due[0].organization, "acme");
  EXPECT_EQ(call(verb::del, "/webhooks/" + id)->status, 204);
  const auto gone = call(verb::del, "/webhooks/" + id);
  EXPECT_EQ(gone->status, 404);
  EXPECT_EQ(code(gone), "NOT_FOUND");
}

TEST_F(api, answers_a_deletion_without_a_body) {
  const auto r = call(verb::del, "/webhooks/" + make_webhook());
  EXPECT_EQ(r->status, 204);
  EXPECT_EQ(r->body, "");
  EXPECT_EQ(r->content_type, "");
}

TEST_F(api, rotates_secrets) {
  const auto id = make_webhook();
  const auto before = it->books.webhooks[0].secret;
  const auto made = post("/webhooks/" + id + "/rotate");
  EXPECT_EQ(made->status, 200);
  EXPECT_EQ(made->header("cache-control"), "no-store");
  EXPECT_NE(text(made, "secret"), before);
  const auto given = post("/webhooks/" + id + "/rotate", R"({"secret":"sixteen characters"})");
  EXPECT_EQ(text(given, "secret"), "sixteen characters");
  EXPECT_EQ(it->books.webhooks[0].old_secret_until,
            webhook::wall_time{1'700'000'000'123ms} + limits::webhook_rotation);
}

// --- test calls ----------------------------------------------------------------------------------

TEST_F(api, tries_webhooks) {
  const auto id = text(post("/webhooks", new_hook), "id");
  const auto r = post("/webhooks/" + id + "/test", "{}");
  EXPECT_FALSE(r->done());
  ASSERT_EQ(it->trials.size(), 1U);
  const auto& t = it->trials[0];
  EXPECT_EQ(t.what.id, id);
  EXPECT_EQ(t.event.organization, "acme");
  EXPECT_TRUE(t.event.id.starts_with("evt_"));
  EXPECT_EQ(t.event.type, webhook::event_type::deploy_failed);
  EXPECT_EQ(
      t.event.body,
      R"({"type":"deploy.failed","timestamp":"2023-11-14T22:13:20.123Z","data":{"test":true}})");
  trial(t.number + 1, {});
  EXPECT_FALSE(r->done()) << "that was another";
  trial(t.number, webhook::of_answer(204, "", {}));
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->body, R"({"success":true,"status":204,"status_text":"No Content"})");
  const auto failed = post("/webhooks/" + id + "/test");
  trial(it->trials[1].number, webhook::of_failure(webhook::ending::timeout, "15 s"));
  EXPECT_EQ(failed->status, 200);
  EXPECT_FALSE(read(failed).at("success").as_bool());
  trial(it->trials[1].number, {});
  EXPECT_EQ(failed->misuse, lines{}) << "one answer is enough";
}

TEST_F(api, loses_trials_with_whoever_makes_them) {
  const auto id = make_webhook();
  const auto r = post("/webhooks/" + id + "/test");
  lose_trials();
  EXPECT_EQ(r->status, 503);
  EXPECT_FALSE(r->header("retry-after").empty());
  EXPECT_EQ(post("/webhooks/" + id + "/test")->status, 503);
  start_trials();
  EXPECT_FALSE(post("/webhooks/" + id + "/test")->done());
}

// --- events --------------------------------------------------------------------------------------

TEST_F(api, accepts_events_once_they_are_kept) {
  const auto id = make_webhook();
  it->silent = true;
  const auto r = post("/events", an_event, reader);
  EXPECT_FALSE(r->done()) << "LEDGER has yet to answer";
  answer();
  EXPECT_EQ(r->status, 202);
  EXPECT_TRUE(text(r, "id").starts_with("evt_"));
  EXPECT_EQ(read(r).at("deliveries"), 0) << "the webhook is another organization's";
  EXPECT_TRUE(it->due.empty());
  const auto own = post("/events", an_event);
  EXPECT_EQ(read(own).at("deliveries"), 1);
  ASSERT_EQ(it->due.size(), 1U);
  EXPECT_EQ(it->due[0].webhook, id);
  EXPECT_EQ(it->due[0].at, webhook::wall_time{1'700'000'000'123ms} + 3s) << "the first pause";
  const auto& asked = std::get<ledger::accept_events>(it->asked.back());
  EXPECT_EQ(asked.due, asked.now + 3s);
  EXPECT_EQ(asked.events.at(0).body,
            R"({"type":"deploy.failed","timestamp":"2023-11-14T22:13:20.123Z","data":{"n":1}})");
  EXPECT_EQ(asked.events.at(0).fingerprint, "") << "nobody else has this id";
  EXPECT_EQ(counted.size(), 2U);
}

TEST_F(api, accepts_arrays) {
  const auto r = post("/events", "[" + an_event + R"(,{"type":"usage.threshold","data":2}])");
  EXPECT_EQ(r->status, 202);
  EXPECT_EQ(read(r).as_array().size(), 2U);
  EXPECT_EQ(counted, (std::vector{webhook::event_type::deploy_failed,
                                  webhook::event_type::usage_threshold}));
  EXPECT_EQ(read(post("/events", "[" + an_event + "]")).as_array().size(), 1U);
  const auto key = post("/events", "[" + an_event + "]", acme, {"Idempotency-Key: k"});
  EXPECT_EQ(key->status, 400);
  EXPECT_EQ(read(key).at("details").at("header"), "Idempotency-Key");
}

TEST_F(api, accepts_what_comes_again_under_its_key_once) {
  const lines key{"Idempotency-Key: order-7"};
  const auto first = post("/events", an_event, acme, key);
  EXPECT_EQ(first->status, 202);
  EXPECT_EQ(text(first, "id"), "order-7");
  wall += 5s;
  const auto again = post("/events", an_event, acme, key);
  EXPECT_EQ(again->status, 202) << "later, and the same all the same";
  EXPECT_EQ(text(again, "id"), "order-7");
  EXPECT_EQ(counted.size(), 1U);
  const auto other_data = post("/events", R"({"type":"deploy.failed","data":{"n":2}})", acme, key);
  EXPECT_EQ(other_data->status, 409);
  EXPECT_EQ(code(other_data), "CONFLICT");
  EXPECT_EQ(post("/events", R"({"type":"deploy.success","data":{"n":1}})", acme, key)->status, 409);
  EXPECT_EQ(post("/events", an_event, other, key)->status, 202) << "keys are an organization's own";
  EXPECT_EQ(post("/events", an_event, acme, {"Idempotency-Key: a.b"})->status, 400);
  EXPECT_EQ(post("/events", an_event, acme, {"Idempotency-Key: a", "Idempotency-Key: b"})->status,
            400);
}

// --- deliveries and dead letters -----------------------------------------------------------------

TEST_F(api, shows_and_retries_deliveries) {
  const auto hook = make_webhook();
  it->books.add("acme", hook, a_letter, state::failed);
  const auto list = get("/webhooks/" + hook + "/deliveries?status=failed&limit=2");
  EXPECT_EQ(list->status, 200);
  EXPECT_EQ(read(list).at("deliveries").as_array().size(), 1U);
  EXPECT_EQ(
      read(get("/webhooks/" + hook + "/deliveries?status=dead")).at("deliveries").as_array().size(),
      0U);
  const auto one = get("/deliveries/" + a_letter);
  EXPECT_TRUE(read(one).as_object().contains("attempt_log"));
  const auto again = post("/deliveries/" + a_letter + "/retry");
  EXPECT_EQ(again->status, 200);
  EXPECT_EQ(text(again, "id"), a_letter);
  ASSERT_EQ(it->due.size(), 1U);
  EXPECT_EQ(it->due[0].webhook, hook);
  it->books.find("acme", a_letter)->it.status = state::succeeded;
  EXPECT_EQ(post("/deliveries/" + a_letter + "/retry")->status, 409);
  EXPECT_EQ(it->due.size(), 1U);
}

TEST_F(api, shows_and_deletes_dead_letters) {
  const auto hook = make_webhook();
  it->books.add("acme", hook, a_letter, state::dead);
  const auto list = get("/webhook-deliveries/dlq?event=deploy.success&webhook=" + hook);
  EXPECT_EQ(read(list).at("entries").as_array().size(), 1U);
  EXPECT_TRUE(read(list).at("entries").at(0).as_object().contains("age_seconds"));
  EXPECT_EQ(read(get("/webhook-deliveries/dlq?event=deploy.failed")).at("entries"),
            boost::json::array());
  EXPECT_EQ(read(get("/webhook-deliveries/dlq/stats")).at("total"), 1);
  EXPECT_EQ(call(verb::del, "/webhook-deliveries/dlq/" + a_letter)->status, 204);
  EXPECT_EQ(call(verb::del, "/webhook-deliveries/dlq/" + a_letter)->status, 404);
  EXPECT_EQ(read(get("/webhook-deliveries/dlq/stats")).at("total"), 0);
}

// --- who sees what -------------------------------------------------------------------------------

TEST_F(api, organizations_never_see_each_other) {
  const auto hook = make_webhook();
  it->books.add("acme", hook, a_letter, state::dead);
  const std::tuple<verb, std::string, std::string> own[] = {
      {verb::get, "/webhooks/" + hook, ""},
      {verb::patch, "/webhooks/" + hook, R"({"enabled":false})"},
      {verb::post, "/webhooks/" + hook + "/test", ""},
      {verb::post, "/webhooks/" + hook + "/rotate", ""},
      {verb::get, "/webhooks/" + hook + "/deliveries", ""},
      {verb::get, "/deliveries/" + a_letter, ""},
      {verb::post, "/deliveries/" + a_letter + "/retry", ""},
      {verb::get, "/webhook-deliveries/dlq?webhook=" + hook, ""},
      {verb::post, "/webhook-deliveries/dlq/" + hook + "/retry", ""},
      {verb::post, "/webhook-deliveries/dlq/" + a_letter + "/retry", ""},
      {verb::del, "/webhook-deliveries/dlq/" + a_letter, ""},
      {verb::del, "/webhooks/" + hook, ""},
  };
  for (const auto& [v, target, body] : own) {
    const auto no = call(v, target, body, other);
    EXPECT_EQ(no->status, 404) << target;
    EXPECT_EQ(code(no), "NOT_FOUND") << target;
  }
  EXPECT_EQ(read(get("/webhooks", other)).at("webhooks").as_array().size(), 0U);
  EXPECT_EQ(read(get("/webhook-deliveries/dlq", other)).at("entries").as_array().size(), 0U);
  EXPECT_EQ(read(get("/webhook-deliveries/dlq/stats", other)).at("total"), 0);
  EXPECT_TRUE(it->due.empty() && it->trials.empty() && it->followed.empty());
  EXPECT_EQ(it->books.find("acme", a_letter)->it.status, state::dead);
  EXPECT_EQ(get("/webhooks/" + hook)->status, 200);
}

TEST_F(api, readers_read_and_post_events) {
  EXPECT_EQ(get("/webhooks", reader)->status, 200);
  EXPECT_EQ(get("/webhook-deliveries/dlq", reader)->status, 200);
  EXPECT_EQ(post("/events", an_event, reader)->status, 202);
  const auto no = post("/webhooks", new_hook, reader);
  EXPECT_EQ(no->status, 403);
  EXPECT_EQ(code(no), "FORBIDDEN");
  EXPECT_TRUE(it->books.webhooks.empty());
}

TEST_F(api, asks_nothing_for_what_is_refused) {
  const std::tuple<verb, std::string, std::string, int> bad[] = {
      {verb::post, "/webhooks", "{", 400},
      {verb::post, "/webhooks", R"({"url":"http://a.example.com","event":"deploy.failed"})", 400},
      {verb::post, "/webhooks", R"({"url":"https://10.0.0.1","event":"deploy.failed"})", 400},
      {verb::post, "/webhooks", R"({"url":"https://a.example.com","event":"nothing"})", 400},
      {verb::post, "/webhooks?x=1", new_hook, 400},
      {verb::post, "/webhooks", "", 400},
      {verb::get, "/webhooks?limit=101", "", 400},
      {verb::get, "/webhooks?cursor=x", "", 400},
      {verb::get, "/webhook-deliveries/dlq?webhook=x", "", 400},
      {verb::post, "/events", "[]", 400},
      {verb::post, "/events", R"({"type":"deploy.failed"})", 400},
      {verb::post, "/webhook-deliveries/dlq/" + a_letter + "/retry", R"({"x":1})", 400},
      {verb::post, "/deliveries/" + a_letter + "/retry?x", "", 400},
      {verb::get, "/webhooks", "{\"x\":1}", 400},
  };
  for (const auto& [v, target, body, status] : bad) {
    const auto r = call(v, target, body);
    EXPECT_EQ(r->status, status) << target << ' ' << body;
    EXPECT_EQ(code(r), "VALIDATION_ERROR") << target << ' ' << body;
  }
  EXPECT_TRUE(it->asked.empty());
}

// --- bodies that come later ----------------------------------------------------------------------

TEST_F(api, has_bodies_read_once_the_header_has_passed) {
  const auto later = [this](std::string_view token, std::string body) {
    auto r = request(verb::post, "/events", std::move(body), token);
    r.body_follows = true;
    return arrive(std::move(r));
  };
  const auto no = later("wrong", an_event);
  EXPECT_EQ(no->status, 401);
  EXPECT_FALSE(no->body_asked);
  const auto yes = later(acme, an_event);
  EXPECT_TRUE(yes->body_asked);
  EXPECT_TRUE(yes->known);
  EXPECT_TRUE(it->asked.empty());
  bring_body(yes);
  EXPECT_EQ(yes->status, 202);
  const auto cut = later(acme, an_event);
  bring_body(cut, http::defect::body_too_large);
  EXPECT_EQ(cut->status, 413);
  EXPECT_TRUE(cut->close);
  const auto gone = later(acme, an_event);
  leave(gone);
  EXPECT_TRUE(gone->dropped);
  for (const auto& r : {no, yes, cut, gone}) EXPECT_EQ(r->misuse, lines{});
}

TEST_F(api, a_client_that_leaves_takes_nothing_back) {
  const auto id = make_webhook();
  it->silent = true;
  const auto r = post("/events", an_event);
  leave(r);
  answer();
  ASSERT_EQ(it->due.size(), 1U) << "it is on disk, so it is due";
  EXPECT_EQ(it->due[0].webhook, id);
}

// --- others die ----------------------------------------------------------------------------------

TEST_F(api, all_who_wait_hear_that_the_ledger_is_gone) {
  it->silent = true;
  std::vector<receipt_ptr> all;
  for (int i = 0; i < 5; ++i) all.push_back(post("/events", an_event));
  lose_ledger();
  all.push_back(get("/webhooks"));
  for (const auto& r : all) {
    EXPECT_EQ(r->status, 503);
    EXPECT_EQ(code(r), "UNAVAILABLE");
    EXPECT_FALSE(r->header("retry-after").empty());
  }
  it->silent = false;
  start_ledger();
  EXPECT_EQ(post("/events", an_event)->status, 202);
  // One is there before the other's end is known.
  it->silent = true;
  const auto waits = get("/webhooks");
  it->silent = false;
  start_ledger();
  EXPECT_EQ(waits->status, 503);
  EXPECT_EQ(get("/webhooks")->status, 200);
}

TEST_F(api, says_what_the_ledger_refuses) {
  it->refuses = ledger::refusal::reason::busy;
  const auto busy = get("/webhooks");
  EXPECT_EQ(busy->status, 503);
  EXPECT_EQ(busy->header("retry-after"), "1");
  it->refuses = ledger::refusal::reason::unavailable;
  EXPECT_EQ(get("/webhooks")->header("retry-after"), "5");
  it->refuses = ledger::refusal::reason::too_many;
  EXPECT_EQ(code(post("/webhooks", new_hook)), "CONFLICT");
  it->refuses = ledger::refusal::reason::invalid;
  EXPECT_EQ(code(get("/webhooks")), "INTERNAL_ERROR");
}

TEST_F(api, has_so_many_questions_at_a_time) {
  it->silent = true;
  std::vector<receipt_ptr> all;
  for (std::size_t i = 0; i < limits::hooks_calls; ++i) all.push_back(post("/events", an_event));
  const auto more = post("/events", an_event);
  EXPECT_EQ(more->status, 503);
  EXPECT_EQ(more->header("retry-after"), "1");
  answer();
  for (const auto& r : all) ASSERT_EQ(r->status, 202);
  EXPECT_EQ(post("/events", an_event)->status, 202);
}

TEST_F(api, tells_dispatch_later_what_it_could_not_hear) {
  const auto one = make_webhook(), two = make_webhook();
  lose_dispatch();
  EXPECT_EQ(post("/events", an_event)->status, 202);
  EXPECT_EQ(post("/events", an_event)->status, 202);
  EXPECT_TRUE(it->due.empty());
  start_dispatch();
  EXPECT_EQ(it->due.size(), 2U) << "each webhook once";
  EXPECT_EQ(post("/events", an_event)->status, 202);
  EXPECT_EQ(it->due.size(), 4U);
}

// --- rates, open paths, the end ------------------------------------------------------------------

TEST_F(api, counts_requests) {
  for (std::uint32_t i = 0; i < limits::hooks_calls_burst; ++i)
    ASSERT_EQ(get("/webhooks")->status, 200);
  const auto no = get("/webhooks");
  EXPECT_EQ(no->status, 429);
  EXPECT_EQ(code(no), "RATE_LIMITED");
  EXPECT_EQ(no->header("retry-after"), "1");
  EXPECT_EQ(get("/webhooks", other)->status, 200);
  EXPECT_EQ(post("/events", an_event)->status, 202);
  advance(1s);
  EXPECT_EQ(get("/webhooks")->status, 200);
}

TEST_F(api, serves_what_needs_no_token) {
  EXPECT_EQ(get("/openapi.json", "")->body, webhook::openapi_document(GATE_VERSION));
  const auto metrics = get("/metrics", "");
  EXPECT_EQ(metrics->status, 200);
  EXPECT_TRUE(metrics->content_type.starts_with("text/plain"));
  EXPECT_NE(metrics->body.find("# TYPE"), std::string::npos);
  EXPECT_EQ(get("/console/", "")->status, 404);
  EXPECT_EQ(code(get("/console/", "")), "NOT_FOUND");
}

TEST(api_pages, are_somebody_elses) {
  api_stage::page = [](const http_request& r) {
    return api_answer{200, std::string(r.path()), "X-A: b\r\n", "text/html"};
  };
  api_stage w;
  api_stage::page = nullptr;
  const auto r = w.get("/console/x.js?y", "");
  EXPECT_EQ(r->body, "/console/x.js");
  EXPECT_EQ(r->content_type, "text/html");
  EXPECT_EQ(r->headers, "X-A: b\r\n");
}

TEST(api_without_tokens, is_everybodys) {
  api_stage w(false);
  EXPECT_EQ(w.post("/webhooks", new_hook, "")->status, 201);
  EXPECT_EQ(w.it->books.webhooks[0].organization, "default");
  auto r = api_stage::request(verb::post, "/events", an_event, "");
  r.body_follows = true;
  const auto later = w.arrive(std::move(r));
  EXPECT_TRUE(later->body_asked);
  EXPECT_FALSE(later->known) << "anybody may have sent it";
}

TEST_F(api, ends_when_its_requests_have) {
  it->silent = true;
  const auto waits = post("/events", an_event);
  auto late = request(verb::post, "/events", an_event, acme);
  late.body_follows = true;
  const auto reading = arrive(std::move(late));
  stop();
  EXPECT_TRUE(it->draining);
  EXPECT_EQ(reading->status, 503);
  EXPECT_TRUE(reading->close);
  const auto more = get("/webhooks");
  EXPECT_EQ(more->status, 503);
  EXPECT_TRUE(more->close);
  EXPECT_EQ(code(more), "UNAVAILABLE");
  EXPECT_EQ(get("/openapi.json", "")->status, 200);
  stop();
  answer();
  EXPECT_EQ(waits->status, 202);
  EXPECT_FALSE(over());
  drained();
  EXPECT_TRUE(over());
  EXPECT_FALSE(it->cut);
}

TEST_F(api, cuts_off_what_takes_too_long) {
  it->silent = true;
  const auto waits = post("/events", an_event);
  stop();
  advance(limits::drain - 1ms);
  EXPECT_FALSE(it->cut);
  advance(1ms);
  EXPECT_TRUE(it->cut);
  drained();
  EXPECT_TRUE(over());
}

}  // namespace
}  // namespace gate::hooks
