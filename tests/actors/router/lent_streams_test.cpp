// The client of a call that runs at `one` has come back for its stream to `two`:
// actors/router/lent_streams, at `one`. What `two` says and hears is said and read by the test.
#include "actors/router/lent_streams.hpp"

#include "protocol/limits.hpp"
#include "tests/actors/support/fleet_stage.hpp"

namespace gate::routing {
namespace {

/// A call runs, has said one thing, and its client's connection broke.
struct lent_stream : sim::fleet_stage {
  using kind = fleet::session_word::kind;
  using piece = fleet::stream_piece;
  using is = piece::what;

  sessions::session_ptr s = open();
  sim::receipt_ptr called;
  std::uint64_t number = 0;
  std::string last;  ///< the id of the event that its client has

  lent_stream() {
    called = one.post(s->id,
                      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a__x"}})");
    number = one.latest();
    say("1");
    const auto at = called->stream.rfind("id: ") + 4;
    last = called->stream.substr(at, called->stream.find('\n', at) - at);
    called->alive = false;
    one.it.on_client_gone(called->number);
    settle();
  }
  void say(const std::string& n) {
    one.tell(number,
             R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"n":)" + n + "}}");
  }
  /// `two` asks for this stream by a number of its own.
  void ask(std::uint64_t waits, const std::string& event_id, std::string session = {}) {
    two.say(one, {.what = kind::resumes,
                  .session = session.empty() ? s->shared->key : session,
                  .text = fleet::encode(fleet::resumption{waits, event_id})});
    hear();
  }
  void mark(std::uint64_t waits, std::uint64_t taken, bool gone = false) {
    two.say(one, kind::follows, fleet::encode(fleet::stream_mark{waits, taken, gone}));
    hear();
  }
  /// `one` hears what was said; `two` nothing, but what is said to it is kept.
  void hear() {
    auto kept = std::exchange(two.heard, {});
    two.deliver();
    two.heard.swap(kept);
    one.deliver();
  }
  /// What `one` has said to `two` of its streams since the last time.
  std::vector<piece> pieces() {
    one.deliver();
    std::vector<piece> out;
    for (const auto& m : std::exchange(two.heard, {})) {
      const auto w = two.line().hear(m);
      if (!w || w->second.what != kind::streamed) continue;
      if (auto p = fleet::read_stream_piece(w->second.text)) out.push_back(std::move(*p));
    }
    return out;
  }
  std::vector<is> said() {
    std::vector<is> out;
    for (const auto& p : pieces()) out.push_back(p.is);
    return out;
  }
  void wait(std::chrono::milliseconds d) {
    one.pass(d);
    one.tick();
  }
};

TEST_F(lent_stream, begins_with_what_its_client_missed) {
  say("2");
  ask(3, last);
  const auto all = pieces();
  ASSERT_GE(all.size(), 3U);
  EXPECT_EQ(all[0].is, is::begins);
  std::string text, call;
  std::uint64_t number = 0;
  for (const auto& p : all) {
    EXPECT_EQ(p.waits, 3U);
    EXPECT_EQ(p.number, ++number) << "each follows the one before";
    if (p.is == is::events) text += p.text;
    if (p.is == is::runs) call = p.text;
  }
  EXPECT_EQ(call, "7") << "so that its client can be told which call is lost";
  EXPECT_NE(text.find(R"("n":2)"), std::string::npos) << text;
  EXPECT_EQ(text.find(R"("n":1)"), std::string::npos) << text;
  say("3");
  const auto more = pieces();
  ASSERT_EQ(more.size(), 1U);
  EXPECT_EQ(more[0].number, number + 1);
}

TEST_F(lent_stream, ends_with_its_call) {
  ask(3, last);
  pieces();
  one.answer("{}");
  EXPECT_EQ(said(), (std::vector{is::events, is::ends}));
  mark(3, 0);
  EXPECT_EQ(said(), std::vector{is::ends}) << "whoever follows it has not heard of its end";
  mark(3, 0, true);
  EXPECT_TRUE(said().empty());
}

TEST_F(lent_stream, is_none_if_there_is_nothing_to_lend) {
  ask(3, "0-1");
  EXPECT_EQ(said(), std::vector{is::none}) << "the session's own is where its client listens";
  ask(4, "nonsense");
  EXPECT_EQ(said(), std::vector{is::none});
  ask(5, "999-1000");
  EXPECT_EQ(said(), std::vector{is::none});
  ask(6, last, "gate:{session:another}");
  EXPECT_EQ(said(), std::vector{is::none}) << "a session that is not held here";
  EXPECT_FALSE(called->streaming && called->alive);
  ask(7, last);
  EXPECT_EQ(pieces().at(0).is, is::begins);
  ask(7, last);
  EXPECT_EQ(said(), std::vector{is::none}) << "by the same number";
}

TEST_F(lent_stream, that_has_ended_and_is_all_there_is_over) {
  one.answer("{}");
  ask(3, last);
  const auto all = pieces();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back().is, is::ends) << "what its client missed of it";
  std::string text;
  for (const auto& p : all) text += p.text;
  const auto at = text.rfind("id: ") + 4;
  ask(4, text.substr(at, text.find('\n', at) - at));
  EXPECT_EQ(said(), std::vector{is::over});
}

TEST_F(lent_stream, is_no_sign_that_a_token_was_shown_if_it_is_not_lent) {
  const auto shown = s->shown;
  one.pass(std::chrono::seconds(5));
  ask(3, "999-1000");
  EXPECT_EQ(s->shown, shown);
  ask(4, last);
  EXPECT_EQ(s->shown, shown + std::chrono::seconds(5)) << "there, to whom it is lent";
}

TEST_F(lent_stream, is_kept_when_its_client_leaves) {
  ask(3, last);
  pieces();
  mark(3, 0, true);
  say("2");
  EXPECT_TRUE(said().empty());
  one.tick();
  ask(4, last);
  std::string text;
  for (const auto& p : pieces()) text += p.text;
  EXPECT_NE(text.find(R"("n":2)"), std::string::npos) << text;
}

TEST_F(lent_stream, is_left_when_nobody_hears_it) {
  ask(3, last);
  pieces();
  two.deaf = true;
  say("2");
  one.deliver();
  two.deaf = false;
  say("3");
  EXPECT_TRUE(said().empty());
  one.answer("{}");
  ask(4, last);
  std::string text;
  for (const auto& p : pieces()) text += p.text;
  EXPECT_NE(text.find(R"("n":3)"), std::string::npos) << text;
}

TEST_F(lent_stream, outlasts_a_word_that_the_store_did_not_acknowledge) {
  ask(3, last);
  const auto n = pieces().back().number;
  one.store_says = store_outcome::timeout;
  say("2");
  one.deliver();
  one.store_says.reset();
  say("3");
  const auto all = pieces();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].number, n + 2) << "by its number it is seen that one is missing";
}

TEST_F(lent_stream, says_that_it_is_there_and_ends_when_nothing_is_heard) {
  ask(3, last);
  pieces();
  wait(limits::lent_stream_beat - std::chrono::milliseconds(1));
  EXPECT_TRUE(said().empty());
  wait(std::chrono::milliseconds(1));
  EXPECT_EQ(said(), std::vector{is::here});
  mark(3, 0);
  wait(limits::lent_stream_silence - std::chrono::milliseconds(1));
  EXPECT_EQ(said(), std::vector{is::here});
  wait(std::chrono::milliseconds(1));
  EXPECT_EQ(said(), std::vector{is::ends});
  wait(limits::lent_stream_silence);
  EXPECT_TRUE(said().empty()) << "it is nowhere any more";
}

TEST_F(lent_stream, is_detached_from_a_client_that_takes_too_little) {
  ask(3, last);
  pieces();
  const std::string large(limits::fleet_word_bytes / 4, '1');
  for (std::size_t n = 0; n * large.size() <= limits::client_queue_bytes; ++n) say(large);
  auto all = pieces();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back().is, is::ends);
  say("2");
  EXPECT_TRUE(said().empty());
  EXPECT_TRUE(one.unit().calls.find(number)) << "it goes on";
}

TEST_F(lent_stream, counts_only_what_was_really_taken) {
  ask(3, last);
  pieces();
  const auto* c = one.unit().calls.find(number);
  say("2");
  const auto queued = c->from->queued();
  EXPECT_GT(queued, 0U);
  mark(3, queued + 1000);
  EXPECT_EQ(c->from->queued(), queued) << "more than was ever said";
  mark(3, 10);
  EXPECT_EQ(c->from->queued(), queued - 10);
  mark(3, 5);
  EXPECT_EQ(c->from->queued(), queued - 10) << "it was taken already";
  mark(3, queued);
  EXPECT_EQ(c->from->queued(), 0U);
}

TEST_F(lent_stream, does_not_carry_what_is_larger_than_a_word) {
  ask(3, last);
  pieces();
  one.answer(R"({"x":")" + std::string(limits::fleet_word_bytes, 'x') + R"("})");
  EXPECT_EQ(said(), std::vector{is::ends});
  EXPECT_TRUE(one.unit().calls.all().empty());
}

TEST_F(lent_stream, ignores_words_that_are_none_and_those_of_others) {
  ask(3, last);
  pieces();
  two.say(one, kind::follows, "nonsense");
  two.say(one, {.what = kind::resumes, .session = s->shared->key, .text = "nonsense"});
  two.say(one, kind::follows, "");
  hear();
  EXPECT_TRUE(said().empty());
  sim::staged_instance three(store, 3);
  three.say(one, kind::follows, fleet::encode(fleet::stream_mark{3, 0, true}));
  three.deliver();
  one.deliver();
  say("2");
  EXPECT_EQ(said(), std::vector{is::events}) << "it is not theirs to leave";
}

TEST_F(lent_stream, whose_instance_dies_does_not_say_that_it_ends) {
  ask(3, last);
  pieces();
  one.it.clear();
  EXPECT_TRUE(said().empty()) << "it would look as one that can be come back for";
}

}  // namespace
}  // namespace gate::routing
