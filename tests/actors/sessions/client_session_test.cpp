#include "actors/sessions/client_session.hpp"

#include "protocol/limits.hpp"
#include "tests/support/fake_exchange.hpp"

namespace gate::sessions {
namespace {

using namespace std::chrono_literals;
using testing::fake_exchange;
using testing::receipt;

struct a_session_table : ::testing::Test {
  session_table table;
  identity::access_ptr anybody = std::make_shared<identity::access>();
  config::view_ptr before;
  time_point t{1h};

  testing::receipt_ptr stream(const session_ptr& s, std::uint64_t number) {
    auto r = std::make_shared<receipt>();
    r->number = number;
    auto e = std::make_shared<fake_exchange>(r, http_request{});
    e->open_stream({});
    table.attach(s, e, t);
    return r;
  }
};

TEST_F(a_session_table, finds_by_id_and_by_key_until_closed) {
  auto s = table.open("one", anybody, t);
  auto other = table.open("two", anybody, t);
  EXPECT_NE(s->key, other->key);
  EXPECT_NE(s->key, 0U) << "0 means no client";
  EXPECT_EQ(table.find("one", anybody, t, before), s);
  EXPECT_EQ(table.find_key(s->key), s);
  table.close(s);
  EXPECT_EQ(table.find("one", anybody, t, before), nullptr);
  EXPECT_EQ(table.find_key(s->key), nullptr);
  EXPECT_EQ(table.size(), 1U);
}

TEST_F(a_session_table, is_bounded) {
  for (std::size_t i = 0; i < limits::client_sessions; ++i)
    ASSERT_TRUE(table.open(std::to_string(i), anybody, t));
  EXPECT_EQ(table.open("one more", anybody, t), nullptr);
}

TEST_F(a_session_table, expires_who_was_not_heard_of) {
  auto quiet = table.open("quiet", anybody, t);
  auto seen = table.open("seen", anybody, t);
  t += 10s;
  table.find("seen", anybody, t, before);
  EXPECT_EQ(table.expire(t - 10s, t), std::vector{quiet});
  EXPECT_EQ(table.size(), 1U);
}

TEST_F(a_session_table, never_expires_who_has_a_call_or_a_stream) {
  auto calling = table.open("calling", anybody, t);
  auto listening = table.open("listening", anybody, t);
  calling->add_call("1", 7);
  auto r = stream(listening, 1);
  t += 1h;
  EXPECT_TRUE(table.expire(t - 1s, t).empty());
  calling->remove_call(7);
  r->alive = false;
  EXPECT_TRUE(table.expire(t - 1s, t).empty()) << "it was alive a moment ago";
  t += 1s;
  EXPECT_EQ(table.expire(t - 1s, t).size(), 2U);
}

TEST_F(a_session_table, keeps_ids_of_other_types_apart) {
  auto s = table.open("one", anybody, t);
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
  auto s = table.open("one", anybody, t);
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
  auto one = table.open("one", anybody, t), two = table.open("two", anybody, t);
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
