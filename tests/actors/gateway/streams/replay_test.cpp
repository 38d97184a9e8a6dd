// Clients that come back: for the rest of a call's stream, for their own, or not at all; and
// clients that are too slow.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

std::string note(int n) {
  return R"({"jsonrpc":"2.0","method":"notifications/message","params":{"n":)" + std::to_string(n) +
         "}}";
}
std::string updated_by(std::string_view uri, int n = 0) {
  return R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":")" +
         std::string(uri) + R"(","n":)" + std::to_string(n) + "}}";
}
constexpr auto tools_changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";

struct coming_back : ::testing::Test {
  world w{{.config = std::string(one_upstream)}};
  client c{w};
  fake_upstream& a = w.upstream("a");

  coming_back() {
    c.capabilities = R"({"roots":{}})";
    c.initialize();
  }
  void subscribe(std::string_view uri) {
    c.request("\"s\"", "resources/subscribe", R"({"uri":")" + std::string(uri) + R"("})");
  }

  /// A call that goes on, with a stream that has said one thing.
  receipt_ptr call() {
    a.next("tools/call", reply{.open = true});
    auto r = c.call("1", "x");
    fake_upstream::push(a.last("tools/call"), note(1));
    w.settle();
    return r;
  }
  void answer() {
    fake_upstream::push(a.last("tools/call"), R"({"jsonrpc":"2.0","id":$id,"result":{"ok":1}})");
    w.settle();
  }
  receipt_ptr resume(std::string id) {
    c.more_headers = {"Last-Event-ID: " + id};
    auto r = c.get();
    c.more_headers.clear();
    return r;
  }
  /// The id of the latest event.
  static std::string last_id(const receipt_ptr& r) {
    const auto at = r->stream.rfind("id: ") + 4;
    return r->stream.substr(at, r->stream.find('\n', at) - at);
  }
  sight_ptr own_stream() {
    for (const auto& s : a.under_way("GET"))
      if (s->session == a.last("tools/call")->session) return s;
    return nullptr;
  }
};

constexpr auto done = R"({"jsonrpc":"2.0","id":1,"result":{"ok":1}})";

TEST_F(coming_back, to_a_call_that_goes_on) {
  auto first = call();
  w.vanish(first);
  fake_upstream::push(a.last("tools/call"), note(2));
  w.settle();
  auto second = resume(last_id(first));
  EXPECT_EQ(second->status, 200);
  EXPECT_EQ(second->events(), std::vector<std::string>{note(2)});
  fake_upstream::push(a.last("tools/call"), note(3));
  answer();
  EXPECT_EQ(second->events(), (std::vector<std::string>{note(2), note(3), done}));
  EXPECT_TRUE(second->stream_ended);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
  EXPECT_EQ(a.count("tools/call"), 1U);
}

TEST_F(coming_back, to_a_call_that_ended_meanwhile_and_as_often_as_needed) {
  auto first = call();
  w.vanish(first);
  answer();
  for (int i = 0; i < 2; ++i) {
    auto again = resume(last_id(first));
    EXPECT_EQ(again->events(), std::vector<std::string>{done});
    EXPECT_TRUE(again->stream_ended);
  }
}

TEST_F(coming_back, while_the_old_connection_is_thought_alive) {
  auto first = call();
  auto second = resume(last_id(first));
  EXPECT_TRUE(first->stream_ended);
  answer();
  EXPECT_EQ(second->events(), std::vector<std::string>{done});
  EXPECT_EQ(first->events().size(), 1U) << "each message on one stream";
}

TEST_F(coming_back, with_the_first_id_of_a_silent_call) {
  a.next("tools/call", reply::result("1", 5s));
  auto first = c.call("1", "x");
  w.advance(2s);
  w.vanish(first);
  auto second = resume(last_id(first));
  w.advance(3s);
  EXPECT_EQ(second->events(), std::vector<std::string>{R"({"jsonrpc":"2.0","id":1,"result":1})"});
}

TEST_F(coming_back, a_refusal_is_kept_as_well) {
  auto first = call();
  w.vanish(first);
  w.advance(61s);
  auto second = resume(last_id(first));
  EXPECT_EQ(at(second->last(), "error", "code"), "-32041");
}

TEST_F(coming_back, too_late_or_to_something_unknown_is_refused) {
  auto first = call();
  const auto id = last_id(first);
  w.vanish(first);
  answer();
  for (auto bad : {"7-1", "1-99", "x", "-", "1-"}) EXPECT_EQ(resume(bad)->status, 400) << bad;
  client d(w);
  d.initialize();
  d.more_headers = {"Last-Event-ID: " + id};
  EXPECT_EQ(d.get()->status, 400) << "another session's";
  w.advance(10min);
  EXPECT_EQ(resume(id)->status, 400);
}

TEST_F(coming_back, clients_of_older_revisions_get_no_empty_event) {
  client old(w);
  old.initialize("2025-06-18");
  a.next("tools/call", reply::result("1", 5s));
  auto r = old.call("1", "x");
  w.advance(2s);
  EXPECT_EQ(r->stream, ":\n\n");
  EXPECT_EQ(old.get()->stream, ":\n\n");
}

TEST_F(coming_back, a_question_waits_for_the_client) {
  auto first = call();
  w.vanish(first);
  fake_upstream::push(a.last("tools/call"), R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})");
  w.settle();
  EXPECT_EQ(a.count("response"), 0U);
  auto second = resume(last_id(first));
  c.post(R"({"jsonrpc":"2.0","id":)" + at(second->last(), "id") + R"(,"result":{"roots":[]}})");
  EXPECT_EQ(at(a.last("response")->body, "result", "roots"), "[]");
}

TEST_F(coming_back, a_question_does_not_wait_for_ever) {
  auto first = call();
  w.vanish(first);
  fake_upstream::push(a.last("tools/call"), R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})");
  w.advance(29s);
  EXPECT_EQ(a.count("response"), 0U);
  w.advance(4s);
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "message"), R"("the client is gone")");
}

TEST_F(coming_back, to_its_own_stream) {
  c.call("1", "x");
  subscribe("x://1");
  auto first = c.get();
  fake_upstream::push(own_stream(), note(1));
  w.settle();
  w.vanish(first);
  fake_upstream::push(own_stream(), note(2));
  fake_upstream::push(own_stream(), updated_by("x://1", 1));
  fake_upstream::push(own_stream(), updated_by("x://1", 2));
  w.advance(20s);
  auto second = resume(last_id(first));
  EXPECT_EQ(second->events(), (std::vector<std::string>{note(2), updated_by("x://1", 2)}));
  w.advance(20s);
  ASSERT_TRUE(own_stream()) << "it is back";
  fake_upstream::push(own_stream(), note(3));
  w.settle();
  EXPECT_EQ(second->last(), note(3));
}

TEST_F(coming_back, to_its_own_stream_late_learns_that_lists_may_have_changed) {
  c.call("1", "x");
  auto first = c.get();
  w.vanish(first);
  w.advance(40s);
  EXPECT_FALSE(own_stream());
  auto second = resume(last_id(first));
  EXPECT_EQ(second->status, 200);
  EXPECT_EQ(second->events().size(), 3U);
  EXPECT_TRUE(own_stream());
}

TEST_F(coming_back, a_stream_opened_anew_repeats_nothing) {
  c.call("1", "x");
  auto first = c.get();
  w.vanish(first);
  fake_upstream::push(own_stream(), note(1));
  w.settle();
  EXPECT_TRUE(c.get()->events().empty());
}

TEST_F(coming_back, a_slow_client_is_told_once_what_can_wait) {
  c.call("1", "x");
  subscribe("x://1");
  subscribe("x://2");
  auto own = c.get();
  own->queued = 100'000;
  for (int n = 0; n < 5; ++n) {
    fake_upstream::push(own_stream(), updated_by("x://1", n));
    fake_upstream::push(own_stream(), updated_by("x://2", n));
    fake_upstream::push(own_stream(), tools_changed);
    w.advance(200ms);
  }
  EXPECT_TRUE(own->events().empty());
  own->queued = 0;
  w.advance(1s);
  EXPECT_EQ(own->events(), (std::vector<std::string>{tools_changed, updated_by("x://1", 4),
                                                     updated_by("x://2", 4)}));
}

TEST_F(coming_back, a_client_that_is_too_slow_has_its_stream_ended_and_misses_nothing) {
  c.call("1", "x");
  auto own = c.get();
  fake_upstream::push(own_stream(), note(1));
  w.settle();
  own->queued = 600'000;
  fake_upstream::push(own_stream(), note(2));
  fake_upstream::push(own_stream(), note(3));
  w.settle();
  EXPECT_TRUE(own->stream_ended);
  EXPECT_EQ(resume(last_id(own))->events(), (std::vector<std::string>{note(2), note(3)}));
}

TEST_F(coming_back, to_a_call_whose_stream_was_too_slow) {
  auto first = call();
  first->queued = 600'000;
  fake_upstream::push(a.last("tools/call"), note(2));
  w.settle();
  EXPECT_TRUE(first->stream_ended);
  answer();
  EXPECT_EQ(resume(last_id(first))->events(), (std::vector<std::string>{note(2), done}));
  EXPECT_TRUE(first->misuse.empty());
}

TEST_F(coming_back, a_cancelled_call_has_nothing_more_to_say) {
  auto first = call();
  w.vanish(first);
  c.cancel("1");
  EXPECT_EQ(resume(last_id(first))->status, 405) << "official clients would ask for ever";
}

TEST_F(coming_back, to_a_call_of_which_everything_came_is_over) {
  auto first = call();
  answer();
  EXPECT_EQ(resume(last_id(first))->status, 405);
}

TEST_F(coming_back, twice_in_a_short_time_is_waited_for_each_time) {
  c.call("1", "x");
  auto first = c.get();
  w.vanish(first);
  w.advance(26s);
  auto second = resume(last_id(first));
  w.vanish(second);
  fake_upstream::push(own_stream(), note(1));
  w.advance(10s);
  ASSERT_TRUE(own_stream()) << "ten seconds are not thirty";
  EXPECT_EQ(resume(last_id(second))->events(), std::vector<std::string>{note(1)});
}

TEST_F(coming_back, what_was_asked_outside_of_calls_does_not_wait_for_ever) {
  c.call("1", "x");
  auto own = c.get();
  w.vanish(own);
  fake_upstream::push(own_stream(), R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})");
  w.advance(29s);
  EXPECT_EQ(a.count("response"), 0U);
  w.advance(3s);
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "message"), R"("the client is gone")");
}

TEST_F(coming_back, the_answer_goes_out_to_the_slow_too) {
  client old(w);
  old.initialize("2025-06-18");
  a.next("tools/call", reply{.open = true});
  auto r = old.call("1", "x");
  fake_upstream::push(a.last("tools/call"), note(1));
  w.settle();
  r->queued = 600'000;
  fake_upstream::push(a.last("tools/call"), note(2));
  w.settle();
  EXPECT_FALSE(r->stream_ended) << "it does not know to come back";
  answer();
  EXPECT_EQ(r->events(), (std::vector<std::string>{note(1), note(2), done}));
}

TEST_F(coming_back, batches_can_not_be_resumed) {
  client old(w);
  old.initialize("2025-03-26");
  a.next("tools/call", reply{.open = true});
  auto r = old.post(R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}])");
  fake_upstream::push(a.last("tools/call"), note(1));
  w.settle();
  EXPECT_EQ(r->events(), std::vector<std::string>{note(1)});
  EXPECT_EQ(r->stream.find("id: "), std::string::npos);
}

}  // namespace
}  // namespace gate
