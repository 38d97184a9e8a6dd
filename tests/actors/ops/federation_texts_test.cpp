#include "actors/ops/federation_texts.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "config/validate.hpp"

namespace gate::ops {
namespace {

config::snapshot_ptr of_upstreams(const std::string& ids) {
  std::string all;
  for (const char id : ids)
    all += std::string(all.empty() ? "" : ",") + R"({"id":")" + id + R"(","namespace":")" + id +
           R"(","url":"http://)" + id +
           R"(.test/mcp","budget":{"period":"day","upstreamCalls":9}})";
  auto parsed = config::load(R"({"upstreams":[)" + all + "]}");
  for (const auto& p : parsed.problems) ADD_FAILURE() << config::to_line(p);
  return config::compile(std::move(parsed.doc));
}

report report_of(const config::snapshot_ptr& s) {
  return {s, std::vector<finding>(s->slots), std::vector<vital_signs>(s->slots)};
}

/// A viewer whose view shows what the snapshot has.
ask_federation viewer(const config::snapshot_ptr& s, std::string subject, bool sees_all = false,
                      config::view_ptr shown = {}) {
  auto caller = std::make_shared<identity::caller>();
  caller->who.subject = std::move(subject);
  auto who = std::make_shared<identity::access>();
  who->caller = std::move(caller);
  who->view = shown ? std::move(shown) : s->policy.make_view(nullptr, nullptr, 1);
  return {who, s, sees_all, {}, {}};
}

boost::json::object parsed(const std::string& text) {
  return boost::json::parse(text).as_object();
}

TEST(federation_texts, write_what_is_seen_once_for_all_who_see_the_same) {
  const auto s = of_upstreams("ab");
  federation_texts t;
  t.renew(report_of(s));
  const auto alice = viewer(s, "alice");
  auto all = parsed(t.text({}, alice));
  EXPECT_EQ(all.at("viewer").as_object().at("principal").as_string(), "alice");
  EXPECT_EQ(all.at("upstreams").as_array().size(), 2U);
  auto next = parsed(t.text({}, viewer(s, "bob", false, alice.who->view)));
  EXPECT_EQ(next.at("viewer").as_object().at("principal").as_string(), "bob");
  EXPECT_EQ(next.at("upstreams"), all.at("upstreams"));
  EXPECT_EQ(t.written(), 1U);
  // What operators see is not it, and the same for all of them.
  EXPECT_NE(t.text({}, viewer(s, "olga", true, alice.who->view)).find("a.test"), std::string::npos);
  t.text({}, viewer(s, "otto", true));
  EXPECT_EQ(t.written(), 2U);
  EXPECT_EQ(t.text({}, alice).find("a.test"), std::string::npos);
}

TEST(federation_texts, tell_views_and_their_snapshots_apart) {
  const auto s = of_upstreams("ab"), later = of_upstreams("cb");
  federation_texts t;
  t.renew(report_of(s));
  const auto early = viewer(s, "alice");
  EXPECT_EQ(parsed(t.text({}, early)).at("upstreams").as_array().size(), 2U);
  // The same view, but number 0 means another one to it.
  auto late = viewer(later, "alice", false, early.who->view);
  EXPECT_EQ(parsed(t.text({}, late)).at("upstreams").as_array().size(), 1U);
  t.text({}, viewer(s, "alice"));
  EXPECT_EQ(t.written(), 3U);
  EXPECT_EQ(t.views(), 3U);
}

TEST(federation_texts, are_of_the_last_report) {
  const auto s = of_upstreams("a");
  federation_texts t;
  t.renew(report_of(s));
  const auto alice = viewer(s, "alice");
  EXPECT_EQ(parsed(t.text({}, alice)).at("status").as_string(), "down");
  auto found = report_of(s);
  found.found[0].answered = found.found[0].result.connected = true;
  t.renew(std::move(found));
  EXPECT_EQ(t.views(), 0U);
  EXPECT_EQ(t.bytes(), 0U);
  EXPECT_EQ(parsed(t.text({}, alice)).at("status").as_string(), "ok");
}

TEST(federation_texts, are_not_kept_while_nobody_knows_what_is_used) {
  const auto s = of_upstreams("a");
  federation_texts t;
  t.renew(report_of(s));
  auto alice = viewer(s, "alice");
  alice.calls.costs = std::make_shared<const std::vector<allowance>>(
      1, allowance{{scope::upstream, "a", 0}, config::budget_period::day, 9});
  EXPECT_NE(t.text({}, alice).find(R"("used":0)"), std::string::npos);
  EXPECT_EQ(t.views(), 0U);
  alice.calls.shown.budgets = {{4, {}}};
  EXPECT_NE(t.text({}, alice).find(R"("used":4)"), std::string::npos);
  EXPECT_EQ(t.views(), 1U);
}

TEST(federation_texts, keep_so_many_views_and_bytes_and_no_more) {
  const auto s = of_upstreams("a");
  const auto size = see_upstreams(report_of(s), viewer(s, "x"), {}).list.size();
  for (auto [views, bytes, kept] : {std::tuple{std::size_t{2}, 10 * size, std::size_t{2}},
                                    {10, 3 * size, 3},
                                    {10, size - 1, 0}}) {
    federation_texts t(views, bytes);
    t.renew(report_of(s));
    for (int i = 0; i < 5; ++i) {
      const auto one = viewer(s, "x");
      const auto first = t.text({}, one);
      EXPECT_EQ(t.text({}, one), first) << "kept or not, it is the same";
    }
    EXPECT_EQ(t.views(), kept);
    EXPECT_EQ(t.bytes(), kept * size);
    EXPECT_EQ(t.written(), kept + 2 * (5 - kept));
  }
}

}  // namespace
}  // namespace gate::ops
