#include "actors/router/suspended_calls.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

/// One call of a client without a session, at the first server.
struct call_that_is_suspended : sim::router_stage {
  static constexpr auto able = R"({"elicitation":{},"roots":{}})";
  static constexpr auto yes = R"({"q1":{"action":"accept","content":{}}})";
  static constexpr auto elicit = "elicitation/create";

  sim::receipt_ptr r = call();
  std::uint64_t number = doors.calls.back().second.call;

  sim::receipt_ptr call(std::string_view more = {}, std::string_view capabilities = able) {
    auto out = post_stateless("1", "tools/call", "a__x", R"(,"arguments":{})" + std::string(more),
                              capabilities);
    list_all({"x"});
    return out;
  }
  sim::receipt_ptr come(const std::string& raw_state, std::string_view answers = yes) {
    return call(R"(,"inputResponses":)" + std::string(answers) + R"(,"requestState":)" + raw_state);
  }
  void ask(std::string_view raw_id, std::string_view method = elicit,
           std::string_view params = R"({"message":"m"})", std::uint64_t session = 7) {
    server_request m;
    m.call = number;
    m.session = session;
    m.text = jsonrpc::request(raw_id, method, params);
    m.id = raw_id;
    it.requests.on_server_request(m);
  }
  void gather() {
    pass(limits::question_gather);
    it.on_timer(timer::questions);
  }
  /// Its client is asked; the state.
  std::string suspend() {
    ask("9");
    gather();
    return state_of(r);
  }
  static std::string member(const sim::receipt_ptr& of, std::string_view name) {
    return std::string(json::member(json::member(of->last(), "result"), name));
  }
  static std::string state_of(const sim::receipt_ptr& of) {
    EXPECT_EQ(member(of, "resultType"), R"("input_required")") << of->last();
    return member(of, "requestState");
  }
  /// It goes to the upstream, whose session refuses what has a state.
  void expect_not_taken(const sim::receipt_ptr& of, std::string_view why = {}) {
    EXPECT_EQ(of->endings, 0) << why << of->last();
    EXPECT_TRUE(doors.calls.back().second.resumes) << why;
    EXPECT_NE(doors.calls.back().second.call, number) << why;
    answer_with(gate::answer::error, R"({"code":-32602,"message":"no"})");
    EXPECT_EQ(of->endings, 1) << why;
  }
  std::vector<client_reply> replies() {
    std::vector<client_reply> out;
    for (auto& [upstream, m] : doors.take<client_reply>()) out.push_back(std::move(m));
    return out;
  }
  void expect_nothing_kept() {
    EXPECT_EQ(it.suspensions.size(), 0U);
    EXPECT_TRUE(it.shared().calls.all().empty());
  }
};

TEST_F(call_that_is_suspended, asks_its_client_by_a_result_and_goes_on_with_the_answer) {
  const auto state = suspend();
  EXPECT_EQ(r->endings, 1);
  EXPECT_NE(member(r, "inputRequests").find(R"("q1")"), std::string::npos) << r->last();
  EXPECT_TRUE(it.shared().calls.all().empty());
  EXPECT_EQ(it.suspensions.live(number), 0U);
  const auto again = come(state);
  const auto all = replies();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, "9");
  EXPECT_EQ(all[0].session, 7U);
  EXPECT_FALSE(all[0].failed);
  EXPECT_EQ(all[0].payload, R"({"action":"accept","content":{}})");
  EXPECT_EQ(doors.calls.size(), 1U) << "the server works at it already";
  answer_with(gate::answer::result, R"({"content":[],"n":1.0})", number);
  EXPECT_EQ(member(again, "n"), "1.0") << again->last();
  expect_nothing_kept();
}

TEST_F(call_that_is_suspended, gathers_what_is_asked_together) {
  ask("8");
  pass(limits::question_gather - std::chrono::milliseconds(1));
  it.on_timer(timer::questions);
  EXPECT_EQ(r->endings, 0);
  ask("9", "roots/list", "");
  pass(std::chrono::milliseconds(1));
  it.on_timer(timer::questions);
  EXPECT_EQ(r->endings, 1);
  const auto state = state_of(r);
  const auto asked = member(r, "inputRequests");
  EXPECT_TRUE(asked.find(R"("q1")") != asked.npos && asked.find(R"("q2")") != asked.npos) << asked;
  const auto again = come(state, R"({"q2":{"roots":[]}})");
  ASSERT_EQ(replies().size(), 1U);
  gather();
  const auto rest = member(again, "inputRequests");
  EXPECT_TRUE(rest.find(R"("q1")") != rest.npos && rest.find(R"("q2")") == rest.npos) << rest;
  EXPECT_NE(state_of(again), state);
}

TEST_F(call_that_is_suspended, is_not_asked_what_its_client_or_the_protocol_does_not_take) {
  struct row {
    std::string_view method, params, code;
  };
  for (const auto& x : {row{"sampling/createMessage", "{}", "-32601"},
                        row{"no/such", "{}", "-32601"}, row{"ping", "", "-32601"}}) {
    ask("9", x.method, x.params);
    const auto all = replies();
    ASSERT_EQ(all.size(), 1U) << x.method;
    EXPECT_TRUE(all[0].failed);
    EXPECT_EQ(json::member(all[0].payload, "code"), x.code) << x.method;
  }
  EXPECT_EQ(it.suspensions.size(), 0U);
}

TEST_F(call_that_is_suspended, is_not_asked_more_than_is_kept_of_it) {
  const std::string large = R"({"message":")" + std::string(limits::suspended_bytes, 'x') + "\"}";
  ask("8", elicit, large);
  auto all = replies();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_NE(all[0].payload.find("too large"), std::string::npos);
  EXPECT_EQ(it.suspensions.size(), 0U) << "it is a call as any other";
  ask("9");
  ask("10", elicit, large);
  EXPECT_EQ(replies().size(), 1U);
  EXPECT_EQ(it.suspensions.size(), 1U) << "but for what it was asked before";
}

TEST_F(call_that_is_suspended, is_one_of_few_of_its_caller) {
  std::vector<std::uint64_t> all;
  suspend();
  for (std::size_t n = 1; n < limits::suspended_calls_each; ++n) {
    call();
    number = doors.calls.back().second.call;
    ask("9");
  }
  EXPECT_TRUE(replies().empty());
  call();
  number = doors.calls.back().second.call;
  ask("9");
  const auto no = replies();
  ASSERT_EQ(no.size(), 1U);
  EXPECT_NE(no[0].payload.find("too many calls wait"), std::string::npos);
  EXPECT_EQ(it.suspensions.size(), limits::suspended_calls_each);
}

TEST_F(call_that_is_suspended, is_a_call_as_any_other_when_its_question_is_taken_back) {
  ask("9");
  server_request_cancelled m;
  m.call = number;
  m.session = 8;
  m.id = "9";
  EXPECT_TRUE(it.suspensions.cancel_question(m));
  EXPECT_EQ(it.suspensions.size(), 1U) << "another session's";
  m.session = 7;
  EXPECT_TRUE(it.suspensions.cancel_question(m));
  EXPECT_EQ(it.suspensions.size(), 0U);
  gather();
  EXPECT_EQ(r->endings, 0);
  EXPECT_FALSE(it.suspensions.cancel_question(m)) << "it was not asked here";
  answer(R"({"content":[]})");
  EXPECT_EQ(member(r, "resultType"), R"("complete")") << r->last();
  expect_nothing_kept();
}

TEST_F(call_that_is_suspended, keeps_an_answer_that_comes_while_nobody_waits) {
  struct row {
    gate::answer is;
    std::string text, says;
  };
  for (const auto& x : {
           row{gate::answer::result, R"({"content":[],"n":2.0})", R"("n":2.0)"},
           row{gate::answer::error, R"({"code":-7,"message":"no"})", "-7"},
           row{gate::answer::down, "", "-31041"},
           row{gate::answer::result, "\"" + std::string(limits::suspended_bytes, 'x') + "\"",
               "-31041"},
       }) {
    const auto state = suspend();
    answer_with(x.is, x.text, number);
    const auto unanswered = replies();
    ASSERT_EQ(unanswered.size(), 1U) << "its question is nobody's any more";
    EXPECT_TRUE(unanswered[0].failed);
    ask("10");
    EXPECT_EQ(replies().size(), 1U) << "the call has ended";
    const auto again = come(state);
    EXPECT_NE(again->last().find(x.says), std::string::npos) << again->last();
    EXPECT_EQ(again->endings, 1);
    expect_nothing_kept();
    expect_not_taken(come(state), x.says);
    r = call();
    number = doors.calls.back().second.call;
  }
}

TEST_F(call_that_is_suspended, takes_no_state_that_is_not_good) {
  const auto state = suspend();
  auto forged = state;
  forged[forged.size() / 2] = forged[forged.size() / 2] == 'A' ? 'B' : 'A';
  const auto other_arguments = R"(,"more":1,"inputResponses":{},"requestState":)" + state;
  const std::vector<std::pair<std::string_view, std::function<sim::receipt_ptr()>>> all{
      {"forged", [&] { return come(forged); }},
      {"none of ours", [&] { return come(R"("abc")"); }},
      {"another request", [&] { return call(other_arguments); }},
      {"of one who can be asked something else",
       [&] {
         return call(R"(,"inputResponses":{},"requestState":)" + state, R"({"sampling":{}})");
       }},
  };
  for (const auto& [why, attempt] : all) expect_not_taken(attempt(), why);
  EXPECT_TRUE(replies().empty());
  const auto good = come(state);
  EXPECT_EQ(replies().size(), 1U);
  expect_not_taken(come(state), "somebody waits for it");
  EXPECT_EQ(good->endings, 0);
}

TEST_F(call_that_is_suspended, ignores_answers_that_are_none) {
  const auto state = suspend();
  const auto again = come(state, R"({"q1":1,"q2":{},"":{},"q1x":{}})");
  EXPECT_TRUE(replies().empty());
  gather();
  EXPECT_NE(member(again, "inputRequests").find(R"("q1")"), std::string::npos) << "asked again";
}

TEST_F(call_that_is_suspended, is_given_up_when_its_client_does_not_come_back) {
  const auto state = suspend();
  pass(limits::suspended_time - std::chrono::milliseconds(1));
  it.on_timer(timer::upkeep);
  EXPECT_TRUE(doors.take<cancel_call>().empty());
  pass(std::chrono::milliseconds(1));
  it.on_timer(timer::upkeep);
  const auto gone = doors.take<cancel_call>();
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].second.call, number);
  const auto no = replies();
  ASSERT_EQ(no.size(), 1U);
  EXPECT_TRUE(no[0].failed);
  expect_nothing_kept();
  expect_not_taken(come(state));
}

TEST_F(call_that_is_suspended, ends_with_its_upstream) {
  struct row {
    std::string_view what;
    std::function<void(std::uint64_t client)> lose;
    bool lost;
  };
  const auto session = [this](std::uint64_t client, std::size_t upstream) {
    session_lost m;
    m.client = client;
    m.upstream = upstream;
    it.calls.on_session_lost(m);
  };
  for (const auto& x : {
           row{"another", [&](auto) { it.calls.on_upstream_lost(1); }, false},
           row{"another client's session", [&](auto key) { session(key + 1, 0); }, false},
           row{"its session elsewhere", [&](auto key) { session(key, 1); }, false},
           row{"its session", [&](auto key) { session(key, 0); }, true},
           row{"its upstream", [&](auto) { it.calls.on_upstream_lost(0); }, true},
       }) {
    const auto client = doors.calls.back().second.client;
    const auto state = suspend();
    x.lose(client);
    const auto again = come(state);
    EXPECT_EQ(again->last().find("-31041") != std::string::npos, x.lost) << x.what << again->last();
    if (!x.lost) answer_with(gate::answer::result, "{}", number);
    expect_nothing_kept();
    r = call();
    number = doors.calls.back().second.call;
  }
}

TEST_F(call_that_is_suspended, ends_with_a_reload_without_its_upstream) {
  suspend();
  reload(R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"}]})");
  EXPECT_EQ(doors.take<cancel_call>().size(), 1U);
  expect_nothing_kept();
}

TEST_F(call_that_is_suspended, whose_upstream_is_gone_is_not_asked) {
  reload(R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"}]})");
  ask("9");
  const auto no = replies();
  ASSERT_EQ(no.size(), 1U);
  EXPECT_NE(no[0].payload.find("the upstream is gone"), std::string::npos);
  EXPECT_EQ(r->endings, 0);
}

TEST_F(call_that_is_suspended, ends_with_the_process) {
  suspend();
  r = call();
  number = doors.calls.back().second.call;
  ask("9");
  it.wind_down();
  EXPECT_EQ(it.suspensions.size(), 1U) << "the one that somebody waits for";
  EXPECT_EQ(doors.take<cancel_call>().size(), 1U);
  EXPECT_EQ(replies().size(), 2U);
  ask("10");
  EXPECT_EQ(replies().size(), 1U) << "nobody can come back any more";
  gather();
  EXPECT_EQ(r->endings, 0);
  answer_with(gate::answer::result, R"({"content":[]})", number);
  EXPECT_EQ(r->endings, 1);
  expect_nothing_kept();
}

TEST_F(call_that_is_suspended, is_cancelled_with_its_client) {
  ask("9");
  r->alive = false;
  it.on_client_gone(r->number);
  EXPECT_EQ(doors.take<cancel_call>().size(), 1U);
  EXPECT_EQ(replies().size(), 1U);
  expect_nothing_kept();
  gather();
}

}  // namespace
}  // namespace gate::routing
