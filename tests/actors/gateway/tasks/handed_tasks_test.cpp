// Tasks of clients without sessions, minted in a session that one instance of a fleet has with the
// server, and asked for at another. Each unit is an instance.
#include "simulations/world/shared_scripts.hpp"
#include "simulations/world/stateless_client.hpp"
#include "tests/actors/support/a_fleet.hpp"
#include "tests/support/task_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto servers = R"({"upstreams":[
  {"id":"b","url":"http://b.test/mcp","namespace":"b"},
  {"id":"s","url":"http://s.test/mcp","namespace":"s","protocol":"2026-07-28"}]})";

struct tasks_elsewhere : ::testing::Test {
  std::shared_ptr<fake_store> store = a_fleet::taught();
  world w{[this] {
    auto o = fleet_of(store, 3, servers);
    o.met = false;
    o.prepare = [](fake_network& net) {
      auto& b = *net.at("b");
      b.version = "2025-11-25";
      b.capabilities =
          R"({"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}})";
      b.tools = {R"({"name":"y","execution":{"taskSupport":"required"}})"};
      auto& s = *net.at("s");
      s.stateless = true;
      s.capabilities = R"({"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";
      s.tools = {R"({"name":"x"})"};
    };
    return o;
  }()};
  fake_upstream& b = w.upstream("b");
  stateless_client one{w, 0}, two{w, 1};

  tasks_elsewhere() {
    one.capabilities = two.capabilities = extension;
    b.always("tasks/get", [this](const sight& s) {
      // As servers do that bind tasks to the session that minted them.
      if (s.session != b.last("tools/call")->session) return reply::error(not_there);
      return reply::result(R"({"taskId":"t","status":"working","x":1.0})");
    });
  }
  receipt_ptr mint() {
    b.next("tools/call",
           reply::result(R"({"task":{"taskId":"t","status":"working","ttl":60000}})"));
    auto r = one.call("1", "b__y");
    EXPECT_EQ(at(r->last(), "result", "taskId"), R"("t")") << r->body;
    return r;
  }
  static receipt_ptr ask(stateless_client& who, std::string_view method = "tasks/get",
                         std::string_view more = {}) {
    return who.request("9", method, R"("taskId":"t")" + std::string(more));
  }
  std::string outcome(std::string_view method) const {
    return at(w.audit(method).back(), "outcome") + at(w.audit(method).back(), "upstreamCalls");
  }
};

TEST_F(tasks_elsewhere, are_asked_for_in_the_session_that_minted_them) {
  mint();
  const auto r = ask(two);
  EXPECT_EQ(member(r, "x"), "1.0") << r->body;
  EXPECT_EQ(member(r, "resultType"), R"("complete")");
  ASSERT_EQ(b.count("tasks/get"), 1U);
  EXPECT_EQ(b.last("tasks/get")->unit, 0U);
  EXPECT_EQ(outcome("tasks/get"), R"("ok"1)");
  EXPECT_EQ(w.audit("tasks/get").size(), 1U) << "where its client is";
  ask(one);
  EXPECT_EQ(b.count("tasks/get"), 2U);
}

TEST_F(tasks_elsewhere, are_cancelled_and_their_errors_passed_on) {
  mint();
  b.next("tasks/cancel", reply::result(R"({"taskId":"t","status":"cancelled"})"));
  EXPECT_EQ(member(ask(two, "tasks/cancel"), "resultType"), R"("complete")");
  EXPECT_EQ(b.last("tasks/cancel")->session, b.last("tools/call")->session);
  b.next("tasks/get", reply::error(R"({"code":-7,"message":"no"})"));
  EXPECT_EQ(at(ask(two)->last(), "error", "code"), "-7");
}

TEST_F(tasks_elsewhere, say_what_their_end_was) {
  mint();
  b.next("tasks/get", reply::result(R"({"taskId":"t","status":"completed"})"));
  b.next("tasks/result", reply::result(R"({"content":[],"n":1e0})"));
  const auto r = ask(two);
  EXPECT_EQ(at(r->last(), "result", "result", "n"), "1e0") << r->body;
  EXPECT_EQ(outcome("tasks/get"), R"("ok"2)") << "the server was asked twice";
}

TEST_F(tasks_elsewhere, are_nobody_elses) {
  mint();
  two.peer = "127.0.0.9";
  const auto r = ask(two);
  EXPECT_EQ(at(r->last(), "error", "code"), "") << "of callers without tokens all are one owner";
  EXPECT_EQ(b.last("tasks/get")->session, b.last("tools/call")->session);
}

TEST_F(tasks_elsewhere, are_asked_for_here_when_that_instance_is_gone) {
  mint();
  w.crash(w.cast("router").at(0));
  const auto r = ask(two);
  w.settle();
  EXPECT_EQ(r->endings, 1) << "at once";
  ASSERT_EQ(b.count("tasks/get"), 1U);
  EXPECT_EQ(b.last("tasks/get")->unit, 1U);
  EXPECT_EQ(at(r->last(), "error", "code"), "-32602") << "the server's own word";
  EXPECT_EQ(outcome("tasks/get"), R"("error"1)");
}

TEST_F(tasks_elsewhere, are_asked_for_here_when_that_instance_says_nothing) {
  mint();
  store->hold_news(true);
  const auto r = ask(two);
  EXPECT_EQ(b.count("tasks/get"), 0U);
  w.advance(limits::handed_call_taken + 1s);
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(b.last("tasks/get")->unit, 1U);
}

TEST_F(tasks_elsewhere, are_asked_for_here_when_their_session_has_ended) {
  mint();
  w.advance(3h);
  const auto r = ask(two);
  w.settle();
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(b.last("tasks/get")->unit, 1U);
}

TEST_F(tasks_elsewhere, are_given_up_when_their_client_leaves) {
  mint();
  b.next("tasks/get", reply::silence());
  const auto r = ask(two);
  ASSERT_EQ(b.under_way("tasks/get").size(), 1U);
  w.vanish(r);
  w.settle();
  EXPECT_EQ(b.under_way("tasks/get").size(), 0U);
}

TEST_F(tasks_elsewhere, are_waited_for_as_long_as_their_server_reports) {
  mint();
  b.next("tasks/get", reply{.open = true});
  two.more_meta = R"(,"progressToken":7)";
  const auto r = ask(two);
  const auto work = b.last("tasks/get");
  ASSERT_TRUE(work) << r->body;
  const auto token = at(work->body, "params", "_meta", "progressToken");
  for (int n = 1; n < 5; ++n) {
    w.advance(25s);
    fake_upstream::push(work, R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
                              R"({"progressToken":)" +
                                  token + R"(,"progress":)" + std::to_string(n) + "}}");
    w.settle();
    EXPECT_EQ(r->endings, 0) << n;
  }
  fake_upstream::push(work,
                      jsonrpc::result_head(work->id) + R"({"taskId":"t","status":"working"}})");
  w.settle();
  EXPECT_NE(at(r->last(), "result"), "") << r->stream << r->body;
}

TEST_F(tasks_elsewhere, are_down_when_their_upstream_is_lost) {
  mint();
  b.next("tasks/get", reply::silence());
  const auto r = ask(two);
  w.crash_upstream(0);
  w.settle();
  EXPECT_EQ(at(r->last(), "error", "code"), "-31041") << r->body;
}

TEST_F(tasks_elsewhere, of_servers_without_sessions_are_asked_for_anywhere) {
  auto& s = w.upstream("s");
  s.next("tools/call", reply::result(R"({"resultType":"task","taskId":"t","status":"working",)"
                                     R"("ttlMs":60000,"pollIntervalMs":500})"));
  one.call("1", "s__x");
  s.always("tasks/get", reply::result(R"({"resultType":"complete","taskId":"t","y":1})"));
  EXPECT_EQ(member(ask(two), "y"), "1");
  EXPECT_EQ(s.last("tasks/get")->unit, 1U);
}

}  // namespace
}  // namespace gate
