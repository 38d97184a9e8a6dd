// Stage 9: what the client gets, and what is told of it, of calls that no ROUTER has.
#include "actors/pipeline/stage9_audit.hpp"

#include "tests/actors/pipeline/stages.hpp"

namespace gate::pipeline {
namespace {

struct stage9 : sim::a_way {
  struct : sim::fake_exit {
    void forget(call&) override { ++forgotten; }
    std::size_t forgotten = 0;
  } exit;
  pipeline::desk whole{
      entrance, sessions, fakes.introductions, fakes.streams, fakes.requests, fakes.suspensions,
      lists,    tasks,    upstreams,           exit,          fakes.inquiries};

  const sim::receipt& answer() { return *receipts.back(); }
  const ending& told() {
    EXPECT_EQ(fakes.exit.exits.endings.size(), receipts.size()) << "one for each";
    return fakes.exit.exits.endings.back();
  }
  /// What an upstream has answered, as it leaves.
  void deliver(answered m) {
    EXPECT_TRUE(waits(proxied(message("tools/call", R"({"name":"a__x"})"))));
    auto passed = of<stage::proxy>(proxy_step::resume(std::move(*upstreams.parked), m, desk));
    exit_stage::deliver(of<stage::egress>(egress_step::run(std::move(passed), desk)), whole);
  }
  template <class Result>
  void refuse(Result r) {
    auto* no = std::get_if<refused>(&r);
    ASSERT_TRUE(no);
    exit_stage::refuse(std::move(*no), whole);
  }
};

TEST_F(stage9, puts_the_clients_id_around_the_upstreams_bytes) {
  answered m;
  m.what = answer::result;
  m.payload = R"({ "content" : [] })";
  m.by = mcp::era::session;
  deliver(m);
  EXPECT_EQ(answer().status, 200);
  EXPECT_EQ(answer().body, R"({"jsonrpc":"2.0","id":1,"result":{ "content" : [] }})");
  EXPECT_EQ(told().outcome, audit::outcome::ok);
  EXPECT_EQ(exit.forgotten, 1U);
}

TEST_F(stage9, tells_an_upstreams_error_but_not_its_credential) {
  for (const bool secret : {false, true}) {
    answered m;
    m.what = answer::error;
    m.payload = R"({"code":-32000,"message":"it \u0041"})";
    m.by = mcp::era::session;
    m.quotes_credential = secret;
    deliver(m);
    EXPECT_EQ(answer().status, 200);
    EXPECT_EQ(answer().body, R"({"jsonrpc":"2.0","id":1,"error":)" + std::string(m.payload) + "}")
        << "for the client";
    EXPECT_EQ(told().outcome, audit::outcome::error);
    EXPECT_EQ(told().error, secret ? "the upstream's error quotes its credential" : "it A");
  }
}

TEST_F(stage9, refuses_requests_in_json_and_what_broke_the_framing_for_good) {
  auto r = message("tools/call", R"({"name":"a__x"})");
  refuse(hosted(sim::make_request(verb::post, "/mcp", {"Host: evil.test"}, "{}")));
  EXPECT_EQ(answer().status, 403);
  EXPECT_NE(answer().body.find("\"error\""), std::string::npos) << answer().body;
  EXPECT_FALSE(answer().close);
  EXPECT_EQ(told().rejection, rejection::forbidden_host);
  r.flaw = http::defect::malformed;
  refuse(hosted(std::move(r)));
  EXPECT_EQ(answer().status, 400);
  EXPECT_TRUE(answer().close);
  EXPECT_EQ(exit.forgotten, 2U);
}

TEST_F(stage9, acknowledges_by_status_alone) {
  auto c = of<stage::guard>(guarded(message("tools/call", R"({"name":"a__x"})")));
  exit_stage::acknowledge(*c, 202);
  EXPECT_EQ(answer().status, 202);
  EXPECT_EQ(answer().body, "");
  EXPECT_EQ(told().outcome, audit::outcome::ok);
  exit_stage::close(*c);
  EXPECT_EQ(fakes.exit.exits.endings.size(), 1U) << "a ticket is spent once";
}

TEST_F(stage9, ends_a_cancelled_call_without_an_answer) {
  auto c = of<stage::guard>(guarded(message("tools/call", R"({"name":"a__x"})")));
  exit_stage::cancel(*c, "\"enough\"", whole);
  EXPECT_EQ(answer().status, 202);
  EXPECT_EQ(told().outcome, audit::outcome::error);
  EXPECT_EQ(told().error, "\"enough\"");
}

}  // namespace
}  // namespace gate::pipeline
