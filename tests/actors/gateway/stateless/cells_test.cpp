// Each invocation in each of the four cells of generations, by one table: what its client gets is
// what a server of its own generation would have given it.
#include <string>
#include <tuple>

#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

enum class generation { sessions, stateless };
using enum generation;

struct invocation {
  const char* method;
  const char* params;  ///< raw members
};
/// The first three may be answered by a question.
constexpr invocation invocations[] = {
    {"tools/call", R"("name":"a__x","arguments":{"v":1.0})"},
    {"prompts/get", R"("name":"a__p","arguments":{"v":"1"})"},
    {"resources/read", R"("uri":"x://1")"},
    {"completion/complete",
     R"("ref":{"type":"ref/prompt","name":"a__p"},"argument":{"name":"n","value":"v"})"}};

struct cells : ::testing::TestWithParam<std::tuple<invocation, generation, generation>> {
  const invocation& invoked = std::get<0>(GetParam());
  const bool client_sessions = std::get<1>(GetParam()) == sessions;
  const bool server_sessions = std::get<2>(GetParam()) == sessions;
  world w{{.config = R"({"upstreams":[
             {"id":"a","url":"http://a.test/mcp","namespace":"a","protocol":"auto"},
             {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})",
           .prepare = [this](fake_network& net) {
             auto& a = *net.at("a");
             a.stateless = !server_sessions;
             a.version = "2025-11-25";
             a.capabilities = R"({"tools":{},"prompts":{},"resources":{},"completions":{}})";
             a.tools = {R"({"name":"x"})"};
             a.prompts = {R"({"name":"p"})"};
             a.resources = {R"({"uri":"x://1","name":"n"})"};
           }}};
  fake_upstream& a = w.upstream("a");
  client old{w};
  stateless_client modern{w};
  int number = 0;

  cells() {
    constexpr auto able = R"({"elicitation":{}})";
    modern.capabilities = able;
    const auto r = old.request(
        "0", "initialize", R"({"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}})");
    old.session = r->header("mcp-session-id");
  }
  ~cells() override { EXPECT_EQ(a.wrongs, std::vector<std::string>{}); }

  std::string id() const { return std::to_string(100 + number); }
  /// With a progress token.
  receipt_ptr invoke(const std::string& more = {}) {
    ++number;
    const auto all = std::string(invoked.params) + more;
    if (!client_sessions) {
      modern.more_meta = R"(,"progressToken":"mine")";
      return modern.request(id(), invoked.method, all);
    }
    return old.request(id(), invoked.method, "{" + all + R"(,"_meta":{"progressToken":"mine"}})");
  }
  sight_ptr seen() const { return a.last(invoked.method); }
  std::string done() const {
    return std::string(server_sessions ? "{" : R"({"resultType":"complete",)") +
           R"("n":1e0,"content":[1.0],"messages":[],"contents":[],"completion":{"values":[]}})";
  }
  void stays_open() { a.always(invoked.method, {.open = true}); }
  void finish(const sight_ptr& call) {
    fake_upstream::push(call, jsonrpc::result_head(call->id) + done() + "}");
    fake_upstream::close(call);
    w.settle();
  }
  /// As a server of the client's own generation would have ended it.
  void expect_done(const receipt_ptr& r) {
    EXPECT_EQ(r->endings, 1);
    EXPECT_EQ(at(r->last(), "id"), id());
    EXPECT_EQ(at(r->last(), "result", "n"), "1e0") << r->body;
    EXPECT_EQ(at(r->last(), "result", "content"), "[1.0]");
    // (A client with a session does not look at it.)
    EXPECT_EQ(at(r->last(), "result", "resultType"),
              client_sessions && server_sessions ? "" : R"("complete")");
  }
  std::string code(const char* of_sessions, const char* of_stateless) const {
    return client_sessions ? of_sessions : of_stateless;
  }
  std::size_t events() const { return w.audit(invoked.method).size(); }

  // --- a question of the server ---
  static constexpr auto question = R"({"message":"Who?","requestedSchema":{"n":1.0}})";
  /// Before the call, of a server without sessions.
  void will_ask(const std::string& state) {
    a.next(invoked.method,
           reply::result(R"({"resultType":"input_required","inputRequests":{"k":{)"
                         R"("method":"elicitation/create","params":)" +
                         std::string(question) + R"(}},"requestState":")" + state + "\"}"));
  }
  void will_finish() { a.next(invoked.method, reply::result(done())); }
  /// Within the call, of one with sessions.
  void ask(const sight_ptr& call, const std::string& raw_id) {
    fake_upstream::push(call, jsonrpc::request(raw_id, "elicitation/create", question));
    w.settle();
    w.advance(limits::question_gather);
  }
  /// What the client is asked: the question, and how it comes back.
  struct asked {
    std::string params, id, key, state;
  };
  asked read_question(const receipt_ptr& r) const {
    if (client_sessions) {
      if (r->events().empty()) return {};
      const auto e = r->events().back();
      return {at(e, "params"), at(e, "id"), {}, {}};
    }
    EXPECT_EQ(at(r->last(), "result", "resultType"), R"("input_required")") << r->body;
    const auto requests = at(r->last(), "result", "inputRequests");
    const auto key = requests.substr(2, requests.find('"', 2) - 2);
    return {at(requests, key, "params"), {}, key, at(r->last(), "result", "requestState")};
  }
  /// The client answers; the receipt on which the call goes on.
  receipt_ptr answer(const receipt_ptr& r, const asked& q) {
    constexpr auto content = R"({"action":"accept","content":{"a":1.0}})";
    if (client_sessions) {
      old.post(R"({"jsonrpc":"2.0","id":)" + q.id + R"(,"result":)" + content + "}");
      return r;
    }
    return invoke(R"(,"requestState":)" + q.state + R"(,"inputResponses":{")" + q.key +
                  "\":" + content + "}");
  }
  /// What the server has been answered.
  std::string heard() const {
    return server_sessions ? at(a.last("response")->body, "result")
                           : at(seen()->param("inputResponses"), "k");
  }
};

/// Of invocations that may be answered by a question.
struct asking_cells : cells {};
/// … of clients that get a state with it.
struct stateless_cells : cells {};

TEST_P(cells, plain) {
  will_finish();
  expect_done(invoke());
  EXPECT_EQ(events(), 1U);
  EXPECT_EQ(a.count(invoked.method), 1U);
}

TEST_P(cells, progress) {
  stays_open();
  const auto r = invoke();
  const auto call = seen();
  const auto token = at(call->param("_meta"), "progressToken");
  EXPECT_NE(token, R"("mine")");
  for (const auto* step : {"1", "2.0"})
    fake_upstream::push(
        call, jsonrpc::request({}, "notifications/progress",
                               R"({"progressToken":)" + token + R"(,"progress":)" + step + "}"));
  w.settle();
  ASSERT_EQ(r->events().size(), 2U) << r->body;
  EXPECT_EQ(r->events()[1], R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
                            R"({"progressToken":"mine","progress":2.0}})");
  finish(call);
  expect_done(r);
}

TEST_P(asking_cells, input_once_and_twice) {
  for (const int rounds : {1, 2}) {
    const auto before = events();
    if (server_sessions)
      stays_open();
    else
      for (int i = 0; i < rounds; ++i) will_ask("s" + std::to_string(i));
    if (!server_sessions) will_finish();
    auto r = invoke();
    const auto call = seen();
    for (int i = 0; i < rounds; ++i) {
      if (server_sessions) ask(call, std::to_string(10 * rounds + i));
      const auto q = read_question(r);
      EXPECT_EQ(q.params, question);
      r = answer(r, q);
      EXPECT_EQ(heard(), R"({"action":"accept","content":{"a":1.0}})");
    }
    if (server_sessions) finish(call);
    expect_done(r);
    EXPECT_EQ(events() - before, client_sessions ? 1U : 1U + static_cast<std::size_t>(rounds));
    a.behave(invoked.method);
  }
}

TEST_P(cells, cancel) {
  a.always(invoked.method, reply::silence());
  const auto r = invoke();
  const auto call = seen();
  if (client_sessions)
    old.cancel(id());
  else
    w.vanish(r);
  w.settle();
  EXPECT_TRUE(call->abandoned);
  EXPECT_EQ(a.count("notifications/cancelled"), server_sessions ? 1U : 0U);
  EXPECT_EQ(events(), 1U);
}

TEST_P(cells, error) {
  a.next(invoked.method, reply::error(R"({"code":4711,"message":"m","data":{"n":1.0}})"));
  const auto r = invoke();
  EXPECT_EQ(at(r->last(), "error"), R"({"code":4711,"message":"m","data":{"n":1.0}})");
  EXPECT_EQ(r->status, 200);
}

TEST_P(cells, lost_in_mid_call) {
  a.always(invoked.method, reply::silence());
  const auto r = invoke();
  fake_upstream::answer(seen(), reply::failure(fetch_end::broken));
  w.settle();
  EXPECT_EQ(at(r->last(), "error", "code"), code("-32041", "-31041")) << r->body;
  EXPECT_EQ(a.count(invoked.method), 1U) << "it may have been done";
}

TEST_P(cells, restart) {
  will_finish();
  expect_done(invoke());
  a.forget_sessions();
  will_finish();
  if (server_sessions) will_finish();
  expect_done(invoke());
}

TEST_P(asking_cells, expiry) {
  if (server_sessions)
    stays_open();
  else
    will_ask("s");
  const auto r = invoke();
  const auto call = seen();
  if (server_sessions) ask(call, "9");
  const auto q = read_question(r);
  w.advance(limits::question + 10s);
  if (client_sessions) {
    EXPECT_EQ(at(r->last(), "error", "code"), "-32041") << r->body;
    return;
  }
  if (!server_sessions) return;  // how long its state is good the server says
  EXPECT_TRUE(call->abandoned);
  EXPECT_EQ(at(answer(r, q)->last(), "error", "code"), "-32602");
}

TEST_P(stateless_cells, tampering) {
  if (server_sessions)
    stays_open();
  else
    will_ask("s");
  const auto r = invoke();
  if (server_sessions) ask(seen(), "9");
  auto q = read_question(r);
  q.state[1] = q.state[1] == 'A' ? 'B' : 'A';
  const auto before = a.count(invoked.method);
  const auto again = answer(r, q);
  if (server_sessions) {
    EXPECT_EQ(at(again->last(), "error", "code"), "-32602");
    EXPECT_EQ(a.count(invoked.method), before);
  } else {
    EXPECT_EQ(seen()->param("requestState"), q.state) << "it is the server's to judge";
  }
}

std::string name_of(const ::testing::TestParamInfo<cells::ParamType>& p) {
  std::string out = std::get<0>(p.param).method;
  out[out.find('/')] = '_';
  const auto word = [](generation g) { return g == sessions ? "session" : "stateless"; };
  return out + "_" + word(std::get<1>(p.param)) + "_client_" + word(std::get<2>(p.param)) +
         "_server";
}
constexpr auto both = [] { return ::testing::Values(sessions, stateless); };
const auto those_that_ask = ::testing::Values(invocations[0], invocations[1], invocations[2]);

INSTANTIATE_TEST_SUITE_P(of, cells,
                         ::testing::Combine(::testing::ValuesIn(invocations), both(), both()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(of, asking_cells, ::testing::Combine(those_that_ask, both(), both()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(of, stateless_cells,
                         ::testing::Combine(those_that_ask, ::testing::Values(stateless), both()),
                         name_of);

}  // namespace
}  // namespace gate
