// Resources that no list shows, but that an upstream's results have named.
#include "simulations/world/guarded_world.hpp"
#include "tests/actors/gateway/streams/updates_stage.hpp"

namespace gate {
namespace {

using namespace sim;

std::string link(std::string_view uri) {
  return R"({"type":"resource_link","name":"l","uri":")" + std::string(uri) + R"("})";
}

struct named_resources : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");

  named_resources() { c.initialize(); }
  void name(fake_upstream& u, std::string_view space, std::string content) {
    u.next("tools/call", reply::result(R"({"content":[)" + std::move(content) + "]}"));
    c.call("1", std::string(space) + "__x");
  }
  static std::string from(const receipt_ptr& r) { return at(r->last(), "result", "from"); }
  receipt_ptr read(std::string_view uri) { return c.request("2", "resources/read", about(uri)); }
};

TEST_F(named_resources, are_read_at_the_upstream_that_named_them) {
  EXPECT_EQ(at(read("l://1")->last(), "error", "code"), "-32002");
  name(b, "b", R"({"type":"text","text":"resource_link"},)" + link("l://1"));
  EXPECT_EQ(from(read("l://1")), R"("b")");
  EXPECT_EQ(b.last("resources/read")->param("uri"), R"("l://1")");
  EXPECT_EQ(a.count("resources/read"), 0U);
  EXPECT_EQ(at(read("l://2")->last(), "error", "code"), "-32002");
}

TEST_F(named_resources, of_all_places_where_results_name_them) {
  name(b, "b", R"({"type":"resource","resource":{"uri":"e://1","text":""}})");
  EXPECT_EQ(from(read("e://1")), R"("b")");
  b.next("prompts/get",
         reply::result(R"({"messages":[{"role":"user","content":)" + link("p://1") + "}]}"));
  c.request("1", "prompts/get", R"({"name":"b__p"})");
  EXPECT_EQ(from(read("p://1")), R"("b")");
  name(b, "b", R"({"type":"resource_link","uri":"s:\/\/\u0031"})");
  EXPECT_EQ(from(read("s://1")), R"("b")") << "as values";
  name(b, "b", R"({"type":"text","text":"x","uri":"n://1"},{"resource_link":1},[],7)");
  EXPECT_EQ(at(read("n://1")->last(), "error", "code"), "-32002");
}

TEST_F(named_resources, are_subscribed_to_there) {
  name(b, "b", link("l://1"));
  c.request("3", "resources/subscribe", about("l://1"));
  EXPECT_EQ(b.count("resources/subscribe"), 1U);
  EXPECT_EQ(a.count("resources/subscribe"), 0U);
}

TEST_F(named_resources, belong_to_the_client_that_was_told) {
  name(b, "b", link("l://1"));
  client d(w);
  d.initialize();
  EXPECT_EQ(at(d.request("1", "resources/read", about("l://1"))->last(), "error", "code"),
            "-32002");
}

TEST_F(named_resources, come_behind_the_lists) {
  a.resources = {R"({"name":"r","uri":"l://1"})"};
  a.templates = {R"({"name":"t","uriTemplate":"t://{id}"})"};
  name(b, "b", link("l://1") + "," + link("t://1"));
  EXPECT_EQ(from(read("l://1")), R"("a")");
  EXPECT_EQ(from(read("t://1")), R"("a")");
}

TEST_F(named_resources, named_twice_belong_to_the_first_in_configuration_order) {
  name(b, "b", link("l://1"));
  name(a, "a", link("l://1"));
  name(b, "b", link("l://1"));
  EXPECT_EQ(from(read("l://1")), R"("a")");
}

TEST_F(named_resources, are_bounded_and_the_latest_are_kept) {
  for (int i = 0; i <= 256; ++i) name(b, "b", link("l://" + std::to_string(i)));
  EXPECT_EQ(at(read("l://0")->last(), "error", "code"), "-32002");
  EXPECT_EQ(from(read("l://256")), R"("b")");
}

TEST_F(named_resources, of_one_result_are_its_first) {
  std::string many;
  for (int i = 0; i < 3000; ++i) many += (i ? "," : "") + link("l://" + std::to_string(i));
  name(b, "b", many);
  EXPECT_EQ(from(read("l://0")), R"("b")");
  EXPECT_EQ(from(read("l://255")), R"("b")");
  EXPECT_EQ(at(read("l://256")->last(), "error", "code"), "-32002");
}

TEST_F(named_resources, are_gone_with_their_upstream) {
  name(b, "b", link("l://1"));
  ASSERT_TRUE(w.reload(R"({"upstreams":[
    {"id":"a","url":"http://a.test/mcp","namespace":"a"},
    {"id":"c","url":"http://c.test/mcp","namespace":"c"}]})")
                  .get()
                  .problems.empty());
  EXPECT_EQ(at(read("l://1")->last(), "error", "code"), "-32002");
}

TEST(named_resources_by_policy, are_judged_as_any) {
  constexpr std::string_view rules = R"("policy":{"rules":[
    {"id":"r","subjects":{"groups":["g"]},
     "allow":[{"server":"*","methods":["tools/call"]},
              {"server":"b","methods":["resources/read"],"names":["ok://*"]}]}]})";
  world w(guarded_world(guarded(a_and_b, rules)));
  auto& b = w.upstream("b");
  client c(w);
  c.token = token_for("alice", R"("groups":["g"])");
  c.initialize();
  b.next("tools/call",
         reply::result(R"({"content":[)" + link("ok://1") + "," + link("no://1") + "]}"));
  c.call("1", "b__x");
  EXPECT_EQ(at(c.request("2", "resources/read", about("ok://1"))->last(), "result", "from"),
            R"("b")");
  EXPECT_EQ(at(c.request("2", "resources/read", about("no://1"))->last(), "error", "code"),
            "-32042");
}

}  // namespace
}  // namespace gate
