// Progress of calls: under a token of ours towards upstreams, under the client's own on the way
// back, and nobody else's.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

std::string report(std::string_view raw_token, std::string_view more = R"("progress":1.0)") {
  return R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
         std::string(raw_token) + "," + std::string(more) + "}}";
}

/// The token that the upstream was given.
std::string token_of(const sight_ptr& s) {
  return at(s->param("_meta"), "progressToken");
}

struct progress : ::testing::Test {
  world w;
  client c{w}, d{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");

  progress() {
    for (auto* u : {&a, &b}) {
      u->version = "2025-11-25";
      u->capabilities =
          R"({"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}})";
      u->always("tools/call", reply{.open = true});
    }
    c.initialize();
    d.initialize();
  }
  static receipt_ptr call(client& who, std::string_view id, std::string_view raw_token,
                          std::string_view name = "a__x") {
    return who.call(id, name, R"("_meta":{"progressToken":)" + std::string(raw_token) + "}");
  }
  void say(const sight_ptr& to, std::string text) {
    fake_upstream::push(to, std::move(text));
    w.settle();
  }
};

TEST_F(progress, has_a_token_of_ours_upstream_and_the_clients_own_with_its_type_below) {
  for (std::string token : {"7", R"("7")", "7.0", "-1", R"("a\u0062\"c")", R"("t")"}) {
    auto r = call(c, "1", token);
    const auto asked = a.last("tools/call");
    const auto ours = token_of(asked);
    EXPECT_NE(ours, token);
    EXPECT_EQ(ours.starts_with('"'), token.starts_with('"')) << ours;
    say(asked, report(ours, R"("progress":1.50,"total":9007199254740993)"));
    ASSERT_EQ(r->events().size(), 1U) << token;
    EXPECT_EQ(r->events()[0], report(token, R"("progress":1.50,"total":9007199254740993)"));
    say(asked, R"({"jsonrpc":"2.0","id":$id,"result":{}})");
  }
}

TEST_F(progress, of_others_never_comes_though_their_tokens_are_equal) {
  auto mine = call(c, "1", "1");
  const auto my_call = a.last("tools/call");
  auto theirs = call(d, "1", "1");
  const auto their_call = a.last("tools/call");
  EXPECT_NE(token_of(my_call), token_of(their_call));
  // A server that does not tell its clients apart says everything to everybody.
  for (const auto& stream : {my_call, their_call})
    for (const auto& of : {my_call, their_call}) say(stream, report(token_of(of)));
  EXPECT_EQ(mine->events(), std::vector<std::string>{report("1")});
  EXPECT_EQ(theirs->events(), std::vector<std::string>{report("1")});
}

TEST_F(progress, of_an_unknown_token_or_of_another_call_is_dropped) {
  auto one = call(c, "1", R"("one")");
  const auto first = a.last("tools/call");
  auto two = call(c, "2", R"("two")");
  const auto second = a.last("tools/call");
  auto none = c.call("3", "a__x");
  const auto third = a.last("tools/call");
  for (const auto& s : {first, second, third})
    for (std::string token : {R"("one")", R"("two")", "1", "null", "{}"}) say(s, report(token));
  say(first, report(token_of(second)));
  say(third, report(token_of(first)));
  say(first, R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}})");
  say(first, R"({"jsonrpc":"2.0","method":"notifications/progress"})");
  for (const auto& r : {one, two, none}) EXPECT_TRUE(r->events().empty());
}

TEST_F(progress, ends_with_its_call) {
  auto r = call(c, "1", "1");
  const auto asked = a.last("tools/call");
  say(asked, R"({"jsonrpc":"2.0","id":$id,"result":{}})");
  auto own = c.get();
  auto later = c.call("2", "a__x");
  say(asked, report(token_of(asked)));
  say(a.last("tools/call"), report(token_of(asked)));
  w.settle();
  for (const auto& s : a.under_way("GET")) say(s, report(token_of(asked)));
  EXPECT_EQ(r->events().size(), 0U);
  EXPECT_TRUE(later->events().empty());
  EXPECT_TRUE(own->events().empty());
}

TEST_F(progress, said_on_the_sessions_own_stream_belongs_to_its_call) {
  auto mine = c.get();
  auto theirs = d.get();
  auto r = call(c, "1", R"("t")");
  const auto asked = a.last("tools/call");
  call(d, "1", R"("t")");
  a.announce(report(token_of(asked)));
  w.settle();
  EXPECT_EQ(r->events(), std::vector<std::string>{report(R"("t")")});
  EXPECT_TRUE(mine->events().empty());
  EXPECT_TRUE(theirs->events().empty());
}

TEST_F(progress, leaves_every_other_byte_of_the_params) {
  struct row {
    std::string params, before, after;
  };
  const std::array rows{
      row{R"({"name":"a__x","arguments":{"n":1.0},"_meta":{"x":1e2,"progressToken":7}})",
          R"({"name":"x","arguments":{"n":1.0},"_meta":{"x":1e2,"progressToken":)", "}}"},
      row{R"({ "_meta" : { "progressToken" : 7 , "y":0.10 } , "name":"a__x" })",
          R"({ "_meta" : { "progressToken" : )", R"( , "y":0.10 } , "name":"x" })"},
      row{R"({"_meta":{"progressToken":7},"n\u0061me":"a\u005f_x","z":[7]})",
          R"({"_meta":{"progressToken":)", R"(},"n\u0061me":"x","z":[7]})"},
      row{R"({"name":"a\u005f_x","_meta":{"progress\u0054oken":7},"z":7})",
          R"({"name":"x","_meta":{"progress\u0054oken":)", R"(},"z":7})"}};
  int id = 0;
  for (const auto& row : rows) {
    c.request(std::to_string(++id), "tools/call", row.params);
    const auto sent = at(a.last("tools/call")->body, "params");
    ASSERT_TRUE(sent.starts_with(row.before)) << sent;
    ASSERT_TRUE(sent.ends_with(row.after)) << sent;
    const auto token =
        sent.substr(row.before.size(), sent.size() - row.before.size() - row.after.size());
    EXPECT_NE(token, "7");
    EXPECT_EQ(token.find_first_not_of("0123456789"), token.npos) << token;
  }
}

TEST_F(progress, of_a_call_that_was_sent_again_has_its_new_token) {
  a.always("tools/call", reply::result("{}"));
  c.call("0", "a__x");
  a.forget_sessions();
  a.behave("tools/call");
  a.next("tools/call", reply::http(404));
  a.next("tools/call", reply{.open = true});
  auto r = call(c, "1", "5");
  ASSERT_EQ(a.count("tools/call"), 3U);
  say(a.last("tools/call"), report(token_of(a.last("tools/call"))));
  EXPECT_EQ(r->events(), std::vector<std::string>{report("5")});
}

TEST_F(progress, goes_on_with_a_stream_that_is_gone_on_with) {
  a.always("tools/call", reply{.open = true, .primed = "e1"});
  auto r = call(c, "1", "5");
  const auto token = token_of(a.last("tools/call"));
  fake_upstream::close(a.last("tools/call"));
  w.advance(1s);
  say(a.last("GET"), report(token));
  EXPECT_EQ(r->events(), std::vector<std::string>{report("5")});
}

TEST_F(progress, of_a_task_goes_on_behind_its_calls_answer) {
  auto own = c.get();
  auto theirs = d.get();
  call(c, "1", R"("mine")");
  const auto asked = a.last("tools/call");
  say(asked, R"({"jsonrpc":"2.0","id":$id,"result":{"task":{"taskId":"t1","status":"working"}}})");
  a.announce(report(token_of(asked)));
  w.settle();
  EXPECT_EQ(own->events(), std::vector<std::string>{report(R"("mine")")});
  EXPECT_TRUE(theirs->events().empty());
  // Whoever waits for its result hears of it there, if it is the client that knows the token.
  a.always("tasks/result", reply{.open = true});
  auto waits = c.request("2", "tasks/result", R"({"taskId":"t1"})");
  const auto result = a.last("tasks/result");
  auto waits_too = d.request("2", "tasks/result", R"({"taskId":"t1"})");
  say(result, report(token_of(asked)));
  say(a.last("tasks/result"), report(token_of(asked)));
  EXPECT_TRUE(waits_too->events().empty());
  EXPECT_TRUE(theirs->events().empty());
  EXPECT_EQ(waits->events().size() + own->events().size(), 3U);
  // With its result the task has ended.
  say(result, R"({"jsonrpc":"2.0","id":$id,"result":{}})");
  a.announce(report(token_of(asked)));
  w.settle();
  EXPECT_EQ(waits->events().size() + own->events().size(), 4U) << "and the result";
}

TEST_F(progress, of_requests_about_tasks_over_the_root_session_is_told_apart) {
  a.always("tools/call", reply::result(R"({"task":{"taskId":"t1"}})"));
  client gone(w);
  gone.initialize();
  gone.call("1", "a__x");
  gone.end();
  a.always("tasks/result", reply{.open = true});
  const auto ask = [](client& who) {
    return who.request("2", "tasks/result", R"({"taskId":"t1","_meta":{"progressToken":1}})");
  };
  auto mine = ask(c);
  const auto my_call = a.last("tasks/result");
  auto theirs = ask(d);
  const auto their_call = a.last("tasks/result");
  ASSERT_EQ(my_call->session, their_call->session) << "over the root session";
  for (const auto& of : {my_call, their_call}) say(my_call, report(token_of(of)));
  EXPECT_EQ(mine->events(), std::vector<std::string>{report("1")});
  EXPECT_TRUE(theirs->events().empty());
}

TEST_F(progress, tokens_are_bounded_and_unambiguous) {
  const auto refused = [&](std::string_view meta) {
    return at(
        c.request("1", "tools/call", R"({"name":"a__x","_meta":)" + std::string(meta) + "}")->body,
        "error", "code");
  };
  EXPECT_EQ(refused(R"({"progressToken":")" + std::string(2000, 'x') + R"("})"), "-32602");
  EXPECT_EQ(refused(R"({"progressToken":1,"progressToken":2})"), "-32602");
  EXPECT_EQ(refused(R"({"progressToken":1,"progress\u0054oken":2})"), "-32602");
  EXPECT_EQ(a.count("tools/call"), 0U);
}

}  // namespace
}  // namespace gate
