// The audit trail: what is in it, once each, and that nothing in it can break it.
#include <boost/json.hpp>

#include "protocol/limits.hpp"
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::string_view owned = R"({"audit":{"sinks":[{"type":"stdout"}]},"upstreams":[
  {"id":"a","url":"http://a.test/mcp","namespace":"a",
   "owner":{"org":"acme","team":"files","contact":"files@acme.test"}},
  {"id":"b","url":"http://b.test/mcp","namespace":"b","owner":{"team":"notes"}}]})";

struct audit_trail : ::testing::Test {
  world w{{.config = std::string(owned)}};
  client c{w};
  fake_upstream& a = w.upstream("a");

  audit_trail() {
    auto r = c.request("0", "initialize",
                       R"({"protocolVersion":"2025-11-25",)"
                       R"("capabilities":{"sampling":{},"elicitation":{}}})");
    c.session = r->header("mcp-session-id");
  }
  std::string latest() { return w.audit().empty() ? "" : w.audit().back(); }
};

TEST_F(audit_trail, says_whose_the_upstream_is) {
  c.call("1", "a__x");
  EXPECT_EQ(at(latest(), "owner"), R"({"org":"acme","team":"files"})");
  EXPECT_EQ(latest().find("contact"), std::string::npos);
  c.call("2", "b__x");
  EXPECT_EQ(at(latest(), "owner"), R"({"team":"notes"})");
  c.list("3");
  EXPECT_EQ(at(latest(), "owner"), "");
}

TEST_F(audit_trail, says_when_a_stream_was_opened_or_gone_on_with) {
  const auto before = w.audit().size();
  auto stream = c.get();
  ASSERT_EQ(w.audit().size(), before + 1);
  EXPECT_EQ(at(latest(), "method"), R"("http")");
  EXPECT_EQ(at(latest(), "name"), R"("GET")");
  EXPECT_EQ(at(latest(), "outcome"), R"("ok")");
  w.vanish(stream);
  EXPECT_EQ(w.audit().size(), before + 1) << "its end is no event";
  c.session = "unknown";
  c.get();
  ASSERT_EQ(w.audit().size(), before + 2);
  EXPECT_EQ(at(latest(), "outcome"), R"("error")");
}

TEST_F(audit_trail, says_what_clients_answer) {
  a.always("tools/call", reply{.open = true});
  auto r = c.call("1", "a__x");
  const auto ask = [&](std::string_view method) {
    fake_upstream::push(a.last("tools/call"), R"({"jsonrpc":"2.0","id":"q","method":")" +
                                                  std::string(method) + R"(","params":{}})");
    w.settle();
    return at(r->events().back(), "id");
  };
  const auto before = w.audit().size();
  const auto requests = w.metric("gate_request_upstream_calls_count");
  c.post(R"({"jsonrpc":"2.0","id":)" + ask("sampling/createMessage") + R"(,"result":{}})");
  ASSERT_EQ(w.audit().size(), before + 1);
  EXPECT_EQ(at(latest(), "method"), R"("sampling/createMessage")");
  EXPECT_EQ(at(latest(), "upstream"), R"("a")");
  EXPECT_EQ(at(latest(), "owner"), R"({"org":"acme","team":"files"})");
  EXPECT_EQ(at(latest(), "outcome"), R"("ok")");
  EXPECT_EQ(at(latest(), "upstreamCalls"), "0");
  c.post(R"({"jsonrpc":"2.0","id":)" + ask("elicitation/create") +
         R"(,"error":{"code":-1,"message":"no"}})");
  EXPECT_EQ(at(latest(), "method"), R"("elicitation/create")");
  EXPECT_EQ(at(latest(), "outcome"), R"("error")");
  EXPECT_EQ(latest().find("\"no\""), std::string::npos) << "what a client says is not told";
  c.post(R"({"jsonrpc":"2.0","id":)" + ask("acme/strange") + R"(,"result":{}})");
  EXPECT_EQ(at(latest(), "method"), R"("response")");
  ASSERT_EQ(w.audit().size(), before + 3);
  c.post(R"({"jsonrpc":"2.0","id":77,"result":{}})");
  ASSERT_EQ(w.audit().size(), before + 4);
  EXPECT_EQ(at(latest(), "method"), R"("response")");
  EXPECT_EQ(at(latest(), "error"), R"("nobody asked")");
  EXPECT_EQ(w.metric("gate_request_upstream_calls_count"), requests) << "answers are no requests";
  EXPECT_EQ(w.metric(R"(gate_requests_total{method="sampling/createMessage",outcome="ok"})"), -1);
}

TEST_F(audit_trail, can_not_be_broken_by_what_an_upstream_reports) {
  const auto report = [&](const std::string& usage) {
    a.next("tools/call", reply::result(R"({"_meta":{"usage":)" + usage + "}}"));
    c.call("1", "a__x");
    auto line = latest();
    boost::json::error_code ec;
    boost::json::parse(line, ec);
    EXPECT_FALSE(ec) << line;
    return at(line, "usage");
  };
  EXPECT_EQ(report(R"({"tokens":7})"), R"({"tokens":7})");
  EXPECT_EQ(report(R"({"x":")"
                   "\xFF"
                   R"("})"),
            "")
      << "what is not UTF-8 is no answer";
  EXPECT_EQ(report(R"({"x":"\ud800"})"), R"({"omitted":"a lone surrogate","bytes":14})");
  EXPECT_EQ(report('"' + std::string(1'000'000, 'x') + '"'),
            R"({"omitted":"too long","bytes":1000002})");
  EXPECT_EQ(report(std::string(200, '[') + std::string(200, ']')),
            R"({"omitted":"nested too deeply","bytes":400})");
}

TEST(budget_metrics, are_there_from_the_start) {
  world w;
  EXPECT_EQ(w.metric("gate_budget_degraded_total"), 0);
}

}  // namespace
}  // namespace gate
