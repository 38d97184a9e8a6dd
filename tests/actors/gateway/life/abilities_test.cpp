// What `initialize` declares: what the servers behind the gateway can do.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct abilities : ::testing::Test {
  world w{{.met = false}};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");

  abilities() {
    a.capabilities = R"({"tools":{}})";
    b.capabilities = R"({"prompts":{},"resources":{"subscribe":true}})";
  }
  receipt_ptr open(std::string_view version = "2025-11-25") {
    return client(w).request("0", "initialize",
                             R"({"protocolVersion":")" + std::string(version) +
                                 R"(","capabilities":{},"clientInfo":{}})");
  }
  static std::string declared(const receipt_ptr& r) {
    return at(r->body, "result", "capabilities");
  }
};

TEST_F(abilities, are_those_of_all_upstreams_together) {
  EXPECT_EQ(declared(open()),
            R"({"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},)"
            R"("tools":{"listChanged":true}})");
  EXPECT_EQ(a.count("initialize"), 1U);
  open();
  EXPECT_EQ(a.count("initialize"), 1U) << "asked once";
}

TEST_F(abilities, with_tasks_where_the_revision_has_them) {
  a.version = "2025-11-25";
  a.capabilities = R"({"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}})";
  EXPECT_EQ(at(declared(open()), "tasks"), R"({"requests":{"tools":{"call":{}}}})");
  EXPECT_EQ(at(declared(open("2025-06-18")), "tasks"), "");
}

TEST_F(abilities, do_not_wait_long_for_whoever_hangs_and_not_twice) {
  b.next("initialize", reply::silence());
  auto r = open();
  EXPECT_EQ(r->endings, 0);
  w.advance(1999ms);
  EXPECT_EQ(r->endings, 0);
  w.advance(1ms);
  EXPECT_EQ(declared(r), R"({"tools":{"listChanged":true}})");
  EXPECT_EQ(open()->endings, 1);
}

TEST_F(abilities, of_an_upstream_that_was_down_are_asked_for_again) {
  b.next("initialize", reply::failure(fetch_end::connect_failed));
  EXPECT_EQ(declared(open()), R"({"tools":{"listChanged":true}})");
  EXPECT_EQ(declared(open()), R"({"tools":{"listChanged":true}})");
  EXPECT_EQ(b.count("initialize"), 1U) << "not at once";
  w.advance(1s);
  EXPECT_NE(at(declared(open()), "prompts"), "");
}

TEST_F(abilities, of_nobody_are_the_usual_ones) {
  for (auto* u : {&a, &b}) u->next("initialize", reply::failure(fetch_end::connect_failed));
  const auto all = declared(open());
  for (auto member : {"tools", "prompts", "resources", "logging", "completions"})
    EXPECT_NE(at(all, member), "") << member;
  EXPECT_EQ(at(all, "tasks"), "");
}

TEST_F(abilities, wait_for_nobody_who_died) {
  b.next("initialize", reply::silence());
  auto r = open();
  w.crash_upstream(1);
  EXPECT_EQ(declared(r), R"({"tools":{"listChanged":true}})");
}

TEST_F(abilities, are_waited_for_by_all_who_come_meanwhile) {
  b.next("initialize", reply::silence());
  auto first = open();
  w.advance(1500ms);
  auto second = open();
  w.advance(500ms);
  EXPECT_EQ(first->endings, 1);
  EXPECT_EQ(second->endings, 1);
  EXPECT_EQ(b.count("initialize"), 1U);
}

TEST_F(abilities, nobody_waits_twice_for_upstreams_that_fail_out_of_step) {
  int n = 0;
  a.always("initialize",
           [&n](const sight&) { return reply{.after = n++ ? 1100ms : 600ms, .status = 502}; });
  b.always("initialize", reply{.after = 1100ms, .status = 502});
  for (int i = 0; i < 5; ++i) {
    auto r = open();
    w.advance(2s);
    EXPECT_EQ(r->endings, 1) << i;
  }
}

TEST_F(abilities, whoever_hangs_and_then_fails_is_not_waited_for_again) {
  b.always("initialize", reply{.after = 3s, .status = 502});
  auto r = open();
  w.advance(2s);
  EXPECT_EQ(r->endings, 1);
  w.advance(5s);
  EXPECT_EQ(open()->endings, 1);
}

TEST_F(abilities, the_servers_words_stand_under_their_names) {
  a.instructions = R"("use \"x\" first")";
  EXPECT_EQ(at(open()->body, "result", "instructions"),
            R"("Tools of 2 servers; names are {server}__{tool}. Servers: a b.)"
            R"(\n\n## a\nuse \"x\" first")");
}

TEST(abilities_of_one, its_words_pass_as_they_are) {
  world w({.config = std::string(one_upstream), .met = false});
  w.upstream("a").instructions = R"("caf\u00e9")";
  client c(w);
  auto r = c.request("0", "initialize", R"({"protocolVersion":"2025-11-25","capabilities":{}})");
  EXPECT_EQ(at(r->body, "result", "instructions"), R"("caf\u00e9")");
}

}  // namespace
}  // namespace gate
