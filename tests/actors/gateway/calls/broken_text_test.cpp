// What an upstream says that is not UTF-8 is no JSON (RFC 8259 §8.1): a direct client could not
// read it either. The call ends at once; nothing of it reaches a client or the audit trail.
// (actors/upstream/spoken.hpp reads it.)
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;

const std::string broken = R"({"content":[{"type":"text","text":")"
                           "\xFF\xFE"
                           R"("}],"_meta":{"usage":{"n":")"
                           "\xC0\x80"
                           R"("}}})";

struct broken_text : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");
  broken_text() { c.initialize(); }
  void expect_failed(const receipt_ptr& r) {
    EXPECT_EQ(r->last(), unavailable("1", "a", "request failed"));
    ASSERT_EQ(w.audit("tools/call").size(), 1U);
    EXPECT_EQ(at(w.audit("tools/call")[0], "outcome"), R"("upstream_down")");
    EXPECT_EQ(at(w.audit("tools/call")[0], "usage"), "");
  }
};

TEST_F(broken_text, in_an_answer_is_no_answer) {
  a.next("tools/call", reply::result(broken));
  expect_failed(c.call("1", "a__x"));
}

TEST_F(broken_text, in_an_answer_that_is_an_event_is_none_either) {
  a.always("tools/call", reply{.open = true});
  auto r = c.call("1", "a__x");
  EXPECT_FALSE(r->done());
  fake_upstream::push(a.last("tools/call"),
                      R"({"jsonrpc":"2.0","id":$id,"result":)" + broken + "}");
  w.settle();
  expect_failed(r);
}

TEST_F(broken_text, in_a_message_loses_that_message_only) {
  a.always("tools/call", reply{.open = true});
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"),
                      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
                      "{\"data\":\"\xE9\"}}");
  fake_upstream::push(a.last("tools/call"), R"({"jsonrpc":"2.0","id":$id,"result":{"ok":1}})");
  w.settle();
  EXPECT_EQ(r->last(), R"({"jsonrpc":"2.0","id":1,"result":{"ok":1}})");
}

TEST_F(broken_text, in_the_handshake_or_a_list_is_no_server) {
  a.always("initialize", [](const sight&) {
    auto r = reply::result(
        "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
        "\"instructions\":\"\xFF\"}");
    r.session = "a-1";
    return r;
  });
  EXPECT_EQ(c.call("1", "a__x")->last(), unavailable("1", "a", "connect failed"));
  w.upstream("b").tools = {"{\"name\":\"x\",\"description\":\"\xFF\"}"};
  const auto r = c.list("2");
  EXPECT_EQ(at(r->last(), "error", "code"), "-32041") << r->last();
}

TEST_F(broken_text, text_of_any_script_passes) {
  const std::string all = "{\"t\":\"\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80\"}";
  a.next("tools/call", reply::result(all));
  EXPECT_EQ(at(c.call("1", "a__x")->last(), "result"), all);
}

}  // namespace
}  // namespace gate
