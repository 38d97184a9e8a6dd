#include "actors/ops/activity_log.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace gate::ops {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::system_clock;

const clock::time_point noon{1'700'000'000s};
constexpr std::uint64_t noon_us = 1'700'000'000'000'000;
const event_filter all{true, {}, {}};
const event_filter alice{false, "https://i", "alice"};

std::shared_ptr<const audit::event> event_of(std::string who, std::string name = "n",
                                             std::string issuer = "https://i") {
  auto e = std::make_shared<audit::event>();
  e->time = noon;
  e->principal = std::move(who);
  if (!e->principal.empty()) e->issuer = std::move(issuer);
  e->method = "tools/call";
  e->name = std::move(name);
  e->owner_org = "secret-org";
  return e;
}

struct shown {
  std::vector<std::string> names;
  std::vector<std::uint64_t> seqs;
  std::uint64_t next = 0;
};
shown read(const std::string& body) {
  shown out;
  const auto page = boost::json::parse(body).as_object();
  for (const auto& e : page.at("events").as_array()) {
    out.names.emplace_back(e.at("name").as_string());
    out.seqs.push_back(e.at("seq").to_number<std::uint64_t>());
  }
  out.next = page.at("next").to_number<std::uint64_t>();
  return out;
}

TEST(activity_log, numbers_events_by_the_clock_and_never_twice) {
  activity_log log;
  EXPECT_EQ(log.latest(), 0U);
  log.add(event_of("alice", "1"), noon);
  EXPECT_EQ(log.latest(), noon_us);
  log.add(event_of("alice", "2"), noon);
  EXPECT_EQ(log.latest(), noon_us + 1);
  log.add(event_of("alice", "3"), noon - 1h);
  EXPECT_EQ(log.latest(), noon_us + 2) << "a clock that goes back";
  log.add(event_of("alice", "4"), noon + 1s);
  EXPECT_EQ(log.latest(), noon_us + 1'000'000);
}

TEST(activity_log, pages_through_everything_once) {
  activity_log log;
  for (int i = 0; i < 10; ++i) log.add(event_of("alice", std::to_string(i)), noon);
  std::vector<std::string> seen;
  std::uint64_t since = 0;
  for (int i = 0; i < 4; ++i) {
    const auto page = read(log.page({all, since, 3}));
    seen.insert(seen.end(), page.names.begin(), page.names.end());
    since = page.next;
  }
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_EQ(since, log.latest());
  const auto none = read(log.page({all, since, 3}));
  EXPECT_TRUE(none.names.empty());
  EXPECT_EQ(none.next, since);
  const auto newest = read(log.page({all, {}, 2}));
  EXPECT_EQ(newest.names, (std::vector<std::string>{"8", "9"}));
  EXPECT_EQ(newest.next, log.latest());
  EXPECT_EQ(read(log.page({all, ~0ULL >> 1, 5})).next, ~0ULL >> 1);
  EXPECT_EQ(read(activity_log{}.page({all, {}, 5})).next, 0U);
}

TEST(activity_log, shows_a_caller_what_is_its_own) {
  activity_log log;
  log.add(event_of("alice", "hers"), noon);
  log.add(event_of("bob", "his"), noon);
  log.add(event_of("", "nobodys"), noon);
  log.add(event_of("alice", "anothers", "https://j"), noon);
  const auto own = log.page({alice, {}, 10});
  EXPECT_EQ(read(own).names, std::vector<std::string>{"hers"});
  EXPECT_EQ(read(own).next, noon_us) << "no number of others' is told";
  EXPECT_EQ(own.find("secret-org"), own.npos);
  EXPECT_NE(log.page({all, {}, 10}).find("secret-org"), std::string::npos);
  EXPECT_EQ(read(log.page({all, {}, 10})).names.size(), 4U);
  const event_filter nobody{false, "", ""};
  EXPECT_TRUE(read(log.page({nobody, {}, 10})).names.empty()) << "what nobody did is not nobody's";
}

TEST(activity_log, is_bounded_in_number_and_bytes) {
  activity_log few(3, 1 << 20);
  for (int i = 0; i < 5; ++i) few.add(event_of("alice", std::to_string(i)), noon);
  EXPECT_EQ(read(few.page({all, 0, 10})).names, (std::vector<std::string>{"2", "3", "4"}));
  activity_log small(100, 10'000);
  for (int i = 0; i < 50; ++i) {
    small.add(event_of("alice", std::string(1000, 'x')), noon);
    EXPECT_LE(small.bytes(), 10'000U);
  }
  EXPECT_GE(small.size(), 5U);
  small.add(event_of("alice", std::string(100'000, 'x')), noon);
  EXPECT_EQ(small.size(), 1U) << "the last one is there, however large";
}

TEST(activity_log, is_not_swept_by_those_without_a_name) {
  activity_log log(16, 1 << 20);
  for (int i = 0; i < 5; ++i) log.add(event_of("", "x"), noon);
  for (int i = 0; i < 14; ++i) log.add(event_of("alice", std::to_string(i)), noon);
  for (int i = 0; i < 100; ++i) log.add(event_of("", "y"), noon);
  const auto own = read(log.page({alice, {}, 100}));
  EXPECT_EQ(own.names.size(), 14U) << "all that she did";
  const auto page = read(log.page({all, {}, 100}));
  EXPECT_EQ(page.names.size(), 16U);
  EXPECT_TRUE(std::ranges::is_sorted(page.seqs));
  EXPECT_EQ(page.names.back(), "y");
  activity_log open(16, 1 << 20);  // as without authentication
  for (int i = 0; i < 100; ++i) open.add(event_of("", "x"), noon);
  EXPECT_EQ(open.size(), 16U);
  for (int i = 0; i < 100; ++i) open.add(event_of("alice", "z"), noon);
  EXPECT_EQ(read(open.page({alice, {}, 100})).names.size(), 16U) << "what is older goes";
}

TEST(activity_log, says_that_some_are_not_kept_any_more) {
  activity_log log(3, 1 << 20);
  for (int i = 0; i < 3; ++i) log.add(event_of("alice", std::to_string(i)), noon);
  const auto first = noon_us;
  EXPECT_EQ(log.page({all, first, 9}).find("gap"), std::string::npos);
  EXPECT_EQ(log.behind(first, all, 9).text.find("missed"), std::string::npos);
  for (int i = 3; i < 6; ++i) log.add(event_of("alice", std::to_string(i)), noon);
  EXPECT_TRUE(log.page({all, first, 9}).ends_with(R"(,"gap":true})"));
  EXPECT_TRUE(log.behind(first, all, 9).text.starts_with("event: missed\ndata: {}\n\n"));
  EXPECT_EQ(log.page({all, log.latest(), 9}).find("gap"), std::string::npos);
  EXPECT_EQ(log.page({all, {}, 9}).find("gap"), std::string::npos) << "the newest were asked for";
}

TEST(activity_log, cuts_a_page_that_becomes_too_large_and_says_where_to_go_on) {
  activity_log log;
  for (int i = 0; i < 400; ++i) log.add(event_of("alice", std::string(2000, 'x')), noon);
  const auto body = log.page({all, 0, 1000});
  EXPECT_LE(body.size(), limits::activity_answer_bytes + 4000);
  const auto page = read(body);
  EXPECT_LT(page.names.size(), 400U);
  EXPECT_EQ(page.next, page.seqs.back());
  std::size_t seen = page.names.size();
  for (auto since = page.next; seen < 400;) {
    const auto more = read(log.page({all, since, 1000}));
    ASSERT_FALSE(more.names.empty());
    seen += more.names.size();
    since = more.next;
  }
  EXPECT_EQ(seen, 400U);
}

TEST(activity_log, tells_streams_so_much_and_how_much_it_left_out) {
  activity_log log;
  for (int i = 0; i < 5; ++i) log.add(event_of(i % 2 ? "bob" : "alice", std::to_string(i)), noon);
  const auto some = log.behind(0, all, 2);
  EXPECT_EQ(some.events, 2U);
  EXPECT_TRUE(some.text.starts_with("id: " + std::to_string(noon_us) +
                                    "\nevent: audit\ndata: {\"seq\":" + std::to_string(noon_us)))
      << some.text;
  EXPECT_TRUE(some.text.ends_with("event: missed\ndata: {\"count\":3}\n\n")) << some.text;
  const auto own = log.behind(noon_us, alice, 10);
  EXPECT_EQ(own.events, 2U);
  EXPECT_EQ(own.text.find("missed"), own.text.npos);
  EXPECT_EQ(own.text.find("bob"), own.text.npos);
  EXPECT_EQ(log.behind(log.latest(), all, 10).text, "");
  for (const auto* hostile : {"\n\ndata: x", "\r", "\xE2\x80\xA8", "<script>", "\xFF"}) {
    activity_log one;
    one.add(event_of("alice", hostile), noon);
    const auto text = one.behind(0, all, 1).text;
    EXPECT_EQ(std::ranges::count(text, '\n'), 4) << "one event: " << text;
  }
}

}  // namespace
}  // namespace gate::ops
