#include "actors/upstream/work_desk.hpp"

#include "tests/actors/upstream/fake_carrier.hpp"
#include "tests/actors/upstream/session_stage.hpp"

namespace gate::upstream::testing {
namespace {

class noted_lease final : public lease {
 public:
  explicit noted_lease(std::vector<verdict>& ends) : ends_(ends) {}
  void end(verdict how) override { ends_.push_back(how); }

 private:
  std::vector<verdict>& ends_;
};

struct a_work_desk : ::testing::Test {
  session_world world;
  peers others;
  session_basics s{one_endpoint(), role{.client = 1}, 7, world, world, others};
  fake_carrier by;
  tenancy place{s, by};
  work_desk it{s, place, by};

  void call(std::uint64_t number, bool costs = false, std::shared_ptr<lease> lent = nullptr) {
    auto w = std::make_unique<work>(task::call);
    w->call.call = number;
    w->call.method = "tools/call";
    w->call.lease = std::move(lent);
    if (costs) w->call.costs = a_price();
    it.take(std::move(w));
  }
  void list(mcp::list_kind k = mcp::list_kind::tools) {
    auto w = std::make_unique<work>(task::list);
    w->list.kind = k;
    it.take(std::move(w));
  }
  void simple(task t) { it.take(std::make_unique<work>(t)); }
  /// The latest fetch ends so.
  void end(fetched f) {
    f.id = by.next - 1;
    auto node = s.table.take(f.id);
    ASSERT_FALSE(node.empty());
    it.ended(node.mapped(), f);
  }
  void answer(std::string_view rest) {
    end(session_stage::status(200, R"({"jsonrpc":"2.0","id":)" + std::to_string(by.next - 1) + "," +
                                       std::string(rest) + "}"));
  }
  std::string why() const {
    if (world.answers.empty()) return "nothing";
    const auto& a = world.answers.back();
    return a.what == answer::down ? std::string(to_string(a.why)) : "answered";
  }
  std::uint64_t sent() const { return by.next - 1; }
};

// --- on its way ----------------------------------------------------------------------------------

TEST_F(a_work_desk, asks_and_charges_nobody_for_what_its_carrier_knows) {
  by.own = R"("result":{}})";
  call(1, true);
  EXPECT_EQ(why(), "answered");
  EXPECT_EQ(world.answers.back().payload, "{}");
  EXPECT_EQ(world.answers.back().upstream_calls, 0U);
  by.own = R"("error":{"code":-32601,"message":"m"}})";
  call(2);
  EXPECT_EQ(world.answers.back().what, answer::error);
  EXPECT_EQ(sent(), 0U);
}

TEST_F(a_work_desk, sends_what_can_be_sent_and_opens_for_what_can_not) {
  call(1);
  EXPECT_EQ(sent(), 1u);
  by.ready = false;
  call(2);
  EXPECT_EQ(sent(), 1u);
  EXPECT_EQ(by.opened, 1);
  it.send_waiting();
  EXPECT_EQ(sent(), 2u);
}

TEST_F(a_work_desk, takes_nothing_more_once_it_is_told_to_close) {
  s.closing = true;
  call(1);
  EXPECT_EQ(why(), "request failed");
  EXPECT_EQ(sent(), 0u);
}

TEST_F(a_work_desk, introduces_and_checks_without_a_request) {
  simple(task::greet);
  EXPECT_EQ(by.introduced, (std::vector<std::string>{"reached"}));
  simple(task::check);
  EXPECT_EQ(by.checks, (std::vector<std::string>{""}));
  EXPECT_EQ(sent(), 0u);
}

TEST_F(a_work_desk, sends_once_more_what_was_surely_not_processed) {
  call(1);
  by.lost = true;
  end(session_stage::status(404));
  EXPECT_EQ(sent(), 2u);
  end(session_stage::status(404));
  EXPECT_EQ(sent(), 2u) << "once";
  EXPECT_EQ(why(), "request failed");
  by.lost = false;
  call(2);
  end(session_stage::failure(fetch_end::broken, true));
  EXPECT_EQ(sent(), 4u);
  call(3);
  by.renewable = true;
  end(session_stage::status(401));
  EXPECT_EQ(sent(), 6u);
  call(4);
  by.elsewhere = true;
  end(session_stage::failure(fetch_end::connect_failed));
  EXPECT_EQ(sent(), 8u);
}

TEST_F(a_work_desk, sends_nothing_again_that_has_arrived) {
  call(1);
  s.table.find(1)->place.resumed(world.t);
  by.lost = by.elsewhere = by.renewable = true;
  end(session_stage::failure(fetch_end::connect_failed));
  EXPECT_EQ(sent(), 1u);
  EXPECT_EQ(why(), "request failed");
}

// --- its end -------------------------------------------------------------------------------------

TEST_F(a_work_desk, answers_with_a_result_or_an_error_as_it_came) {
  call(1);
  answer(R"("result":{"a":1})");
  EXPECT_EQ(world.answers.back().payload, R"({"a":1})");
  call(2);
  answer(R"("error":{"code":1,"message":"x"})");
  EXPECT_EQ(world.answers.back().what, answer::error);
  EXPECT_EQ(world.counted[outcome::ok], 2);
  EXPECT_EQ(by.settled, 2);
}

TEST_F(a_work_desk, keeps_what_minted_a_task) {
  call(1);
  EXPECT_FALSE(place.bound() && s.table.idle());
  answer(R"("result":{"task":{"taskId":"t","status":"working"}})");
  EXPECT_EQ(world.answers.back().task, R"("t")");
  EXPECT_TRUE(place.bound());
}

TEST_F(a_work_desk, goes_on_with_a_list_page_by_page) {
  list();
  answer(R"("result":{"tools":[{"name":"a"}],"nextCursor":"c"})");
  EXPECT_EQ(sent(), 2u);
  answer(R"("result":{"tools":[{"name":"b"}]})");
  ASSERT_EQ(world.lists.size(), 1u);
  EXPECT_EQ(world.lists[0].items->size(), 2u);
  EXPECT_EQ(world.lists[0].upstream_calls, 1u) << "its pages are one question";
}

TEST_F(a_work_desk, ends_a_list_that_says_the_same_cursor_again) {
  list();
  answer(R"("result":{"tools":[],"nextCursor":"c"})");
  answer(R"("result":{"tools":[],"nextCursor":"c"})");
  ASSERT_EQ(world.lists.size(), 1u);
  EXPECT_FALSE(world.lists[0].items);
}

TEST_F(a_work_desk, has_an_empty_list_where_the_server_has_none) {
  list(mcp::list_kind::prompts);
  EXPECT_EQ(sent(), 0u);
  list(mcp::list_kind::templates);
  answer(R"("error":{"code":-32601,"message":"no such method"})");
  ASSERT_EQ(world.lists.size(), 2u);
  for (const auto& l : world.lists) EXPECT_TRUE(l.items && l.items->empty());
}

TEST_F(a_work_desk, takes_any_answer_to_a_ping_for_a_sign_of_life) {
  others.circuit.state = breaker_state::open;
  simple(task::ping);
  answer(R"("error":{"code":1,"message":"x"})");
  ASSERT_EQ(world.health.size(), 1u);
  EXPECT_TRUE(world.health[0].connected);
  EXPECT_EQ(world.signs, 1);
  simple(task::look);
  answer(R"("result":{})");
  EXPECT_EQ(by.introduced.back(), "reached, missed");
  simple(task::look);
  end(session_stage::failure(fetch_end::broken));
  EXPECT_EQ(by.introduced.back(), "not reached");
}

TEST_F(a_work_desk, ends_what_waited_too_long) {
  by.ready = false;
  call(1);
  EXPECT_EQ(it.end_late_waiting(world.t, work_desk::waits_for::us),
            world.t + one_endpoint().config.request);
  world.t += one_endpoint().config.request;
  it.end_late_waiting(world.t, work_desk::waits_for::us);
  EXPECT_EQ(why(), "timed out");
}

TEST_F(a_work_desk, gives_up_what_is_late_or_silent_and_tells_the_server) {
  call(1);
  auto late = s.table.take(1);
  it.late(1, late.mapped());
  EXPECT_EQ(why(), "timed out");
  call(2);
  auto silent = s.table.take(2);
  it.silent(2, silent.mapped());
  EXPECT_EQ(world.answers.size(), 2u);
  EXPECT_EQ(by.cancelled.size(), 2u);
  call(3);
  auto answered = s.table.take(3);
  answered.mapped().answered = true;
  it.late(3, answered.mapped());
  EXPECT_EQ(world.answers.size(), 2u) << "all that mattered had come";
}

TEST_F(a_work_desk, ends_calls_of_a_client_that_has_gone_without_a_word_but_not_those_of_others) {
  call(1);
  for (const auto& [number, method] : {std::pair(2u, "tasks/result"), std::pair(3u, "tasks/get")}) {
    auto w = std::make_unique<work>(task::call);
    w->call.call = number;
    w->call.method = method;
    w->call.anywhere = true;
    it.take(std::move(w));
  }
  it.cancel_all();
  ASSERT_EQ(world.answers.size(), 1u);
  EXPECT_EQ(world.answers[0].call, 2u) << "that may take as long as the task";
  EXPECT_EQ(by.cancelled.size(), 2u);
  EXPECT_EQ(s.table.works(), 1u) << "the other one is answered first";
}

// --- BREAKER -------------------------------------------------------------------------------------

TEST_F(a_work_desk, tells_failures_always_and_successes_unless_all_is_clean) {
  world.breaker = true;
  call(1);
  answer(R"("result":{})");
  EXPECT_TRUE(world.ends.empty());
  call(2);
  end(session_stage::failure(fetch_end::broken));
  EXPECT_FALSE(others.circuit.clean) << "and its peers know";
  call(3);
  answer(R"("result":{})");
  EXPECT_EQ(world.ends, (std::vector{verdict::failure, verdict::success}));
  call(4);
  end(session_stage::busy());
  call(5);
  it.cancel(cancel_call{5, 1, {}, false});
  EXPECT_EQ(world.ends.size(), 2u) << "neither says anything";
}

TEST_F(a_work_desk, tells_the_end_of_leased_work_to_whom_it_has_the_lease_of) {
  world.breaker = true;
  std::vector<verdict> ends;
  const auto lent = [&] { return std::make_shared<noted_lease>(ends); };
  call(1, false, lent());
  answer(R"("result":{})");
  call(2, false, lent());
  end(session_stage::failure(fetch_end::broken));
  call(3, false, lent());
  end(session_stage::busy());
  call(4, false, lent());
  it.works(*s.table.find(4)->job);
  EXPECT_EQ(ends,
            (std::vector{verdict::success, verdict::failure, verdict::neutral, verdict::success}));
  EXPECT_TRUE(world.ends.empty());
}

TEST_F(a_work_desk, blames_a_failed_handshake_on_the_first_that_waited) {
  world.breaker = true;
  by.ready = false;
  simple(task::ping);
  call(1);
  call(2);
  it.fail_waiting(no_answer::connect_failed, true, verdict::failure);
  EXPECT_EQ(world.ends, (std::vector{verdict::failure}));
  call(3);
  it.fail_waiting(no_answer::connect_failed, true, verdict::failure);
  EXPECT_EQ(world.ends.size(), 1u) << "it is the same one";
  it.forgive_handshake();
  call(4);
  it.fail_waiting(no_answer::connect_failed, true, verdict::failure);
  EXPECT_EQ(world.ends.size(), 2u);
}

}  // namespace
}  // namespace gate::upstream::testing
