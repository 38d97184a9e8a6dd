// Prompts, resources, templates, completion, log levels: found, routed, passed on.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

std::string resource(std::string_view uri) {
  return R"({"name":"n","uri":")" + std::string(uri) + R"("})";
}
std::string tmpl(std::string_view uri) {
  return R"({"name":"t","uriTemplate":")" + std::string(uri) + R"("})";
}

struct resources : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");

  resources() {
    a.prompts = {R"({"name":"p"})"};
    a.resources = {resource("x://1"), resource("x://both")};
    b.resources = {resource("x://2"), resource("x://both")};
    a.templates = {tmpl("t://{id}")};
    b.templates = {tmpl("t://{id}"), tmpl("u://{id}/x")};
    c.initialize();
  }
  receipt_ptr read(std::string_view uri) {
    return c.request("1", "resources/read", R"({"uri":")" + std::string(uri) + R"("})");
  }
  static std::string from(const receipt_ptr& r) { return at(r->last(), "result", "from"); }
};

TEST_F(resources, are_listed_unchanged_and_once) {
  EXPECT_EQ(
      at(c.request("1", "resources/list")->body, "result", "resources"),
      R"([{"name":"n","uri":"x://1"},{"name":"n","uri":"x://both"},{"name":"n","uri":"x://2"}])");
  EXPECT_EQ(at(c.request("2", "resources/templates/list")->body, "result", "resourceTemplates"),
            R"([{"name":"t","uriTemplate":"t://{id}"},{"name":"t","uriTemplate":"u://{id}/x"}])");
  EXPECT_EQ(at(c.request("3", "prompts/list")->body, "result", "prompts"), R"([{"name":"a__p"}])");
}

TEST_F(resources, are_read_from_their_owner_only) {
  EXPECT_EQ(from(read("x://1")), R"("a")");
  EXPECT_EQ(from(read("x://2")), R"("b")");
  EXPECT_EQ(from(read("x://both")), R"("a")") << "the first in configuration order";
  EXPECT_EQ(a.count("resources/read"), 2U);
  EXPECT_EQ(b.count("resources/read"), 1U);
  EXPECT_EQ(a.last("resources/read")->param("uri"), R"("x://both")");
  EXPECT_EQ(a.count("resources/list"), 1U) << "the lists are kept";
  EXPECT_EQ(at(w.audit("resources/read")[0], "name"), R"("x://1")");
  EXPECT_EQ(at(w.audit("resources/read")[0], "upstream"), R"("a")");
}

TEST_F(resources, that_nobody_lists_belong_to_a_template) {
  EXPECT_EQ(from(read("t://7")), R"("a")");
  EXPECT_EQ(from(read("u://7/x")), R"("b")");
}

TEST_F(resources, that_nobody_knows_are_not_asked_for) {
  auto r = read("zzz://1");
  EXPECT_EQ(at(r->body, "error", "code"), "-32002");
  EXPECT_EQ(at(r->body, "error", "data", "gate", "reason"), R"("resource_unknown")");
  EXPECT_EQ(a.count("resources/read") + b.count("resources/read"), 0U);
  EXPECT_EQ(w.audit("resources/read").size(), 1U);
}

TEST_F(resources, wait_for_the_lists_and_for_nobody_who_hangs) {
  b.always("resources/list", reply::silence());
  auto r = read("x://1");
  EXPECT_FALSE(r->done()) << "b could not own it, but a list is a list";
  w.advance(10s);
  EXPECT_EQ(from(r), R"("a")");
  r = c.request("5", "resources/read", R"({"uri":"x://2"})");
  EXPECT_NE(r->body.find("without an answer: b"), r->body.npos) << r->body;
}

TEST_F(resources, an_owners_error_passes_verbatim) {
  a.next("resources/read", reply::error(R"({"code":-32002,"message":"gone","data":{"uri":"x"}})"));
  EXPECT_EQ(at(read("x://1")->body, "error"),
            R"({"code":-32002,"message":"gone","data":{"uri":"x"}})");
}

TEST_F(resources, need_a_uri) {
  for (auto params : {"{}", R"({"uri":7})", R"({"uri":""})"})
    EXPECT_EQ(at(c.request("1", "resources/read", params)->body, "error", "code"), "-32602");
}

TEST_F(resources, of_the_only_upstream_need_no_lists) {
  world one({.config = std::string(one_upstream)});
  client d(one);
  d.initialize();
  EXPECT_EQ(
      at(d.request("1", "resources/read", R"({"uri":"any://thing"})")->body, "result", "from"),
      R"("a")");
  EXPECT_EQ(one.upstream("a").count("resources/list"), 0U);
}

TEST_F(resources, of_servers_without_templates_are_listed_all_the_same) {
  a.always("resources/templates/list",
           reply::error(R"({"code":-32601,"message":"Method not found"})"));
  auto r = c.request("1", "resources/templates/list");
  EXPECT_EQ(at(r->body, "result", "_meta"), "");
}

TEST_F(resources, that_changed_are_told_with_their_templates_in_one_notification) {
  auto stream = c.get();
  c.request("1", "resources/list");
  c.request("2", "resources/templates/list");
  a.announce(R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})");
  w.advance(200ms);
  EXPECT_EQ(stream->events(),
            std::vector<std::string>{
                R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})"});
  c.request("3", "resources/list");
  EXPECT_EQ(a.count("resources/list"), 2U);
  EXPECT_EQ(b.count("resources/list"), 1U);
}

TEST_F(resources, prompts_are_got_by_prefix) {
  EXPECT_EQ(from(c.request("1", "prompts/get", R"({"name":"b__p","arguments":{"x":"1"}})")),
            R"("b")");
  EXPECT_EQ(at(b.last("prompts/get")->body, "params"), R"({"name":"p","arguments":{"x":"1"}})");
}

TEST_F(resources, completion_goes_by_prompt_or_by_owner) {
  auto complete = [&](std::string_view ref) {
    return c.request("1", "completion/complete",
                     R"({"ref":)" + std::string(ref) + R"(,"argument":{"name":"x","value":"y"}})");
  };
  EXPECT_EQ(from(complete(R"({"type":"ref/prompt","name":"b__p"})")), R"("b")");
  EXPECT_EQ(at(b.last("completion/complete")->body, "params"),
            R"({"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"x","value":"y"}})");
  EXPECT_EQ(from(complete(R"({"type":"ref/resource","uri":"u://{id}/x"})")), R"("b")");
  EXPECT_EQ(from(complete(R"({"type":"ref/resource","uri":"x://2"})")), R"("b")");
  for (auto bad : {"7", "{}", R"({"type":"ref/tool","name":"b__p"})", R"({"type":"ref/prompt"})"})
    EXPECT_EQ(at(complete(bad)->body, "error", "code"), "-32602") << bad;
  for (auto twice : {R"({"type":"ref/prompt","name":"a__p","name":"b__p"})",
                     R"({"type":"ref/prompt","name":"a__p","n\u0061me":"b__p"})"})
    EXPECT_EQ(at(complete(twice)->body, "error", "code"), "-32600") << twice;
}

TEST_F(resources, log_levels_are_told_to_the_sessions_that_are_and_that_come) {
  c.call("1", "a__x");
  EXPECT_EQ(at(c.request("2", "logging/setLevel", R"({"level":"debug"})")->body, "result"), "{}");
  ASSERT_EQ(a.count("logging/setLevel"), 1U);
  EXPECT_EQ(a.last("logging/setLevel")->param("level"), R"("debug")");
  EXPECT_EQ(a.last("logging/setLevel")->session, a.last("tools/call")->session);
  EXPECT_EQ(b.count("logging/setLevel"), 0U) << "no session, no level";
  c.call("3", "b__x");
  EXPECT_EQ(b.count("logging/setLevel"), 1U);
  a.forget_sessions();
  c.call("4", "a__x");
  EXPECT_EQ(a.count("logging/setLevel"), 2U) << "again, for the new session";
  for (auto bad : {R"({"level":"loud"})", R"({"level":7})", "{}"})
    EXPECT_EQ(at(c.request("5", "logging/setLevel", bad)->body, "error", "code"), "-32602");
}

TEST_F(resources, are_found_also_when_lists_are_never_kept) {
  world fresh({.config = R"({"upstreams":[
    {"id":"a","url":"http://a.test/mcp","namespace":"a","cacheTtlMs":-1},
    {"id":"b","url":"http://b.test/mcp","namespace":"b","cacheTtlMs":-1}]})"});
  client d(fresh);
  d.initialize();
  fresh.upstream("b").templates = {tmpl("t://{id}")};
  auto r = d.request("1", "resources/read", R"({"uri":"t://1"})");
  EXPECT_EQ(from(r), R"("b")");
  EXPECT_EQ(fresh.upstream("a").count("resources/list"), 1U);
  EXPECT_EQ(fresh.upstream("a").count("resources/templates/list"), 1U);
}

TEST_F(resources, are_found_also_when_every_list_changes_the_other) {
  for (auto method : {"resources/list", "resources/templates/list"})
    b.always(method, [&](const sight& s) {
      b.announce(R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})");
      return s.method == "resources/list" ? reply::result(R"({"resources":[]})")
                                          : reply::result(R"({"resourceTemplates":[]})");
    });
  EXPECT_EQ(at(read("zzz://1")->body, "error", "code"), "-32002");
  EXPECT_LE(b.count("resources/list"), 6U);
}

}  // namespace
}  // namespace gate
