#include "actors/upstream/session.hpp"

#include "tests/actors/upstream/session_stage.hpp"

namespace gate::upstream::testing {
namespace {

/// The table in session.hpp, row by row.
struct the_session : ::testing::Test, session_stage {
  using session_stage::session_stage;
};
struct with_replicas : the_session {
  with_replicas() : the_session(two_endpoints()) { world.balancer = true; }
  void pick(std::size_t endpoint) {
    ASSERT_FALSE(world.picks.empty());
    it().on(endpoint_picked{world.picks.back().first, endpoint});
  }
};
struct with_a_price : the_session {
  with_a_price() { world.budget = true; }
  void say(bool yes) {
    ASSERT_FALSE(world.charges.empty());
    charged m;
    m.number = world.charges.back();
    m.yes = yes;
    m.scope = a_price()->front().key;
    if (yes) m.paid = a_price();
    it().on(m);
  }
};

// --- closed, opening -----------------------------------------------------------------------------

TEST_F(the_session, does_nothing_before_there_is_work) {
  it();
  EXPECT_TRUE(world.sent.empty());
}

TEST_F(the_session, closed_work_opens_and_waits) {
  call(1);
  ASSERT_EQ(world.sent.size(), 1u);
  EXPECT_TRUE(open("initialize"));
  EXPECT_EQ(how(1), "nothing");
}

TEST_F(the_session, opening_work_waits_until_the_handshake_has_ended) {
  call(1);
  call(2);
  EXPECT_EQ(sent("tools/call"), 0);
  well(open("initialize"));
  EXPECT_EQ(sent("tools/call"), 0) << "before the server has taken notifications/initialized";
  well(open("notifications/initialized"));
  EXPECT_EQ(sent("tools/call"), 2);
  EXPECT_NE(open("tools/call")->headers->find("Mcp-Session-Id: s1\r\n"), std::string::npos);
}

TEST_F(the_session, opening_work_beyond_the_bound_is_refused) {
  for (std::size_t n = 1; n <= limits::session_backlog + 1; ++n) call(n);
  EXPECT_EQ(how(limits::session_backlog), "nothing");
  EXPECT_EQ(how(limits::session_backlog + 1), "request failed");
}

TEST_F(the_session, opening_all_fail_if_it_can_not_connect) {
  call(1);
  call(2);
  world.breaker = true;
  end(open("initialize"), failure(fetch_end::connect_failed));
  EXPECT_EQ(how(1), "connect failed");
  EXPECT_EQ(how(2), "connect failed");
  EXPECT_EQ(world.ends, (std::vector{verdict::failure})) << "a failed handshake is one failure";
  EXPECT_EQ(world.counted[outcome::connect_error], 2);
}

TEST_F(the_session, opening_all_fail_if_the_answer_is_none) {
  call(1);
  end(open("initialize"), status(400));
  EXPECT_EQ(how(1), "connect failed");
  call(2);
  well(open("initialize"));
  end(open("notifications/initialized"), status(400));
  EXPECT_EQ(how(2), "request failed");
  EXPECT_TRUE(open("DELETE")) << "of a session that the server may have opened";
}

TEST_F(the_session, opening_all_fail_if_nothing_comes_in_time) {
  call(1);
  pass(facts_of_it().config.request);
  EXPECT_EQ(how(1), "timed out");
  EXPECT_FALSE(open("initialize"));
}

TEST_F(the_session, closed_is_opened_again_after_a_failure) {
  call(1);
  end(open("initialize"), failure(fetch_end::connect_failed));
  call(2);
  shake_hands();
  answer(open("tools/call"));
  EXPECT_EQ(how(2), "a result");
}

TEST_F(with_replicas, opening_the_next_one_is_tried_if_it_can_not_connect) {
  call(1);
  pick(1);
  EXPECT_EQ(open("initialize")->to, two_endpoints().to[1]);
  end(open("initialize"), failure(fetch_end::connect_failed));
  EXPECT_EQ(world.failures, (std::vector<std::size_t>{1}));
  EXPECT_EQ(world.picks.back().second, (std::vector<std::size_t>{1}));
  pick(0);
  shake_hands();
  answer(open("tools/call"));
  EXPECT_EQ(how(1), "a result");
}

TEST_F(with_replicas, opening_all_fail_if_none_is_left) {
  call(1);
  pick(1);
  end(open("initialize"), failure(fetch_end::connect_failed));
  pick(0);
  end(open("initialize"), status(500));
  EXPECT_EQ(how(1), "connect failed");
}

TEST_F(with_replicas, nobody_picks_any_more_then_it_is_the_first_one) {
  call(1);
  world.balancer = false;
  it().balancer_replaced();
  EXPECT_EQ(open("initialize")->to, two_endpoints().to[0]);
}

// --- ready ---------------------------------------------------------------------------------------

TEST_F(the_session, ready_work_is_sent_at_once) {
  be_ready();
  call(1);
  EXPECT_EQ(sent("tools/call"), 1);
  answer(open("tools/call"));
  EXPECT_EQ(how(1), "a result");
  EXPECT_EQ(world.counted[outcome::ok], 1);
}

TEST_F(the_session, ready_a_list_that_the_server_does_not_have_is_empty_without_asking) {
  be_ready();
  fetch_list m;
  m.fill = 1;
  m.kind = mcp::list_kind::prompts;
  it().on(m);
  EXPECT_TRUE(world.sent.empty());
  ASSERT_EQ(world.lists.size(), 1u);
  EXPECT_TRUE(world.lists[0].items);
  EXPECT_EQ(world.lists[0].upstream_calls, 0u);
}

TEST_F(the_session, ready_the_request_fails_if_it_can_not_connect) {
  be_ready();
  call(1);
  end(open("tools/call"), failure(fetch_end::connect_failed));
  EXPECT_EQ(how(1), "connect failed");
  call(2);
  EXPECT_EQ(sent("initialize"), 0) << "it goes on";
}

TEST_F(with_replicas, ready_it_is_lost_if_it_can_not_connect_and_what_was_not_sent_goes_on) {
  call(999);
  pick(0);
  shake_hands();
  answer(open("tools/call"));
  call(1);
  end(open("tools/call"), failure(fetch_end::connect_failed));
  EXPECT_EQ(how(1), "nothing");
  pick(1);
  shake_hands();
  answer(open("tools/call"));
  EXPECT_EQ(how(1), "a result");
  EXPECT_EQ(world.answers.back().upstream_calls, 1u);
}

TEST_F(the_session, lost_is_opened_again_and_the_request_is_sent_once_more) {
  be_ready();
  call(1);
  end(open("tools/call"), status(404));
  EXPECT_EQ(sent("initialize"), 1);
  shake_hands();
  EXPECT_EQ(sent("tools/call"), 2);
  end(open("tools/call"), status(404));
  EXPECT_EQ(how(1), "request failed") << "once, not again and again";
  EXPECT_EQ(world.answers.back().upstream_calls, 2u);
}

TEST_F(the_session, a_request_that_may_have_been_processed_is_not_sent_again) {
  be_ready();
  call(1);
  end(open("tools/call"), failure(fetch_end::broken));
  EXPECT_EQ(how(1), "request failed");
  call(2);
  end(open("tools/call"), failure(fetch_end::broken, true));
  EXPECT_EQ(sent("tools/call"), 3) << "this one was surely not";
}

TEST_F(the_session, ready_no_answer_in_time_ends_the_request_and_says_so) {
  be_ready();
  call(1);
  pass(facts_of_it().config.request);
  EXPECT_EQ(how(1), "timed out");
  EXPECT_EQ(sent("notifications/cancelled"), 1);
  EXPECT_FALSE(open("tools/call"));
}

TEST_F(the_session, ready_a_cancelled_request_is_answered_by_nobody) {
  be_ready();
  call(1);
  cancel(1);
  EXPECT_EQ(how(1), "nothing");
  EXPECT_EQ(sent("notifications/cancelled"), 1);
}

// --- BUDGET --------------------------------------------------------------------------------------

TEST_F(with_a_price, is_asked_once_it_could_be_sent) {
  call(1, true);
  EXPECT_TRUE(world.charges.empty());
  shake_hands();
  EXPECT_EQ(world.charges.size(), 1u);
  EXPECT_EQ(sent("tools/call"), 0);
  say(true);
  answer(open("tools/call"));
  EXPECT_EQ(how(1), "a result");
  EXPECT_EQ(world.refunds, 0);
}

TEST_F(with_a_price, a_no_is_its_answer) {
  be_ready();
  call(1, true);
  say(false);
  EXPECT_EQ(how(1), "refused");
  EXPECT_TRUE(world.sent.empty());
}

TEST_F(with_a_price, a_yes_opens_if_the_session_is_lost_meanwhile) {
  be_ready();
  call(1);
  call(2, true);
  end(open("tools/call"), status(404));
  say(true);
  shake_hands();
  EXPECT_EQ(sent("tools/call"), 3) << "one, the same again, and the other";
}

TEST_F(with_a_price, what_is_not_sent_is_given_back) {
  be_ready();
  call(1, true);
  cancel(1);
  say(true);
  EXPECT_EQ(world.refunds, 1);
  call(2, true);
  say(true);
  end(open("tools/call"), failure(fetch_end::connect_failed));
  EXPECT_EQ(how(2), "connect failed");
  EXPECT_EQ(world.refunds, 2);
}

TEST_F(with_a_price, what_another_budget_charged_is_not_given_back_to_this_one) {
  be_ready();
  call(1, true);
  say(true);
  it().budget_replaced();
  end(open("tools/call"), failure(fetch_end::connect_failed));
  EXPECT_EQ(world.refunds, 0);
}

TEST_F(with_a_price, that_has_crashed_is_taken_to_have_said_yes) {
  be_ready();
  call(1, true);
  world.budget = false;
  it().budget_replaced();
  EXPECT_EQ(sent("tools/call"), 1);
}

TEST_F(with_a_price, what_waits_too_long_ends) {
  be_ready();
  call(1, true);
  pass(facts_of_it().config.request);
  EXPECT_EQ(how(1), "timed out");
}

// --- streams -------------------------------------------------------------------------------------

TEST_F(the_session, a_stream_that_ends_early_is_gone_on_with) {
  be_ready();
  call(1);
  const auto f = open("tools/call");
  says(f, R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})", "e1");
  end(f, over());
  EXPECT_EQ(how(1), "nothing");
  pass(5s);
  const auto get = open("GET");
  ASSERT_TRUE(get);
  EXPECT_EQ(get->id, f->id);
  EXPECT_NE(get->headers->find("Last-Event-ID: e1\r\n"), std::string::npos);
  says(get, R"({"jsonrpc":"2.0","id":)" + std::to_string(f->id) + R"(,"result":{}})");
  EXPECT_EQ(how(1), "a result");
}

TEST_F(the_session, a_stream_without_ids_is_not_gone_on_with) {
  be_ready();
  call(1);
  const auto f = open("tools/call");
  says(f, R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})");
  end(f, over());
  EXPECT_EQ(how(1), "request failed");
}

TEST_F(the_session, opens_its_own_stream_if_its_client_listens_and_again_when_that_ends) {
  auto p = std::make_shared<client_profile>();
  p->listening = true;
  profile = p;
  call(1);
  shake_hands();
  const auto first = open("GET");
  ASSERT_TRUE(first);
  end(first, over());
  EXPECT_FALSE(open("GET"));
  pass(limits::stream_pause_most);
  EXPECT_TRUE(open("GET"));
}

// --- its end -------------------------------------------------------------------------------------

TEST_F(the_session, told_to_close_it_takes_nothing_new_and_finishes) {
  be_ready();
  call(1);
  close(true);
  call(2);
  EXPECT_EQ(how(2), "request failed");
  EXPECT_FALSE(open("DELETE"));
  answer(open("tools/call"));
  EXPECT_EQ(how(1), "a result");
  ASSERT_TRUE(open("DELETE"));
  EXPECT_FALSE(world.gone);
  well(open("DELETE"));
  EXPECT_TRUE(world.gone);
}

TEST_F(the_session, told_to_close_at_once_it_cancels_what_runs) {
  be_ready();
  call(1);
  close(false);
  EXPECT_EQ(how(1), "nothing") << "ROUTER has ended it";
  EXPECT_EQ(sent("notifications/cancelled"), 1);
  well(open("DELETE"));
  EXPECT_TRUE(world.gone);
}

TEST_F(the_session, told_to_close_at_once_it_answers_what_others_ask_about_its_tasks) {
  be_ready();
  call_of_another(1, "tasks/get");
  call_of_another(2, "tasks/cancel");
  call_of_another(3, "tasks/update");
  call_of_another(4, "tasks/result");
  call(5, false, "tasks/get");
  close(false);
  EXPECT_EQ(how(4), "request failed") << "that may take as long as the task";
  EXPECT_EQ(how(5), "nothing") << "ROUTER has ended it";
  EXPECT_EQ(sent("notifications/cancelled"), 2);
  EXPECT_FALSE(open("DELETE"));
  answer(open("tasks/get"));
  EXPECT_EQ(how(1), "a result");
  answer(open("tasks/cancel"));
  EXPECT_EQ(how(2), "a result");
  EXPECT_FALSE(open("DELETE")) << "one of them has no answer yet";
  cancel(3);
  while (open("notifications/cancelled")) well(open("notifications/cancelled"));
  well(open("DELETE"));
  EXPECT_TRUE(world.gone);
}

TEST_F(the_session, told_to_close_while_it_opens_asks_for_others_first) {
  call_of_another(1, "tasks/get");
  call_of_another(2, "tasks/result");
  call(3);
  close(false);
  EXPECT_EQ(how(2), "request failed");
  shake_hands();
  EXPECT_EQ(sent("tools/call") + sent("tasks/result"), 0);
  ASSERT_TRUE(open("tasks/get"));
  answer(open("tasks/get"));
  EXPECT_EQ(how(1), "a result");
  well(open("DELETE"));
  EXPECT_TRUE(world.gone);
}

TEST_F(the_session, closed_before_it_was_opened_just_ends) {
  it();
  close(true);
  EXPECT_TRUE(world.gone);
  EXPECT_TRUE(world.sent.empty());
}

TEST_F(the_session, that_is_not_used_says_so) {
  be_ready();
  pass(limits::bridged_idle);
  ASSERT_EQ(world.idlers.size(), 1u);
  EXPECT_EQ(world.idlers[0].who, 7u);
  EXPECT_EQ(world.idlers[0].taken, 1u);
}

TEST_F(with_a_price, dropped_it_gives_back_what_was_paid_and_not_sent) {
  be_ready();
  call(1);
  call(2, true);
  end(open("tools/call"), status(404));
  say(true);  // and waits for the next session
  EXPECT_EQ(world.refunds, 0);
  drop();
  EXPECT_EQ(world.refunds, 1);
}

// --- the check of an endpoint --------------------------------------------------------------------

TEST(a_check, shakes_hands_says_goodbye_and_tells) {
  session_stage s(two_endpoints(), role{.check = probe_endpoint{3, 1, {}}});
  s.it();
  EXPECT_EQ(s.open("initialize")->to, two_endpoints().to[1]);
  s.shake_hands();
  ASSERT_EQ(s.world.checks.size(), 1u);
  EXPECT_TRUE(s.world.checks[0].connected);
  s.well(s.open("DELETE"));
  EXPECT_TRUE(s.world.gone);
  EXPECT_TRUE(s.world.introductions.empty());
}

TEST(a_check, tells_why_it_failed) {
  session_stage s(two_endpoints(), role{.check = probe_endpoint{3, 1, {}}});
  s.it();
  s.end(s.open("initialize"), session_stage::failure(fetch_end::connect_failed));
  ASSERT_EQ(s.world.checks.size(), 1u);
  EXPECT_FALSE(s.world.checks[0].connected);
  EXPECT_EQ(s.world.checks[0].error, "connect failed: as the test says");
  EXPECT_TRUE(s.world.gone);
}

}  // namespace
}  // namespace gate::upstream::testing
