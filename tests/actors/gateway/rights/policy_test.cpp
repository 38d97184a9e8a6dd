// What callers see and may do: lists and calls agree, for every kind of caller.
#include "simulations/world/guarded_world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::string_view rules = R"("policy":{"rules":[
  {"id":"readers","subjects":{"groups":["readers"]},
   "allow":[{"server":"a","methods":["tools/call"],"names":["get_*"]},
            {"server":"*","methods":["resources/read"],"names":["mem://a/*"]}]},
  {"id":"root","subjects":{"subs":["root"]},"allow":[{"server":"*"}]},
  {"id":"prompter","subjects":{"claims":{"role":"p"}},
   "allow":[{"server":"b","methods":["prompts/get"]}]}]},
  "tenants":[{"id":"small","subjects":{"groups":["small"]},"upstreams":["a"]},
             {"id":"other","subjects":{"groups":["other"]}}])";

std::string named(std::string_view name) {
  return R"({"name":")" + std::string(name) + R"("})";
}
std::string with_uri(std::string_view uri, std::string_view key = "uri") {
  return R"({"name":"r",")" + std::string(key) + R"(":")" + std::string(uri) + R"("})";
}

struct policy : ::testing::Test {
  world w{guarded_world(guarded(a_and_b, rules))};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");

  policy() {
    for (auto* u : {&a, &b}) {
      u->tools = {named("get_x"), named("set_x"), named("GET_x")};
      u->prompts = {named("ask")};
      u->templates = {with_uri("mem://a/t/{id}", "uriTemplate"),
                      with_uri("mem://b/t/{id}", "uriTemplate")};
    }
    a.resources = {with_uri("mem://a/1"), with_uri("mem://both")};
    b.resources = {with_uri("mem://b/1"), with_uri("mem://both"), with_uri("mem://a/of-b")};
  }
  client of(std::string_view sub, std::string_view claims = {}) {
    client c(w);
    c.token = token_for(sub, claims);
    c.initialize();
    return c;
  }
  static std::string error(const receipt_ptr& r) { return at(r->last(), "error", "code"); }
};

TEST_F(policy, a_name_that_some_servers_end_early_is_nobodys) {
  auto c = of("reader", R"("groups":["readers"])");
  for (const auto* name : {R"(a__get_x\u0000)", R"(a__set_x\u0000get_)", R"(\u0000a__get_x)"})
    EXPECT_EQ(error(c.call("1", name)), "-32602") << name;
  EXPECT_EQ(a.count("tools/call"), 0U);
}

TEST_F(policy, lists_and_calls_agree_for_every_caller) {
  struct row {
    std::string_view sub, claims;
  };
  constexpr std::array callers{row{"nobody", ""},
                               row{"reader", R"("groups":["readers"])"},
                               row{"root", ""},
                               row{"p", R"("role":["q","p"])"},
                               row{"small", R"("groups":["small","readers"])"},
                               row{"text", R"("groups":"readers")"}};
  std::size_t shown = 0;
  for (const auto& who : callers) {
    auto c = of(who.sub, who.claims);
    const auto tools = at(c.list("1")->last(), "result", "tools");
    const auto prompts = at(c.request("2", "prompts/list")->last(), "result", "prompts");
    const auto resources = at(c.request("3", "resources/list")->last(), "result", "resources");
    for (std::string space : {"a", "b"}) {
      for (auto name : {"get_x", "set_x", "GET_x"}) {
        const auto full = space + "__" + name;
        const bool seen = tools.find('"' + full + '"') != tools.npos;
        EXPECT_EQ(error(c.call("4", full)).empty(), seen) << who.sub << ' ' << full;
        shown += seen;
      }
      const auto prompt = space + "__ask";
      EXPECT_EQ(error(c.request("5", "prompts/get", named(prompt))).empty(),
                prompts.find(prompt) != prompts.npos)
          << who.sub << ' ' << prompt;
    }
    for (std::string uri : {"mem://a/1", "mem://b/1", "mem://both", "mem://a/of-b"})
      EXPECT_EQ(error(c.request("6", "resources/read", R"({"uri":")" + uri + R"("})")).empty(),
                resources.find('"' + uri + '"') != resources.npos)
          << who.sub << ' ' << uri;
  }
  EXPECT_EQ(shown, 1U + 6U + 1U) << "a reader's get_x, all of root's, the small one's get_x";
}

TEST_F(policy, says_who_decided) {
  auto c = of("reader", R"("groups":["readers"])");
  c.call("1", "a__get_x");
  auto line = w.audit("tools/call").back();
  EXPECT_EQ(at(line, "decision"), R"("allow")");
  EXPECT_EQ(at(line, "ruleId"), R"("readers")");
  auto r = c.call("2", "b__get_x");
  EXPECT_EQ(r->last(), R"({"jsonrpc":"2.0","id":2,"error":{"code":-32042,"message":)"
                       R"("policy denied tools/call \"b__get_x\"","data":{"gate":)"
                       R"({"reason":"policy_denied","upstream":"b"}}}})");
  line = w.audit("tools/call").back();
  EXPECT_EQ(at(line, "decision"), R"("deny")");
  EXPECT_EQ(at(line, "ruleId"), "");
  EXPECT_EQ(at(line, "outcome"), R"("denied")");
  EXPECT_EQ(w.metric(R"(gate_requests_total{method="tools/call",outcome="denied"})"), 1);
  EXPECT_EQ(b.count("tools/call"), 0U) << "it was never asked";
}

TEST_F(policy, completions_are_behind_what_they_complete) {
  auto p = of("p", R"("role":"p")");
  const auto prompt = [](std::string_view name) {
    return R"({"ref":{"type":"ref/prompt","name":")" + std::string(name) +
           R"("},"argument":{"name":"x","value":""}})";
  };
  const auto uri = [](std::string_view text) {
    return R"({"ref":{"type":"ref/resource","uri":")" + std::string(text) +
           R"("},"argument":{"name":"x","value":""}})";
  };
  EXPECT_EQ(error(p.request("1", "completion/complete", prompt("b__ask"))), "");
  EXPECT_EQ(error(p.request("2", "completion/complete", prompt("a__ask"))), "-32042");
  EXPECT_EQ(error(p.request("3", "completion/complete", uri("mem://a/t/{id}"))), "-32042");
  auto r = of("reader", R"("groups":["readers"])");
  EXPECT_EQ(error(r.request("1", "completion/complete", uri("mem://a/t/{id}"))), "");
  EXPECT_EQ(error(r.request("2", "completion/complete", uri("mem://b/t/{id}"))), "-32042");
}

TEST_F(policy, templates_are_shown_if_something_they_describe_may_be_read) {
  auto r = of("reader", R"("groups":["readers"])");
  const auto all =
      at(r.request("1", "resources/templates/list")->last(), "result", "resourceTemplates");
  EXPECT_NE(all.find("mem://a/t/{id}"), all.npos);
  EXPECT_EQ(all.find("mem://b/t/{id}"), all.npos);
}

TEST_F(policy, a_subscription_can_be_ended_by_whoever_has_it) {
  auto c = of("root");
  const auto params = R"({"uri":"mem://a/1"})";
  EXPECT_EQ(error(c.request("1", "resources/subscribe", params)), "");
  auto reader = of("reader", R"("groups":["readers"])");
  EXPECT_EQ(error(reader.request("1", "resources/subscribe", params)), "-32042");
  EXPECT_EQ(error(reader.request("2", "resources/unsubscribe", params)), "-32042") << "not its own";
  EXPECT_EQ(error(c.request("2", "resources/unsubscribe", params)), "");
}

TEST_F(policy, what_a_token_no_longer_says_no_longer_holds) {
  auto c = of("reader", R"("groups":["readers"])");
  EXPECT_EQ(error(c.call("1", "a__get_x")), "");
  c.token = token_for("reader", R"("groups":[])");
  EXPECT_EQ(error(c.call("2", "a__get_x")), "-32042");
  EXPECT_EQ(at(c.list("3")->last(), "result", "tools"), "[]");
}

TEST_F(policy, callers_of_one_kind_share_a_page_and_cursors_are_of_one_caller) {
  world paged{guarded_world(guarded(a_and_b, R"("routing":{"pageSize":1})"))};
  client one(paged), two(paged);
  one.token = token_for("one");
  two.token = token_for("two");
  one.initialize();
  two.initialize();
  auto first = one.list("1");
  const auto cursor = at(first->last(), "result", "nextCursor");
  ASSERT_FALSE(cursor.empty());
  EXPECT_EQ(error(two.list("1", cursor)), "-32602");
  EXPECT_EQ(error(one.list("2", cursor)), "");
  EXPECT_EQ(paged.upstream("a").count("tools/list"), 1U);
}

TEST_F(policy, uris_with_two_readings_are_for_those_who_may_read_everything) {
  a.templates = {with_uri("mem://{+any}", "uriTemplate")};
  auto reader = of("reader", R"("groups":["readers"])"), root = of("root");
  for (auto uri : {"mem://a/../b/1", "mem://a/%2e%2e/b", "mem://a/x\\\\y"}) {
    const auto params = R"({"uri":")" + std::string(uri) + R"("})";
    EXPECT_EQ(error(reader.request("1", "resources/read", params)), "-32042") << uri;
    EXPECT_EQ(error(root.request("1", "resources/read", params)), "") << uri;
  }
  EXPECT_EQ(error(reader.request("2", "resources/read", R"({"uri":"mem://a/x"})")), "");
}

TEST_F(policy, streams_hear_nothing_of_what_is_no_longer_theirs) {
  auto c = of("root");
  auto stream = c.get();
  c.call("1", "a__get_x");
  c.call("2", "b__get_x");
  const auto message = R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})";
  b.announce(message);
  w.settle();
  EXPECT_EQ(stream->events().size(), 1U);
  const auto bridged = b.last("tools/call")->session;
  c.token = token_for("root", R"("groups":["small"])");
  c.call("3", "a__get_x");
  EXPECT_EQ(b.last("DELETE")->session, bridged) << "its session there has ended";
  b.announce(message);
  w.settle();
  EXPECT_EQ(stream->events().size(), 1U);
  a.announce(message);
  w.settle();
  EXPECT_EQ(stream->events().size(), 2U);
}

TEST_F(policy, what_runs_when_rights_shrink_is_finished) {
  auto c = of("root");
  b.next("tools/call", reply::result(R"({"content":[]})", 2s));
  auto r = c.call("1", "b__get_x");
  c.token = token_for("root", R"("groups":["small"])");
  c.call("2", "a__get_x");
  w.advance(2s);
  EXPECT_EQ(error(r), "");
  EXPECT_EQ(b.count("DELETE"), 1U) << "and then its session ends";
}

TEST_F(policy, a_stream_ends_with_the_token) {
  auto c = of("root");
  auto stream = c.get();
  w.set_wall(w.wall() + 629s);
  w.advance(2s);
  EXPECT_FALSE(stream->stream_ended);
  w.set_wall(w.wall() + 1s);
  w.advance(2s);
  EXPECT_TRUE(stream->stream_ended);
}

// --- tenants -------------------------------------------------------------------------------------

TEST_F(policy, what_a_tenant_does_not_see_is_not_there) {
  auto c = of("small", R"("groups":["small","readers"])");
  auto r = c.call("1", "b__get_x");
  EXPECT_EQ(error(r), "-32043");
  EXPECT_EQ(error(c.call("2", "nowhere__x")), "-32043");
  EXPECT_EQ(error(c.request("3", "resources/read", R"({"uri":"mem://a/of-b"})")), "-32002");
  EXPECT_EQ(at(w.audit("tools/call").back(), "tenant"), R"("small")");
  EXPECT_EQ(w.metric(R"(gate_tenant_requests_total{outcome="error",tenant="small"})"), 3);
  EXPECT_EQ(b.count("resources/list"), 0U) << "it is not asked for them";
}

TEST_F(policy, a_tenant_does_not_wait_for_upstreams_it_does_not_see) {
  b.always("tools/list", reply::silence());
  auto c = of("small", R"("groups":["small","readers"])");
  auto r = c.list("1");
  EXPECT_TRUE(r->done());
  EXPECT_EQ(r->last().find("partialFailure"), std::string::npos);
}

TEST_F(policy, counts_what_a_tenant_causes) {
  auto c = of("small", R"("groups":["small","readers"])");
  c.call("1", "a__get_x");
  EXPECT_EQ(w.metric(R"(gate_tenant_requests_total{outcome="ok",tenant="small"})"), 3)
      << "with the two of the handshake";
  EXPECT_EQ(w.metric(R"(gate_tenant_upstream_calls_total{tenant="small"})"), 1);
}

TEST_F(policy, who_belongs_to_two_tenants_is_refused) {
  client c(w);
  c.token = token_for("x", R"("groups":["small","other"])");
  auto r = c.request("1", "initialize", R"({"protocolVersion":"2025-11-25"})");
  EXPECT_EQ(r->status, 403);
  EXPECT_EQ(at(r->body, "error", "data", "gate", "reason"), R"("tenant_ambiguous")");
  EXPECT_EQ(at(w.audit().back(), "outcome"), R"("denied")");
  EXPECT_EQ(at(w.audit().back(), "method"), R"("http")");
  EXPECT_EQ(at(w.audit().back(), "principal"), R"("x")");
  EXPECT_EQ(w.metric("gate_tenant_ambiguous_total"), 1);
  EXPECT_EQ(c.request("2", "ping")->body, r->body) << "also when the token is remembered";
  EXPECT_EQ(w.metric("gate_tenant_ambiguous_total"), 2);
}

TEST_F(policy, instructions_name_what_the_caller_reaches) {
  client c(w);
  const auto hello = [&](std::string token) {
    c.token = std::move(token);
    return at(c.request("1", "initialize", R"({"protocolVersion":"2025-11-25"})")->last(), "result",
              "instructions");
  };
  EXPECT_NE(hello(token_for("root")).find("Servers: a b."), std::string::npos);
  EXPECT_NE(hello(token_for("p", R"("role":"p")")).find("Servers: b."), std::string::npos);
  EXPECT_EQ(hello(token_for("nobody")), R"("No server is open to this caller.")");
}

TEST_F(policy, changes_are_told_to_those_who_reach_the_upstream) {
  auto root = of("root"), p = of("p", R"("role":"p")");
  auto stream = root.get(), other = p.get();
  root.list("1");
  a.announce(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  w.advance(2s);
  EXPECT_EQ(stream->events().size(), 1U);
  EXPECT_TRUE(other->events().empty());
}

// --- tasks ---------------------------------------------------------------------------------------

TEST_F(policy, tasks_are_their_minters) {
  auto root = of("root"), small = of("small", R"("groups":["small","readers"])"),
       nobody = of("nobody");
  a.next("tools/call", reply::result(R"({"task":{"taskId":"t1"}})"));
  a.always("tasks/get", reply::result(R"({"taskId":"t1","status":"working"})"));
  root.call("1", "a__get_x");
  const auto params = R"({"taskId":"t1"})";
  EXPECT_EQ(error(root.request("2", "tasks/get", params)), "");
  EXPECT_EQ(error(small.request("2", "tasks/get", params)), "-32002");
  const auto asked = a.count("tasks/get");
  EXPECT_EQ(error(nobody.request("2", "tasks/get", params)), "-32002");
  EXPECT_EQ(a.count("tasks/get"), asked) << "nobody is asked for who may do nothing there";
}

std::string rules_for_readers(std::string_view names) {
  return R"("policy":{"rules":[
    {"id":"readers","subjects":{"groups":["readers"]},
     "allow":[{"server":"a","methods":["tools/call"],"names":[")" +
         std::string(names) + R"("]}]},
    {"id":"prompter","subjects":{"claims":{"role":"p"}},
     "allow":[{"server":"b","methods":["prompts/get"]}]},
    {"id":"root","subjects":{"subs":["root"]},"allow":[{"server":"*"}]}]})";
}

TEST_F(policy, another_one_is_told_to_those_whose_lists_it_changes) {
  constexpr auto reader = R"("groups":["readers"])";
  ASSERT_TRUE(w.reload(guarded(a_and_b, rules_for_readers("get_*"))).get().problems.empty());
  auto c = of("reader", reader), twin = of("reader too", reader), moving = of("mover", reader);
  auto root = of("root"), nobody = of("nobody");
  std::vector<receipt_ptr> told, untold;
  for (auto* who : {&c, &twin, &moving}) {
    who->list("1");
    told.push_back(who->get());
  }
  for (auto* who : {&root, &nobody}) {
    who->list("1");
    untold.push_back(who->get());
  }
  ASSERT_TRUE(w.reload(guarded(a_and_b, rules_for_readers("set_*"))).get().problems.empty());
  // Its next token makes it another kind of caller, before anybody was told.
  moving.token = token_for("mover", R"("groups":["readers"],"role":"p")");
  moving.request("2", "ping");
  w.advance(2s);
  for (const auto& stream : told) {
    ASSERT_EQ(stream->events().size(), 1U);
    EXPECT_NE(stream->events()[0].find("notifications/tools/list_changed"), std::string::npos);
  }
  for (const auto& stream : untold) EXPECT_TRUE(stream->events().empty());
}

std::string rules_for_the_prompter(std::string_view names) {
  return R"("policy":{"rules":[
    {"id":"prompter","subjects":{"claims":{"role":"p"}},
     "allow":[{"server":"b","methods":["prompts/get"],"names":[")" +
         std::string(names) + R"("]}]},
    {"id":"root","subjects":{"subs":["root"]},"allow":[{"server":"*"}]}]})";
}

constexpr auto tools_changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
constexpr auto prompts_changed =
    R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed"})";
using events = std::vector<std::string>;

TEST_F(policy, what_one_upstream_says_takes_no_news_from_those_who_do_not_reach_it) {
  ASSERT_TRUE(w.reload(guarded(a_and_b, rules_for_the_prompter("ask"))).get().problems.empty());
  auto root = of("root"), p = of("p", R"("role":"p")");
  auto stream = p.get();
  root.request("1", "prompts/list");
  EXPECT_NE(at(p.request("1", "prompts/list")->last(), "result", "prompts"), "[]");
  a.announce(prompts_changed);
  w.advance(2s);
  EXPECT_TRUE(stream->events().empty());
  ASSERT_TRUE(w.reload(guarded(a_and_b, rules_for_the_prompter("other"))).get().problems.empty());
  w.advance(2s);
  EXPECT_EQ(stream->events(), events{prompts_changed});
}

TEST_F(policy, nor_the_news_that_somebody_else_has_come) {
  b.always("initialize", reply::failure(fetch_end::connect_failed, true));
  auto root = of("root"), p = of("p", R"("role":"p")");
  auto stream = p.get();
  root.request("1", "prompts/list");
  EXPECT_EQ(error(p.request("1", "prompts/list")), "-32041");
  a.announce(prompts_changed);
  w.advance(2s);
  b.behave("initialize");
  w.advance(31s);
  EXPECT_EQ(stream->events(), events{prompts_changed});
}

TEST_F(policy, another_token_changes_lists_and_that_is_told) {
  auto c = of("reader", R"("groups":["readers"])"), root = of("root");
  root.list("1");
  c.list("1");
  c.request("2", "prompts/list");
  auto stream = c.get(), theirs = root.get();
  c.token = token_for("reader", R"("jti":"2")");
  c.request("3", "ping");
  w.advance(2s);
  EXPECT_EQ(stream->events(), events{tools_changed}) << "prompts are none, as before";
  c.request("4", "ping");
  w.advance(2s);
  EXPECT_EQ(stream->events().size(), 1U);
  EXPECT_TRUE(theirs->events().empty());
}

TEST_F(policy, another_token_that_changes_no_list_takes_no_news_away) {
  constexpr auto reader = R"("groups":["readers"])";
  auto c = of("reader", reader), root = of("root");
  root.list("1");
  c.list("1");
  auto stream = c.get();
  c.token = token_for("reader", R"("groups":["readers"],"role":"p")");
  c.request("2", "ping");
  w.advance(2s);
  EXPECT_TRUE(stream->events().empty());
  ASSERT_TRUE(w.reload(guarded(a_and_b, rules_for_readers("set_*"))).get().problems.empty());
  w.advance(2s);
  EXPECT_EQ(stream->events(), events{tools_changed});
}

TEST_F(policy, another_token_does_not_hide_what_was_about_to_be_told) {
  auto root = of("root"), c = of("reader", R"("role":"p")");
  c.request("2", "prompts/list");
  auto stream = c.get();
  b.announce(prompts_changed);
  w.settle();
  c.token = token_for("reader", R"("jti":"2")");
  c.request("3", "ping");
  w.advance(2s);
  EXPECT_EQ(stream->events(), events{prompts_changed});
}

}  // namespace
}  // namespace gate
