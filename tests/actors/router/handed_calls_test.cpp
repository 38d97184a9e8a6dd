// A client without a session comes back to another instance than the one where its call waits:
// actors/router/handed_calls, `one` where the call waits, and `two` where its client comes.
#include "actors/router/handed_calls.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "tests/actors/support/fleet_stage.hpp"

namespace gate::routing {
namespace {

/// Its client has been asked by `one`, and has a state.
struct a_handed_call : sim::fleet_stage {
  using settlement = fleet::settlement;
  using kind = fleet::session_word::kind;
  using what = settlement::what;
  static constexpr auto able = R"({"elicitation":{}})";
  static constexpr auto yes = R"({"q1":{"action":"accept","content":{}}})";

  std::uint64_t number = 0;  ///< by which the upstream of `one` knows it
  std::string state;         ///< raw

  a_handed_call() { begin(); }
  void begin() {
    const auto r = one.post_stateless("1", "tools/call", "a__x", R"(,"arguments":{})", able);
    one.list_all({"x"});
    number = one.latest();
    state = ask(r);
    one.doors.take<client_reply>();
  }
  /// The server asks; what its client is told to come back with.
  std::string ask(const sim::receipt_ptr& r) {
    one.ask_client("9", number);
    pass_questions();
    EXPECT_EQ(json::member(json::member(r->last(), "result"), "resultType"), R"("input_required")")
        << r->last();
    return std::string(json::member(json::member(r->last(), "result"), "requestState"));
  }
  void pass_questions() {
    one.pass(limits::question_gather);
    two.pass(limits::question_gather);
    one.it.on_timer(timer::questions);
    settle();
  }
  /// Time at `two`, with its upkeep; nothing that is said meanwhile is delivered.
  void wait(std::chrono::milliseconds d) {
    two.pass(d);
    two.tick();
  }
  /// It comes back to `two`; nothing is delivered yet.
  sim::receipt_ptr come(const std::string& raw_state, std::string_view answers = yes) {
    auto r = two.post_stateless("2", "tools/call", "a__x",
                                R"(,"arguments":{},"inputResponses":)" + std::string(answers) +
                                    R"(,"requestState":)" + raw_state,
                                able, R"(,"progressToken":"mine")");
    two.list_all({"x"});
    return r;
  }
  sim::receipt_ptr come() { return come(state); }
  /// The number under which it waits at `two`.
  std::uint64_t waits() {
    const auto all = two.unit().calls.waiting_for(pipeline::partner::instance);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? 0 : all.front();
  }
  /// `one` says this of it, whatever it knows.
  void say(settlement s) {
    one.say(two, kind::settled, fleet::encode(s));
    settle();
  }
  void expect_nothing_kept() {
    EXPECT_TRUE(two.unit().calls.all().empty());
    EXPECT_EQ(one.it.suspensions.size(), 0U);
  }
  /// As every state that is not good: it goes to the upstream here, whose session refuses what has
  /// one that is not its own.
  void expect_refused(const sim::receipt_ptr& r) {
    ASSERT_FALSE(two.doors.calls.empty()) << r->last();
    EXPECT_TRUE(two.doors.calls.back().second.resumes);
    EXPECT_EQ(r->endings, 0);
    two.answer_with(answer::error, R"({"code":-32602,"message":"no such state"})");
    EXPECT_NE(r->last().find("no such state"), std::string::npos) << r->last();
    EXPECT_EQ(r->endings, 1);
    two.doors.calls.clear();
  }
  static void expect_down(const sim::receipt_ptr& r, std::string_view why) {
    EXPECT_EQ(error_code(r), "-31041") << r->last();
    EXPECT_NE(r->last().find(why), std::string::npos) << r->last();
    EXPECT_EQ(r->endings, 1);
  }
};

TEST_F(a_handed_call, goes_on_where_it_waits_and_its_answer_comes_back) {
  const auto r = come();
  settle();
  const auto answers = one.doors.take<client_reply>();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].second.payload, R"({"action":"accept","content":{}})");
  EXPECT_FALSE(r->done());
  one.answer_with(answer::result, R"({"content":[],"n":1.0})", number);
  settle();
  EXPECT_EQ(json::member(json::member(r->last(), "result"), "n"), "1.0") << r->last();
  EXPECT_EQ(r->endings, 1);
  EXPECT_TRUE(two.doors.calls.empty()) << "no server is asked where its client is";
  expect_nothing_kept();
}

TEST_F(a_handed_call, ends_as_its_server_says) {
  for (const auto& x : endings) {
    a_handed_call::TearDown();
    const auto r = come();
    settle();
    one.answer_with(x.is, x.text, number);
    settle();
    EXPECT_EQ(error_code(r), x.code) << r->last();
    EXPECT_EQ(r->endings, 1);
    expect_nothing_kept();
    begin();
  }
}

TEST_F(a_handed_call, has_its_answer_at_once_if_it_is_there) {
  one.answer_with(answer::result, R"({"content":[],"n":2.0})", number);
  const auto r = come();
  settle();
  EXPECT_EQ(json::member(json::member(r->last(), "result"), "n"), "2.0") << r->last();
  expect_nothing_kept();
}

TEST_F(a_handed_call, tells_what_its_server_tells_meanwhile) {
  const auto r = come();
  settle();
  one.tell(
      number,
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"n":1}})");
  settle();
  ASSERT_EQ(r->events().size(), 1U);
  EXPECT_NE(r->events()[0].find(R"({"progressToken":"mine","n":1})"), std::string::npos)
      << r->events()[0];
  EXPECT_FALSE(r->done());
}

TEST_F(a_handed_call, passes_on_progress_that_names_no_request_as_it_is) {
  const auto r = come();
  settle();
  for (const std::string text :
       {R"({"jsonrpc":"2.0","method":"notifications/progress"})",
        R"({"jsonrpc":"2.0","method":"notifications/progress","params":{}})"}) {
    say({.waits = waits(), .is = what::said, .text = text});
    EXPECT_EQ(r->events().back(), text);
  }
  EXPECT_EQ(r->endings, 0);
}

TEST_F(a_handed_call, asks_its_client_again) {
  const auto r = come();
  settle();
  const auto more = ask(r);
  EXPECT_NE(more, state);
  EXPECT_TRUE(two.unit().calls.all().empty());
  const auto last = come(more, R"({"q2":{"action":"decline"}})");
  settle();
  one.answer_with(answer::result, R"({"content":[]})", number);
  settle();
  EXPECT_NE(last->last().find("complete"), std::string::npos) << last->last();
  const auto old = come(more);
  settle();
  expect_refused(old);
  expect_nothing_kept();
}

TEST_F(a_handed_call, is_refused_when_nobody_listens_there) {
  one.deaf = true;
  const auto r = come();
  settle();
  expect_refused(r);
  EXPECT_TRUE(two.unit().calls.all().empty());
}

TEST_F(a_handed_call, is_refused_when_there_is_no_such_call_there) {
  one.it.suspensions.leave(0);
  const auto r = come();
  settle();
  expect_refused(r);
  expect_nothing_kept();
}

TEST_F(a_handed_call, is_refused_if_it_is_not_taken_in_time_and_that_is_told) {
  const auto r = come();
  wait(limits::handed_call_taken - std::chrono::milliseconds(1));
  EXPECT_FALSE(r->done());
  wait(std::chrono::milliseconds(1));
  expect_refused(r);
  settle();
  const auto left = one.doors.take<cancel_call>();
  ASSERT_EQ(left.size(), 1U) << "it was taken meanwhile, and its client would do it twice";
  EXPECT_EQ(left[0].second.call, number);
  expect_nothing_kept();
}

TEST_F(a_handed_call, that_was_taken_is_waited_for_as_long_as_its_server_may_take) {
  const auto r = come();
  settle();
  const auto patience = two.unit().snapshot->at(0)->request + limits::handed_call_taken;
  wait(patience - std::chrono::milliseconds(1));
  EXPECT_FALSE(r->done());
  one.tell(number, R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})");
  settle();
  wait(patience - std::chrono::milliseconds(1));
  EXPECT_FALSE(r->done()) << "what is heard of is worked at";
  wait(std::chrono::milliseconds(1));
  expect_down(r, "timed out");
  settle();
  EXPECT_EQ(one.doors.take<cancel_call>().size(), 1U);
  expect_nothing_kept();
}

TEST_F(a_handed_call, is_cancelled_there_when_its_client_leaves) {
  const auto r = come();
  settle();
  r->alive = false;
  two.it.on_client_gone(r->number);
  settle();
  const auto left = one.doors.take<cancel_call>();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].second.call, number);
  expect_nothing_kept();
}

TEST_F(a_handed_call, ends_with_the_upstream_of_the_other_instance) {
  const auto r = come();
  settle();
  one.it.calls.on_upstream_lost(0);
  settle();
  expect_down(r, "unavailable");
  expect_nothing_kept();
}

TEST_F(a_handed_call, ends_with_the_other_process) {
  const auto r = come();
  settle();
  one.it.wind_down();
  settle();
  EXPECT_EQ(r->endings, 1) << r->last();
  expect_nothing_kept();
}

TEST_F(a_handed_call, ends_where_its_client_is_though_the_answer_is_too_large_for_a_word) {
  const auto r = come();
  settle();
  one.answer_with(answer::result,
                  R"({"content":")" + std::string(limits::fleet_word_bytes, 'x') + R"("})", number);
  settle();
  expect_down(r, "unavailable");
  expect_nothing_kept();
}

TEST_F(a_handed_call, is_not_handed_over_while_the_store_is_away_or_with_too_large_answers) {
  const auto large = come(state, R"({"q1":{"action":"accept","content":{"x":")" +
                                     std::string(limits::fleet_word_bytes, 'x') + R"("}}})");
  expect_refused(large);
  two.turn(false);
  const auto r = come();
  expect_refused(r);
  EXPECT_TRUE(two.doors.asked.empty());
  EXPECT_TRUE(two.unit().calls.all().empty());
  EXPECT_EQ(one.it.suspensions.size(), 1U) << "it waits there";
}

TEST_F(a_handed_call, is_given_to_one_attempt_only) {
  const auto first = come();
  settle();
  const auto second = come();
  settle();
  EXPECT_FALSE(first->done());
  expect_refused(second);
  EXPECT_EQ(one.doors.take<client_reply>().size(), 1U);
}

TEST_F(a_handed_call, believes_only_whom_it_was_handed_to) {
  const auto r = come();
  settle();
  sim::staged_instance three(store, 3);
  const settlement forged{.waits = waits(), .is = what::result, .text = R"({"n":3.0})"};
  three.say(two, kind::settled, fleet::encode(forged));
  three.deliver();
  settle();
  EXPECT_FALSE(r->done());
  one.say(two, kind::settled, "nonsense");
  auto of_another = forged;
  of_another.waits += 1;
  say(of_another);
  EXPECT_FALSE(r->done());
  say(forged);
  EXPECT_NE(r->last().find("3.0"), std::string::npos) << r->last();
}

TEST_F(a_handed_call, ignores_what_is_no_attempt_and_refuses_one_that_is_not_good) {
  const auto before = one.doors.told.size();
  for (const auto of : {kind::attempt, kind::left, kind::asks}) {
    two.say(one, of, "nonsense");
    two.say(one, of, "");
  }
  settle();
  EXPECT_TRUE(one.doors.asked.empty());
  // A number that was guessed, and a binding that is another's.
  two.say(one, kind::attempt, fleet::encode(fleet::attempt{5, 77, 1, {}, "{}", "{}"}));
  two.say(one, kind::left, fleet::encode(fleet::attempt{5, 77, 1, {}, {}, {}}));
  settle();
  EXPECT_EQ(one.doors.told.size(), before);
  EXPECT_EQ(one.it.suspensions.size(), 1U);
}

TEST_F(a_handed_call, that_is_settled_after_its_end_is_nobodys) {
  const auto r = come();
  settle();
  const auto number_there = waits();
  r->alive = false;
  two.it.on_client_gone(r->number);
  say({.waits = number_there, .is = what::result, .text = "{}"});
  say({.waits = number_there, .is = what::none});
  expect_nothing_kept();
}

}  // namespace
}  // namespace gate::routing
