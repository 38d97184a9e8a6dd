// Servers that ask on the stream that their session has beside calls, where a client without a
// session hears nothing: of the only call under way it hears.
#include "tests/support/asking_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct question_beside_a_call : asking_stage {
  /// The stream of the session that stands for the client.
  sight_ptr stream() { return a.last("GET"); }
  std::size_t place_of(const sight_ptr& s) {
    const auto& all = a.seen();
    return static_cast<std::size_t>(std::ranges::find(all, s) - all.begin());
  }
};

TEST_F(question_beside_a_call, is_one_of_the_only_call) {
  const auto r = c.call("1", "a__x");
  const auto call = a.last("tools/call");
  ASSERT_TRUE(call && stream());
  EXPECT_LT(place_of(stream()), place_of(call)) << "else it would be lost";
  ask(stream(), "9", "roots/list", "{}");
  w.advance(soon);
  const auto q = read(r, call);
  EXPECT_NE(q.requests.find("roots/list"), std::string::npos);
  const auto again = retry(q, R"({"q1":{"roots":[]}})");
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "id"), "9");
  EXPECT_EQ(at(a.last("response")->body, "result"), R"({"roots":[]})");
  result(call, R"({"content":[]})");
  w.settle();
  EXPECT_EQ(member(again, "resultType"), R"("complete")");
}

TEST_F(question_beside_a_call, can_be_taken_back) {
  const auto r = c.call("1", "a__x");
  const auto call = a.last("tools/call");
  ask(stream(), "9");
  fake_upstream::push(stream(), R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                                R"("params":{"requestId":9}})");
  w.settle();
  result(call, R"({"content":[]})");
  w.advance(soon);
  EXPECT_EQ(member(r, "resultType"), R"("complete")");
}

TEST_F(question_beside_a_call, is_nobodys_while_there_are_two) {
  const auto one = c.call("1", "a__x"), two = c.call("2", "a__x");
  ask(stream(), "9");
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "code"), "-32601");
  w.advance(soon);
  EXPECT_EQ(one->endings + two->endings, 0) << "they go on";
}

TEST_F(question_beside_a_call, is_nobodys_without_any) {
  c.call("1", "a__x");
  result(a.last("tools/call"), R"({"content":[]})");
  w.settle();
  ask(stream(), "9");
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "code"), "-32601");
}

TEST_F(question_beside_a_call, needs_no_stream_of_a_server_that_has_none) {
  a.always("GET", reply::http(405));
  const auto r = c.call("1", "a__x");
  ASSERT_TRUE(a.last("tools/call"));
  result(a.last("tools/call"), R"({"content":[]})");
  w.settle();
  EXPECT_EQ(member(r, "resultType"), R"("complete")");
}

TEST_F(question_beside_a_call, is_nothing_to_a_client_that_can_not_be_asked) {
  const auto before = a.count("GET");
  c.capabilities = "{}";
  c.call("1", "a__x");
  EXPECT_EQ(a.count("tools/call"), 1U);
  EXPECT_EQ(a.count("GET"), before);
}

TEST_F(question_beside_a_call, does_not_keep_a_session_that_nobody_uses) {
  c.call("1", "a__x");
  result(a.last("tools/call"), R"({"content":[]})");
  w.settle();
  const auto ours = stream();
  w.advance(limits::bridged_idle + 2s);
  EXPECT_TRUE(ours->abandoned);
  EXPECT_EQ(a.count("DELETE"), 1U);
}

}  // namespace
}  // namespace gate
