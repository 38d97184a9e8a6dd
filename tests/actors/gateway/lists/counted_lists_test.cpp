// Upstreams whose lists are counted by a limit or a budget: nothing of it is spent on nobody's
// behalf, and whose lists are missing is announced when it is worth asking, no more often.
#include "tests/actors/gateway/lists/lists_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::string_view budget = R"(,"budget":{"period":"day","upstreamCalls":100000})";

/// `a` is counted, `b` is not.
std::string counted(std::string_view more) {
  return R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"},
             {"id":"a","url":"http://a.test/mcp","namespace":"a","cacheTtlMs":1000)" +
         std::string(more) + "}]}";
}

struct counted_lists : ::testing::Test {
  std::unique_ptr<world> w;
  std::unique_ptr<client> c;
  receipt_ptr mine;

  fake_upstream& begin(std::string_view more) {
    w = std::make_unique<world>(world_options{.config = counted(more)});
    c = std::make_unique<client>(*w);
    c->initialize();
    mine = c->get();
    return w->upstream("a");
  }
  /// As a client does that lists again whenever it is told to.
  void listen_for(std::chrono::seconds time) {
    for (const auto end = w->now() + time; w->now() < end; w->advance(100ms))
      if (mine->events().size() > heard_) {
        heard_ = mine->events().size();
        c->list(std::to_string(100 + heard_));
      }
  }

 private:
  std::size_t heard_ = 0;
};

// --- announced when it is worth asking -----------------------------------------------------------

TEST_F(counted_lists, of_one_that_loses_its_session_with_each_list_are_no_loop) {
  auto& a = begin(budget);
  a.always("tools/list", reply::http(404));
  EXPECT_EQ(failed(c->list("1")), R"(["a"])");
  listen_for(10s);
  EXPECT_LE(mine->events().size(), 4U);
  listen_for(3600s);
  EXPECT_LE(mine->events().size(), 25U) << "every few minutes, once it was in vain";
  EXPECT_LE(a.count("tools/list"), 60U);
  a.behave("tools/list");
  listen_for(301s);
  EXPECT_EQ(failed(c->list("2")), "");
}

TEST_F(counted_lists, that_are_refused_are_not_announced_by_anybodys_handshake) {
  begin(R"(,"budget":{"period":"day","upstreamCalls":1})");
  c->list("1");
  w->advance(2s);
  c->list("2");
  w->advance(1s);
  EXPECT_EQ(failed(c->list("3")), R"(["a"])");
  const auto before = mine->events().size();
  for (int i = 0; i < 20; ++i) {
    client other(*w);
    other.initialize();
    EXPECT_EQ(at(other.call("1", "a__echo")->last(), "error", "code"), "-32044");
    listen_for(1s);
  }
  EXPECT_LE(mine->events().size() - before, 4U);
}

TEST_F(counted_lists, that_a_limit_refused_are_announced_when_it_lets_them_through) {
  auto& a = begin(R"(,"rateLimit":{"requestsPerMinute":1})");
  c->list("1");
  w->advance(2s);
  c->list("2");
  w->advance(1s);
  EXPECT_EQ(failed(c->list("3")), R"(["a"])");
  const auto before = mine->events().size();
  w->advance(60s);
  EXPECT_EQ(mine->events().size(), before) << "it would be refused again";
  w->advance(60s);
  EXPECT_EQ(mine->events().size(), before + 1);
  EXPECT_EQ(a.count("tools/list"), 1U);
  listen_for(5s);
  EXPECT_EQ(failed(c->list("4")), "");
}

TEST_F(counted_lists, of_one_that_never_shakes_hands_again_are_announced_when_it_is_back) {
  auto& a = begin(budget);
  a.sessions = a.streams = false;
  c->list("1");
  const auto met = a.count("initialize");
  for (const auto* method : {"tools/list", "ping"}) a.always(method, reply::http(500));
  w->advance(2s);
  c->list("2");
  w->advance(2s);
  EXPECT_EQ(failed(c->list("3")), R"(["a"])");
  const auto before = mine->events().size();
  const auto asked = a.count("tools/list");
  w->advance(60s);
  EXPECT_EQ(mine->events().size(), before);
  for (const auto* method : {"tools/list", "ping"}) a.behave(method);
  w->advance(31s);
  EXPECT_EQ(mine->events().size(), before + 1);
  EXPECT_EQ(a.count("tools/list"), asked);
  EXPECT_EQ(a.count("initialize"), met);
  listen_for(2s);
  EXPECT_EQ(failed(c->list("4")), "");
}

// --- nothing is spent on nobody's behalf ---------------------------------------------------------

TEST_F(counted_lists, that_are_in_doubt_are_told_not_asked_for) {
  auto& a = begin(budget);
  c->list("1");
  for (int i = 0; i < 60; ++i) {
    for (auto& s : a.under_way("GET")) fake_upstream::close(s);
    w->advance(1s);
  }
  EXPECT_EQ(a.count("tools/list"), 1U);
  EXPECT_EQ(mine->events(), std::vector<std::string>{changed}) << "and nobody has listed since";
  a.tools = {R"({"name":"new"})"};
  c->list("2");
  w->advance(1s);
  EXPECT_NE(tools(c->list("3")).find("a__new"), std::string::npos);
}

TEST_F(counted_lists, that_are_old_are_not_asked_for_since_others_are_in_doubt) {
  auto& a = begin(budget);
  auto& b = w->upstream("b");
  c->list("1");
  w->advance(40s);
  const auto asked = b.count("tools/list");
  for (auto& s : b.under_way("GET")) fake_upstream::close(s);
  w->advance(2s);
  EXPECT_EQ(b.count("tools/list"), asked + 1);
  EXPECT_EQ(a.count("tools/list"), 1U);
}

TEST_F(counted_lists, are_not_asked_for_by_a_reload) {
  auto& a = begin(budget);
  c->list("1");
  w->advance(40s);
  auto other = counted(budget);
  other.replace(other.find(R"("namespace":"b")"), 15, R"("namespace":"b","cacheTtlMs":7000)");
  ASSERT_TRUE(w->reload(other).get().problems.empty());
  w->advance(5s);
  EXPECT_EQ(a.count("tools/list"), 1U);
  EXPECT_TRUE(mine->events().empty());
}

}  // namespace
}  // namespace gate
