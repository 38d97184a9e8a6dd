#include "protocol/webhook/views.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "protocol/webhook/events.hpp"

namespace gate::webhook {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

const wall_time shown_at{milliseconds{1'700'000'000'123}};  // 2023-11-14T22:13:20.123Z

webhook a_hook() {
  webhook w;
  w.id = "hook_01ARYZ6S41TSV4RRFFQ69G5FAV";
  w.organization = "acme";
  w.events = mask_of(event_type::deploy_failed);
  w.url = "https://a.example.com/x?y=\"";
  w.created = shown_at;
  w.updated = shown_at + milliseconds{1};
  return w;
}

TEST(a_webhook_view, is_without_what_there_is_not) {
  EXPECT_EQ(view(a_hook()),
            R"({"id":"hook_01ARYZ6S41TSV4RRFFQ69G5FAV","event":"deploy.failed",)"
            R"("url":"https://a.example.com/x?y=\"","enabled":true,)"
            R"("created_at":"2023-11-14T22:13:20.123Z","updated_at":"2023-11-14T22:13:20.124Z",)"
            R"("stats":{"succeeded":0,"failed":0,"last_status":null,"last_at":null}})");
}

TEST(a_webhook_view, has_all_that_there_is) {
  auto w = a_hook();
  w.events = 0b11;
  w.description = "two\nlines";
  w.why_not = disabled::failing;
  w.secret = "sixteen characters";
  w.old_secret = "another sixteen characters";
  w.old_secret_until = shown_at + hours{24};
  w.succeeded = 7;
  w.failed = 8;
  w.last_status = 503;
  w.last_at = shown_at;
  const std::string before =
      R"({"id":"hook_01ARYZ6S41TSV4RRFFQ69G5FAV","events":["deploy.success","deploy.failed"],)"
      R"("url":"https://a.example.com/x?y=\"","enabled":false,"description":"two\nlines",)"
      R"("created_at":"2023-11-14T22:13:20.123Z","updated_at":"2023-11-14T22:13:20.124Z",)"
      R"("disabled_reason":"failing",)";
  const std::string behind =
      R"("secret_hint":"ters","stats":{"succeeded":7,"failed":8,"last_status":503,)"
      R"("last_at":"2023-11-14T22:13:20.123Z"}})";
  EXPECT_EQ(view(w), before + behind);
  EXPECT_EQ(view(w, show_secret::once), before + R"("secret":"sixteen characters",)" + behind);
  w.events = every_event;
  EXPECT_NE(view(w).find(R"("events":["*"])"), std::string::npos);
}

/// Whatever is asked but at its making: no view tells a secret.
TEST(a_webhook_view, keeps_secrets) {
  auto w = a_hook();
  w.secret = "sixteen characters";
  w.old_secret = "another sixteen characters";
  const webhook all[] = {w};
  for (const auto& text : {view(w), list_view(all, ""), list_view(all, "next")})
    EXPECT_EQ(text.find("sixteen"), std::string::npos) << text;
  EXPECT_EQ(view(w, show_secret::once).find("another"), std::string::npos);
  EXPECT_EQ(view(a_hook(), show_secret::once).find("secret"), std::string::npos) << "there is none";
}

TEST(an_event_answer, says_how_many_get_it) {
  EXPECT_EQ(view(accepted_event{"evt_1", 2}), R"({"id":"evt_1","deliveries":2})");
  const accepted_event both[] = {{"evt_1", 2}, {"key", 0}};
  EXPECT_EQ(view(both), R"([{"id":"evt_1","deliveries":2},{"id":"key","deliveries":0}])");
  EXPECT_EQ(view(std::span<const accepted_event>{}), "[]");
}

delivery a_delivery() {
  delivery d;
  d.id = "dlv_1";
  d.webhook = "hook_1";
  d.event = "evt_1";
  d.type = event_type::activation_error;
  d.created = shown_at;
  return d;
}

TEST(a_delivery_view, is_without_what_there_is_not) {
  EXPECT_EQ(view(a_delivery()),
            R"({"id":"dlv_1","webhook_id":"hook_1","event_id":"evt_1",)"
            R"("event_type":"activation.error","status":"pending","attempts":0,)"
            R"("created_at":"2023-11-14T22:13:20.123Z","attempt_log":[]})");
}

delivery a_failed_delivery() {
  auto d = a_delivery();
  d.status = state::failed;
  d.attempts = 2;
  d.code = 500;
  d.answer = "oh\x80 \"no\"";
  d.error = "the receiver answered 500 Internal Server Error";
  d.next_attempt = shown_at + hours{1};
  d.first_failed = shown_at;
  d.last_failed = shown_at + milliseconds{5};
  d.log = {{shown_at, milliseconds{12}, 0, "no connection to the receiver"},
           {shown_at + milliseconds{5}, milliseconds{3}, 500, ""}};
  return d;
}

constexpr std::string_view failed_members =
    R"({"id":"dlv_1","webhook_id":"hook_1","event_id":"evt_1",)"
    R"("event_type":"activation.error","status":"failed","attempts":2,"response_code":500,)"
    "\"response_body\":\"oh\xEF\xBF\xBD \\\"no\\\"\","
    R"("error":"the receiver answered 500 Internal Server Error",)"
    R"("next_attempt_at":"2023-11-14T23:13:20.123Z","created_at":"2023-11-14T22:13:20.123Z")";

TEST(a_delivery_view, has_all_that_there_is) {
  EXPECT_EQ(view(a_failed_delivery()),
            std::string(failed_members) +
                R"(,"attempt_log":[{"at":"2023-11-14T22:13:20.123Z","duration_ms":12,)"
                R"("error":"no connection to the receiver"},)"
                R"({"at":"2023-11-14T22:13:20.128Z","duration_ms":3,"code":500}]})");
  auto d = a_failed_delivery();
  d.answer.assign(5000, 'x');
  EXPECT_EQ(boost::json::parse(view(d)).at("response_body").as_string().size(), 4096U);
}

TEST(a_list_view, is_without_logs_and_may_go_on) {
  const delivery all[] = {a_failed_delivery(), a_delivery()};
  EXPECT_EQ(list_view(std::span(all).first(1), "abc"),
            R"({"deliveries":[)" + std::string(failed_members) + R"(}],"next":"abc"})");
  const auto both = boost::json::parse(list_view(all, ""));
  EXPECT_EQ(both.at("deliveries").as_array().size(), 2U);
  EXPECT_FALSE(both.as_object().contains("next"));
  EXPECT_EQ(list_view(std::span<const delivery>{}, ""), R"({"deliveries":[]})");
  const webhook hooks[] = {a_hook()};
  EXPECT_EQ(list_view(hooks, "n"), R"({"webhooks":[)" + view(a_hook()) + R"(],"next":"n"})");
  EXPECT_EQ(list_view(std::span<const webhook>{}, ""), R"({"webhooks":[]})");
}

TEST(a_dead_letter, is_its_delivery_and_how_old_it_is) {
  auto d = a_failed_delivery();
  d.status = state::dead;
  d.next_attempt.reset();
  d.finished = shown_at + milliseconds{5};
  const auto entry = boost::json::parse(dead_view(d, shown_at + milliseconds{7'999}));
  EXPECT_EQ(entry.at("status"), "dead");
  EXPECT_EQ(entry.at("attempts"), 2);
  EXPECT_EQ(entry.at("error"), "the receiver answered 500 Internal Server Error");
  EXPECT_EQ(entry.at("first_failed_at"), "2023-11-14T22:13:20.123Z");
  EXPECT_EQ(entry.at("last_failed_at"), "2023-11-14T22:13:20.128Z");
  EXPECT_EQ(entry.at("finished_at"), "2023-11-14T22:13:20.128Z");
  EXPECT_EQ(entry.at("age_seconds"), 7);
  EXPECT_FALSE(entry.as_object().contains("next_attempt_at"));
  EXPECT_FALSE(entry.as_object().contains("attempt_log"));
  EXPECT_EQ(boost::json::parse(dead_view(d, shown_at - hours{1})).at("age_seconds"), 0)
      << "the clock was set back";
  const delivery all[] = {d};
  EXPECT_EQ(dead_list_view(all, "n", shown_at + hours{1}),
            R"({"entries":[)" + dead_view(d, shown_at + hours{1}) + R"(],"next":"n"})");
  EXPECT_EQ(dead_list_view({}, "", shown_at), R"({"entries":[]})");
}

TEST(dead_letters, are_counted_by_event_and_age) {
  EXPECT_EQ(view(dead_counts{}),
            R"({"total":0,"by_event":{"deploy.success":0,"deploy.failed":0,"activation.error":0,)"
            R"("rollback.success":0,"usage.threshold":0},"by_age":{"1h":0,"24h":0,"7d":0,)"
            R"("older":0},"oldest_at":null})");
  EXPECT_EQ(view(dead_counts{15, {1, 2, 3, 4, 5}, {4, 3, 2, 6}, shown_at}),
            R"({"total":15,"by_event":{"deploy.success":1,"deploy.failed":2,"activation.error":3,)"
            R"("rollback.success":4,"usage.threshold":5},"by_age":{"1h":4,"24h":3,"7d":2,)"
            R"("older":6},"oldest_at":"2023-11-14T22:13:20.123Z"})");
}

TEST(a_retry_answer, says_how_many_have_ended) {
  EXPECT_EQ(view(retried{7, 2, 3}), R"({"retried":7,"succeeded":2,"failed":3})");
}

TEST(a_test_answer, says_what_came_back) {
  EXPECT_EQ(test_view(of_answer(204, "", shown_at)),
            R"({"success":true,"status":204,"status_text":"No Content"})");
  EXPECT_EQ(test_view(of_answer(404, "", shown_at)),
            R"({"success":false,"status":404,"status_text":"Not Found"})");
  EXPECT_EQ(test_view(of_answer(299, "", shown_at)),
            R"({"success":true,"status":299,"status_text":""})");
  EXPECT_EQ(test_view(of_failure(ending::timeout, "15 s")),
            R"({"success":false,"error":"the receiver did not answer in time: 15 s"})");
}

}  // namespace
}  // namespace gate::webhook
