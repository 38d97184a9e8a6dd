// What is refused on the way in: the HTTP status, the JSON-RPC code, exactly one audit event.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;

struct refusals : ::testing::Test {
  world w;
  client c{w};
  refusals() { c.initialize(); }

  /// Refused with this status and code, audited once as `method`.
  void expect(const receipt_ptr& r, int status, std::string_view code,
              std::string_view method = "http") {
    EXPECT_EQ(r->status, status) << r->body;
    EXPECT_EQ(at(r->body, "error", "code"), code) << r->body;
    EXPECT_EQ(r->endings, 1);
    EXPECT_EQ(w.audit().size(), before + 1);
    EXPECT_EQ(at(w.audit().back(), "method"), '"' + std::string(method) + '"');
    EXPECT_NE(at(w.audit().back(), "outcome"), R"("ok")");
    before = w.audit().size();
  }
  std::size_t before = 1;  // initialize
};

TEST_F(refusals, of_foreign_hosts_and_origins) {
  c.host = "evil.test";
  auto r = c.request("1", "ping");
  EXPECT_EQ(at(w.audit().back(), "outcome"), R"("forbidden")");
  expect(r, 403, "-32000");
  c.host = "localhost";
  c.more_headers = {"Origin: http://evil.test"};
  expect(c.request("1", "ping"), 403, "-32000");
  c.more_headers = {"Origin: http://localhost:3000"};
  EXPECT_EQ(c.request("1", "ping")->status, 200);
}

TEST_F(refusals, of_bodies_that_are_no_message) {
  expect(c.post("{"), 400, "-32700");
  expect(c.post(""), 400, "-32700");
  expect(c.post("7"), 400, "-32600");
  expect(c.post(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), 400, "-32600");
  expect(c.post(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), 400, "-32600");
  expect(c.post(R"({"jsonrpc":"2.0","id":)" + std::string(2000, '1') + R"(,"method":"ping"})"), 400,
         "-32600");
  expect(c.post(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)" + std::string(200, '[') +
                std::string(200, ']') + "}"),
         400, "-32700");
}

TEST_F(refusals, of_media_types) {
  c.accept = "application/json";
  expect(c.request("1", "ping"), 406, "-32000");
  c.accept = "text/event-stream";
  expect(c.request("1", "ping"), 406, "-32000");
  c.accept = "*/*";
  EXPECT_EQ(c.request("1", "ping")->status, 200);
  c.content_type = "text/plain";
  expect(c.request("1", "ping"), 415, "-32000");
}

TEST_F(refusals, of_revisions_that_do_not_exist_whatever_the_verb) {
  c.version = "1999-01-01";
  expect(c.request("1", "ping"), 400, "-32000");
  expect(c.get(), 400, "-32000");
  expect(c.end(), 400, "-32000");
  c.version.clear();
  EXPECT_EQ(c.request("1", "ping")->status, 200);
}

TEST_F(refusals, without_a_session) {
  c.session.clear();
  expect(c.request("1", "ping"), 400, "-32000");
  expect(c.end(), 400, "-32000");
  auto r = c.get();
  EXPECT_EQ(r->header("allow"), "GET, POST, DELETE");
  expect(r, 405, "-32000");
}

TEST_F(refusals, of_methods_names_and_ids) {
  expect(c.request("1", "no/such"), 200, "-32601", "no/such");
  expect(c.call("1", "c__x"), 200, "-32043", "tools/call");
  expect(c.call("1", "x"), 200, "-32043", "tools/call");
  expect(c.request("1", "tools/call", "{}"), 200, "-32602", "tools/call");
  expect(c.request("1", "tools/call", R"({"name":7})"), 200, "-32602", "tools/call");
  expect(c.call("1", std::string(2000, 'x')), 200, "-32602", "tools/call");
  expect(c.request("1", "initialize", R"({"protocolVersion":"2025-06-18"})"), 400, "-32600",
         "initialize");
  w.upstream("a").next("tools/call", reply::silence());
  c.call("1", "a__x");
  expect(c.call("1", "a__x"), 400, "-32600", "tools/call");
}

TEST_F(refusals, of_initialize) {
  c.session.clear();
  c.version.clear();
  expect(c.request("1", "initialize"), 200, "-32602", "initialize");
  expect(c.request("1", "initialize", R"({"protocolVersion":7})"), 200, "-32602", "initialize");
  expect(c.request("1", "initialize",
                   R"({"protocolVersion":"2025-06-18","capabilities":{"x":")" +
                       std::string(20'000, 'x') + R"("}})"),
         200, "-32602", "initialize");
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 1);
}

// --- batches -------------------------------------------------------------------------------------

TEST_F(refusals, of_batches_in_revisions_without_them) {
  expect(c.post(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])"), 400, "-32600");
  c.session.clear();
  expect(c.post(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])"), 400, "-32000");
}

struct batches : refusals {
  client old{w};
  batches() {
    old.initialize("2025-03-26");
    before = 2;
  }
};

TEST_F(batches, are_answered_as_one_with_every_element_audited) {
  auto r = old.post(R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__x"}},)"
                    R"({"jsonrpc":"2.0","method":"notifications/initialized"},)"
                    R"({"jsonrpc":"2.0","id":2,"method":"ping"},7,)"
                    R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"b__y"}}])");
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->endings, 1);
  for (auto part : {R"("id":1,"result")", R"("id":2,"result")", R"("id":3,"result")", "-32600"})
    EXPECT_NE(r->body.find(part), r->body.npos) << part << r->body;
  EXPECT_EQ(w.audit("tools/call").size(), 2U);
}

TEST_F(batches, of_notifications_are_202_and_empty_ones_are_refused) {
  EXPECT_EQ(old.post(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])")->status, 202);
  expect(old.post("[]"), 400, "-32600");
}

TEST_F(batches, do_not_nest) {
  auto r = old.post(R"([[{"jsonrpc":"2.0","id":1,"method":"ping"}],)"
                    R"({"jsonrpc":"2.0","id":2,"method":"ping"}])");
  EXPECT_EQ(r->body.find(R"("id":1)"), r->body.npos) << r->body;
  EXPECT_NE(r->body.find("-32600"), r->body.npos);
  EXPECT_NE(r->body.find(R"("id":2,"result":{})"), r->body.npos);
}

TEST_F(batches, are_bounded) {
  std::string many = "[";
  for (int i = 0; i < 101; ++i)
    many += std::string(i ? "," : "") + R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
            R"(,"method":"ping"})";
  expect(old.post(many + "]"), 400, "-32600");
}

}  // namespace
}  // namespace gate
