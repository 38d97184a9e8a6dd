#include "actors/sessions/client_session.hpp"

#include "protocol/limits.hpp"
#include "simulations/world/fake_exchange.hpp"

namespace gate::sessions {
namespace {

using namespace std::chrono_literals;
using sim::fake_exchange;
using sim::receipt;

struct a_session_table : ::testing::Test {
  session_table table;
  identity::access_ptr anybody = std::make_shared<identity::access>();
  config::view_ptr before;
  time_point t{1h};

  static identity::access_ptr of(const std::string& subject) {
    auto who = std::make_shared<identity::caller>();
    who->who.issuer = "issuer";
    who->who.subject = subject;
    who->who.key = oauth::principal_key("issuer", subject);
    auto out = std::make_shared<identity::access>();
    out->caller = std::move(who);
    return out;
  }

  sim::receipt_ptr stream(const session_ptr& s, std::uint64_t number) {
    auto r = std::make_shared<receipt>();
    r->number = number;
    auto e = std::make_shared<fake_exchange>(r, http_request{});
    e->open_stream({});
    table.attach(s, e, t);
    return r;
  }
};

TEST_F(a_session_table, finds_by_id_and_by_key_until_closed) {
  auto s = table.open("one", anybody, "here", t);
  auto other = table.open("two", anybody, "here", t);
  EXPECT_NE(s->key, other->key);
  EXPECT_NE(s->key, 0U) << "0 means no client";
  EXPECT_EQ(table.find("one", anybody, t, before), s);
  EXPECT_EQ(table.find_key(s->key), s);
  table.close(s);
  EXPECT_EQ(table.find("one", anybody, t, before), nullptr);
  EXPECT_EQ(table.find_key(s->key), nullptr);
  EXPECT_EQ(table.size(), 1U);
}

TEST_F(a_session_table, knows_whom_it_has_and_who_was_used) {
  auto s = table.open("one", of("a"), "here", t);
  table.open("two", of("b"), "here", t);
  EXPECT_TRUE(table.knows("one")) << "whoever asks";
  EXPECT_FALSE(table.knows("three"));
  table.touch(*s, t + 2s);
  std::vector<std::string> used;
  table.for_each_used(t + 1s, [&](client_session& x) { used.push_back(x.id); });
  EXPECT_EQ(used, std::vector<std::string>{"one"});
  table.close(s);
  EXPECT_FALSE(table.knows("one"));
}

TEST_F(a_session_table, gives_each_its_share) {
  session_ptr first;
  for (std::size_t i = 0; i < limits::client_sessions_each; ++i) {
    ASSERT_EQ(table.in_the_way(anybody, "here"), nullptr);
    auto s = table.open(std::to_string(i), anybody, "here", t);
    ASSERT_TRUE(s);
    if (i == 0) first = s;
  }
  EXPECT_EQ(table.open("one more", anybody, "here", t), nullptr);
  EXPECT_TRUE(table.open("elsewhere", anybody, "there", t)) << "another address";
  const auto somebody = of("someone");
  EXPECT_TRUE(table.open("somebody's", somebody, "here", t)) << "a principal is no address";
  EXPECT_EQ(table.in_the_way(anybody, "here"), first) << "the longest idle";
  table.find("0", anybody, t, before);
  const auto second = table.find_key(first->key + 1);
  EXPECT_EQ(table.in_the_way(anybody, "here"), second);
  second->add_call("1", 7);
  EXPECT_EQ(table.in_the_way(anybody, "here")->id, "2") << "not one that works";
  table.close(table.in_the_way(anybody, "here"));
  EXPECT_EQ(table.in_the_way(anybody, "here"), nullptr);
  EXPECT_TRUE(table.open("one more", anybody, "here", t));
}

TEST_F(a_session_table, makes_room_where_most_is_held) {
  constexpr auto each = limits::client_sessions_each;
  for (std::size_t n = 0; n < limits::client_sessions; ++n)
    ASSERT_TRUE(table.open(std::to_string(n), anybody, "host " + std::to_string(n / each), t));
  EXPECT_EQ(table.open("one more", anybody, "newcomer", t), nullptr);
  table.close(table.find("0", anybody, t, before));  // host 0 has one less than the others
  EXPECT_TRUE(table.open("a newcomer's", anybody, "newcomer", t));
  const auto gone = table.in_the_way(anybody, "newcomer");
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->id, std::to_string(each)) << "the first of host 1";
}

TEST_F(a_session_table, expires_who_was_not_heard_of) {
  auto quiet = table.open("quiet", anybody, "here", t);
  auto seen = table.open("seen", anybody, "here", t);
  t += 10s;
  table.find("seen", anybody, t, before);
  EXPECT_EQ(table.expire(t - 10s, t, 10), std::vector{quiet});
  EXPECT_EQ(table.size(), 1U);
}

TEST_F(a_session_table, expires_so_many_at_a_time_the_longest_idle_first) {
  for (int i = 0; i < 5; ++i) table.open(std::to_string(i), anybody, "here", t);
  table.find("0", anybody, t, before);
  t += 10s;
  EXPECT_TRUE(table.due(t - 10s));
  const auto first = table.expire(t - 10s, t, 3);
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(first[0]->id, "1");
  const auto rest = table.expire(t - 10s, t, 3);
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[1]->id, "0");
  EXPECT_FALSE(table.due(t - 10s));
}

TEST_F(a_session_table, never_expires_who_has_a_call_or_a_stream) {
  auto calling = table.open("calling", anybody, "here", t);
  auto listening = table.open("listening", anybody, "here", t);
  calling->add_call("1", 7);
  auto r = stream(listening, 1);
  t += 1h;
  EXPECT_TRUE(table.expire(t - 1s, t, 10).empty());
  calling->remove_call(7);
  r->alive = false;
  EXPECT_TRUE(table.expire(t - 1s, t, 10).empty()) << "it was alive a moment ago";
  t += 1s;
  EXPECT_EQ(table.expire(t - 1s, t, 10).size(), 2U);
}

TEST_F(a_session_table, keeps_ids_of_other_types_apart) {
  auto s = table.open("one", anybody, "here", t);
  s->add_call("1", 10);
  s->add_call("\"1\"", 11);
  EXPECT_EQ(s->find_call("1"), 10U);
  EXPECT_EQ(s->find_call("\"1\""), 11U);
  s->remove_call(10);
  EXPECT_FALSE(s->find_call("1"));
  EXPECT_EQ(s->find_call("\"1\""), 11U);
  s->remove_call(99);
  EXPECT_EQ(s->calls.size(), 1U);
}

TEST_F(a_session_table, has_one_stream_a_session) {
  auto s = table.open("one", anybody, "here", t);
  auto first = stream(s, 1);
  auto second = stream(s, 2);
  EXPECT_TRUE(first->stream_ended);
  EXPECT_FALSE(second->stream_ended);
  table.stream_gone(1);
  EXPECT_NE(s->stream, nullptr) << "that was the old one";
  table.stream_gone(2);
  EXPECT_EQ(s->stream, nullptr);
}

TEST_F(a_session_table, ends_streams_with_their_session_and_all_at_once) {
  auto one = table.open("one", anybody, "here", t), two = table.open("two", anybody, "here", t);
  auto a = stream(one, 1), b = stream(two, 2);
  int streams = 0;
  table.for_each_stream([&](client_session&) { ++streams; });
  EXPECT_EQ(streams, 2);
  table.close(one);
  EXPECT_TRUE(a->stream_ended);
  table.end_streams();
  EXPECT_TRUE(b->stream_ended);
  EXPECT_EQ(b->endings, 1);
}

}  // namespace
}  // namespace gate::sessions
