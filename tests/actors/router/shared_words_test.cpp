// What two instances that hold a session tell each other of it: actors/router/shared_words.
#include "actors/router/shared_words.hpp"

#include "actors/router/shared_sessions.hpp"
#include "protocol/limits.hpp"
#include "tests/actors/support/fleet_stage.hpp"

namespace gate::routing {
namespace {

/// A call runs at `one`; its client comes to `two`.
struct words_of_a_session : sim::fleet_stage {
  using kind = fleet::session_word::kind;

  sessions::session_ptr s = open(R"({"roots":{}})");
  sessions::session_ptr there = come(s->id);
  sim::receipt_ptr called =
      one.post(s->id, R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a__x"}})");

  sim::receipt_ptr cancel(sim::staged_instance& at, std::string_view id = "7") {
    return at.post(s->id, R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                          R"("params":{"reason":"enough","requestId":)" +
                              std::string(id) + "}}");
  }
  /// The server asks within the call; the number by which the client is asked.
  std::string ask() {
    one.ask_client("9", one.latest(), "roots/list", "");
    return std::to_string(s->questions.back().id);
  }
  sim::receipt_ptr reply(const std::string& id) {
    return two.post(s->id, R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"roots":[]}})");
  }
  void say(kind what, std::string text) {
    two.say(one, {.what = what, .session = s->shared->key, .text = std::move(text)});
    settle();
  }
  std::size_t waiting() { return two.unit().calls.all().size(); }
};

TEST_F(words_of_a_session, carry_a_cancellation_to_where_its_call_runs) {
  const auto r = cancel(two);
  EXPECT_EQ(r->endings, 0) << "until it has been told";
  settle();
  EXPECT_EQ(r->status, 202);
  const auto left = one.doors.take<cancel_call>();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].second.reason, R"("enough")");
  EXPECT_EQ(waiting(), 0U);
  EXPECT_TRUE(there->calls.empty());
}

TEST_F(words_of_a_session, carry_an_answer_to_who_asked) {
  const auto id = ask();
  const auto r = reply(id);
  settle();
  EXPECT_EQ(r->status, 202);
  const auto all = one.doors.take<client_reply>();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].second.id, "9");
  EXPECT_EQ(all[0].second.payload, R"({"roots":[]})");
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(words_of_a_session, carry_an_error_as_well) {
  const auto id = ask();
  two.post(s->id, R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-1,"message":"no"}})");
  settle();
  const auto all = one.doors.take<client_reply>();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].second.failed);
  EXPECT_EQ(all[0].second.payload, R"({"code":-1,"message":"no"})");
}

TEST_F(words_of_a_session, that_nobody_can_be_told_end_as_they_must) {
  struct row {
    std::string_view what;
    std::function<void()> trouble;
    int of_a_cancellation, of_an_answer;
  };
  for (const auto& x : {
           row{"nobody listens", [&] { one.deaf = true; }, 202, 503},
           row{"the store is late", [&] { two.store_says = store_outcome::timeout; }, 503, 503},
           row{"the store does not say who holds it",
               [&] {
                 there->shared->others.clear();
                 two.store_says = store_outcome::timeout;
               },
               503, 503},
           row{"the store is away", [&] { two.turn(false); }, 503, 503},
       }) {
    x.trouble();
    const auto left = cancel(two), answered = reply("77");
    settle();
    EXPECT_EQ(left->status, x.of_a_cancellation) << x.what;
    EXPECT_EQ(answered->status, x.of_an_answer) << x.what << answered->body;
    EXPECT_EQ(waiting(), 0U);
    one.deaf = false;
    two.store_says.reset();
    two.turn(true);
    one.turn(true);
    settle();
  }
}

TEST_F(words_of_a_session, that_are_too_large_are_not_said) {
  const auto r = two.post(s->id, R"({"jsonrpc":"2.0","id":77,"result":{"x":")" +
                                     std::string(limits::fleet_word_bytes, 'x') + R"("}})");
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(words_of_a_session, end_with_nobody_else_who_holds_it) {
  one.unit().sessions.close(s);
  store.erase_field(there->shared->key, "i:" + one.name());
  const auto left = cancel(two), answered = reply("77");
  settle();
  EXPECT_EQ(left->status, 202);
  EXPECT_EQ(answered->status, 202) << answered->body;
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(words_of_a_session, of_whom_the_client_is_gone_are_said_all_the_same) {
  const auto r = cancel(two);
  r->alive = false;
  for (const auto number : two.unit().calls.all()) two.unit().calls.end(number);
  settle();
  EXPECT_EQ(one.doors.take<cancel_call>().size(), 1U);
}

TEST_F(words_of_a_session, carry_what_an_upstream_says_to_where_its_client_listens) {
  const auto stream = two.listen(there);
  settle();
  client_notification m{s->key, 0, R"({"jsonrpc":"2.0","method":"notifications/x"})", {}, 0};
  one.it.calls.on_client_notification(m);
  settle();
  ASSERT_EQ(stream->events().size(), 1U);
  EXPECT_EQ(stream->events()[0], R"({"jsonrpc":"2.0","method":"notifications/x"})");
}

TEST_F(words_of_a_session, are_not_for_a_client_that_does_not_listen) {
  say(kind::told, R"({"jsonrpc":"2.0","method":"notifications/x"})");
  say(kind::listens, "");
  EXPECT_FALSE(s->stream);
  const auto stream = one.listen(s);
  say(kind::told, R"({"jsonrpc":"2.0","method":"notifications/y"})");
  EXPECT_EQ(stream->events().size(), 1U);
}

TEST_F(words_of_a_session, tell_that_its_client_listens_elsewhere_by_now) {
  const auto stream = one.listen(s);
  settle();
  EXPECT_FALSE(stream->stream_ended);
  two.listen(there);
  settle();
  EXPECT_TRUE(stream->stream_ended);
}

TEST_F(words_of_a_session, that_are_no_message_of_a_client_are_ignored) {
  const auto id = ask();
  for (const auto* text :
       {"", "nonsense", "{}", "[]", R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})",
        R"({"jsonrpc":"2.0","method":"notifications/no/such"})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled"})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}})",
        R"({"jsonrpc":"2.0","method":"notifications/progress","params":{}})",
        R"({"jsonrpc":"2.0","id":"77","result":{}})"})
    say(kind::said, text);
  EXPECT_TRUE(one.doors.take<client_reply>().empty());
  EXPECT_TRUE(one.doors.take<cancel_call>().empty());
  EXPECT_EQ(one.doors.calls.size(), 1U);
  EXPECT_EQ(called->endings, 0);
}

TEST_F(words_of_a_session, carry_changed_roots) {
  one.doors.take<client_notice>();
  say(kind::said, R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
  EXPECT_EQ(one.doors.take<client_notice>().size(), 1U) << "to what it has sessions at";
}

}  // namespace
}  // namespace gate::routing
