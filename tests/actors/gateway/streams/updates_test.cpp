// notifications/resources/updated: whom they reach, and whose word counts.
#include "simulations/world/guarded_world.hpp"
#include "tests/actors/gateway/streams/updates_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

std::string listed_as(std::string_view uri) {
  return R"({"name":"r","uri":")" + std::string(uri) + R"("})";
}
using texts = std::vector<std::string>;

struct updates : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");
  receipt_ptr own;

  updates() {
    a.resources = {listed_as("x://1"), listed_as("x://1/"), listed_as("x://2")};
    b.resources = {listed_as("y://1")};
    c.initialize();
    own = c.get();
  }
  void subscribe(std::string_view uri) { c.request("1", "resources/subscribe", about(uri)); }
  void say(fake_upstream& u, std::string_view uri) {
    u.announce(updated(uri));
    w.settle();
  }
};

TEST_F(updates, reach_subscribers_only) {
  c.call("1", "a__x");
  say(a, "x://1");
  EXPECT_TRUE(own->events().empty());
  subscribe("x://1");
  say(a, "x://1");
  say(a, "x://2");
  EXPECT_EQ(own->events(), texts{updated("x://1")});
}

TEST_F(updates, of_what_is_below_a_subscribed_resource_pass) {
  subscribe("x://1");
  for (const auto* uri : {"x://1/a", "x://1/a/b", "x://1?q=1", "x://1#part"}) say(a, uri);
  EXPECT_EQ(own->events().size(), 4U);
  for (const auto* uri : {"x://10", "x://1a", "x://", "x", "x://1/../2", "x://1/%2e%2e/2", "X://1"})
    say(a, uri);
  EXPECT_EQ(own->events().size(), 4U);
}

TEST_F(updates, are_compared_as_values) {
  subscribe("x://1");
  say(a, R"(x:\/\/\u0031)");
  EXPECT_EQ(own->events(), texts{updated(R"(x:\/\/\u0031)")}) << "and pass as they are";
}

TEST_F(updates, of_another_upstreams_resources_are_not_believed) {
  subscribe("x://1");
  c.call("2", "b__x");
  say(b, "x://1");
  EXPECT_TRUE(own->events().empty());
  subscribe("y://1");
  say(b, "x://1");
  EXPECT_TRUE(own->events().empty());
  say(b, "y://1");
  EXPECT_EQ(own->events(), texts{updated("y://1")});
}

TEST_F(updates, end_with_the_subscription) {
  subscribe("x://1");
  subscribe("x://2");
  own->queued = 1 << 20;  // it does not read at the moment
  say(a, "x://1");
  c.request("2", "resources/unsubscribe", about("x://1"));
  say(a, "x://1");
  own->queued = 0;
  say(a, "x://2");
  w.advance(2s);
  EXPECT_EQ(own->events(), texts{updated("x://2")});
}

TEST_F(updates, on_a_calls_stream_are_no_way_around) {
  a.always("tools/call", reply{.open = true});
  auto r = c.call("9", "a__x");
  fake_upstream::push(a.last("tools/call"), updated("x://1"));
  w.settle();
  EXPECT_TRUE(r->events().empty());
  EXPECT_TRUE(own->events().empty());
  subscribe("x://1");
  fake_upstream::push(a.last("tools/call"), updated("x://1"));
  w.settle();
  EXPECT_EQ(r->events().size() + own->events().size(), 1U);
}

TEST_F(updates, on_a_calls_stream_reach_a_client_without_a_stream_of_its_own) {
  client d(w);
  d.initialize();
  d.request("1", "resources/subscribe", about("x://1"));
  a.always("tools/call", reply{.open = true});
  auto r = d.call("2", "a__x");
  fake_upstream::push(a.last("tools/call"), updated("x://1"));
  w.settle();
  EXPECT_EQ(r->events(), texts{updated("x://1")});
}

TEST_F(updates, need_room_for_the_subscription) {
  a.templates = {R"({"name":"t","uriTemplate":"t://{id}"})"};
  for (std::size_t i = 0; i < limits::session_subscriptions; ++i)
    subscribe("t://" + std::to_string(i));
  EXPECT_EQ(a.count("resources/subscribe"), limits::session_subscriptions);
  auto r = c.request("1", "resources/subscribe", about("t://more"));
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(a.count("resources/subscribe"), limits::session_subscriptions);
  EXPECT_EQ(c.request("1", "resources/subscribe", about("t://1"))->status, 200) << "once more";
  c.request("2", "resources/unsubscribe", about("t://1"));
  EXPECT_EQ(c.request("1", "resources/subscribe", about("t://more"))->status, 200);
}

TEST_F(updates, need_room_for_the_subscription_also_while_others_are_made) {
  a.templates = {R"({"name":"t","uriTemplate":"t://{id}"})"};
  a.always("resources/subscribe", reply::silence());
  std::vector<receipt_ptr> all;
  for (std::size_t i = 0; i < limits::session_subscriptions + 100; ++i)
    all.push_back(
        c.request(std::to_string(i), "resources/subscribe", about("t://" + std::to_string(i))));
  EXPECT_EQ(a.count("resources/subscribe"), limits::session_subscriptions);
  for (const auto& s : a.seen("resources/subscribe")) fake_upstream::answer(s, reply::result("{}"));
  w.settle();
  EXPECT_EQ(std::ranges::count(all, 503, &receipt::status), 100);
  EXPECT_EQ(c.request("1", "resources/subscribe", about("t://more"))->status, 503);
}

TEST_F(updates, need_room_for_what_is_subscribed_to) {
  a.templates = {R"({"name":"t","uriTemplate":"t://{id}"})"};
  const auto uri = [](std::size_t i) {
    return "t://" + std::string(8000, 'x') + std::to_string(i);
  };
  std::size_t made = 0;
  while (made < 100 && c.request("1", "resources/subscribe", about(uri(made)))->status == 200)
    ++made;
  EXPECT_EQ(made, 256U * 1024 / 8005);
  EXPECT_EQ(a.count("resources/subscribe"), made);
  EXPECT_EQ(c.request("1", "resources/subscribe", about(uri(0)))->status, 200) << "once more";
  c.request("2", "resources/unsubscribe", about(uri(0)));
  EXPECT_EQ(c.request("1", "resources/subscribe", about(uri(made)))->status, 200);
}

// --- rights --------------------------------------------------------------------------------------

constexpr std::string_view by_groups = R"("policy":{"rules":[
  {"id":"some","subjects":{"groups":["g"]},
   "allow":[{"server":"*","methods":["tools/call"]},
            {"server":"*","methods":["resources/read","resources/subscribe"],
             "names":["x://1*"]}]},
  {"id":"more","subjects":{"groups":["h"]},
   "allow":[{"server":"*","methods":["resources/read","resources/subscribe"],
             "names":["x://2*"]}]}]})";
constexpr std::string_view narrower = R"("policy":{"rules":[
  {"id":"some","subjects":{"groups":["g"]},
   "allow":[{"server":"*","methods":["tools/call"]},
            {"server":"*","methods":["resources/read","resources/subscribe"],
             "names":["x://1"]}]}]})";

struct guarded_updates : ::testing::Test {
  world w{guarded_world(guarded(a_and_b, by_groups))};
  client c{w};
  fake_upstream& a = w.upstream("a");
  receipt_ptr own;

  guarded_updates() {
    a.resources = {listed_as("x://1"), listed_as("x://2"), listed_as("x://1b")};
    c.token = token_for("alice", R"("groups":["g","h"])");
    c.initialize();
    own = c.get();
    for (const auto* uri : {"x://1", "x://2", "x://1b"})
      c.request("1", "resources/subscribe", about(uri));
  }
  std::vector<std::string> given_up() const {
    std::vector<std::string> out;
    for (const auto& s : a.seen("resources/unsubscribe")) out.push_back(s->param("uri"));
    std::ranges::sort(out);
    return out;
  }
  void say(std::string_view uri) {
    a.announce(updated(uri));
    w.settle();
  }
};

TEST_F(guarded_updates, are_judged_by_the_uri_that_they_name) {
  say("x://1/a");
  EXPECT_EQ(own->events(), texts{updated("x://1/a")});
  ASSERT_TRUE(w.reload(guarded(a_and_b, narrower)).get().problems.empty());
  say("x://1/a");
  EXPECT_EQ(own->events().size(), 1U) << "the caller could not subscribe to that";
  say("x://1");
  EXPECT_EQ(own->events().size(), 2U);
}

TEST_F(guarded_updates, a_token_of_fewer_groups_ends_what_it_does_not_allow) {
  c.token = token_for("alice", R"("groups":["g"],"jti":"2")");
  c.request("2", "ping");
  EXPECT_EQ(given_up(), texts{R"("x://2")"});
  say("x://2");
  EXPECT_TRUE(own->events().empty());
  say("x://1");
  EXPECT_EQ(own->events(), texts{updated("x://1")});
  EXPECT_EQ(a.count("DELETE"), 0U) << "the session with the upstream goes on";
}

TEST_F(guarded_updates, that_wait_end_with_all_rights_at_their_upstream) {
  own->queued = 1 << 20;  // it does not read at the moment
  say("x://1");
  c.token = token_for("alice", R"("jti":"2")");
  c.request("2", "ping");
  own->queued = 0;
  w.advance(2s);
  EXPECT_TRUE(own->events().empty());
}

TEST_F(guarded_updates, that_wait_end_with_their_upstream) {
  own->queued = 1 << 20;
  say("x://1");
  ASSERT_TRUE(
      w.reload(guarded(R"([{"id":"b","url":"http://b.test/mcp","namespace":"b"}])", by_groups))
          .get()
          .problems.empty());
  own->queued = 0;
  w.advance(2s);
  EXPECT_TRUE(own->events().empty());
}

TEST_F(guarded_updates, a_reload_ends_what_it_does_not_allow) {
  ASSERT_TRUE(w.reload(guarded(a_and_b, narrower)).get().problems.empty());
  EXPECT_EQ(given_up(), (texts{R"("x://1b")", R"("x://2")"}));
  say("x://2");
  say("x://1b");
  EXPECT_TRUE(own->events().empty());
  // And it is not made again in a new session.
  const auto before = a.count("resources/subscribe");
  a.forget_sessions();
  c.call("3", "a__x");
  EXPECT_EQ(a.count("resources/subscribe"), before + 1);
  EXPECT_EQ(a.last("resources/subscribe")->param("uri"), R"("x://1")");
}

TEST_F(guarded_updates, what_is_denied_does_not_move_to_a_successor) {
  const auto slower = R"([{"id":"a","url":"http://a.test/mcp","namespace":"a",
    "timeouts":{"requestMs":70000}},{"id":"b","url":"http://b.test/mcp","namespace":"b"}])";
  const auto before = a.count("resources/subscribe");
  ASSERT_TRUE(w.reload(guarded(slower, narrower)).get().problems.empty());
  w.advance(2s);
  EXPECT_EQ(a.count("resources/subscribe"), before + 1);
  EXPECT_EQ(a.last("resources/subscribe")->param("uri"), R"("x://1")");
}

TEST_F(guarded_updates, one_that_was_made_while_its_right_was_lost_is_given_up) {
  c.request("2", "resources/unsubscribe", about("x://2"));
  a.next("resources/subscribe", reply::silence());
  c.request("3", "resources/subscribe", about("x://2"));
  const auto asked = a.last("resources/subscribe");
  ASSERT_TRUE(w.reload(guarded(a_and_b, narrower)).get().problems.empty());
  const auto before = a.count("resources/unsubscribe");
  fake_upstream::answer(asked, reply::result("{}"));
  w.settle();
  EXPECT_EQ(a.count("resources/unsubscribe"), before + 1);
  say("x://2");
  EXPECT_TRUE(own->events().empty());
}

}  // namespace
}  // namespace gate
