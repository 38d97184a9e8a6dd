// What upstreams say beside their lists.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

/// One upstream, with something else in its configuration or beside it.
std::string alone(std::string_view more = {}, std::string_view beside = {}) {
  return R"({"upstreams":[{"id":"a","url":"http://a.test/mcp")" + std::string(more) + "}]" +
         std::string(beside) + "}";
}
std::string result(const receipt_ptr& r) {
  return at(r->last(), "result");
}
/// A page of tools with these members behind it.
reply page(std::string_view tools, std::string_view more) {
  return reply::result(R"({"tools":[)" + std::string(tools) + "]" + std::string(more) + "}");
}

struct beside_lists : ::testing::Test {
  std::unique_ptr<world> w;
  std::unique_ptr<client> c;

  fake_upstream& begin(std::string config, bool tasks = false) {
    w = std::make_unique<world>(world_options{.config = std::move(config)});
    c = std::make_unique<client>(*w);
    auto& a = w->upstream("a");
    if (tasks) {
      a.version = "2025-11-25";
      a.capabilities = R"({"tools":{},"tasks":{"list":{}}})";
    }
    c->initialize();
    return a;
  }
};

TEST_F(beside_lists, what_the_only_upstream_says_reaches_the_client) {
  auto& a = begin(alone());
  a.next("tools/list",
         reply::result(R"({"_meta":{"x":[1,2]},"tools":[{"name":"1"}],"more":1e2,"\n":null})"));
  EXPECT_EQ(c->list("1")->body,
            R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"1"}],"_meta":{"x":[1,2]},)"
            R"("more":1e2,"\n":null}})");
  a.next("resources/list", reply::result(R"({"resources":[],"_meta":{"y":2}})"));
  EXPECT_EQ(result(c->request("2", "resources/list")), R"({"resources":[],"_meta":{"y":2}})");
}

TEST_F(beside_lists, what_is_ours_to_say_is_said_once) {
  auto& a = begin(alone());
  a.next("tools/list",
         page(R"({"name":"1"})",
              R"(,"Tools":[{"name":"forged"}],"nextcursor":"x","NEXT\u0043URSOR":"y","_META":1,)"
              R"("tool\u017f":[],"_meta":{"n":1},"\u005fmeta":{"n":2},"z":1,"z":2)"));
  EXPECT_EQ(result(c->list("1")), R"({"tools":[{"name":"1"}],"z":1,"z":2})");
}

TEST_F(beside_lists, stands_on_the_first_page_and_is_the_first_pages) {
  auto& a = begin(alone({}, R"(,"routing":{"pageSize":1})"));
  a.next("tools/list", page(R"({"name":"1"})", R"(,"nextCursor":"x","_meta":{"n":1})"));
  a.next("tools/list", page(R"({"name":"2"})", R"(,"_meta":{"n":2})"));
  const auto first = c->list("1");
  const auto cursor = at(first->last(), "result", "nextCursor");
  EXPECT_EQ(result(first),
            R"({"tools":[{"name":"1"}],"_meta":{"n":1},"nextCursor":)" + cursor + "}");
  EXPECT_EQ(result(c->list("2", cursor)), R"({"tools":[{"name":"2"}]})");
}

TEST_F(beside_lists, another_one_is_no_other_list) {
  auto& a = begin(alone({}, R"(,"routing":{"pageSize":1})"));
  const auto stream = c->get();
  const auto both = R"({"name":"1"},{"name":"2"})";
  a.next("tools/list", page(both, R"(,"_meta":{"n":1})"));
  const auto cursor = at(c->list("1")->last(), "result", "nextCursor");
  a.next("tools/list", page(both, R"(,"_meta":{"n":2})"));
  w->advance(31s);
  c->list("2");  // the old one, while the new one comes
  EXPECT_EQ(at(c->list("3")->last(), "result", "_meta"), R"({"n":2})");
  EXPECT_EQ(result(c->list("4", cursor)), R"({"tools":[{"name":"2"}]})") << "it holds";
  w->advance(2s);
  EXPECT_TRUE(stream->events().empty());
  a.next("tools/list", page(both, ""));
  w->advance(31s);
  c->list("5");
  EXPECT_EQ(at(c->list("6")->last(), "result", "_meta"), "");
}

TEST_F(beside_lists, of_an_upstream_with_a_namespace_nothing_is_passed_on) {
  auto& a = begin(alone(R"(,"namespace":"a")"));
  a.next("tools/list", page("", R"(,"_meta":{"x":1},"more":1)"));
  EXPECT_EQ(result(c->list("1")), R"({"tools":[]})");
}

TEST_F(beside_lists, is_not_for_callers_who_do_not_see_the_whole_list) {
  const auto some = R"(,"policy":{"rules":[{"id":"r","allow":[
    {"server":"a","methods":["tools/call"],"names":["1"]}]}]})";
  auto& a = begin(alone({}, some));
  const auto meta =
      R"(,"_meta":{"about":"hidden","gate/partialFailure":{"failedUpstreams":["x"]}},"hidden":1)";
  a.next("tools/list", page(R"({"name":"1"},{"name":"hidden"})", meta));
  EXPECT_EQ(
      result(c->list("1")),
      R"({"tools":[{"name":"1"}],"_meta":{"gate/partialFailure":{"failedUpstreams":["a/x"]}}})");
  a.next("tools/list", page(R"({"name":"1"})", R"(,"_meta":{"x":1})"));
  w->advance(31s);
  c->list("2");
  EXPECT_EQ(result(c->list("3")), R"({"tools":[{"name":"1"}],"_meta":{"x":1}})");
}

TEST_F(beside_lists, what_a_gateway_behind_us_lacks_is_named) {
  auto& a = begin(std::string(two_upstreams));
  a.next("tools/list",
         page("", R"(,"_meta":{"gate/partialFailure":{"failedUpstreams":["x","y/z",7,"","A b"]}})"
                  R"(,"more":1)"));
  w->upstream("b").always("initialize", reply::failure(fetch_end::connect_failed, true));
  EXPECT_EQ(result(c->list("1")), R"({"tools":[],"_meta":{"gate/partialFailure":)"
                                  R"({"failedUpstreams":["b","a/x","a/y/z"]}}})");
}

TEST_F(beside_lists, what_a_gateway_behind_us_has_again_is_no_longer_named) {
  auto& a = begin(std::string(two_upstreams));
  a.next("tools/list", page("", R"(,"_meta":{"gate/partialFailure":{"failedUpstreams":["x"]}})"));
  EXPECT_EQ(at(c->list("1")->last(), "result", "_meta"),
            R"({"gate/partialFailure":{"failedUpstreams":["a/x"]}})");
  w->advance(31s);
  c->list("2");
  EXPECT_EQ(at(c->list("3")->last(), "result", "_meta"), "");
}

TEST_F(beside_lists, of_tasks_it_is_the_same) {
  auto& a = begin(alone(), true);
  a.always("tasks/list", reply::result(R"({"tasks":[{"taskId":"1"}],"_meta":{"n":1}})"));
  EXPECT_EQ(result(c->request("1", "tasks/list")), R"({"tasks":[{"taskId":"1"}],"_meta":{"n":1}})");
}

TEST_F(beside_lists, of_tasks_a_gateway_behind_us_may_lack_some) {
  auto& a = begin(std::string(two_upstreams), true);
  a.always("tasks/list", reply::result(R"({"tasks":[],"x":1,"_meta":{"gate/partialFailure":)"
                                       R"({"failedUpstreams":["x"]}}})"));
  EXPECT_EQ(at(c->request("1", "tasks/list")->last(), "result", "_meta"),
            R"({"gate/partialFailure":{"failedUpstreams":["a/x"]}})");
}

}  // namespace
}  // namespace gate
