#include "actors/webhooks/sending.hpp"

#include <gtest/gtest.h>

#include "tests/actors/webhooks/support/noon.hpp"

#include "protocol/limits/webhooks.hpp"

namespace gate::hooks {
namespace {

using webhook::ending;

using testing::noon;

webhook::webhook hook_at(std::string url) {
  webhook::webhook w;
  w.id = "hook_1";
  w.organization = "acme";
  w.url = std::move(url);
  w.secret = "0123456789abcdef";
  return w;
}

TEST(sending, goes_to_the_url_and_nowhere_else) {
  const auto to = destination_of(hook_at("https://example.com/in?x=1"), {}).value();
  EXPECT_EQ(to->url.host, "example.com");
  EXPECT_EQ(to->url.target, "/in?x=1");
  EXPECT_FALSE(to->redirects);
  EXPECT_EQ(to->whom, http::peers::public_ones);
  EXPECT_EQ(to->share, "acme");
  EXPECT_EQ(to->max_response_bytes, limits::webhook_answer_read);
}

TEST(sending, is_refused_where_the_rules_have_changed_since) {
  const auto hook = hook_at("http://127.0.0.1:9/");
  EXPECT_FALSE(destination_of(hook, {}));
  sending_rules dev;
  dev.calling.loopback = true;
  EXPECT_EQ(destination_of(hook, dev).value()->whom, http::peers::public_or_loopback);
  sending_rules few;
  few.calling.hosts = {"example.com"};
  EXPECT_FALSE(destination_of(hook_at("https://example.org/"), few));
}

TEST(sending, brings_the_event_as_it_was_accepted_and_says_whose_attempt_it_is) {
  const auto hook = hook_at("https://example.com/in");
  const webhook::event e{"evt_1", "acme", {}, noon, R"({"type":"x"})"};
  const auto f = attempt_fetch(7, destination_of(hook, {}).value(), hook, e, "dlv_1", 3, noon);
  EXPECT_EQ(f->id, 7U);
  EXPECT_EQ(f->before, e.body);
  EXPECT_NE(f->headers->find("webhook-id: evt_1\r\n"), std::string::npos);
  EXPECT_NE(f->headers->find("X-Gate-Delivery: dlv_1\r\n"), std::string::npos);
  EXPECT_NE(f->headers->find("X-Gate-Attempt: 3\r\n"), std::string::npos);
  EXPECT_NE(f->headers->find("X-Gate-Signature: "), std::string::npos);
}

struct ending_row {
  fetch_end end;
  obstacle where;
  int status;
  ending means;
};

TEST(sending, ends_as_egress_says) {
  const ending_row rows[] = {
      {fetch_end::complete, {}, 200, ending::success},
      {fetch_end::complete, {}, 299, ending::success},
      {fetch_end::complete, {}, 300, ending::redirect},
      {fetch_end::redirected, {}, 307, ending::redirect},
      {fetch_end::complete, {}, 404, ending::rejected},
      {fetch_end::complete, {}, 410, ending::gone},
      {fetch_end::complete, {}, 429, ending::throttled},
      {fetch_end::complete, {}, 503, ending::throttled},
      {fetch_end::too_large, {}, 200, ending::success},
      {fetch_end::too_large, {}, 500, ending::rejected},
      {fetch_end::connect_failed, obstacle::unresolved, 0, ending::unresolved},
      {fetch_end::connect_failed, obstacle::forbidden, 0, ending::forbidden},
      {fetch_end::connect_failed, obstacle::unreachable, 0, ending::refused},
      {fetch_end::connect_failed, obstacle::tls, 0, ending::tls},
      {fetch_end::connect_timeout, {}, 0, ending::timeout},
      {fetch_end::overloaded, {}, 0, ending::refused},
      {fetch_end::broken, {}, 200, ending::cut},
      {fetch_end::malformed, {}, 0, ending::malformed},
  };
  for (const auto& r : rows) {
    fetched f;
    f.end = r.end;
    f.obstacle = r.where;
    f.status = r.status;
    f.why = "why";
    const auto o = outcome_of(f, noon);
    EXPECT_EQ(o.end, r.means) << static_cast<int>(r.end) << ' ' << r.status;
    EXPECT_EQ(o.error.empty(), r.means == ending::success);
  }
  EXPECT_EQ(late(std::chrono::seconds{15}).end, ending::timeout);
  EXPECT_EQ(endless().end, ending::malformed);
}

TEST(sending, keeps_the_beginning_of_an_answer) {
  fetched f;
  EXPECT_EQ(kept_of(f), "");
  f.body = std::make_shared<const std::string>(10'000, 'x');
  EXPECT_EQ(kept_of(f).size(), limits::webhook_answer_bytes);
}

}  // namespace
}  // namespace gate::hooks
