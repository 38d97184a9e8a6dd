// Many calls that a server without sessions refuses because they went by an old list: one fetch of
// the list serves them all.
#include "protocol/limits.hpp"
#include "tests/actors/gateway/stateless/annotated_servers.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct renewed_tools : annotated_stage {
  static constexpr auto arguments = R"({"name":"a__x","arguments":{"region":"eu"}})";
  std::vector<client> clients;

  renewed_tools() {
    a.always("tools/call", [](const sight& s) {
      return s.header("mcp-param-region").empty()
                 ? reply{.after = 5ms, .status = 400, .body = mismatch}
                 : reply::result(R"({"resultType":"complete","content":[]})");
    });
    for (int i = 0; i < 3; ++i) {
      clients.emplace_back(w);
      clients.back().initialize();
    }
  }
  static reply list_after(std::chrono::milliseconds time) {
    return reply::result(R"({"tools":[)" + std::string(annotated) + "]}", time);
  }
  /// Each client makes so many calls.
  std::vector<receipt_ptr> call(int each) {
    std::vector<receipt_ptr> out;
    for (auto& one : clients)
      for (int i = 0; i < each; ++i)
        out.push_back(one.request(std::to_string(i + 10), "tools/call", arguments));
    w.advance(10ms);
    return out;
  }
  static std::string content(const receipt_ptr& r) { return at(r->last(), "result", "content"); }
  void expect_all_good(const std::vector<receipt_ptr>& all) {
    for (const auto& r : all) EXPECT_EQ(content(r), "[]") << r->last();
  }
};

TEST_F(renewed_tools, are_fetched_once_for_all_calls) {
  a.always("tools/list", list_after(100ms));
  const auto all = call(5);
  EXPECT_EQ(a.count("tools/call"), 15U);
  EXPECT_EQ(a.count("tools/list"), 1U);
  w.advance(200ms);
  expect_all_good(all);
  EXPECT_EQ(a.count("tools/call"), 30U) << "each is made once more";
  EXPECT_EQ(a.count("tools/list"), 1U);
  ASSERT_EQ(w.audit("tools/call").size(), 15U);
  for (const auto& event : w.audit("tools/call"))
    EXPECT_EQ(at(event, "upstreamCalls"), "2") << event;
}

TEST_F(renewed_tools, are_fetched_by_another_if_the_first_call_is_cancelled) {
  a.always("tools/list", list_after(100ms));
  auto all = call(2);
  const auto first = a.last("tools/list");
  clients[0].cancel("10");
  EXPECT_TRUE(first->abandoned);
  EXPECT_EQ(a.count("tools/list"), 2U);
  w.advance(200ms);
  all.erase(all.begin());
  expect_all_good(all);
  EXPECT_EQ(a.count("tools/list"), 2U);
}

TEST_F(renewed_tools, are_fetched_by_another_if_the_session_of_the_first_dies) {
  a.always("tools/list", list_after(100ms));
  auto all = call(2);
  EXPECT_EQ(a.count("tools/list"), 1U);
  w.crash(w.cast("bridged session").at(0));
  w.settle();
  EXPECT_EQ(a.count("tools/list"), 2U);
  w.advance(200ms);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < 2)
      EXPECT_EQ(code(all[i]), "-32041") << "it died with its session";
    else
      EXPECT_EQ(content(all[i]), "[]") << all[i]->last();
  }
}

TEST_F(renewed_tools, that_do_not_come_leave_each_call_its_first_answer) {
  for (const auto& bad : {reply::error(R"({"code":-32603,"message":"m"})", 50ms),
                          reply{.after = 50ms, .end = fetch_end::broken, .status = 0}}) {
    a.always("tools/list", bad);
    const auto lists = a.count("tools/list"), calls = a.count("tools/call");
    const auto all = call(2);
    w.advance(200ms);
    EXPECT_EQ(a.count("tools/list"), lists + 1);
    EXPECT_EQ(a.count("tools/call"), calls + 6);
    int first_answers = 0;
    for (const auto& r : all)
      first_answers += at(r->last(), "error", "message") == R"("other headers")";
    EXPECT_GE(first_answers, 5) << "but for the call that fetched, whose server broke off";
  }
}

TEST_F(renewed_tools, are_waited_for_as_long_as_a_call_may_last) {
  a.always("tools/list", reply::silence());
  const auto all = call(2);
  w.advance(61s);
  for (const auto& r : all) EXPECT_EQ(code(r), "-32041") << r->last();
  EXPECT_EQ(w.audit("tools/call").size(), 6U);
}

TEST_F(renewed_tools, are_left_by_who_waits_and_cancels) {
  a.always("tools/list", list_after(100ms));
  auto all = call(2);
  clients[1].cancel("10");
  clients[2].end();
  w.advance(200ms);
  for (const auto i : {0U, 1U, 3U}) EXPECT_EQ(content(all[i]), "[]") << all[i]->last();
  EXPECT_EQ(a.count("tools/call"), 6U + 3U) << "who has left calls nobody";
  EXPECT_EQ(a.count("tools/list"), 1U);
}

TEST_F(renewed_tools, are_known_to_calls_that_were_refused_meanwhile) {
  a.always("tools/list", list_after(100ms));
  a.next("tools/call", {.after = 300ms, .status = 400, .body = mismatch});
  const auto all = call(1);
  w.advance(1s);
  expect_all_good(all);
  EXPECT_EQ(a.count("tools/list"), 1U);
}

TEST(renewed_tools_of_callers, are_fetched_for_each) {
  auto o = annotated_servers(R"(,"listsPerClient":true)");
  world w(o);
  auto& a = w.upstream("a");
  a.always("tools/call", {.after = 5ms, .status = 400, .body = mismatch});
  client c(w), d(w);
  c.initialize();
  d.initialize();
  for (auto* one : {&c, &d})
    for (auto id : {"1", "2"}) one->call(id, "a__x");
  a.always("tools/list", reply::silence());
  w.advance(10ms);
  EXPECT_EQ(a.count("tools/list"), 2U) << "each client sees lists of its own";
}

}  // namespace
}  // namespace gate
