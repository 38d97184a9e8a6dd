// A client without a session asks `two` about a task that `one` has minted, in a session of its own
// with the server: actors/router/guest_requests, at `one`.
#include "actors/router/guest_requests.hpp"

#include "actors/router/handed_calls.hpp"
#include "actors/router/upstream_calls.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "tests/actors/support/fleet_stage.hpp"

namespace gate::routing {
namespace {

struct a_guest_request : sim::fleet_stage {
  using task_question = fleet::task_question;
  static constexpr auto able = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";
  static constexpr std::string_view traceparent =
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

  sessions::session_ptr minter;  ///< what stands for the client at `one`

  a_guest_request() {
    one.post_stateless("1", "tools/call", "a__x", R"(,"arguments":{})", able);
    one.list_all({"x"});
    const auto* c = one.unit().calls.find(one.latest());
    minter = c->session;
    one.answer(R"({"content":[]})");
    one.doors.calls.clear();
  }
  /// As `two` asks for a task of this client.
  task_question question() const {
    return {.waits = 5,
            .owner = minter->access->task_owner(),
            .client = minter->key,
            .upstream = "a",
            .capabilities = able,
            .request = R"({"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t"}})"};
  }
  bool take(const task_question& q, const std::string& instance = "two") {
    return one.it.fleet->calls.guests().take({instance, q.waits}, q);
  }
  guest_requests& guests() { return one.it.fleet->calls.guests(); }

  /// The client asks `two`, whose ledger knows where the task was minted.
  sim::receipt_ptr ask() {
    const auto r = two.post_stateless("9", "tasks/get", "t", {}, able);
    tasks_found f;
    f.findings.push_back({tasks::verdict::own, {"a", 0, minter->key, one.line().id()}});
    two.it.tasks.on_found(two.doors.ledger.back().first, f);
    return r;
  }
  void wait(std::chrono::milliseconds d) {
    one.pass(d);
    one.tick();
  }
  /// Nobody is a guest any more, and nothing holds the session that it was asked in.
  void expect_nothing_kept() {
    EXPECT_TRUE(minter->calls.empty());
    EXPECT_TRUE(two.unit().calls.all().empty());
  }
};

TEST_F(a_guest_request, is_asked_in_the_session_that_minted_the_task) {
  const auto r = ask();
  settle();
  ASSERT_EQ(one.doors.calls.size(), 1U);
  const auto& [upstream, q] = one.doors.calls[0];
  EXPECT_EQ(upstream, 0U);
  EXPECT_EQ(q.client, minter->key);
  EXPECT_EQ(q.method, "tasks/get");
  EXPECT_TRUE(q.anywhere);
  EXPECT_TRUE(two.doors.calls.empty());
  EXPECT_EQ(minter->calls.size(), 1U) << "it lasts as long as this does";
  one.answer(R"({"taskId":"t","status":"working","n":1.0})");
  settle();
  EXPECT_EQ(json::member(json::member(r->last(), "result"), "n"), "1.0") << r->last();
  EXPECT_EQ(r->endings, 1);
  expect_nothing_kept();
}

TEST_F(a_guest_request, passes_on_what_its_server_says) {
  for (const auto& x : endings) {
    const auto r = ask();
    settle();
    one.answer_with(x.is, x.text);
    settle();
    EXPECT_EQ(error_code(r), x.code) << r->last();
    expect_nothing_kept();
  }
}

TEST_F(a_guest_request, that_a_guard_refuses_is_asked_where_its_client_is) {
  const auto r = ask();
  settle();
  answered no;
  no.call = one.latest();
  no.refused = std::make_shared<refusal>(refusal{reason::overloaded, "no", {}, -1});
  one.it.calls.on_answered(no);
  settle();
  EXPECT_FALSE(r->done());
  ASSERT_EQ(two.doors.calls.size(), 1U) << "they count together";
}

TEST_F(a_guest_request, is_asked_where_its_client_is_if_the_other_is_gone_or_has_no_session) {
  one.deaf = true;
  ask();
  settle();
  EXPECT_EQ(two.doors.calls.size(), 1U);
  one.deaf = false;
  const auto key = minter->key;
  one.unit().sessions.close(minter);
  ASSERT_FALSE(one.unit().sessions.find_key(key));
  ask();
  settle();
  EXPECT_EQ(two.doors.calls.size(), 2U);
  EXPECT_TRUE(one.doors.calls.empty());
}

TEST_F(a_guest_request, is_taken_only_for_what_can_be_asked_here) {
  const auto good = question();
  const auto with = [&](auto change) {
    auto q = good;
    change(q);
    return q;
  };
  const std::vector<std::pair<std::string_view, task_question>> bad{
      {"no such session", with([](auto& q) { q.client += 1000; })},
      {"another owner's", with([](auto& q) { q.owner += 1; })},
      {"no such upstream", with([](auto& q) { q.upstream = "z"; })},
      {"no request", with([](auto& q) { q.request = "{}"; })},
      {"no JSON", with([](auto& q) { q.request = "}{"; })},
      {"nothing", with([](auto& q) { q.request.clear(); })},
      {"a notification", with([](auto& q) {
         q.request = R"({"jsonrpc":"2.0","method":"tasks/get","params":{"taskId":"t"}})";
       })},
      {"not about a task", with([](auto& q) {
         q.request = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}})";
       })},
      {"about no task", with([](auto& q) {
         q.request = R"({"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":""}})";
       })},
  };
  for (const auto& [why, q] : bad) EXPECT_FALSE(take(q)) << why;
  one.doors.up[0] = false;
  EXPECT_FALSE(take(good)) << "its upstream is not there";
  one.doors.up[0] = true;
  EXPECT_TRUE(one.doors.calls.empty());
  EXPECT_TRUE(take(good));
  EXPECT_EQ(one.doors.calls.size(), 1U);
}

TEST_F(a_guest_request, is_none_of_a_session_that_a_client_has_itself) {
  const auto s = open();
  auto q = question();
  q.client = s->key;
  q.owner = s->access->task_owner();
  EXPECT_FALSE(take(q)) << "it stands for no request without a session";
}

TEST_F(a_guest_request, is_one_of_a_bounded_number) {
  auto q = question();
  for (std::size_t n = 0; n < limits::guest_requests; ++n) {
    q.waits = n;
    ASSERT_TRUE(take(q));
  }
  EXPECT_FALSE(take(q));
  one.answer("{}");
  EXPECT_TRUE(take(q)) << "one has ended";
}

TEST_F(a_guest_request, is_given_up_when_nobody_waits_for_it) {
  const auto r = ask();
  settle();
  const auto number = one.latest();
  r->alive = false;
  two.it.on_client_gone(r->number);
  settle();
  const auto left = one.doors.take<cancel_call>();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].second.call, number);
  EXPECT_EQ(left[0].second.client, minter->key);
  expect_nothing_kept();
  one.answer("{}");
  EXPECT_TRUE(one.doors.asked.empty()) << "who would hear it";
}

TEST_F(a_guest_request, is_given_up_by_whoever_asked_it_only) {
  ASSERT_TRUE(take(question()));
  guests().give_up({"three", 5});
  guests().give_up({"two", 6});
  EXPECT_TRUE(one.doors.take<cancel_call>().empty());
  guests().give_up({"two", 5});
  EXPECT_EQ(one.doors.take<cancel_call>().size(), 1U);
}

TEST_F(a_guest_request, ends_in_time_unless_something_is_heard_of_it) {
  const auto r = ask();
  settle();
  const auto patience = one.unit().snapshot->at(0)->request + limits::handed_call_taken;
  wait(patience - std::chrono::milliseconds(1));
  one.tell(one.latest(), "");
  wait(patience - std::chrono::milliseconds(1));
  EXPECT_TRUE(one.doors.take<cancel_call>().empty());
  wait(std::chrono::milliseconds(1));
  EXPECT_EQ(one.doors.take<cancel_call>().size(), 1U);
  settle();
  EXPECT_EQ(error_code(r), "-31041") << r->last();
  EXPECT_NE(r->last().find("timed out"), std::string::npos) << r->last();
  expect_nothing_kept();
}

TEST_F(a_guest_request, tells_what_is_said_for_its_client_alone) {
  ASSERT_TRUE(take(question(), two.name()));
  const auto said = one.doors.asked.size();
  call_notification m{one.latest(), "{}", minter->key + 1, 0};
  one.it.calls.on_call_notification(m);
  EXPECT_EQ(one.doors.asked.size(), said) << "another client's";
  m.client = minter->key;
  one.it.calls.on_call_notification(m);
  m.client = 0;
  one.it.calls.on_call_notification(m);
  EXPECT_EQ(one.doors.asked.size(), said + 2);
}

TEST_F(a_guest_request, is_down_with_whatever_it_went_over) {
  const auto root = [this](mcp::capability_profile as, std::size_t upstream) {
    session_lost m;
    m.as = as;
    m.upstream = upstream;
    one.it.calls.on_session_lost(m);
  };
  const auto session = [this](std::uint64_t client, std::size_t upstream) {
    session_lost m;
    m.client = client;
    m.upstream = upstream;
    one.it.calls.on_session_lost(m);
  };
  struct row {
    std::string_view what;
    std::function<void()> it;
    bool down;
  };
  const auto as = minter->lists_as;
  for (const auto& x : {
           row{"another upstream", [&] { one.it.calls.on_upstream_lost(1); }, false},
           row{"its upstream", [&] { one.it.calls.on_upstream_lost(0); }, true},
           row{"another client's session", [&] { session(minter->key + 1, 0); }, false},
           row{"its session elsewhere", [&] { session(minter->key, 1); }, false},
           row{"its session", [&] { session(minter->key, 0); }, true},
           row{"a root session of others", [&] { root(as ^ 1U, 0); }, false},
           row{"a root session elsewhere", [&] { root(as, 1); }, false},
           row{"its root session", [&] { root(as, 0); }, true},
       }) {
    const auto r = ask();
    settle();
    x.it();
    settle();
    EXPECT_EQ(error_code(r), x.down ? "-31041" : "") << x.what << ": " << r->last();
    EXPECT_EQ(minter->calls.empty(), x.down) << x.what;
    if (x.down) continue;
    one.answer("{}");
    settle();
    EXPECT_EQ(r->endings, 1);
  }
  expect_nothing_kept();
}

TEST_F(a_guest_request, carries_what_its_client_wants_to_hear_and_its_trace) {
  auto q = question();
  q.trace = "traceparent: " + std::string(traceparent) + "\r\n";
  q.log_level = 0;
  q.request = R"({"jsonrpc":"2.0","id":1,"method":"tasks/get",)"
              R"("params":{"taskId":"t","_meta":{"progressToken":4}}})";
  ASSERT_TRUE(take(q));
  const auto& asked = one.doors.calls.back().second;
  ASSERT_TRUE(asked.trace);
  EXPECT_EQ(*asked.trace, q.trace);
  EXPECT_EQ(asked.log_level, mcp::log_levels[0]);
  EXPECT_EQ(asked.token, "4");
  EXPECT_EQ(minter->profile->log_level, json::quoted(mcp::log_levels[0]))
      << "its server says as much as it wants to hear";
}

TEST_F(a_guest_request, after_a_reload_without_its_upstream_is_none) {
  ASSERT_TRUE(take(question()));
  one.reload(R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"}]})");
  EXPECT_FALSE(take(question()));
  wait(limits::handed_call_taken);
  one.answer("{}");
  EXPECT_TRUE(minter->calls.empty());
}

}  // namespace
}  // namespace gate::routing
