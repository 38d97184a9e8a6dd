// Stage 4: what the request is, and where it goes. Nothing is done yet: the desk's other parts fail
// the test when they are used.
#include "tests/actors/pipeline/stages.hpp"

namespace gate::pipeline {
namespace {

struct stage4 : sim::a_way {
  route way_of(http_request r) {
    auto c = of<stage::route>(routed(std::move(r)));
    c->ticket.spend({});
    return c->route;
  }
};

TEST_F(stage4, tells_apart_what_clients_send) {
  struct {
    const char* body;
    route to;
  } rows[]{
      {R"({"jsonrpc":"2.0","id":1,"method":"ping"})", route::local},
      {R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}})",
       route::local},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", route::list},
      {R"({"jsonrpc":"2.0","id":1,"method":"tasks/list"})", route::tasks},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__x"}})",
       route::upstream},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{"name":"a__x"}})",
       route::upstream},
      {R"({"jsonrpc":"2.0","method":"notifications/initialized"})", route::notice},
      {R"({"jsonrpc":"2.0","id":1,"result":{}})", route::reply},
  };
  for (const auto& row : rows) EXPECT_EQ(way_of(post(row.body)), row.to) << row.body;
  const std::vector<std::string> stream{"Host: gate.test", "Accept: text/event-stream",
                                        "Mcp-Session-Id: s"};
  EXPECT_EQ(way_of(sim::make_request(verb::get, "/mcp", stream)), route::stream);
  EXPECT_EQ(way_of(sim::make_request(verb::del, "/mcp", stream)), route::farewell);
}

TEST_F(stage4, gives_names_back_to_their_upstreams) {
  auto c = of<stage::route>(routed(message("tools/call", R"({"name":"b__do_it","arguments":{}})")));
  ASSERT_NE(c->upstream, nullptr);
  EXPECT_EQ(c->upstream->id, "b");
  EXPECT_EQ(std::string(c->question.first) + std::string(c->question.second),
            R"({"name":"do_it","arguments":{}})");
  EXPECT_EQ(c->ticket.notes().name, "b__do_it") << "the audit trail has the client's name";
  c->ticket.spend({});
  EXPECT_EQ(no(routed(message("tools/call", R"({"name":"c__x"})"))).why, reason::unknown_name);
  EXPECT_EQ(no(routed(message("tools/call", R"({"name":7})"))).why, reason::invalid_params);
}

TEST_F(stage4, knows_no_session_but_the_callers) {
  auto lines = std::vector<std::string>{"Host: gate.test", "Content-Type: application/json",
                                        "Accept: application/json, text/event-stream"};
  const auto body = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  EXPECT_EQ(no(routed(sim::make_request(verb::post, "/mcp", lines, body))).why,
            reason::session_required);
  lines.emplace_back("Mcp-Session-Id: another");
  EXPECT_EQ(no(routed(sim::make_request(verb::post, "/mcp", lines, body))).why,
            reason::session_unknown);
  sessions.sought = session_desk::search::busy;
  EXPECT_EQ(no(routed(sim::make_request(verb::post, "/mcp", lines, body))).why, reason::overloaded);
}

TEST_F(stage4, refuses_what_is_no_message) {
  EXPECT_EQ(no(routed(post("{"))).why, reason::parse_error);
  EXPECT_EQ(no(routed(post(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"))).why,
            reason::invalid_request);
  EXPECT_EQ(no(routed(message("no/such"))).why, reason::method_unknown);
  sessions.known->add_call("1", 3);
  EXPECT_EQ(no(routed(message("ping"))).why, reason::invalid_request) << "that id is in use";
}

TEST_F(stage4, waits_until_an_owner_is_known) {
  lists.waits = true;
  EXPECT_TRUE(waits(routed(message("resources/read", R"({"uri":"x://1"})"))));
  ASSERT_TRUE(lists.waiting);
  lists.waits = false;
  lists.index = 1;
  auto c = of<stage::route>(route_step::resume(std::move(*lists.waiting), desk));
  EXPECT_EQ(c->upstream->id, "b");
  EXPECT_EQ(c->route, route::upstream);
  c->ticket.spend({});

  lists.index.reset();
  EXPECT_EQ(no(routed(message("resources/read", R"({"uri":"x://1"})"))).why,
            reason::resource_unknown);
}

TEST_F(stage4, does_not_tell_a_foreign_task_from_none) {
  std::vector<std::string> told;
  for (const auto verdict : {tasks::verdict::unknown, tasks::verdict::foreign}) {
    EXPECT_TRUE(waits(routed(message("tasks/get", R"({"taskId":"t"})"))));
    auto& c = *tasks.waiting;
    c->found = tasks::finding{};
    c->found->verdict = verdict;
    c->fan_out = std::make_unique<fan_out>();
    c->fan_out->rows.resize(2);
    for (auto& row : c->fan_out->rows)
      row.what =
          verdict == tasks::verdict::foreign ? fan_out::row::state::yes : fan_out::row::state::no;
    const auto why = no(route_step::resume(std::move(c), desk));
    EXPECT_EQ(why.why, reason::task_unknown);
    told.push_back(why.message);
  }
  EXPECT_EQ(told[0], told[1]);
}

TEST_F(stage4, finds_an_own_task_where_it_was_minted) {
  EXPECT_TRUE(waits(routed(message("tasks/get", R"({"taskId":"t"})"))));
  auto& waiting = *tasks.waiting;
  waiting->found = tasks::finding{};
  waiting->found->verdict = tasks::verdict::own;
  waiting->found->place.upstream = "b";
  auto c = of<stage::route>(route_step::resume(std::move(waiting), desk));
  EXPECT_EQ(c->upstream->id, "b");
  c->ticket.spend({});
}

}  // namespace
}  // namespace gate::pipeline
