// Another configuration, while everything goes on.
#include "simulations/world/guarded_world.hpp"
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::string_view only_a =
    R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}]})";
constexpr std::string_view three = R"({"upstreams":[
  {"id":"c","url":"http://c.test/mcp","namespace":"c"},
  {"id":"a","url":"http://a.test/mcp","namespace":"a"},
  {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})";
constexpr std::string_view slower_b = R"({"upstreams":[
  {"id":"a","url":"http://a.test/mcp","namespace":"a"},
  {"id":"b","url":"http://b.test/mcp","namespace":"b","timeouts":{"requestMs":70000}}]})";

std::vector<std::string> names_in(const receipt_ptr& list) {
  std::vector<std::string> out;
  const auto tools = at(list->body, "result", "tools");
  for (std::size_t i = 0; (i = tools.find(R"("name":")", i)) != tools.npos;) {
    i += 8;
    out.push_back(tools.substr(i, tools.find('"', i) - i));
  }
  return out;
}

using names = std::vector<std::string>;

TEST(reload, a_new_upstream_is_there_at_once) {
  world w;
  client c(w);
  c.initialize();
  EXPECT_EQ(names_in(c.list("1")), (names{"a__echo", "b__echo"}));
  const auto done = w.reload(three);
  EXPECT_EQ(done.get().generation, 2U);
  EXPECT_TRUE(done.get().problems.empty());
  EXPECT_EQ(names_in(c.list("2")), (names{"c__echo", "a__echo", "b__echo"}));
  EXPECT_EQ(c.call("3", "c__echo")->status, 200);
  EXPECT_EQ(w.upstream("c").count("tools/call"), 1U);
  EXPECT_EQ(w.logged("The configuration was reloaded."), 1U);
}

TEST(reload, unchanged_upstreams_keep_sessions_and_cached_lists) {
  world w;
  client c(w);
  c.initialize();
  c.call("1", "a__echo");
  c.list("2");
  const auto handshakes = w.upstream("a").count("initialize");
  const auto lists = w.upstream("a").count("tools/list");
  ASSERT_TRUE(w.reload(three).get().problems.empty());
  c.call("3", "a__echo");
  c.list("4");
  EXPECT_EQ(w.upstream("a").count("initialize"), handshakes);
  EXPECT_EQ(w.upstream("a").count("tools/list"), lists);
  EXPECT_EQ(w.upstream("a").count("DELETE"), 0U);
}

TEST(reload, labels_and_owner_are_not_shape) {
  world w;
  client c(w);
  c.initialize();
  c.call("1", "b__echo");
  ASSERT_TRUE(w.reload(R"({"upstreams":[
    {"id":"a","url":"http://a.test/mcp","namespace":"a"},
    {"id":"b","url":"http://b.test/mcp","namespace":"b","labels":{"x":"y"},
     "owner":{"team":"t"}}]})")
                  .get()
                  .problems.empty());
  c.call("2", "b__echo");
  EXPECT_EQ(w.upstream("b").count("initialize"), 1U);
  EXPECT_EQ(w.upstream("b").count("DELETE"), 0U);
  auto health = client(w);
  health.path = "/health";
  EXPECT_NE(health.get()->body.find(R"("labels":{"x":"y"})"), std::string::npos);
}

/// `two_upstreams`, with more to say of `b`.
std::string b_with(std::string_view more) {
  return R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"},
                          {"id":"b","url":"http://b.test/mcp","namespace":"b")" +
         std::string(more) + "}]}";
}

struct reload_of_limits : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& b = w.upstream("b");
  int n = 0;

  reload_of_limits() {
    c.initialize();
    call();
  }
  ~reload_of_limits() override {
    EXPECT_EQ(b.count("DELETE"), 0U) << "its sessions live on";
    std::set<std::string> sessions;
    for (const auto& call : b.seen("tools/call")) sessions.insert(call->session);
    EXPECT_EQ(sessions.size(), 1U);
    EXPECT_EQ(w.cast("upstream").size(), 2U);
  }
  /// The error's code; empty: it was answered.
  std::string call() { return at(c.call(std::to_string(++n), "b__echo")->last(), "error", "code"); }
  void list() { c.list(std::to_string(++n)); }
  void reload(std::string_view more) { ASSERT_TRUE(w.reload(b_with(more)).get().problems.empty()); }
};

TEST_F(reload_of_limits, another_rate_limit_holds_at_once) {
  reload(R"(,"rateLimit":{"requestsPerMinute":2})");
  EXPECT_EQ(call(), "");
  EXPECT_EQ(call(), "");
  EXPECT_EQ(call(), "-32040");
  reload(R"(,"rateLimit":{"requestsPerMinute":3})");
  EXPECT_EQ(call(), "") << "what was let through is still counted";
  EXPECT_EQ(call(), "-32040");
  reload("");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(call(), "");
}

TEST_F(reload_of_limits, another_budget_holds_at_once) {
  reload(R"(,"budget":{"period":"hour","upstreamCalls":1})");
  EXPECT_EQ(call(), "");
  EXPECT_EQ(call(), "-32044");
  reload(R"(,"budget":{"period":"hour","upstreamCalls":2})");
  EXPECT_EQ(call(), "");
  EXPECT_EQ(call(), "-32044");
  reload("");
  EXPECT_EQ(call(), "");
}

TEST_F(reload_of_limits, lists_that_are_there_are_kept_for_the_new_time) {
  list();
  EXPECT_EQ(b.count("tools/list"), 1U);
  w.advance(3s);
  reload(R"(,"cacheTtlMs":5000)");
  list();
  EXPECT_EQ(b.count("tools/list"), 1U);
  w.advance(2s);
  list();
  EXPECT_EQ(b.count("tools/list"), 2U) << "5 s after it came, not 30";
  reload(R"(,"cacheTtlMs":-1)");
  EXPECT_EQ(b.count("tools/list"), 3U) << "is what was served still so?";
  list();
  list();
  EXPECT_EQ(b.count("tools/list"), 5U) << "never kept";
  reload("");
  list();
  list();
  EXPECT_EQ(b.count("tools/list"), 6U);
}

TEST(reload, a_removed_upstream_is_gone_and_told_so) {
  world w;
  client c(w);
  c.initialize();
  c.call("1", "b__echo");
  ASSERT_TRUE(w.reload(only_a).get().problems.empty());
  EXPECT_EQ(w.upstream("b").count("DELETE"), w.upstream("b").count("initialize"));
  EXPECT_EQ(at(c.call("2", "b__echo")->body, "error", "code"), "-32043");
  EXPECT_EQ(names_in(c.list("3")), names{"a__echo"});
  EXPECT_EQ(w.cast("upstream").size(), 1U);
  EXPECT_EQ(w.cast("breaker").size(), 1U);
  EXPECT_EQ(w.metric(R"(gate_upstream_breaker_state{upstream="b"})"), -1);
}

TEST(reload, a_call_in_flight_is_finished_by_what_it_began_with) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("b").always("tools/call", reply::silence());
  auto call = c.call("1", "b__echo");
  ASSERT_TRUE(w.reload(only_a).get().problems.empty());
  EXPECT_FALSE(call->done());
  EXPECT_EQ(w.upstream("b").count("DELETE"), 0U);
  fake_upstream::answer(w.upstream("b").last("tools/call"), reply::result(R"({"x":1})"));
  w.settle();
  EXPECT_EQ(call->body, R"({"jsonrpc":"2.0","id":1,"result":{"x":1}})");
  EXPECT_GE(w.upstream("b").count("DELETE"), 1U);
  EXPECT_EQ(w.cast("upstream").size(), 1U);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST(reload, a_changed_upstream_has_a_successor_with_sessions_of_its_own) {
  world w;
  client c(w);
  c.initialize();
  c.call("1", "b__echo");
  ASSERT_TRUE(w.reload(slower_b).get().problems.empty());
  EXPECT_EQ(c.call("2", "b__echo")->status, 200);
  EXPECT_EQ(w.upstream("b").count("tools/call"), 2U);
  EXPECT_EQ(w.cast("upstream").size(), 2U);
  EXPECT_EQ(w.metric(R"(gate_upstream_breaker_state{upstream="b"})"), 0);
}

TEST(reload, a_bad_document_changes_nothing) {
  world w;
  client c(w);
  c.initialize();
  c.call("1", "a__echo");
  const auto no = w.reload(R"({"upstreams":[{"id":"a"},{"id":"b"}]})");
  EXPECT_FALSE(no.get().problems.empty());
  EXPECT_EQ(no.get().generation, 1U);
  c.call("2", "a__echo");
  EXPECT_EQ(w.upstream("a").count("initialize"), 1U);
  EXPECT_EQ(names_in(c.list("3")), (names{"a__echo", "b__echo"}));
  EXPECT_GE(w.logged("The configuration was not reloaded"), 1U);
}

TEST(reload, what_is_wired_at_construction_is_refused_by_name) {
  world w;
  for (const auto& [section, text] :
       std::map<std::string, std::string>{{"server", R"("server":{"maxBodyBytes":5})"},
                                          {"routing", R"("routing":{"pageSize":5})"},
                                          {"audit", R"("audit":{"sinks":[{"type":"stdout"}]})"}}) {
    const auto no = w.reload(
        R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}],)" + text + "}");
    ASSERT_EQ(no.get().problems.size(), 1U) << section;
    EXPECT_EQ(no.get().problems[0].pointer, "/" + section);
    EXPECT_NE(no.get().problems[0].what.find("cannot change without a restart"), std::string::npos);
  }
}

TEST(reload, the_signal_reads_the_file_again) {
  world w;
  client c(w);
  c.initialize();
  w.write_config(three);
  w.hang_up();
  EXPECT_EQ(names_in(c.list("1")), (names{"c__echo", "a__echo", "b__echo"}));
  w.write_config("nonsense");
  w.hang_up();
  EXPECT_EQ(names_in(c.list("2")), (names{"c__echo", "a__echo", "b__echo"}));
  EXPECT_EQ(w.logged("was not reloaded"), 1U);
}

TEST(reload, clients_hear_of_lists_that_changed_and_of_no_others) {
  world w;
  client c(w);
  c.initialize();
  auto stream = c.get();
  c.list("1");
  c.request("2", "prompts/list");
  // Nothing that a client could see.
  ASSERT_TRUE(w.reload(slower_b).get().problems.empty());
  w.advance(2s);
  EXPECT_EQ(stream->events().size(), 0U);
  // An upstream with tools, but without prompts.
  w.add_host("c").prompts.clear();
  ASSERT_TRUE(w.reload(three).get().problems.empty());
  w.advance(2s);
  ASSERT_EQ(stream->events().size(), 1U);
  EXPECT_NE(stream->events()[0].find("notifications/tools/list_changed"), std::string::npos);
  c.list("3");
  ASSERT_TRUE(w.reload(only_a).get().problems.empty());
  w.advance(2s);
  EXPECT_EQ(stream->events().size(), 2U);
}

TEST(reload, whoever_never_asked_for_a_list_hears_nothing) {
  world w;
  client c(w);
  c.initialize();
  auto stream = c.get();
  ASSERT_TRUE(w.reload(three).get().problems.empty());
  w.advance(2s);
  EXPECT_EQ(stream->events().size(), 0U);
}

TEST(reload, subscriptions_move_to_the_successor) {
  world w;
  for (const auto* id : {"a", "b"})
    w.upstream(id).capabilities = R"({"tools":{},"resources":{"subscribe":true}})";
  w.upstream("b").resources = {R"({"uri":"x://1","name":"one"})"};
  client c(w);
  c.initialize();
  auto stream = c.get();
  ASSERT_EQ(c.request("1", "resources/subscribe", R"({"uri":"x://1"})")->status, 200);
  ASSERT_EQ(w.upstream("b").count("resources/subscribe"), 1U);
  ASSERT_TRUE(w.reload(slower_b).get().problems.empty());
  ASSERT_EQ(w.upstream("b").count("resources/subscribe"), 2U);
  EXPECT_EQ(w.upstream("b").last("resources/subscribe")->param("uri"), R"("x://1")");
  w.upstream("b").announce(
      R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://1"}})");
  w.settle();
  w.advance(2s);
  EXPECT_EQ(stream->events().size(), 1U);
}

TEST(reload, a_list_that_waits_is_served_what_there_is_then) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("b").always("tools/list", reply::silence());
  auto list = c.list("1");
  EXPECT_FALSE(list->done());
  ASSERT_TRUE(w.reload(only_a).get().problems.empty());
  EXPECT_TRUE(list->done());
  EXPECT_EQ(names_in(list), names{"a__echo"});
}

TEST(reload, a_list_that_waits_gets_what_the_successor_lists) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("b").next("tools/list", reply::silence());
  auto list = c.list("1");
  EXPECT_FALSE(list->done());
  ASSERT_TRUE(w.reload(slower_b).get().problems.empty());
  ASSERT_TRUE(list->done());
  EXPECT_EQ(names_in(list), (names{"a__echo", "b__echo"}));
  EXPECT_EQ(w.audit("tools/list").size(), 1U);
}

TEST(reload, a_read_that_waits_goes_to_the_successor) {
  world w;
  for (const auto* id : {"a", "b"}) w.upstream(id).capabilities = R"({"tools":{},"resources":{}})";
  w.upstream("b").resources = {R"({"uri":"x://1","name":"one"})"};
  client c(w);
  c.initialize();
  w.upstream("b").next("resources/list", reply::silence());
  auto read = c.request("1", "resources/read", R"({"uri":"x://1"})");
  EXPECT_FALSE(read->done());
  ASSERT_TRUE(w.reload(slower_b).get().problems.empty());
  ASSERT_TRUE(read->done());
  EXPECT_EQ(at(read->body, "error"), "") << read->body;
  EXPECT_EQ(w.upstream("b").count("resources/read"), 1U);
}

TEST(reload, health_is_answered_however_often_it_happens) {
  world w;
  w.upstream("b").always("ping", reply::silence());
  client health(w);
  health.path = "/health";
  auto report = health.get();
  for (int i = 0; i < 6; ++i) {
    w.advance(1s);
    ASSERT_TRUE(w.reload(i % 2 ? two_upstreams : three).get().problems.empty());
  }
  ASSERT_TRUE(report->done());
  EXPECT_NE(report->body.find(R"("status":"degraded")"), std::string::npos) << report->body;
}

TEST(reload, the_gauge_of_a_circuit_is_its_successors) {
  world w({.config = R"({"upstreams":[
    {"id":"a","url":"http://a.test/mcp","namespace":"a"},
    {"id":"b","url":"http://b.test/mcp","namespace":"b",
     "circuitBreaker":{"failureThreshold":1}}]})"});
  client c(w);
  c.initialize();
  w.upstream("b").always("tools/call", reply::silence());
  auto hanging = c.call("1", "b__echo");
  ASSERT_TRUE(w.reload(slower_b).get().problems.empty());
  w.advance(65s);
  EXPECT_TRUE(hanging->done());
  EXPECT_EQ(w.metric(R"(gate_upstream_breaker_state{upstream="b"})"), 0);
}

TEST(reload, a_hundred_flaps_leave_nothing_behind) {
  world w;
  client c(w);
  c.initialize();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(w.reload(i % 2 ? two_upstreams : only_a).get().problems.empty());
    c.call(std::to_string(i + 1), "a__echo");
    if (i % 2) c.call(std::to_string(i + 1000), "b__echo");
  }
  EXPECT_EQ(w.cast("upstream").size(), 2U);
  EXPECT_EQ(w.cast("breaker").size(), 2U);
  EXPECT_EQ(w.upstream("a").count("initialize"), 1U);
  EXPECT_EQ(w.upstream("a").count("tools/call"), 100U);
  EXPECT_EQ(w.upstream("b").count("tools/call"), 50U);
}

TEST(reload, all_units_take_it_over) {
  world w({.units = 3});
  std::vector<client> all;
  for (std::size_t n = 0; n < 3; ++n) all.emplace_back(w, n).initialize();
  ASSERT_TRUE(w.reload(three).get().problems.empty());
  for (auto& c : all) EXPECT_EQ(names_in(c.list("1")), (names{"c__echo", "a__echo", "b__echo"}));
  ASSERT_TRUE(w.reload(only_a).get().problems.empty());
  for (auto& c : all) EXPECT_EQ(names_in(c.list("2")), names{"a__echo"});
  EXPECT_EQ(w.cast("upstream").size(), 3U);
}

TEST(reload, a_storm_of_signals_is_two_reloads) {
  world w;
  w.hold(true);
  for (int i = 0; i < 1000; ++i) w.hang_up();
  w.hold(false);
  w.settle();
  EXPECT_EQ(w.logged("The configuration was reloaded."), 2U);
  EXPECT_EQ(w.logged("was not reloaded"), 0U);
}

TEST(reload, is_answered_when_the_loader_crashes) {
  world w;
  w.hold(true);
  auto answer = w.reload(three);
  for (const auto& x : w.cast("loader")) w.crash(x);
  w.hold(false);
  w.settle();
  EXPECT_TRUE(answer.done());
  w.advance(1s);
  EXPECT_TRUE(w.reload(three).get().problems.empty());
}

TEST(reload, a_second_one_does_not_swallow_what_the_first_has_to_tell) {
  world w;
  client c(w);
  c.initialize();
  auto stream = c.get();
  c.list("1");
  ASSERT_TRUE(w.reload(three).get().problems.empty());
  ASSERT_TRUE(w.reload(three).get().problems.empty());
  w.advance(2s);
  EXPECT_EQ(stream->events().size(), 1U);
}

TEST(reload, many_in_a_row_do_not_put_off_what_is_to_be_told) {
  world w;
  client c(w);
  c.initialize();
  auto stream = c.get();
  c.list("1");
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(w.reload(three).get().problems.empty());
    w.advance(50ms);
  }
  EXPECT_EQ(stream->events().size(), 1U);
}

TEST(reload, a_list_that_changed_just_before_its_upstream_left_is_told) {
  world w;
  client c(w);
  c.initialize();
  auto stream = c.get();
  c.list("1");
  w.upstream("b").announce(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  w.settle();
  ASSERT_TRUE(w.reload(only_a).get().problems.empty());
  w.advance(2s);
  EXPECT_EQ(stream->events().size(), 1U);
}

}  // namespace
}  // namespace gate
