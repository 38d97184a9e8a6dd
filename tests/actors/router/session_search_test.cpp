// A client comes to `two` with a session that it does not know: actors/router/session_search.
#include "actors/router/session_search.hpp"

#include "actors/router/shared_sessions.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/session_id.hpp"
#include "tests/actors/support/fleet_stage.hpp"

namespace gate::routing {
namespace {

TEST(unknown_ids, are_remembered_for_a_moment) {
  unknown_ids ids;
  const time_point t{std::chrono::hours(1)};
  ids.add("a", t);
  ids.add("a", t + std::chrono::milliseconds(5));
  EXPECT_TRUE(ids.contains("a", t + limits::session_unknown - std::chrono::milliseconds(1)));
  EXPECT_FALSE(ids.contains("b", t));
  EXPECT_FALSE(ids.contains("a", t + limits::session_unknown));
}

TEST(unknown_ids, are_a_bounded_number) {
  unknown_ids ids;
  const time_point t{std::chrono::hours(1)};
  for (std::size_t n = 0; n <= limits::sessions_unknown; ++n) ids.add(std::to_string(n), t);
  EXPECT_FALSE(ids.contains("0", t)) << "the oldest";
  EXPECT_TRUE(ids.contains("1", t));
  EXPECT_TRUE(ids.contains(std::to_string(limits::sessions_unknown), t));
}

struct a_session_search : sim::fleet_stage {
  sessions::session_ptr s = open(R"({"roots":{}})");

  static std::string id(std::size_t n) {
    return mcp::make_session_id(
        {static_cast<std::uint8_t>(n >> 8U), static_cast<std::uint8_t>(n), 7}, 0);
  }
  sim::receipt_ptr ping(const std::string& of) {
    return two.post(of, R"({"jsonrpc":"2.0","id":8,"method":"ping"})");
  }
  double count(adoption what) {
    return two.counters->get(metric::sessions_adopted, {to_string(what)}).now();
  }
  std::size_t waiting() { return two.unit().calls.count(pipeline::partner::store); }
  void forge(const std::string& field, std::string value) {
    store.set_field(s->shared->key, field, std::move(value));
  }
};

TEST_F(a_session_search, finds_it_once_for_all_who_come_with_it) {
  two.doors.asked.clear();
  const auto first = ping(s->id), second = ping(s->id);
  EXPECT_EQ(two.doors.asked.size(), 1U);
  EXPECT_EQ(waiting(), 2U);
  EXPECT_TRUE(two.it.fleet->sessions.looks().seeks(s->shared->key));
  settle();
  EXPECT_EQ(first->status, 200) << first->body;
  EXPECT_EQ(second->status, 200);
  EXPECT_EQ(waiting(), 0U);
  EXPECT_FALSE(two.it.fleet->sessions.looks().seeks(s->shared->key));
  EXPECT_EQ(count(adoption::adopted), 1);
  const auto there = two.session(s->id);
  ASSERT_TRUE(there);
  EXPECT_EQ(there->profile->capabilities, R"({"roots":{}})");
  EXPECT_EQ(there->version, s->version);
  EXPECT_EQ(there->shared->others, (fleet::instances{one.name()}));
  EXPECT_EQ(s->shared->others, (fleet::instances{two.name()})) << "it was told";
  EXPECT_EQ(ping(s->id)->status, 200) << "at once";
}

TEST_F(a_session_search, remembers_what_is_in_no_record) {
  const auto r = ping(id(1));
  settle();
  EXPECT_EQ(r->status, 404);
  EXPECT_EQ(count(adoption::unknown), 1);
  EXPECT_EQ(ping(id(1))->status, 404) << "without a look";
  two.pass(limits::session_unknown);
  EXPECT_EQ(ping(id(1))->endings, 0);
  EXPECT_EQ(ping("odd")->status, 404) << "only an id of our form is looked for";
  settle();
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(a_session_search, finds_none_that_its_client_has_ended) {
  one.arrive(verb::del, {"Mcp-Session-Id: " + s->id});
  settle();
  const auto r = ping(s->id);
  settle();
  EXPECT_EQ(r->status, 404);
  EXPECT_EQ(count(adoption::unknown), 1);
}

TEST_F(a_session_search, believes_no_record_that_this_fleet_has_not_sealed_for_it) {
  const auto good = store.fields(s->shared->key)->at("c");
  const auto other = open();
  auto changed = good;
  changed[20] = static_cast<char>(changed[20] ^ 1);
  double n = 0;
  for (const auto& bad : {changed, store.fields(other->shared->key)->at("c"), std::string("x"),
                          std::string(), good.substr(1)}) {
    forge("c", bad);
    const auto r = ping(s->id);
    settle();
    EXPECT_EQ(r->status, 404);
    EXPECT_EQ(count(adoption::broken), ++n);
    EXPECT_FALSE(store.fields(s->shared->key)->contains("i:" + two.name()))
        << "who only looked does not hold it";
    two.pass(limits::session_unknown);
  }
  forge("c", good);
  EXPECT_TRUE(come(s->id));
}

TEST_F(a_session_search, goes_on_without_a_field_that_does_not_open) {
  forge("l", "nonsense");
  forge("u:a", "nonsense");
  forge("s:x", "nonsense");
  const auto there = come(s->id);
  ASSERT_TRUE(there);
  EXPECT_EQ(there->profile->log_level, "");
  EXPECT_TRUE(there->profile->bridges->empty());
  EXPECT_TRUE(there->subscriptions.empty());
}

TEST_F(a_session_search, has_its_client_come_again_where_the_store_does_not_say) {
  for (const auto how : {store_outcome::timeout, store_outcome::lost, store_outcome::overloaded}) {
    two.store_says = how;
    const auto r = ping(s->id);
    two.deliver();
    EXPECT_EQ(r->status, 503) << r->body;
    EXPECT_EQ(r->header("retry-after"), "1");
  }
  EXPECT_EQ(count(adoption::away), 3);
  two.store_says.reset();
  settle();
  EXPECT_TRUE(come(s->id)) << "it was not given up";
}

TEST_F(a_session_search, finds_nothing_where_the_store_refuses_or_is_away) {
  two.store_says = store_outcome::oom;
  const auto r = ping(s->id);
  two.deliver();
  EXPECT_EQ(r->status, 404);
  two.store_says.reset();
  two.turn(false);
  EXPECT_EQ(ping(s->id)->status, 404);
  EXPECT_EQ(count(adoption::away), 2);
  two.turn(true);
  EXPECT_TRUE(come(s->id));
}

TEST_F(a_session_search, is_one_of_a_bounded_number) {
  std::vector<sim::receipt_ptr> all;
  for (std::size_t n = 0; n < limits::sessions_sought; ++n) all.push_back(ping(id(n)));
  EXPECT_EQ(all.back()->endings, 0);
  const auto r = ping(id(limits::sessions_sought));
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(ping(id(0))->endings, 0) << "which is looked for already";
  settle();
  EXPECT_EQ(all.front()->status, 404);
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(a_session_search, goes_on_for_its_owner_only) {
  auto record = fleet::read_session(*two.line().vault().open(
      store.fields(s->shared->key)->at("c"), fleet::about_field(s->shared->key, "c")));
  ASSERT_TRUE(record);
  record->owner = fleet::owner_digest(two.line().digest(), "https://idp.test", "ada");
  forge("c", two.line().seal(fleet::encode(*record), fleet::about_field(s->shared->key, "c")));
  const auto r = ping(s->id);
  settle();
  EXPECT_EQ(r->status, 404);
  EXPECT_EQ(count(adoption::foreign), 1);
  EXPECT_FALSE(two.session(s->id));
  EXPECT_FALSE(store.fields(s->shared->key)->contains("i:" + two.name()));
}

TEST_F(a_session_search, survives_that_its_client_leaves) {
  const auto r = ping(s->id);
  r->alive = false;
  for (const auto number : two.unit().calls.all()) two.unit().calls.end(number);
  settle();
  EXPECT_EQ(count(adoption::foreign), 1) << "nobody is there whose it is";
  EXPECT_FALSE(two.session(s->id));
}

}  // namespace
}  // namespace gate::routing
