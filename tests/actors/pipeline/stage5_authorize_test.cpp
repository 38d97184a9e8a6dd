// Stage 5: the policy judges what stage 4 has found.
#include "tests/actors/pipeline/stages.hpp"

namespace gate::pipeline {
namespace {

struct stage5 : sim::a_way {
  stage5()
      : a_way(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"},)"
              R"({"id":"b","url":"http://b.test/mcp","namespace":"b"}],)"
              R"("policy":{"defaultDecision":"deny","rules":[{"id":"readers",)"
              R"("allow":[{"server":"a","methods":["tools/call"],"names":["read*"]},)"
              R"({"server":"b","methods":["resources/read"],"names":["x://open/*"]}]}]}})") {}
};

TEST_F(stage5, allows_and_says_by_which_rule) {
  auto c = of<stage::authorize>(authorized(message("tools/call", R"({"name":"a__read_it"})")));
  EXPECT_EQ(c->ticket.notes().decision, audit::decision::allow);
  EXPECT_EQ(c->ticket.notes().rule_id, "readers");
  c->ticket.spend({});
}

TEST_F(stage5, denies_by_the_clients_own_name) {
  const auto why = no(authorized(message("tools/call", R"({"name":"a__write"})")));
  EXPECT_EQ(why.why, reason::policy_denied);
  EXPECT_EQ(why.message, R"(policy denied tools/call "a__write")");
  EXPECT_EQ(why.upstream, "a");
}

TEST_F(stage5, judges_values_not_spellings) {
  EXPECT_EQ(no(authorized(message("tools/call", R"({"name":"a__\u0077rite"})"))).why,
            reason::policy_denied);
  auto c = of<stage::authorize>(authorized(message("tools/call", R"({"name":"a__re\u0061d"})")));
  c->ticket.spend({});
}

TEST_F(stage5, judges_resources_by_their_uri) {
  lists.index = 1;
  auto c = of<stage::authorize>(authorized(message("resources/read", R"({"uri":"x://open/1"})")));
  c->ticket.spend({});
  EXPECT_EQ(no(authorized(message("resources/read", R"({"uri":"x://shut/1"})"))).why,
            reason::policy_denied);
  EXPECT_EQ(no(authorized(message("resources/read", R"({"uri":"x://open/../shut/1"})"))).why,
            reason::policy_denied)
      << "a path is where it leads";
}

TEST_F(stage5, leaves_alone_what_everybody_may) {
  for (const auto* method : {"ping", "tools/list"}) {
    auto c = of<stage::authorize>(authorized(message(method)));
    EXPECT_EQ(c->ticket.notes().decision, audit::decision::none) << method;
    c->ticket.spend({});
  }
}

}  // namespace
}  // namespace gate::pipeline
