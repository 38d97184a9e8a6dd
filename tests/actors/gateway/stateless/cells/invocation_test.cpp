// What happens to calls, prompts, reads and completion in each cell.
#include "tests/actors/gateway/stateless/cells/stage.hpp"

namespace gate::cell_table {
namespace {

constexpr auto question = R"({"message":"Who?","requestedSchema":{"n":1.0}})";

std::string params_of(std::string_view method) {
  if (method == "tools/call") return R"("name":"a__x","arguments":{"v":1.0})";
  if (method == "prompts/get") return R"("name":"a__p","arguments":{"v":"1"})";
  if (method == "resources/read") return R"("uri":"x://1")";
  return R"("ref":{"type":"ref/prompt","name":"a__p"},"argument":{"name":"n","value":"v"})";
}

class invocation_scene final : public scene {
 public:
  invocation_scene(const mcp::method& m, cell of) : scene(m, of) {
    request("resources/list");  // so that it is known whose `x://1` is
    set();
  }

 private:
  /// With a progress token.
  receipt_ptr invoke(const std::string& more = {}) {
    const auto all = params_of(method.name) + more;
    if (is.client_sessions)
      return request(method.name, all + R"(,"_meta":{"progressToken":"mine"})");
    modern.more_meta = R"(,"progressToken":"mine")";
    return request(method.name, all);
  }
  sight_ptr at_server() const { return a.last(method.name); }
  std::size_t calls() const { return a.count(method.name); }
  std::size_t events() const { return w.audit(method.name).size(); }
  static std::string members() {
    return R"("n":1e0,"content":[1.0],"messages":[],"contents":[],"completion":{"values":[]})";
  }
  void stays_open() { a.always(std::string(method.name), {.open = true}); }
  void is_silent() { a.always(std::string(method.name), reply::silence()); }
  void will_finish() { a.next(std::string(method.name), result(members())); }
  void finish(const sight_ptr& call) {
    fake_upstream::push(call, jsonrpc::result_head(call->id) +
                                  (is.server_sessions ? "{" : R"({"resultType":"complete",)") +
                                  members() + "}}");
    fake_upstream::close(call);
    w.settle();
  }
  void expect_done(const receipt_ptr& r) const {
    EXPECT_EQ(r->endings, 1);
    EXPECT_EQ(at(r->last(), "id"), id());
    EXPECT_EQ(at(r->last(), "result", "n"), "1e0") << r->body;
    EXPECT_EQ(at(r->last(), "result", "content"), "[1.0]");
    // (A client with a session does not look at it.)
    EXPECT_EQ(at(r->last(), "result", "resultType"),
              is.client_sessions && is.server_sessions ? "" : R"("complete")");
  }

  // --- a question of the server ---
  /// Before the call, of a server without sessions.
  void will_ask(const std::string& state) {
    a.next(std::string(method.name),
           reply::result(R"({"resultType":"input_required","inputRequests":{"k":{)"
                         R"("method":"elicitation/create","params":)" +
                         std::string(question) + R"(}},"requestState":")" + state + "\"}"));
  }
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
    if (is.client_sessions) {
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
    if (is.client_sessions) {
      old.post(R"({"jsonrpc":"2.0","id":)" + q.id + R"(,"result":)" + accepted + "}");
      return r;
    }
    return invoke(R"(,"requestState":)" + q.state + R"(,"inputResponses":{")" + q.key +
                  "\":" + accepted + "}");
  }
  /// What the server has been answered.
  std::string heard_by_server() const {
    return is.server_sessions ? at(a.last("response")->body, "result")
                              : at(at_server()->param("inputResponses"), "k");
  }
  /// A call whose client is being asked.
  asked begin_to_ask(receipt_ptr& r) {
    if (is.server_sessions)
      stays_open();
    else
      will_ask("s");
    r = invoke();
    if (is.server_sessions) ask(at_server(), "9");
    return read_question(r);
  }

  void plain() override {
    will_finish();
    expect_done(invoke());
    EXPECT_EQ(events(), 1U);
    EXPECT_EQ(calls(), 1U);
  }

  void progress() override {
    stays_open();
    const auto r = invoke();
    const auto call = at_server();
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

  void input(int rounds) override {
    if (is.server_sessions)
      stays_open();
    else
      for (int i = 0; i < rounds; ++i) will_ask("s" + std::to_string(i));
    if (!is.server_sessions) will_finish();
    auto r = invoke();
    const auto call = at_server();
    for (int i = 0; i < rounds; ++i) {
      if (is.server_sessions) ask(call, std::to_string(10 + i));
      const auto q = read_question(r);
      EXPECT_EQ(q.params, question);
      r = answer(r, q);
      EXPECT_EQ(heard_by_server(), accepted);
    }
    if (is.server_sessions) finish(call);
    expect_done(r);
    EXPECT_EQ(events(), is.client_sessions ? 1U : 1U + static_cast<std::size_t>(rounds));
  }

  void cancel() override {
    is_silent();
    const auto r = invoke();
    const auto call = at_server();
    give_up(r);
    EXPECT_TRUE(call->abandoned);
    EXPECT_EQ(a.count("notifications/cancelled"), is.server_sessions ? 1U : 0U);
    EXPECT_EQ(events(), 1U);
  }

  void error() override {
    a.next(std::string(method.name),
           reply::error(R"({"code":4711,"message":"m","data":{"n":1.0}})"));
    const auto r = invoke();
    EXPECT_EQ(at(r->last(), "error"), R"({"code":4711,"message":"m","data":{"n":1.0}})");
    EXPECT_EQ(r->status, 200);
  }

  void lost() override {
    is_silent();
    const auto r = invoke();
    fake_upstream::answer(at_server(), reply::failure(fetch_end::broken));
    w.settle();
    EXPECT_EQ(at(r->last(), "error", "code"), code("-32041", "-31041")) << r->body;
    EXPECT_EQ(calls(), 1U) << "it may have been done";
  }

  void expiry() override {
    receipt_ptr r;
    const auto q = begin_to_ask(r);
    const auto call = at_server();
    w.advance(limits::question + 10s);
    if (is.client_sessions) {
      EXPECT_EQ(at(r->last(), "error", "code"), "-32041") << r->body;
      return;
    }
    if (!is.server_sessions) {  // how long its state is good the server says
      const auto before = calls();
      will_finish();
      r = answer(r, q);
      EXPECT_EQ(calls(), before + 1);
      EXPECT_EQ(at_server()->param("requestState"), R"("s")");
      EXPECT_EQ(heard_by_server(), accepted);
      return expect_done(r);
    }
    EXPECT_TRUE(call->abandoned);
    EXPECT_EQ(at(answer(r, q)->last(), "error", "code"), "-32602");
  }

  void tampering() override {
    receipt_ptr r;
    auto q = begin_to_ask(r);
    q.state[1] = q.state[1] == 'A' ? 'B' : 'A';
    const auto before = calls();
    const auto again = answer(r, q);
    if (is.server_sessions) {
      EXPECT_EQ(at(again->last(), "error", "code"), "-32602");
      EXPECT_EQ(calls(), before);
    } else {
      EXPECT_EQ(at_server()->param("requestState"), q.state) << "it is the server's to judge";
    }
  }

  void restart() override {
    will_finish();
    expect_done(invoke());
    server_restarts();
    will_finish();
    if (is.server_sessions) will_finish();
    expect_done(invoke());
  }

  /// What a server with sessions works at is lost with them, and is not begun anew behind its
  /// client's back; whoever comes back is told so, once, and the next call is as any other.
  void restart_while_asking() override {
    receipt_ptr r;
    const auto q = begin_to_ask(r);
    const auto before = calls();
    server_restarts();
    a.behave(std::string(method.name));
    if (!is.server_sessions) {
      will_finish();
      r = answer(r, q);
      EXPECT_EQ(at_server()->param("requestState"), R"("s")");
      EXPECT_EQ(heard_by_server(), accepted);
      return expect_done(r);
    }
    if (is.client_sessions) {
      EXPECT_EQ(at(r->last(), "error", "code"), "-32041") << r->last();
      EXPECT_EQ(r->endings, 1);
    }
    const auto told = a.count("response");
    r = answer(r, q);
    w.settle();
    EXPECT_EQ(at(r->last(), "error", "code"), code("-32041", "-31041")) << r->last();
    EXPECT_EQ(calls(), before);
    EXPECT_EQ(a.count("response"), told) << "whoever has asked is gone";
    if (!is.client_sessions) {
      EXPECT_EQ(at(answer(r, q)->last(), "error", "code"), "-32602");
    }
    will_finish();
    if (is.server_sessions) will_finish();
    expect_done(invoke());
  }
};

}  // namespace

scene_ptr invocation(const mcp::method& m, cell of) {
  return std::make_unique<invocation_scene>(m, of);
}

}  // namespace gate::cell_table
