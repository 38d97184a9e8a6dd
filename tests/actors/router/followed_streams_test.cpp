// A client has come to `two` for the stream of a call that runs at `one`:
// actors/router/followed_streams, at `two`. What `one` says is said by the test.
#include "actors/router/followed_streams.hpp"

#include "protocol/limits.hpp"
#include "tests/actors/support/fleet_stage.hpp"

namespace gate::routing {
namespace {

/// Its session is known at both; no call runs anywhere.
struct a_followed_stream : sim::fleet_stage {
  using kind = fleet::session_word::kind;
  using piece = fleet::stream_piece;
  using is = piece::what;
  using mark = fleet::stream_mark;

  sessions::session_ptr s = open();
  sessions::session_ptr there = come(s->id);
  std::uint64_t number = 0;  ///< of the client that has come
  std::uint64_t pieces = 0;

  /// The client comes, and `one` is asked.
  sim::receipt_ptr ask(const std::string& event_id = "77-5") {
    auto r = two.arrive(verb::get, {"Accept: text/event-stream", "Mcp-Session-Id: " + s->id,
                                    "Last-Event-ID: " + event_id});
    look();
    return r;
  }
  /// The store says who holds the session, and the words go out.
  void look() {
    two.deliver();
    two.deliver();
  }
  /// What `one` was asked; also the number.
  std::string asked() {
    std::string out;
    for (const auto& m : std::exchange(one.heard, {})) {
      const auto w = one.line().hear(m);
      if (!w || w->second.what != kind::resumes) continue;
      if (const auto r = fleet::read_resumption(w->second.text)) {
        number = r->waits;
        out = r->event_id;
      }
    }
    return out;
  }
  /// What was told of how much is taken.
  std::vector<mark> told() {
    two.deliver();
    std::vector<mark> out;
    for (const auto& m : std::exchange(one.heard, {})) {
      const auto w = one.line().hear(m);
      if (!w || w->second.what != kind::follows) continue;
      if (const auto x = fleet::read_stream_mark(w->second.text)) out.push_back(*x);
    }
    return out;
  }
  void say(piece p) {
    one.say(two, kind::streamed, fleet::encode(p));
    hear();
  }
  void say(is what, std::string text = {}) { say({number, ++pieces, what, std::move(text)}); }
  /// `two` hears; `one` nothing, but what is said to it is kept.
  void hear() {
    auto kept = std::exchange(one.heard, {});
    one.deliver();
    one.heard.swap(kept);
    two.deliver();
  }
  /// It is asked for, and goes on there.
  sim::receipt_ptr follow() {
    auto r = ask();
    EXPECT_EQ(asked(), "77-5");
    pieces = 0;
    say(is::begins);
    EXPECT_TRUE(r->streaming) << r->status << r->body;
    return r;
  }
  void wait(std::chrono::milliseconds d) {
    two.pass(d);
    two.tick();
  }
  static void expect_refused(const sim::receipt_ptr& r, int status) {
    EXPECT_EQ(r->status, status) << r->body;
    EXPECT_EQ(r->endings, 1);
  }
  void expect_nothing_kept() {
    EXPECT_TRUE(two.unit().calls.all().empty());
    EXPECT_TRUE(there->calls.empty());
    told();
    wait(limits::lent_stream_silence);
    EXPECT_TRUE(told().empty());
  }
};

TEST_F(a_followed_stream, is_written_as_it_is_said) {
  const auto r = follow();
  say(is::runs, "7");
  say(is::events, "data: 1\n\n");
  say(is::here);
  say(is::events, "data: 2\n\n");
  EXPECT_EQ(r->events(), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(r->endings, 0);
  say(is::ends);
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(r->events().size(), 2U);
  expect_nothing_kept();
}

TEST_F(a_followed_stream, is_refused_as_its_holders_say) {
  struct row {
    is what;
    int status;
  };
  for (const auto& x : {row{is::none, 400}, row{is::over, 405}}) {
    const auto r = ask();
    asked();
    say({number, 0, x.what, {}});
    expect_refused(r, x.status);
    expect_nothing_kept();
  }
}

TEST_F(a_followed_stream, is_unknown_if_nobody_listens_who_holds_its_session) {
  one.deaf = true;
  const auto r = ask();
  two.deliver();
  expect_refused(r, 400);
  expect_nothing_kept();
}

TEST_F(a_followed_stream, is_looked_for_at_all_that_hold_the_session) {
  sim::staged_instance three(store, 3);
  three.post(s->id, R"({"jsonrpc":"2.0","id":8,"method":"ping"})");
  while (three.deliver() | one.deliver() | two.deliver()) {
  }
  const auto r = ask();
  ASSERT_EQ(asked(), "77-5");
  ASSERT_EQ(three.heard.size(), 1U);
  say({number, 0, is::none, {}});
  EXPECT_EQ(r->endings, 0) << "another may have it";
  say({number, 0, is::none, {}});
  EXPECT_EQ(r->endings, 0) << "it has said so already";
  three.heard.clear();
  three.say(two, kind::streamed, fleet::encode(piece{number, 0, is::none, {}}));
  three.deliver();
  two.deliver();
  expect_refused(r, 400);
}

TEST_F(a_followed_stream, is_not_looked_for_if_it_is_none_of_a_call) {
  for (const auto* id : {"nonsense", "1-1-1"}) {
    const auto r = ask(id);
    expect_refused(r, 400);
    EXPECT_EQ(asked(), "");
  }
  expect_nothing_kept();
}

TEST_F(a_followed_stream, is_to_be_asked_for_again_if_nobody_says_in_time) {
  const auto r = ask();
  asked();
  wait(limits::handed_call_taken - std::chrono::milliseconds(1));
  EXPECT_EQ(r->endings, 0);
  wait(std::chrono::milliseconds(1));
  expect_refused(r, 503);
  EXPECT_EQ(r->header("retry-after"), "1");
  pieces = 0;
  say(is::begins);
  const auto all = told();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].gone) << "who lends it now is told that nobody is here";
  expect_nothing_kept();
}

TEST_F(a_followed_stream, is_to_be_asked_for_again_while_the_store_says_nothing) {
  two.store_says = store_outcome::timeout;
  expect_refused(ask(), 503);
  two.store_says.reset();
  two.turn(false);
  expect_refused(ask(), 503);
  EXPECT_EQ(asked(), "");
}

TEST_F(a_followed_stream, ends_to_be_resumed_where_a_piece_is_missing) {
  const auto r = follow();
  say(is::events, "data: 1\n\n");
  ++pieces;
  say(is::events, "data: 3\n\n");
  EXPECT_EQ(r->events(), std::vector<std::string>{"1"});
  EXPECT_EQ(r->endings, 1);
  const auto all = told();
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(all.back().gone);
  expect_nothing_kept();
}

TEST_F(a_followed_stream, ends_with_an_error_for_its_call_when_the_other_is_gone) {
  for (const bool runs : {true, false}) {
    const auto r = follow();
    if (runs) say(is::runs, "7");
    wait(limits::lent_stream_silence - std::chrono::milliseconds(1));
    EXPECT_EQ(r->endings, 0);
    wait(std::chrono::milliseconds(1));
    EXPECT_EQ(r->endings, 1);
    EXPECT_EQ(r->events().size(), runs ? 1U : 0U) << "of a call that has ended nothing is lost";
    EXPECT_EQ(r->last().find("-32603") != std::string::npos, runs) << r->last();
    expect_nothing_kept();
  }
}

TEST_F(a_followed_stream, ends_with_an_error_when_a_word_reaches_nobody) {
  const auto r = follow();
  say(is::runs, R"("x")");
  one.deaf = true;
  wait(limits::lent_stream_beat);
  EXPECT_EQ(r->endings, 0);
  two.deliver();
  EXPECT_EQ(r->endings, 1);
  EXPECT_NE(r->last().find(R"("id":"x")"), std::string::npos) << r->last();
  expect_nothing_kept();
}

TEST_F(a_followed_stream, ends_to_be_resumed_when_the_store_goes) {
  const auto r = follow();
  say(is::runs, "7");
  two.turn(false);
  two.tick();
  EXPECT_EQ(r->endings, 1);
  EXPECT_TRUE(r->events().empty()) << "nobody knows what became of the call";
}

TEST_F(a_followed_stream, says_how_much_its_client_has_taken) {
  const auto r = follow();
  r->queued = 100;
  const std::string large = "data: " + std::string(limits::lent_stream_told + 92, '1') + "\n\n";
  say(is::events, large);
  auto all = told();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].taken, large.size() - 100);
  EXPECT_FALSE(all[0].gone);
  say(is::events, "data: 1\n\n");
  EXPECT_TRUE(told().empty()) << "a little more";
  r->queued = 0;
  wait(limits::lent_stream_beat);
  all = told();
  ASSERT_EQ(all.size(), 1U) << "now and then";
  EXPECT_EQ(all[0].taken, large.size() + 9);
}

TEST_F(a_followed_stream, is_left_when_its_client_leaves_or_is_too_slow) {
  struct row {
    std::string_view what;
    std::function<void(const sim::receipt_ptr&)> leave;
  };
  for (const auto& x : {
           row{"it closes the stream",
               [&](const auto& r) {
                 r->alive = false;
                 two.it.on_client_gone(r->number);
               }},
           row{"it is found gone",
               [&](const auto& r) {
                 r->alive = false;
                 two.tick();
               }},
           row{"it takes too little",
               [&](const auto& r) {
                 r->room = 3;
                 say(is::events, "data: 1\n\n");
               }},
       }) {
    const auto r = follow();
    x.leave(r);
    const auto all = told();
    ASSERT_EQ(all.size(), 1U) << x.what;
    EXPECT_TRUE(all[0].gone) << x.what;
    say(is::events, "data: 2\n\n");
    ASSERT_EQ(told().size(), 1U) << x.what << ": and again, if it was not heard";
    expect_nothing_kept();
  }
}

TEST_F(a_followed_stream, ends_with_its_session) {
  const auto r = follow();
  two.it.sessions.end(there);
  two.tick();
  EXPECT_EQ(r->endings, 1);
  const auto all = told();
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(all.back().gone);
}

TEST_F(a_followed_stream, keeps_its_session_in_use) {
  follow();
  for (int i = 0; i < 3; ++i) {
    wait(std::chrono::milliseconds(1000));
    say(is::here);
  }
  EXPECT_EQ(there->last_seen, two.doors.t);
}

TEST_F(a_followed_stream, is_another_instances_business_when_this_process_ends) {
  const auto follows = follow();
  const auto looks = ask();
  asked();
  two.it.wind_down();
  EXPECT_EQ(follows->endings, 1);
  expect_refused(looks, 503);
  expect_refused(ask(), 503);
  const auto all = told();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].gone);
}

TEST_F(a_followed_stream, is_left_when_this_router_dies) {
  const auto r = follow();
  two.it.clear();
  EXPECT_EQ(r->endings, 1);
  const auto all = told();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].gone);
}

TEST_F(a_followed_stream, believes_only_whom_it_has_asked) {
  sim::staged_instance three(store, 3);
  const auto hear_three = [&](const std::string& text) {
    three.say(two, kind::streamed, text);
    three.deliver();
    two.deliver();
  };
  const auto r = ask();
  asked();
  for (const auto what : {is::none, is::over, is::begins})
    hear_three(fleet::encode(piece{number, what == is::begins ? 1U : 0U, what, {}}));
  EXPECT_EQ(r->endings, 0);
  EXPECT_FALSE(r->streaming);
  say({number, 2, is::begins, {}});
  EXPECT_FALSE(r->streaming) << "the first was lost";
  pieces = 0;
  say(is::begins);
  ASSERT_TRUE(r->streaming);
  hear_three(fleet::encode(piece{number, 2, is::events, "data: forged\n\n"}));
  hear_three(fleet::encode(piece{number, 2, is::ends, {}}));
  hear_three("nonsense");
  EXPECT_TRUE(r->events().empty());
  EXPECT_EQ(r->endings, 0);
  say(is::events, "data: 1\n\n");
  EXPECT_EQ(r->events(), std::vector<std::string>{"1"});
}

}  // namespace
}  // namespace gate::routing
