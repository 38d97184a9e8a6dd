#include "actors/router/fan_outs.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct a_fan_out : sim::router_stage {
  sessions::session_ptr s = open();

  sim::receipt_ptr get(int id) {
    return post(s->id, R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                           R"(,"method":"tasks/get","params":{"taskId":"t"}})");
  }
  void find(tasks::verdict v, std::string upstream = {}, std::vector<std::string> minting = {}) {
    tasks_found f;
    f.minting = std::move(minting);
    f.findings.push_back({v, {std::move(upstream), 0, s->key}});
    const auto number = doors.ledger.back().first;
    it.tasks.on_found(number, f);
  }
  void say(std::size_t probe, gate::answer what, std::string_view text = "{}") {
    answered m;
    m.call = doors.calls[probe].second.call;
    m.upstream = doors.calls[probe].first;
    m.what = what;
    m.payload = text;
    it.calls.on_answered(m);
  }
};

TEST_F(a_fan_out, is_not_needed_for_what_the_ledger_knows) {
  const auto r = get(1);
  ASSERT_EQ(doors.ledger.size(), 1U);
  EXPECT_EQ(doors.ledger[0].second.ids, std::vector<std::string>{"t"});
  find(tasks::verdict::own, "b");
  ASSERT_EQ(doors.calls.size(), 1U);
  EXPECT_EQ(doors.calls[0].first, 1U);
  answer(R"({"status":"working"})");
  EXPECT_NE(r->body.find("working"), std::string::npos);
}

TEST_F(a_fan_out, takes_the_first_that_knows_the_task) {
  const auto r = get(1);
  find(tasks::verdict::unknown);
  ASSERT_EQ(doors.calls.size(), 2U) << "both are asked";
  say(1, gate::answer::result, R"({"of":"b"})");
  EXPECT_FALSE(r->done()) << "a comes before b";
  say(0, gate::answer::error);
  EXPECT_FALSE(r->done()) << "somebody may have minted it meanwhile";
  ASSERT_EQ(doors.ledger.size(), 2U);
  EXPECT_TRUE(doors.ledger[1].second.again);
  find(tasks::verdict::unknown);
  EXPECT_NE(r->body.find(R"("of":"b")"), std::string::npos) << r->body;
}

TEST_F(a_fan_out, tells_nobody_of_a_task_that_another_may_be_minting) {
  const auto r = get(1);
  find(tasks::verdict::unknown, {}, {"b"});
  say(1, gate::answer::result);
  say(0, gate::answer::error);
  EXPECT_NE(r->body.find("no upstream owns task"), std::string::npos) << r->body;
  EXPECT_EQ(doors.ledger.size(), 1U) << "as with one that does not exist";
}

TEST_F(a_fan_out, goes_on_where_nobody_else_mints) {
  const auto r = get(1);
  find(tasks::verdict::unknown);
  say(0, gate::answer::result, R"({"of":"a"})");
  ASSERT_EQ(doors.ledger.size(), 2U);
  find(tasks::verdict::unknown, {}, {"a"});
  EXPECT_FALSE(r->done()) << "b has not spoken";
  say(1, gate::answer::result, R"({"of":"b"})");
  ASSERT_EQ(doors.ledger.size(), 3U);
  find(tasks::verdict::unknown, {}, {"a"});
  EXPECT_NE(r->body.find(R"("of":"b")"), std::string::npos) << r->body;
}

TEST_F(a_fan_out, asks_again_about_what_was_found_meanwhile) {
  const auto r = get(1);
  find(tasks::verdict::unknown);
  say(1, gate::answer::result, R"({"of":"b"})");
  pass(std::chrono::seconds{1});
  it.on_timer(timer::upkeep);
  ASSERT_EQ(doors.ledger.size(), 2U) << "a hangs";
  say(0, gate::answer::result, R"({"of":"a"})");
  EXPECT_EQ(doors.ledger.size(), 2U) << "one question at a time";
  find(tasks::verdict::unknown);
  ASSERT_EQ(doors.ledger.size(), 3U);
  find(tasks::verdict::unknown, {}, {"a"});
  EXPECT_NE(r->last().find(R"("of":"b")"), std::string::npos) << r->last();
}

TEST_F(a_fan_out, goes_to_the_owner_of_what_was_minted_meanwhile) {
  const auto r = get(1);
  find(tasks::verdict::unknown);
  say(0, gate::answer::error);
  say(1, gate::answer::result, R"({"of":"the look"})");
  find(tasks::verdict::own, "b");
  ASSERT_EQ(doors.calls.size(), 3U);
  answer(R"({"of":"b"})");
  EXPECT_NE(r->body.find(R"("of":"b")"), std::string::npos) << r->body;
}

TEST_F(a_fan_out, leaves_who_hangs_when_the_owner_is_known) {
  get(1);
  find(tasks::verdict::unknown);
  const auto number = doors.calls[0].second.call;
  say(1, gate::answer::result);
  pass(std::chrono::seconds{1});
  it.on_timer(timer::upkeep);
  EXPECT_TRUE(doors.take<cancel_call>().empty());
  find(tasks::verdict::own, "b");
  ASSERT_EQ(doors.calls.size(), 3U);
  const auto left = doors.take<cancel_call>();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].first, 0U);
  EXPECT_EQ(left[0].second.call, number);
}

TEST_F(a_fan_out, leaves_out_of_lists_what_another_may_be_minting) {
  const auto r = post(s->id, R"({"jsonrpc":"2.0","id":1,"method":"tasks/list"})");
  auto asked = doors.take<fetch_list>();
  list(0, asked[0].second, {"nobodys"});
  list(1, asked[1].second, {"mine", "new"});
  tasks_found f;
  f.findings = {{tasks::verdict::unknown, {}},
                {tasks::verdict::own, {"b", 0, s->key}},
                {tasks::verdict::unknown, {}}};
  f.minting = {"b"};
  it.tasks.on_found(doors.ledger[0].first, f);
  EXPECT_EQ(r->body,
            R"({"jsonrpc":"2.0","id":1,"result":{"tasks":[{"name":"mine"},{"name":"nobodys"}]}})");
}

TEST_F(a_fan_out, asks_over_the_callers_own_session_for_what_was_minted_at_another_instance) {
  get(1);
  tasks_found f;
  f.findings = {{tasks::verdict::own, {"b", tasks::elsewhere, 99}}};
  it.tasks.on_found(doors.ledger.back().first, f);
  ASSERT_EQ(doors.calls.size(), 1U);
  EXPECT_EQ(doors.calls[0].first, 1U);
  EXPECT_EQ(doors.calls[0].second.client, s->key);
}

TEST_F(a_fan_out, ends_with_time) {
  const auto r = get(1);
  find(tasks::verdict::unknown);
  pass(limits::list_deadline);
  it.on_timer(timer::upkeep);
  EXPECT_NE(r->last().find("unavailable: a, b"), std::string::npos) << r->last();
}

TEST_F(a_fan_out, tells_nobody_of_anothers_task) {
  const auto r = get(1);
  find(tasks::verdict::foreign);
  say(0, gate::answer::result);
  say(1, gate::answer::error);
  EXPECT_NE(r->body.find("no upstream owns task"), std::string::npos) << r->body;
}

TEST_F(a_fan_out, of_all_tasks_shows_ones_own) {
  const auto r = post(s->id, R"({"jsonrpc":"2.0","id":1,"method":"tasks/list"})");
  auto asked = doors.take<fetch_list>();
  ASSERT_EQ(asked.size(), 2U);
  list(0, asked[0].second, {"mine", "anothers"});
  EXPECT_TRUE(doors.ledger.empty());
  list(1, asked[1].second, {"nobodys"});
  ASSERT_EQ(doors.ledger.size(), 1U);
  EXPECT_EQ(doors.ledger[0].second.ids, (std::vector<std::string>{"mine", "anothers", "nobodys"}));
  tasks_found f;
  f.findings = {{tasks::verdict::own, {"a", 0, s->key}},
                {tasks::verdict::foreign, {}},
                {tasks::verdict::unknown, {}}};
  it.tasks.on_found(doors.ledger[0].first, f);
  EXPECT_EQ(r->body,
            R"({"jsonrpc":"2.0","id":1,"result":{"tasks":[{"name":"mine"},{"name":"nobodys"}]}})");
}

TEST_F(a_fan_out, remembers_who_minted) {
  post(s->id,
       R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__x","task":{}}})");
  answered m;
  m.call = doors.calls.back().second.call;
  m.what = gate::answer::result;
  m.payload = "{}";
  m.task = R"("t\u0031")";
  it.calls.on_answered(m);
  ASSERT_EQ(doors.pinned.size(), 1U);
  EXPECT_EQ(doors.pinned[0].id, "t1");
  EXPECT_EQ(doors.pinned[0].where.upstream, "a");
}

}  // namespace
}  // namespace gate::routing
