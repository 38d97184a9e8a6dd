// Stage 7: the question to an upstream, and what its answer means for the call.
#include "tests/actors/pipeline/stages.hpp"

namespace gate::pipeline {
namespace {

struct stage7 : sim::a_way {
  /// A call that waits for upstream `a`.
  sim::guarded_fact asked() {
    EXPECT_TRUE(waits(proxied(message("tools/call", R"({"name":"a__x"})"))));
    return std::move(*upstreams.parked);
  }
};

TEST_F(stage7, answers_ping_itself) {
  auto c = of<stage::proxy>(proxied(message("ping")));
  EXPECT_EQ(c->result, "{}");
  c->ticket.spend({});
}

TEST_F(stage7, asks_the_upstream_and_waits) {
  auto c = asked();
  ASSERT_EQ(upstreams.asked.size(), 1U);
  const auto& [index, question] = upstreams.asked.front();
  EXPECT_EQ(index, c->upstream->index);
  EXPECT_EQ(question.call, 7U) << "by the number under which the call waits";
  EXPECT_EQ(question.method, "tools/call");
  EXPECT_EQ(c->ticket.notes().upstream_calls, 1U);
  c->ticket.spend({});
}

TEST_F(stage7, passes_results_on_verbatim) {
  auto held = asked();
  answered m;
  m.what = answer::result;
  m.payload = R"({"content": [ ] })";
  m.usage = R"({"tokens":3})";
  auto c = of<stage::proxy>(proxy_step::resume(std::move(held), m, desk));
  EXPECT_EQ(c->result.data(), m.payload.data()) << "not even copied";
  EXPECT_EQ(c->ticket.notes().usage, R"({"tokens":3})");
  EXPECT_EQ(c->ticket.notes().upstream_calls, 1U);
  EXPECT_EQ(upstreams.results, 1U);
  EXPECT_TRUE(tasks.pinned.empty());
  c->ticket.spend({});
}

TEST_F(stage7, notes_the_owner_of_a_task) {
  answered m;
  m.what = answer::result;
  m.payload = R"({"task":{"taskId":"t"}})";
  m.task = R"("t")";
  auto c = of<stage::proxy>(proxy_step::resume(asked(), m, desk));
  EXPECT_EQ(tasks.pinned, std::vector<std::string>{R"("t")"});
  c->ticket.spend({});
}

TEST_F(stage7, passes_errors_on_and_bounds_what_is_audited) {
  answered m;
  m.what = answer::error;
  m.payload = R"({"code":1,"message":"m"})";
  const std::string large(limits::audit_usage_bytes + 1, ' ');
  m.usage = large;
  auto c = of<stage::proxy>(proxy_step::resume(asked(), m, desk));
  EXPECT_EQ(c->error, m.payload);
  EXPECT_LT(c->ticket.notes().usage.size(), 100U) << c->ticket.notes().usage;
  EXPECT_EQ(upstreams.results, 0U);
  c->ticket.spend({});
}

TEST_F(stage7, refuses_by_the_guards_words_and_counts_what_was_sent) {
  answered m;
  m.upstream_calls = 0;
  m.refused = std::make_shared<const refusal>(refusal{reason::budget_exhausted, "spent", "a", -1});
  auto r = proxy_step::resume(asked(), m, desk);
  const auto* it = std::get_if<refused>(&r);
  ASSERT_NE(it, nullptr);
  EXPECT_EQ(it->why.message, "spent");
  EXPECT_EQ(it->call->ticket.notes().upstream_calls, 0U) << "it never left";
  it->call->ticket.spend({});
  m.refused = nullptr;
  m.why = no_answer::connect_failed;
  m.upstream_calls = 2;
  EXPECT_EQ(no(proxy_step::resume(asked(), m, desk)).why, reason::upstream_down);
}

TEST_F(stage7, waits_for_lists_and_says_why_there_is_none) {
  EXPECT_TRUE(waits(proxied(message("tools/list"))));
  ASSERT_TRUE(lists.waiting_list);
  list_outcome down{list_outcome::state::all_down};
  down.detail = "a, b";
  EXPECT_EQ(no(proxy_step::resume_list(std::move(*lists.waiting_list), std::move(down))).why,
            reason::upstream_down);
}

}  // namespace
}  // namespace gate::pipeline
