// Servers that have sessions ask in the middle of calls of clients that have none.
#include "tests/support/asking_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct stateless_questions : asking_stage {};

TEST_F(stateless_questions, are_a_result_and_their_answers_another_call) {
  const auto q = begin();
  EXPECT_EQ(q.requests, R"({"q1":{"method":"elicitation/create","params":{"message":"m"}}})");
  EXPECT_EQ(q.state.size(), mcp::stateless::request_state_text);
  EXPECT_FALSE(q.at->abandoned);
  const auto r = retry(q);
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "id"), "9");
  EXPECT_EQ(at(a.last("response")->body, "result"), R"({"action":"accept","content":{"a":1.0}})");
  EXPECT_EQ(r->endings, 0);
  result(q.at, R"({"content":[1.0]})");
  w.settle();
  EXPECT_EQ(at(r->last(), "id"), "2");
  EXPECT_EQ(member(r, "content"), "[1.0]");
  EXPECT_EQ(member(r, "resultType"), R"("complete")");
  EXPECT_EQ(a.count("tools/call"), 1U);
}

TEST_F(stateless_questions, are_what_its_capabilities_allow) {
  c.call("1", "a__x");
  EXPECT_EQ(a.last("initialize")->param("capabilities"),
            R"({"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{}})");
  struct row {
    std::string_view capabilities, method, params, code;
  };
  for (const auto& [capabilities, method, params, code] : {
           row{"{}", "elicitation/create", R"({"message":"m"})", "-32601"},
           row{R"({"roots":{}})", "sampling/createMessage", "{}", "-32601"},
           row{R"({"sampling":{}})", "roots/list", {}, "-32601"},
           row{R"({"elicitation":{}})", "elicitation/create", R"({"mode":"url"})", "-32602"},
           row{able, "tasks/get", "{}", "-32601"},
           row{able, "x/unknown", "{}", "-32601"},
       }) {
    c.capabilities = capabilities;
    const auto r = c.call("1", "a__x");
    const auto call = a.last("tools/call");
    const auto before = a.count("response");
    ask(call, "9", method, params);
    ASSERT_EQ(a.count("response"), before + 1) << method;
    EXPECT_EQ(at(a.last("response")->body, "error", "code"), code) << method;
    w.advance(soon);
    result(call, "{}");
    w.settle();
    EXPECT_EQ(member(r, "resultType"), R"("complete")") << "the call goes on";
  }
}

TEST_F(stateless_questions, are_of_three_methods) {
  a.resources = {R"({"uri":"x://1","name":"n"})"};
  struct row {
    std::string method, params;
    bool asks;
  };
  for (const auto& [method, params, asks] :
       {row{"tools/call", R"("name":"a__x")", true}, row{"prompts/get", R"("name":"a__p")", true},
        row{"resources/read", R"("uri":"x://1")", true},
        row{"completion/complete", R"("ref":{"type":"ref/prompt","name":"a__p"},"argument":{})",
            false}}) {
    a.always(method, {.open = true});
    const auto before = a.count("response");
    const auto r = c.request("1", method, params);
    ask(a.last(method), "9");
    w.advance(soon);
    EXPECT_EQ(member(r, "resultType"), asks ? R"("input_required")" : "") << method;
    EXPECT_EQ(a.count("response"), before + !asks) << method;
  }
}

TEST_F(stateless_questions, that_come_together_are_asked_together) {
  const auto r = c.call("1", "a__x");
  const auto call = a.last("tools/call");
  ask(call, "9");
  w.advance(20ms);
  ask(call, R"("s")", "sampling/createMessage",
      R"({"messages":[1.0],"_meta":{"progressToken":"p"}})");
  ask(call, "10", "roots/list", {});
  w.advance(soon);
  const auto q = read(r, call);
  EXPECT_EQ(q.requests, R"({"q1":{"method":"elicitation/create","params":{"message":"m"}},)"
                        R"("q2":{"method":"sampling/createMessage","params":{"messages":[1.0]}},)"
                        R"("q3":{"method":"roots/list"}})");
  const auto last = retry(q, R"({"q3":{"roots":[]},"q1":{"action":"decline"},"q2":{"x":1e0}})");
  ASSERT_EQ(a.count("response"), 3U);
  std::map<std::string, std::string> answers;
  for (const auto& s : a.seen("response")) answers[at(s->body, "id")] = at(s->body, "result");
  EXPECT_EQ(answers["9"], R"({"action":"decline"})");
  EXPECT_EQ(answers[R"("s")"], R"({"x":1e0})");
  EXPECT_EQ(answers["10"], R"({"roots":[]})");
  result(call, "{}");
  w.settle();
  EXPECT_EQ(member(last, "resultType"), R"("complete")");
}

TEST_F(stateless_questions, may_come_in_several_rounds) {
  auto q = begin();
  for (int round = 2; round < 6; ++round) {
    const auto r = retry(q, R"({"q)" + std::to_string(round - 1) + R"(":{"action":"accept"}})");
    ask(q.at, std::to_string(round * 100));
    EXPECT_EQ(r->endings, 0);
    w.advance(soon);
    const auto next = read(r, q.at);
    EXPECT_NE(next.state, q.state);
    expect_refused(retry(q));
    q = next;
  }
  const auto r = retry(q, R"({"q5":{"action":"accept"}})");
  result(q.at, "{}");
  w.settle();
  EXPECT_EQ(member(r, "resultType"), R"("complete")");
  EXPECT_EQ(a.count("response"), 5U);
}

TEST_F(stateless_questions, that_are_not_answered_are_asked_again) {
  auto q = begin();
  for (const auto nothing : {"{}", R"({"q7":{"action":"accept"}})", R"({"q1":7})", "7"}) {
    const auto r = retry(q, nothing);
    w.advance(soon);
    const auto again = read(r, q.at);
    EXPECT_EQ(again.requests, q.requests);
    EXPECT_NE(again.state, q.state);
    q = again;
  }
  EXPECT_EQ(a.count("response"), 0U);
  retry(q);
  EXPECT_EQ(a.count("response"), 1U);
}

TEST_F(stateless_questions, are_asked_again_one_by_one) {
  const auto r = c.call("1", "a__x");
  const auto call = a.last("tools/call");
  ask(call, "8");
  ask(call, "9");
  w.advance(soon);
  const auto q = read(r, call);
  const auto second = retry(q, R"({"q2":{"action":"accept"}})");
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "id"), "9");
  w.advance(soon);
  const auto rest = read(second, call);
  EXPECT_EQ(rest.requests, R"({"q1":{"method":"elicitation/create","params":{"message":"m"}}})");
  retry(rest);
  EXPECT_EQ(a.count("response"), 2U);
}

TEST_F(stateless_questions, about_urls_may_come_instead_of_an_answer) {
  const auto error =
      R"({"code":-32042,"message":"m","data":{"elicitations":[)"
      R"({"mode":"url","elicitationId":"e","url":"https://x.test","message":"v"}]}})";
  a.always("tools/call", reply::error(error));
  auto r = c.call("1", "a__x");
  EXPECT_EQ(member(r, "inputRequests"), R"({"q1":{"method":"elicitation/create","params":)"
                                        R"({"mode":"url","url":"https://x.test","message":"v"}}})");
  EXPECT_EQ(member(r, "requestState"), "");
  EXPECT_EQ(at(w.audit("tools/call").back(), "outcome"), R"("ok")");
  a.always("tools/call", reply::result(R"({"content":[]})"));
  r = c.call("2", "a__x", R"(,"inputResponses":{"q1":{"action":"accept"}})");
  EXPECT_EQ(member(r, "content"), "[]") << "it is the same call again";
  a.always("tools/call", reply::error(error));
  c.capabilities = R"({"elicitation":{}})";
  r = c.call("3", "a__x");
  EXPECT_EQ(at(r->last(), "error", "code"), "-32021");
  EXPECT_EQ(at(r->last(), "error", "data", "requiredCapabilities"),
            R"({"elicitation":{"url":{}}})");
  EXPECT_EQ(at(w.audit("tools/call").back(), "outcome"), R"("error")");
  client old(w);
  old.initialize();
  EXPECT_EQ(at(old.call("1", "a__x")->last(), "error", "code"), "-32042") << "it passes";
}

TEST_F(stateless_questions, that_the_server_does_not_know_of_are_not_answered_there) {
  const auto with = [](std::string_view params) {
    return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)" + std::string(params) + "}";
  };
  const auto envelope = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                        R"("io.modelcontextprotocol/clientCapabilities":{})";
  const std::vector<std::string> headers{"Mcp-Method: tools/call", "Mcp-Name: a__x"};
  const auto sent = [&](const std::string& params) {
    c.post(with(params), headers);
    return at(a.last("tools/call")->body, "params");
  };
  const std::string arguments = R"("arguments" : { "n":1.0 })";
  EXPECT_EQ(sent(R"({ "name":"a__x", "inputResponses" : {"q1":{"action":"accept"}} , )" +
                 arguments + " ," + envelope + "} }"),
            R"({ "name":"x" , )" + arguments + R"( ,"_meta":{} })");
  EXPECT_EQ(sent("{" + std::string(envelope) + R"(,"x/y":[1]},"input\u0052esponses":{},)" +
                 arguments + R"(,"name":"a__x"})"),
            R"({"_meta":{"x/y":[1]},)" + arguments + R"(,"name":"x"})");
  const auto with_token = sent("{" + arguments + R"(,"inputResponses":7,)" + envelope +
                               R"(,"progressToken":"p"},"name":"a__x"})");
  EXPECT_EQ(at(with_token, "inputResponses"), "");
  const auto token = at(with_token, "_meta", "progressToken");
  EXPECT_EQ(with_token,
            "{" + arguments + R"(,"_meta":{"progressToken":)" + token + R"(},"name":"x"})");
  EXPECT_NE(token, R"("p")");
  // Who has a session may call its members what he likes.
  client old(w);
  old.initialize();
  old.request("1", "tools/call", R"({"name":"a__x","inputResponses":{"k":1}})");
  EXPECT_EQ(a.last("tools/call")->param("inputResponses"), R"({"k":1})");
}

// --- what happens meanwhile ----------------------------------------------------------------------

TEST_F(stateless_questions, have_an_end) {
  const auto q = begin();
  w.advance(limits::suspended_time - 2s);
  EXPECT_EQ(a.count("notifications/cancelled"), 0U);
  w.advance(3s);
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "message"), R"("the client did not come back")");
  ASSERT_EQ(a.count("notifications/cancelled"), 1U);
  EXPECT_EQ(a.last("notifications/cancelled")->param("requestId"), q.at->id);
  EXPECT_TRUE(q.at->abandoned);
  expect_refused(retry(q));
  EXPECT_EQ(w.audit("tools/call").size(), 2U);
}

TEST_F(stateless_questions, whose_call_is_answered_meanwhile_have_that_answer) {
  const auto q = begin();
  result(q.at, R"({"early":1.0})");
  w.settle();
  const auto r = retry(q);
  EXPECT_EQ(member(r, "early"), "1.0");
  EXPECT_EQ(member(r, "resultType"), R"("complete")");
  expect_refused(retry(q));
}

TEST_F(stateless_questions, whose_call_fails_meanwhile_have_that_error) {
  const auto q = begin();
  fake_upstream::push(q.at, jsonrpc::error_head(q.at->id) + R"({"code":-7,"message":"m"}})");
  w.settle();
  EXPECT_EQ(at(retry(q)->last(), "error"), R"({"code":-7,"message":"m"})");
}

TEST_F(stateless_questions, whose_call_breaks_meanwhile_are_refused_as_such) {
  const auto q = begin();
  fake_upstream::close(q.at, fetch_end::broken);
  w.settle();
  EXPECT_EQ(at(retry(q)->last(), "error", "code"), "-31041");
  expect_refused(retry(q));
}

TEST_F(stateless_questions, whose_answer_is_too_large_to_be_kept_fail) {
  const auto q = begin();
  result(q.at, R"({"x":")" + std::string(limits::suspended_bytes, 'x') + "\"}");
  w.settle();
  EXPECT_EQ(at(retry(q)->last(), "error", "code"), "-31041");
}

TEST_F(stateless_questions, that_are_too_large_are_not_asked) {
  c.call("1", "a__x");
  ask(a.last("tools/call"), "9", "elicitation/create",
      R"({"message":")" + std::string(limits::suspended_bytes, 'x') + "\"}");
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "code"), "-32603");
}

TEST_F(stateless_questions, that_are_taken_back_are_not_asked) {
  const auto r = c.call("1", "a__x");
  const auto call = a.last("tools/call");
  const auto take_back = [&](std::string_view id) {
    fake_upstream::push(call, jsonrpc::request({}, "notifications/cancelled",
                                               R"({"requestId":)" + std::string(id) + "}"));
    w.settle();
  };
  ask(call, "9");
  take_back("9");
  w.advance(1s);
  EXPECT_TRUE(r->events().empty()) << "it is a call as any other";
  ask(call, "10");
  ask(call, "11");
  take_back("10");
  w.advance(soon);
  const auto q = read(r, call);
  EXPECT_EQ(q.requests, R"({"q2":{"method":"elicitation/create","params":{"message":"m"}}})");
  take_back("11");
  const auto last = retry(q, R"({"q2":{"action":"accept"}})");
  EXPECT_EQ(a.count("response"), 0U) << "nobody wants that answer";
  result(call, "{}");
  w.settle();
  EXPECT_EQ(member(last, "resultType"), R"("complete")");
}

TEST_F(stateless_questions, that_come_meanwhile_join) {
  const auto q = begin();
  ask(q.at, "10", "roots/list", {});
  w.advance(1s);
  const auto r = retry(q);
  EXPECT_EQ(a.count("response"), 1U);
  w.advance(soon);
  const auto next = read(r, q.at);
  EXPECT_EQ(next.requests, R"({"q2":{"method":"roots/list"}})");
}

TEST_F(stateless_questions, leave_progress_to_whoever_waits) {
  c.more_meta = R"(,"progressToken":"first")";
  const auto q = begin();
  const auto token = at(q.at->param("_meta"), "progressToken");
  const auto progress = [&](int n) {
    fake_upstream::push(q.at, jsonrpc::request({}, "notifications/progress",
                                               R"({"progressToken":)" + token + R"(,"progress":)" +
                                                   std::to_string(n) + "}"));
    w.settle();
  };
  progress(1);
  EXPECT_EQ(q.first->endings, 1);
  c.more_meta = R"(,"progressToken":7)";
  const auto r = retry(q);
  progress(2);
  ASSERT_EQ(r->events().size(), 1U);
  EXPECT_EQ(r->events()[0],
            jsonrpc::request({}, "notifications/progress", R"({"progressToken":7,"progress":2})"));
  ask(q.at, "10");
  w.advance(soon);
  const auto next = read(r, q.at);
  EXPECT_TRUE(r->stream_ended) << "the question is the last event";
  c.more_meta.clear();
  const auto last = retry(next, R"({"q2":{"action":"accept"}})");
  progress(3);
  EXPECT_TRUE(last->events().empty()) << "it did not ask for it";
}

TEST_F(stateless_questions, of_others_are_not_seen_on_a_shared_session) {
  stateless_client d(w);
  d.capabilities = able;
  c.more_meta = d.more_meta = R"(,"progressToken":"p","io.modelcontextprotocol/logLevel":"debug")";
  const auto one = c.call("1", "a__x"), other = d.call("1", "a__x");
  const auto mine = a.seen("tools/call")[0], theirs = a.seen("tools/call")[1];
  ASSERT_EQ(mine->session, theirs->session);
  fake_upstream::push(
      mine, jsonrpc::request({}, "notifications/message", R"({"level":"error","data":"mine"})"));
  fake_upstream::push(
      mine, jsonrpc::request({}, "notifications/progress",
                             R"({"progressToken":)" + at(mine->param("_meta"), "progressToken") +
                                 R"(,"progress":1})"));
  // By another's token on one's own stream as well.
  fake_upstream::push(
      mine, jsonrpc::request({}, "notifications/progress",
                             R"({"progressToken":)" + at(theirs->param("_meta"), "progressToken") +
                                 R"(,"progress":2})"));
  ask(mine, "9");
  w.advance(soon);
  EXPECT_EQ(one->events().size(), 3U) << one->stream;
  EXPECT_EQ(at(one->last(), "result", "resultType"), R"("input_required")");
  EXPECT_TRUE(other->events().empty()) << other->stream;
  result(theirs, R"({"theirs":1})");
  w.settle();
  EXPECT_EQ(member(other, "theirs"), "1");
}

TEST_F(stateless_questions, of_a_session_without_a_stream_have_no_way) {
  c.call("1", "a__x");
  const auto session = a.last("tools/call")->session;
  for (const auto& s : a.seen("GET")) EXPECT_NE(s->session, session);
}

TEST(stateless_questions_by_unit, are_of_the_one_that_holds_the_call) {
  world w{{.units = 2}};
  stateless_client here{w, 0}, there{w, 1};
  here.capabilities = there.capabilities = able;
  auto& a = w.upstream("a");
  a.always("tools/call", {.open = true});
  const auto r = here.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"),
                      jsonrpc::request("9", "elicitation/create", R"({"message":"m"})"));
  w.settle();
  w.advance(soon);
  const auto with =
      R"(,"inputResponses":{"q1":{}},"requestState":)" + at(r->last(), "result", "requestState");
  const auto again = there.call("2", "a__x", with);
  EXPECT_EQ(again->unit, 0U) << "it has moved";
  EXPECT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(here.call("3", "a__x", with)->last(), "error", "code"), "-32602") << "once";
}

TEST_F(stateless_questions, end_with_the_exchange_of_whoever_waits) {
  const auto q = begin();
  const auto r = retry(q, "{}");
  w.vanish(r);
  w.settle();
  ASSERT_EQ(a.count("notifications/cancelled"), 1U);
  EXPECT_EQ(a.last("notifications/cancelled")->param("requestId"), q.at->id);
  expect_refused(retry(q));
}

TEST_F(stateless_questions, end_when_the_call_does) {
  const auto r = c.call("1", "a__x");
  const auto call = a.last("tools/call");
  ask(call, "9");
  result(call, "{}");
  w.settle();
  EXPECT_EQ(member(r, "resultType"), R"("complete")");
  w.advance(1s);
  EXPECT_EQ(r->endings, 1);
}

TEST_F(stateless_questions, hold_the_whole_request_that_they_came_with) {
  const auto padded = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","pad":")" +
                      std::string(limits::suspended_total / 2 + 1, 'x') +
                      R"(","params":{"name":"a__x","arguments":{},"_meta":{)"
                      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                      R"("io.modelcontextprotocol/clientCapabilities":)" +
                      std::string(able) + "}}}";
  for (const std::size_t refused : {0U, 1U}) {
    c.post(padded, {"Mcp-Method: tools/call", "Mcp-Name: a__x"});
    ask(a.last("tools/call"), "9");
    EXPECT_EQ(a.count("response"), refused) << "there is room for one of them";
  }
}

}  // namespace
}  // namespace gate
