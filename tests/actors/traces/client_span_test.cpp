#include "actors/traces/client_span.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gate::traces {
namespace {

const std::set<std::string_view> outcomes{"ok", "rate_limited", "circuit_open", "budget_exhausted",
                                          "error"};

TEST(what_became_of_a_request, is_one_of_few_words) {
  for (const auto& r : refusals) {
    const auto how = end_of(refusal{r.reason, "m", "a", -1});
    EXPECT_TRUE(outcomes.contains(how.outcome)) << r.word;
    EXPECT_NE(how.outcome, "ok") << r.word;
  }
  EXPECT_EQ(end_of(refusal{reason::upstream_rate_limited, "m", "a", -1}).outcome, "rate_limited");
  EXPECT_EQ(end_of(refusal{reason::budget_exhausted, "m", "a", -1}).outcome, "budget_exhausted");
  EXPECT_EQ(end_of(refusal{reason::upstream_down, "m", "a", -1}).outcome, "circuit_open");
  for (const auto& n : no_answers) {
    answered a;
    a.why = n.why;
    const auto how = end_of(a);
    EXPECT_EQ(how.outcome, n.why == no_answer::circuit_open ? "circuit_open" : "error") << n.word;
    EXPECT_EQ(how.why.word, n.word);
  }
}

TEST(what_became_of_a_call, is_ok_if_it_was_answered) {
  answered a;
  a.what = answer::result;
  EXPECT_EQ(end_of(a).outcome, "ok");
  EXPECT_FALSE(end_of(a).why.of_the_tool);
  a.has.failed = true;
  EXPECT_TRUE(end_of(a).why.of_the_tool);
  a.what = answer::error;
  a.payload = R"({"message":"m","code":-32602})";
  EXPECT_EQ(end_of(a).outcome, "ok");
  EXPECT_EQ(end_of(a).why.code, -32602);
  a.refused = std::make_shared<const refusal>(refusal{reason::budget_exhausted, "m", "a", -1});
  EXPECT_EQ(end_of(a).outcome, "budget_exhausted");
}

TEST(what_became_of_a_list, is_ok_if_it_was_answered) {
  listed l;
  EXPECT_EQ(end_of(l).outcome, "error");
  l.error = R"({"code":-32000})";
  EXPECT_EQ(end_of(l).outcome, "ok");
  EXPECT_EQ(end_of(l).why.code, -32000);
  l.items = std::make_shared<const mcp::item_list>();
  EXPECT_EQ(end_of(l).why.code, 0);
  l.refused = std::make_shared<const refusal>(refusal{reason::upstream_rate_limited, "m", "a", -1});
  EXPECT_EQ(end_of(l).outcome, "rate_limited");
}

TEST(a_code, is_read_if_it_is_a_number) {
  EXPECT_EQ(code_of(R"({"code":-32602})"), -32602);
  for (const auto* none : {"", "{}", R"({"code":"x"})", R"({"code":99999999999999})", "[]"})
    EXPECT_EQ(code_of(none), 0) << none;
}

struct client_spans : ::testing::Test {
  time_point now{std::chrono::hours{1}};
  metrics all;
  metrics::value counter = all.get(metric::trace_dropped, {"failed"});
  tracer_ptr by = std::make_shared<tracer>(tracer_parts{1, true,
                                                        [](std::span<std::uint8_t> out) {
                                                          for (auto& b : out) b = 7;
                                                        },
                                                        [] { return trace::wall_time{}; },
                                                        [this] { return now; }, counter});
  client_span_ptr open() {
    return std::make_shared<client_span>(by, trace::span_context{{1}, {2}, 1}, "", "a",
                                         "tools/call");
  }
  /// Those that were handed on, for nobody takes them.
  double told() {
    const auto text = all.expose();
    const std::string_view key = R"(gate_trace_dropped_total{reason="failed"} )";
    return std::stod(text.substr(text.find(key) + key.size()));
  }
  /// Those that ended.
  double counted() {
    by->hand_on();
    return told();
  }
};

TEST_F(client_spans, end_once) {
  const auto s = open();
  s->end({"ok"}, nullptr);
  s->end({"error"}, nullptr);
  EXPECT_EQ(counted(), 1);
  const credential_wait wait{now, now, true};
  open()->end({"ok"}, &wait);
  EXPECT_EQ(counted(), 3) << "the wait is one of its own";
}

TEST_F(client_spans, that_nobody_ends_end_as_lost) {
  open();
  EXPECT_EQ(counted(), 1);
  auto s = open();
  s->end({"ok"}, nullptr);
  s = nullptr;
  EXPECT_EQ(counted(), 2);
}

TEST_F(client_spans, are_gathered_up_to_a_number_or_a_size) {
  for (std::size_t i = 0; i < limits::trace_gathered; ++i) {
    EXPECT_EQ(told(), 0) << i;
    open();
  }
  EXPECT_EQ(told(), limits::trace_gathered);
  by->add([](std::string& out) { out.append(limits::trace_gathered_bytes, ' '); });
  EXPECT_EQ(told(), limits::trace_gathered + 1);
}

TEST_F(client_spans, may_outlive_whoever_asked) {
  auto s = open();
  by->retire();
  s = nullptr;
  EXPECT_EQ(counted(), 1);
}

}  // namespace
}  // namespace gate::traces
