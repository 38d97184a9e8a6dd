#include "protocol/webhook/queries.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "protocol/base/base64url.hpp"

namespace gate::webhook {
namespace {

constexpr std::string_view hook_id = "hook_01ARYZ6S41TSV4RRFFQ69G5FAV";
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// `parameter: sentence`; empty: it is good.
template <class T>
std::string said_of_query(const checked<T>& read) {
  if (read) return {};
  EXPECT_EQ(read.error().code, error_code::validation);
  return read.error().where + ": " + read.error().error;
}

TEST(a_list, is_asked_without_parameters) {
  const auto webhooks = read_webhooks_query("");
  ASSERT_TRUE(webhooks);
  EXPECT_EQ(webhooks->limit, 50U);
  EXPECT_FALSE(webhooks->before);
  const auto deliveries = read_deliveries_query("");
  ASSERT_TRUE(deliveries);
  EXPECT_FALSE(deliveries->status);
  EXPECT_EQ(deliveries->part.limit, 50U);
  const auto dead = read_dead_query("");
  ASSERT_TRUE(dead);
  EXPECT_FALSE(dead->event);
  EXPECT_EQ(dead->webhook, "");
  EXPECT_EQ(dead->part.limit, 50U);
  EXPECT_TRUE(read_no_query(""));
}

TEST(a_list, is_asked_with_all_parameters) {
  const auto webhooks = read_webhooks_query("limit=1&cursor=" + cursor_at(listing::webhooks, 7));
  ASSERT_TRUE(webhooks) << webhooks.error().error;
  EXPECT_EQ(webhooks->limit, 1U);
  EXPECT_EQ(webhooks->before, 7);
  const auto deliveries =
      read_deliveries_query("status=dead&limit=100&cursor=" + cursor_at(listing::deliveries, 1));
  ASSERT_TRUE(deliveries) << deliveries.error().error;
  EXPECT_EQ(deliveries->status, state::dead);
  EXPECT_EQ(deliveries->part.limit, 100U);
  EXPECT_EQ(deliveries->part.before, 1);
  const auto dead = read_dead_query("event=usage%2Ethreshold&webhook=" + std::string(hook_id) +
                                    "&limit=7&cursor=" + cursor_at(listing::dead_letters, largest));
  ASSERT_TRUE(dead) << dead.error().error;
  EXPECT_EQ(dead->event, event_type::usage_threshold);
  EXPECT_EQ(dead->webhook, hook_id);
  EXPECT_EQ(dead->part.limit, 7U);
  EXPECT_EQ(dead->part.before, largest);
}

TEST(a_list, has_a_limit) {
  for (const auto* bad :
       {"0", "101", "-1", "+1", "1.0", "x", "", "%31x", "99999999999999999999999"})
    EXPECT_EQ(said_of_query(read_webhooks_query(std::string("limit=") + bad)),
              "limit: the parameter limit must be a whole number from 1 to 100")
        << bad;
}

TEST(a_list, refuses_what_it_does_not_know) {
  EXPECT_EQ(said_of_query(read_webhooks_query("status=dead")),
            "status: the parameter status is not known here");
  EXPECT_EQ(said_of_query(read_deliveries_query("event=deploy.failed")),
            "event: the parameter event is not known here");
  EXPECT_EQ(said_of_query(read_dead_query("status=dead")),
            "status: the parameter status is not known here");
  EXPECT_EQ(said_of_query(read_no_query("limit=1")),
            "limit: the parameter limit is not known here");
  EXPECT_EQ(said_of_query(read_deliveries_query("status=Dead")),
            "status: the parameter status is no status");
  EXPECT_EQ(said_of_query(read_deliveries_query("status=")),
            "status: the parameter status is no status");
  EXPECT_EQ(said_of_query(read_dead_query("event=*")), "event: the parameter event is no event");
  for (const auto* bad : {"x", "", "dlv_01ARYZ6S41TSV4RRFFQ69G5FAV", "hook_"})
    EXPECT_EQ(said_of_query(read_dead_query(std::string("webhook=") + bad)),
              "webhook: the parameter webhook is no id of a webhook");
  for (const auto* bad : {"limit=1&limit=1", "limit=%", "limit=%F", "limit=%FF"})
    EXPECT_TRUE(said_of_query(read_webhooks_query(bad))
                    .starts_with(": the query has a parameter twice, too many of them"))
        << bad;
  EXPECT_LT(said_of_query(read_no_query(std::string(5000, 'x') + "=1")).size(), 300U);
}

TEST(hints, say_what_there_is) {
  EXPECT_EQ(read_deliveries_query("status=x").error().hint,
            "one of pending delivering succeeded failed dead");
  EXPECT_EQ(
      read_dead_query("event=x").error().hint,
      "one of deploy.success deploy.failed activation.error rollback.success usage.threshold");
}

TEST(a_page_cursor, is_of_its_list) {
  constexpr std::array all{listing::webhooks, listing::deliveries, listing::dead_letters};
  for (const auto made : all)
    for (const auto read : all)
      for (const auto position : {std::int64_t{1}, std::int64_t{42}, largest}) {
        const auto cursor = cursor_at(made, position);
        EXPECT_EQ(read_cursor(read, cursor), made == read ? std::optional(position) : std::nullopt);
        EXPECT_EQ(cursor.find_first_of("+/=&%"), std::string::npos);
      }
}

TEST(a_page_cursor, that_is_none_is_refused) {
  const auto good = cursor_at(listing::webhooks, 7);
  for (const std::string& bad :
       {std::string(), std::string("x"), std::string("7"), good + "A", good + "=",
        cursor_at(listing::webhooks, 0), cursor_at(listing::webhooks, -1), base64url_encode("w"),
        base64url_encode("w07"), base64url_encode("w7 "), base64url_encode("w+7"),
        base64url_encode("7"), base64url_encode("w9223372036854775808"), std::string(10'000, 'A'),
        base64url_encode(std::string("w7\0", 3))}) {
    EXPECT_FALSE(read_cursor(listing::webhooks, bad)) << bad;
    EXPECT_EQ(said_of_query(read_webhooks_query("cursor=" + bad)),
              "cursor: the parameter cursor is no cursor of this list");
  }
}

}  // namespace
}  // namespace gate::webhook
