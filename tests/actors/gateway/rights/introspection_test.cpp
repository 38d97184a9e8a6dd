// What viewers are told: who sees what, and that an explanation is what a call then gets.
#include <algorithm>

#include "protocol/oauth/form.hpp"
#include "simulations/world/guarded_world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::string_view limited_upstreams = R"([
  {"id":"a","url":"http://a.test/mcp","namespace":"a","owner":{"org":"owner-of-a"},
   "rateLimit":{"requestsPerMinute":3}},
  {"id":"b","url":"http://b.test/mcp","namespace":"b","budget":{"period":"day","upstreamCalls":2},
   "circuitBreaker":{"failureThreshold":2,"halfOpenAfterMs":5000}}])";
constexpr std::string_view viewers_rules = R"("policy":{"rules":[
  {"id":"readers","subjects":{"groups":["readers"]},
   "allow":[{"server":"a","names":["get_*","mem://a/*"]},{"server":"b","names":["get_x"]}]},
  {"id":"root","subjects":{"groups":["ops"]},"allow":[{"server":"*"}]}]},
  "tenants":[{"id":"small","subjects":{"groups":["small"]},"upstreams":["a"],
              "budget":{"period":"month","upstreamCalls":100}},
             {"id":"other","subjects":{"groups":["other"]},"upstreams":["b"]}],)";

std::string viewed(std::string_view server) {
  return guarded(limited_upstreams,
                 std::string(viewers_rules) + R"("server":)" + std::string(server));
}

struct introspection_of : ::testing::Test {
  explicit introspection_of(
      std::string_view server = R"({"introspection":{"enabled":true,"groups":["ops"]},
                                    "rateLimit":{"requestsPerMinute":1000}})")
      : w(guarded_world(viewed(server))) {
    for (const auto* id : {"a", "b"}) {
      auto& u = w.upstream(id);
      u.tools = {R"({"name":"get_x"})", R"({"name":"set_x"})"};
      u.resources = {R"({"name":"r","uri":"mem://)" + std::string(id) + R"(/1"})"};
    }
  }
  receipt_ptr get(std::string_view target, std::string_view token,
                  std::vector<std::string> lines = {}) {
    lines.insert(lines.begin(), "Host: localhost");
    if (!token.empty()) lines.push_back("Authorization: Bearer " + std::string(token));
    return w.arrive(make_request(verb::get, target, lines));
  }
  std::string read(std::string_view target, std::string_view token) {
    const auto r = get(target, token);
    EXPECT_EQ(r->status, 200) << target << ' ' << r->body;
    EXPECT_EQ(r->header("cache-control"), "no-store");
    return r->body;
  }
  receipt_ptr follow(std::string_view token, std::string_view target = "/api/activity") {
    return get(target, token, {"Accept: text/event-stream"});
  }
  client of(const std::string& token) {
    client c(w);
    c.token = token;
    c.initialize();
    return c;
  }
  static std::string explain_target(std::string_view method, std::string_view name) {
    std::string query;
    oauth::append_field(query, "method", method);
    if (!name.empty()) oauth::append_field(query, "name", name);
    return "/api/explain?" + query;
  }

  world w;
  std::string alice = token_for("alice", R"("groups":["readers","small"])");
  std::string bob = token_for("bob", R"("groups":["readers"])");
  std::string olga = token_for("olga", R"("groups":["ops"])");
};

// --- explain -------------------------------------------------------------------------------------

/// The same of both: what is said before, and what the call gets.
TEST_F(introspection_of, a_request_says_what_a_call_then_gets) {
  struct row {
    std::string_view method, name;
  };
  constexpr std::array rows{row{"tools/call", "a__get_x"},
                            row{"tools/call", "a__set_x"},
                            row{"tools/call", "b__get_x"},
                            row{"tools/call", "b__set_x"},
                            row{"tools/call", "c__get_x"},
                            row{"tools/call", "get_x"},
                            row{"tools/call", "a__"},
                            row{"prompts/get", "a__get_me"},
                            row{"resources/read", "mem://a/1"},
                            row{"resources/read", "mem://b/1"},
                            row{"resources/read", "mem://c/1"},
                            row{"resources/subscribe", "mem://a/1"},
                            row{"resources/subscribe", "mem://b/1"}};
  for (const auto* token : {&alice, &bob, &olga}) {
    auto c = of(*token);
    c.request("1", "resources/list");  // from which owners are known
    c.request("2", "resources/templates/list");
    std::size_t refused = 0;
    for (const auto& row : rows) {
      w.advance(2min);  // what was counted before does not count
      c.request("1", "resources/list");
      c.request("2", "resources/templates/list");
      const auto said = read(explain_target(row.method, row.name), *token);
      const auto key = row.method.starts_with("resources") ? "uri" : "name";
      const auto r = c.request("3", row.method,
                               "{\"" + std::string(key) + "\":" + json::quoted(row.name) + "}");
      const auto event = w.audit(row.method).back();
      const auto about = std::string(row.method) + ' ' + std::string(row.name) + "\n" + said +
                         "\n" + event + "\n" + r->last();
      for (const auto* member : {"upstream", "ruleId", "tenant"})
        EXPECT_EQ(at(said, member), at(event, member)) << member << ": " << about;
      const auto decision = at(event, "decision");
      EXPECT_EQ(at(said, "decision"), decision.empty() ? R"("none")" : decision) << about;
      const auto reason = at(r->last(), "error", "data", "gate", "reason");
      EXPECT_EQ(at(said, "reason"), reason) << about;
      if (!reason.empty()) {
        EXPECT_EQ(at(said, "message"), at(r->last(), "error", "message")) << about;
        ++refused;
      }
    }
    EXPECT_GE(refused, token == &olga ? 4U : 6U);
  }
}

TEST_F(introspection_of, guards_are_explained_as_they_would_speak) {
  auto c = of(olga);
  const auto explain = [&](std::string_view name) {
    return read(explain_target("tools/call", name), olga);
  };
  const auto refusal = [&](std::string_view name) {
    return at(c.call("1", name)->last(), "error", "message");
  };
  for (int i = 0; i < 3; ++i) c.call("1", "a__get_x");
  auto said = explain("a__get_x");
  EXPECT_EQ(at(said, "reason"), R"("rate_limited")");
  EXPECT_EQ(at(said, "message"), refusal("a__get_x"));
  EXPECT_NE(said.find(R"({"scope":"upstream","limit":3,"used":3,"resetsAt":)"), said.npos) << said;
  for (int i = 0; i < 2; ++i) c.call("1", "b__get_x");
  said = explain("b__get_x");
  EXPECT_EQ(at(said, "reason"), R"("budget_exhausted")");
  EXPECT_EQ(at(said, "message"), refusal("b__get_x"));
  EXPECT_NE(said.find(R"({"scope":"upstream","period":"day","limit":2,"used":2,"resetsAt":)"),
            said.npos)
      << said;
  EXPECT_EQ(at(said, "breaker"), R"("closed")");
}

TEST_F(introspection_of, an_open_circuit_is_explained) {
  w.upstream("b").always("tools/call", reply::failure(fetch_end::broken));
  auto c = of(olga);
  for (int i = 0; i < 2; ++i) c.call("1", "b__get_x");
  const auto said = read(explain_target("tools/call", "b__get_x"), olga);
  EXPECT_EQ(at(said, "breaker"), R"("open")");
  EXPECT_EQ(at(said, "reason"), R"("upstream_down")");
  EXPECT_EQ(at(said, "message"), at(c.call("1", "b__get_x")->last(), "error", "message"));
}

TEST_F(introspection_of, explaining_costs_nothing_and_asks_nobody) {
  const auto before = read(explain_target("tools/call", "b__get_x"), olga);
  const auto asked = [&] {
    std::size_t all = 0;
    for (const auto* id : {"a", "b"})
      for (const auto* method : {"initialize", "tools/call", "tools/list", "resources/list"})
        all += w.upstream(id).count(method);
    return all;
  };
  const auto were = asked();
  for (int i = 0; i < 50; ++i) {
    read(explain_target("tools/call", "b__get_x"), olga);
    read(explain_target("resources/read", "mem://a/1"), olga);
  }
  EXPECT_EQ(asked(), were);
  const auto after = read(explain_target("tools/call", "b__get_x"), olga);
  EXPECT_EQ(at(after, "budgets"), at(before, "budgets"));
  EXPECT_NE(at(after, "budgets").find(R"("used":0)"), std::string::npos) << after;
  EXPECT_TRUE(w.audit().empty()) << "who looks on leaves no events";
}

TEST(explaining, opens_no_lists_of_a_clients_own) {
  world w(guarded_world(guarded(
      R"([{"id":"a","url":"http://a.test/mcp","namespace":"a","listsPerClient":true,
           "rateLimit":{"requestsPerMinute":9},"budget":{"period":"day","upstreamCalls":9}}])",
      R"("server":{"introspection":{"enabled":true}})")));
  const auto token = token_for("alice");
  for (int i = 0; i < 3; ++i) {
    const auto r =
        w.arrive(make_request(verb::get, "/api/explain?method=resources/read&name=mem://a/1",
                              {"Host: localhost", "Authorization: Bearer " + token}));
    EXPECT_EQ(r->status, 200) << r->body;
    EXPECT_NE(r->body.find("resource_unknown"), std::string::npos) << r->body;
  }
  EXPECT_EQ(w.upstream("a").count("initialize"), 0U) << "nobody is asked for its sake";
}

/// There are as many sessions and lists as before, be it asked ever so often and by whomever.
TEST_F(introspection_of, an_explanation_leaves_nothing_behind) {
  auto c = of(alice);
  const auto sessions = [&] { return w.metric(R"(gate_sessions{kind="client"})"); };
  w.advance(2s);
  ASSERT_EQ(sessions(), 1);
  for (int i = 0; i < 100; ++i) {
    const auto viewer = token_for("viewer" + std::to_string(i), R"("groups":["ops"])");
    read(explain_target("tools/call", "a__get_x"), viewer);
    read(explain_target("resources/read", "mem://a/1"), viewer);
    read(explain_target("resources/subscribe", "mem://a/1"), viewer);
    read(explain_target("resources/list", {}), viewer);
  }
  w.advance(2s);
  EXPECT_EQ(sessions(), 1);
  for (const auto* id : {"a", "b"})
    for (const auto* method : {"initialize", "resources/list", "resources/templates/list"})
      EXPECT_EQ(w.upstream(id).count(method), 0U) << id << ' ' << method;
  EXPECT_EQ(c.call("1", "a__get_x")->status, 200);
}

TEST_F(introspection_of, what_only_asking_could_tell_is_said) {
  const auto explain = [&] { return read(explain_target("resources/read", "mem://b/1"), olga); };
  auto said = explain();
  EXPECT_EQ(at(said, "reason"), R"("resource_unknown")");
  EXPECT_EQ(at(said, "unknownLists"), R"(["a","b"])");
  EXPECT_NE(at(said, "message").find("without an answer: a, b"), std::string::npos) << said;
  // What one kind of clients has been shown is known, of whatever kind the viewer is.
  client c(w);
  c.token = olga;
  c.capabilities = R"({"sampling":{},"roots":{}})";
  c.initialize();
  c.request("1", "resources/list");
  said = explain();
  EXPECT_EQ(at(said, "upstream"), R"("b")");
  EXPECT_EQ(at(said, "unknownLists"), "");
  EXPECT_EQ(at(said, "reason"), "");
}

TEST(explaining, says_who_might_come_before_whom_it_names) {
  world w(guarded_world(guarded(
      R"([{"id":"a","url":"http://a.test/mcp","namespace":"a","listsPerClient":true},
          {"id":"b","url":"http://b.test/mcp","namespace":"b"}])",
      R"("server":{"introspection":{"enabled":true}})")));
  w.upstream("b").resources = {R"({"name":"r","uri":"mem://b/1"})"};
  client c(w);
  c.token = token_for("alice");
  c.initialize();
  c.request("1", "resources/list");
  const auto r =
      w.arrive(make_request(verb::get, "/api/explain?method=resources/read&name=mem://b/1",
                            {"Host: localhost", "Authorization: Bearer " + c.token}));
  EXPECT_EQ(at(r->body, "upstream"), R"("b")") << r->body;
  EXPECT_EQ(at(r->body, "unknownLists"), R"(["a"])") << "a list of the client's own may have it";
}

TEST_F(introspection_of, what_is_hidden_is_not_there) {
  // alice's tenant sees a only.
  auto hidden = read(explain_target("tools/call", "b__get_x"), alice);
  const auto nobodys = read(explain_target("tools/call", "z__get_x"), alice);
  for (auto at = hidden.find("b__"); at != hidden.npos; at = hidden.find("b__")) hidden[at] = 'z';
  EXPECT_EQ(hidden, nobodys);
  EXPECT_EQ(at(nobodys, "reason"), R"("unknown_name")");
  EXPECT_EQ(at(nobodys, "limits"), "[]");
}

// --- federation ----------------------------------------------------------------------------------

TEST_F(introspection_of, the_federation_is_for_operators_if_there_are_groups) {
  const auto all = read("/api/federation", olga);
  EXPECT_EQ(at(all, "viewer", "operator"), "true");
  EXPECT_NE(all.find("owner-of-a"), all.npos);
  for (const auto* token : {&alice, &bob}) {
    const auto no = get("/api/federation", *token);
    EXPECT_EQ(no->status, 403);
    EXPECT_EQ(no->body,
              R"({"error":"only members of the configured groups may see the federation"})");
  }
  EXPECT_EQ(w.audit("http").size(), 2U) << "who may not is in the trail";
}

struct introspection_without_groups : introspection_of {
  introspection_without_groups() : introspection_of(R"({"introspection":{"enabled":true}})") {}
};

TEST_F(introspection_without_groups, shows_a_tenant_its_own) {
  const auto seen = read("/api/federation", alice);
  EXPECT_EQ(
      at(seen, "viewer"),
      R"({"operator":false,"principal":"alice","issuer":"https://idp.test","tenant":"small"})");
  EXPECT_EQ(at(seen, "upstreamCounts"), R"({"static":1,"discovered":0})");
  EXPECT_EQ(at(seen, "tenant", "upstreams"), R"(["a"])");
  for (const auto* foreign : {R"("b")", "b.test", "a.test", "owner-of-a", "other", "olga"})
    EXPECT_EQ(seen.find(foreign), seen.npos) << foreign << ": " << seen;
}

TEST_F(introspection_without_groups, goes_by_what_a_reload_says) {
  EXPECT_EQ(at(read("/api/federation", alice), "upstreamCounts"), R"({"static":1,"discovered":0})");
  auto doc = viewed(R"({"introspection":{"enabled":true}})");
  const std::string was = R"("upstreams":["a"])";
  doc.replace(doc.find(was), was.size(), R"("upstreams":["b"])");
  w.reload(doc);
  const auto seen = read("/api/federation", alice);
  EXPECT_EQ(at(seen, "tenant", "upstreams"), R"(["b"])");
  EXPECT_NE(seen.find(R"("id":"b")"), seen.npos);
  EXPECT_EQ(seen.find(R"("id":"a")"), seen.npos);
}

TEST_F(introspection_of, what_health_made_up_is_refused_when_it_crashes) {
  w.upstream("a").always("ping", reply::silence());
  const auto r = get("/api/federation", olga);
  EXPECT_FALSE(r->done());
  w.crash(w.cast("health").at(0));
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->header("retry-after"), "1");
  w.upstream("a").always("ping", reply::result("{}"));
  w.advance(1s);
  read("/api/federation", olga);
}

// --- activity ------------------------------------------------------------------------------------

TEST_F(introspection_of, activity_is_each_viewers_own_but_for_operators) {
  of(alice).call("1", "a__get_x");
  of(bob).call("1", "b__get_x");
  const auto hers = read("/api/activity", alice);
  EXPECT_NE(hers.find("a__get_x"), hers.npos);
  for (const auto* foreign : {"bob", "b__get_x", "owner-of-a"})
    EXPECT_EQ(hers.find(foreign), hers.npos) << foreign;
  const auto all = read("/api/activity?limit=1000", olga);
  for (const auto* what : {"alice", "bob", "a__get_x", "b__get_x", "owner-of-a"})
    EXPECT_NE(all.find(what), all.npos) << what;
  EXPECT_EQ(read("/api/activity", token_for("newcomer")), R"({"events":[],"next":0})");
}

TEST_F(introspection_of, a_stream_tells_what_happens_within_a_moment) {
  const auto mine = follow(alice), all = follow(olga);
  EXPECT_TRUE(mine->streaming);
  EXPECT_EQ(mine->stream, "retry: 2000\n\n");
  of(alice).call("1", "a__get_x");
  of(bob).call("1", "b__get_x");
  EXPECT_EQ(mine->stream, "retry: 2000\n\n") << "it is gathered";
  w.advance(250ms);
  EXPECT_NE(mine->stream.find("a__get_x"), mine->stream.npos);
  EXPECT_EQ(mine->stream.find("bob"), mine->stream.npos);
  EXPECT_NE(all->stream.find("bob"), all->stream.npos);
  w.advance(16s);
  EXPECT_TRUE(mine->stream.ends_with(":\n\n")) << "somebody is there";
  EXPECT_EQ(w.metric(R"(gate_streams{kind="activity"})"), 2);
  w.vanish(mine);
  w.advance(1s);
  EXPECT_EQ(w.metric(R"(gate_streams{kind="activity"})"), 1);
  EXPECT_TRUE(mine->misuse.empty());
}

TEST_F(introspection_of, a_stream_goes_on_where_its_client_says) {
  auto c = of(alice);
  c.call("1", "a__get_x");
  const auto next = at(read("/api/activity", alice), "next");
  c.call("2", "a__set_x");
  const auto r = follow(alice, "/api/activity?since=" + next);
  EXPECT_EQ(r->stream.find("a__get_x"), r->stream.npos);
  EXPECT_NE(r->stream.find("a__set_x"), r->stream.npos);
  const auto again =
      get("/api/activity?since=0", alice, {"Accept: text/event-stream", "Last-Event-ID: " + next});
  EXPECT_EQ(again->stream, r->stream);
}

TEST_F(introspection_of, a_stream_ends_with_its_token_with_activity_and_with_the_gateway) {
  const auto first = follow(olga);
  w.crash(w.cast("activity").at(0));
  EXPECT_TRUE(first->stream.ends_with("event: end\ndata: {\"reason\":\"restarted\"}\n\n"));
  EXPECT_TRUE(first->stream_ended);
  EXPECT_EQ(get("/api/activity", olga)->status, 503) << "until it runs again";
  EXPECT_EQ(follow(olga)->status, 503);
  w.advance(1s);
  const auto second = follow(olga);
  const auto third = follow(
      token_with(R"({"iss":"https://idp.test","aud":"https://gate.test/mcp","sub":"olga","exp":)" +
                 std::to_string(world_start() + 3000) + "}"));
  EXPECT_TRUE(third->streaming) << third->body;
  w.set_wall(w.wall() + 640s);
  w.advance(1s);
  EXPECT_TRUE(second->stream.ends_with("event: end\ndata: {\"reason\":\"token_expired\"}\n\n"));
  EXPECT_FALSE(third->stream_ended);
  w.stop();
  EXPECT_TRUE(third->stream.ends_with("event: end\ndata: {\"reason\":\"shutdown\"}\n\n"))
      << third->status << third->body << third->stream;
}

TEST_F(introspection_of, a_stream_of_a_reader_that_is_too_slow_ends) {
  const auto r = follow(olga);
  r->queued = limits::stream_queue_bytes + 1;
  of(alice).call("1", "a__get_x");
  w.advance(250ms);
  EXPECT_TRUE(r->stream_ended);
  EXPECT_TRUE(r->stream.ends_with("event: end\ndata: {\"reason\":\"slow\"}\n\n")) << r->stream;
}

TEST_F(introspection_of, streams_are_bounded_for_each_and_for_all) {
  for (std::size_t i = 0; i < limits::activity_streams_each; ++i)
    EXPECT_TRUE(follow(alice)->streaming);
  const auto no = follow(alice);
  EXPECT_EQ(no->status, 503);
  EXPECT_FALSE(no->header("retry-after").empty());
  EXPECT_EQ(no->header("cache-control"), "no-store");
  std::size_t open = limits::activity_streams_each;
  for (int who = 0; who < 10; ++who)
    for (std::size_t i = 0; i < limits::activity_streams_each; ++i)
      open += follow(token_for("viewer" + std::to_string(who)))->streaming;
  EXPECT_EQ(open, limits::activity_streams - limits::activity_streams_each);
  for (std::size_t i = 0; i < limits::activity_streams_each; ++i) open += follow(olga)->streaming;
  EXPECT_EQ(open, limits::activity_streams) << "an operator has places that others can not take";
}

TEST_F(introspection_of, streams_of_a_unit_that_crashed_make_room) {
  for (std::size_t i = 0; i < limits::activity_streams_each; ++i) follow(alice);
  w.crash(w.cast("router").at(0));
  w.advance(5s);
  EXPECT_TRUE(follow(alice)->streaming);
}

TEST(activity, is_kept_without_an_audit_section) {
  world_options o;
  o.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],
                 "server":{"introspection":{"enabled":true}}})";
  o.audit = false;
  world w(std::move(o));
  client(w).initialize().list("1");
  const auto r = w.arrive(make_request(verb::get, "/api/activity", {"Host: localhost"}));
  EXPECT_NE(r->body.find("tools/list"), r->body.npos) << r->body;
  EXPECT_TRUE(w.audit().empty());
}

TEST(activity, is_not_there_without_introspection) {
  world w;
  EXPECT_TRUE(w.cast("activity").empty());
  EXPECT_EQ(w.arrive(make_request(verb::get, "/api/activity", {"Host: localhost"}))->status, 404);
}

TEST(activity, is_one_for_all_units) {
  const auto alice = token_for("alice", R"("groups":["readers","small"])");
  const auto olga = token_for("olga", R"("groups":["ops"])");
  auto o = guarded_world(viewed(R"({"introspection":{"enabled":true,"groups":["ops"]}})"));
  o.units = 3;
  world many(std::move(o));
  for (std::size_t unit = 0; unit < 3; ++unit) {
    client c(many, unit);
    c.token = alice;
    c.initialize().call("1", "a__get_x");
  }
  for (std::size_t unit = 0; unit < 3; ++unit) {
    const auto r = many.arrive(make_request(verb::get, "/api/activity?limit=1000",
                                            {"Host: localhost", "Authorization: Bearer " + olga}),
                               unit);
    std::size_t calls = 0;
    for (auto at = r->body.find("a__get_x"); at != r->body.npos;
         at = r->body.find("a__get_x", at + 1))
      ++calls;
    EXPECT_EQ(calls, 3U) << unit << r->body;
  }
}

}  // namespace
}  // namespace gate
