#include "actors/traces/traces_actor.hpp"

#include "protocol/limits.hpp"
#include "protocol/trace/mcp_spans.hpp"
#include "protocol/trace/wire.hpp"
#include "simulations/world/fake_egress.hpp"
#include "tests/support/actor_test.hpp"
#include "tests/support/exported_spans.hpp"
#include "transport/log.hpp"

namespace gate::traces {
namespace {

using namespace sim;
using namespace std::chrono_literals;

const std::chrono::system_clock::time_point wall{1000s};

struct a_collector : actor_test {
  a_collector() {
    log_lines().clear();
    log::redirect([](std::string_view line) { log_lines().emplace_back(line); });
    (*net)["c"] = std::make_unique<fake_upstream>("c");
    answers(reply::http(200));
    gate::config::tracing_section section;
    section.otlp_endpoint = "https://c.test";
    traces_parts parts{collector_of(section),
                       {"gate", "1"},
                       system().spawn<fake_egress>(net, std::size_t{0}),
                       [] { return wall; },
                       [](std::span<std::uint8_t> out) { std::ranges::fill(out, 0x80); },
                       labelled<trace_loss>(all, metric::trace_dropped)};
    it = system().spawn<traces_actor>(nullptr, parts);
  }
  ~a_collector() override {
    it = nullptr;
    clear_stage();
    log::redirect(nullptr);
  }

  fake_upstream& collector() { return *net->at("c"); }
  void answers(reply r) { collector().always("not JSON-RPC", std::move(r)); }
  static spans_ended spans(const std::string& upstream, std::size_t count = 1) {
    trace::place at;
    at.self = {{1}, {2}, 1};
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      trace::append_client_span(text, at, {upstream, "tools/call", "ok", {}});
    return {std::make_shared<const std::string>(std::move(text)), count};
  }
  /// One after the other.
  void put(std::size_t count, const std::string& name = "a") {
    for (std::size_t i = 0; i < count; ++i) tell(it, spans(name));
  }
  std::size_t exports() { return collector().seen().size(); }
  std::size_t spans_in(std::size_t number) {
    return testing::spans_of(*collector().seen().at(number)).size();
  }
  double lost(std::string_view why) {
    const auto key = R"(gate_trace_dropped_total{reason=")" + std::string(why) + "\"} ";
    const auto text = all.expose();
    const auto at = text.find(key);
    return at == text.npos ? -1 : std::stod(text.substr(at + key.size()));
  }
  static std::vector<std::string>& log_lines() {
    static std::vector<std::string> lines;
    return lines;
  }

  std::shared_ptr<fake_network> net = std::make_shared<fake_network>();
  metrics all;
  gate::traces_handle it;
};

TEST_F(a_collector, gets_what_ended_within_seconds_in_one_export) {
  put(1, "a");
  advance(limits::trace_gather - 1ms);
  put(1, "b");
  EXPECT_EQ(exports(), 0U);
  advance(1ms);
  ASSERT_EQ(exports(), 1U);
  const auto& s = *collector().seen().front();
  EXPECT_EQ(s.what->method, verb::post);
  EXPECT_EQ(s.what->to->url.target, "/v1/traces");
  EXPECT_FALSE(s.what->to->redirects);
  EXPECT_EQ(s.header("content-type"), "application/x-protobuf");
  EXPECT_EQ(s.header("content-encoding"), "gzip");
  const auto spans = testing::spans_of(s);
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].name, "upstream a");
  EXPECT_EQ(spans[1].name, "upstream b");
  EXPECT_TRUE(log_lines().empty());
}

TEST_F(a_collector, gets_a_full_batch_at_once_and_one_after_the_other) {
  answers(reply{.after = 1s, .status = 200});
  put(limits::trace_batch - 1);
  EXPECT_EQ(exports(), 0U);
  put(limits::trace_batch + 1);
  ASSERT_EQ(exports(), 1U);
  EXPECT_EQ(spans_in(0), limits::trace_batch);
  advance(1s);
  ASSERT_EQ(exports(), 2U);
  EXPECT_EQ(spans_in(1), limits::trace_batch);
  EXPECT_EQ(lost("overflow"), 0);
}

TEST_F(a_collector, gets_what_was_gathered_together) {
  constexpr auto whole = limits::trace_batch / limits::trace_gathered;
  for (std::size_t i = 0; i < whole; ++i) {
    EXPECT_EQ(exports(), 0U);
    tell(it, spans("a", limits::trace_gathered));
  }
  ASSERT_EQ(exports(), 1U) << "a batch is counted in spans";
  EXPECT_EQ(spans_in(0), limits::trace_batch);
  // What would make it too large is of the next one.
  for (std::size_t i = 0; i <= whole; ++i) tell(it, spans("a", limits::trace_gathered - 1));
  ASSERT_EQ(exports(), 2U);
  EXPECT_EQ(spans_in(1), whole * (limits::trace_gathered - 1));
}

TEST_F(a_collector, is_asked_again_only_if_it_says_so) {
  for (const int status : {429, 502, 503, 504}) {
    const auto before = exports();
    answers(reply::http(status));
    put(1);
    advance(limits::trace_gather);
    answers(reply::http(200));
    advance(1100ms);
    EXPECT_EQ(exports(), before + 2) << status;
  }
  EXPECT_EQ(lost("refused"), 0);
  double refused = 0;
  for (const int status : {100, 301, 307, 400, 401, 404, 413, 500, 501}) {
    const auto before = exports();
    answers(reply::http(status));
    put(1);
    advance(limits::trace_gather + 10s);
    EXPECT_EQ(exports(), before + 1) << status;
    EXPECT_EQ(lost("refused"), ++refused) << status;
  }
  EXPECT_EQ(lost("failed"), 0);
}

TEST_F(a_collector, that_redirects_is_not_followed_and_not_asked_again) {
  answers(reply{.end = fetch_end::redirected, .status = 307, .why = "answered 307"});
  put(1);
  advance(limits::trace_gather + 10s);
  EXPECT_EQ(exports(), 1U);
  EXPECT_EQ(lost("refused"), 1);
  ASSERT_EQ(log_lines().size(), 1U);
  EXPECT_NE(log_lines()[0].find("answered 307"), std::string::npos) << log_lines()[0];
}

TEST_F(a_collector, that_is_away_is_tried_five_times) {
  answers(reply::failure(fetch_end::connect_failed));
  put(1);
  advance(limits::trace_gather);
  for (const auto pause : {1s, 2s, 4s, 8s}) advance(pause + 100ms);
  EXPECT_EQ(exports(), limits::trace_attempts);
  EXPECT_EQ(lost("failed"), 1);
  EXPECT_EQ(log_lines().size(), 1U);
  answers(reply::http(200));
  put(1);
  advance(limits::trace_gather);
  ASSERT_EQ(log_lines().size(), 2U);
  EXPECT_NE(log_lines()[1].find("dropped=1"), std::string::npos) << log_lines()[1];
}

TEST_F(a_collector, that_says_when_is_asked_then) {
  answers(reply{.status = 429, .retry_after = true, .retry_after_text = "7"});
  put(1);
  advance(limits::trace_gather);
  answers(reply::http(200));
  advance(6999ms);
  EXPECT_EQ(exports(), 1U);
  advance(1ms);
  EXPECT_EQ(exports(), 2U);
  // A pause beyond all measure would keep what could leave.
  answers(reply{.status = 503, .retry_after = true, .retry_after_text = "86400"});
  put(1);
  advance(limits::trace_gather);
  answers(reply::http(200));
  advance(limits::trace_retry_after);
  EXPECT_EQ(exports(), 4U);
  // A date: the wall clock stands still at 00:16:40.
  answers(reply{
      .status = 503, .retry_after = true, .retry_after_text = "Thu, 01 Jan 1970 00:16:50 GMT"});
  put(1);
  advance(limits::trace_gather);
  answers(reply::http(200));
  advance(9999ms);
  EXPECT_EQ(exports(), 5U);
  advance(1ms);
  EXPECT_EQ(exports(), 6U);
}

TEST_F(a_collector, that_takes_some_only_is_counted_and_told_once) {
  std::string inside, answer;
  trace::wire::number(inside, 1, 2);
  trace::wire::text(inside, 2, "too old");
  trace::wire::text(answer, 1, inside);
  answers(reply::http(200, answer));
  for (int i = 0; i < 2; ++i) {
    put(3);
    advance(limits::trace_gather);
  }
  EXPECT_EQ(exports(), 2U);
  EXPECT_EQ(lost("refused"), 4);
  ASSERT_EQ(log_lines().size(), 1U);
  EXPECT_NE(log_lines()[0].find("too old"), std::string::npos) << log_lines()[0];
}

TEST_F(a_collector, that_hangs_costs_no_more_than_the_bound) {
  answers(reply::silence());
  put(limits::trace_batch);
  put(limits::trace_items - limits::trace_batch + 7);
  EXPECT_EQ(lost("overflow"), 7);
  EXPECT_EQ(exports(), 1U) << "one at a time";
  advance(limits::trace_answer);
  EXPECT_TRUE(collector().seen().front()->abandoned);
  advance(1100ms);
  EXPECT_EQ(exports(), 2U);
}

TEST_F(a_collector, has_a_bound_in_bytes_too) {
  answers(reply::silence());
  const std::string name(limits::trace_text_bytes, 'x');
  const auto each = spans(name).text->size();
  const auto room = limits::trace_bytes / each;
  ASSERT_LT(room, limits::trace_items);
  put(room + 5, name);
  EXPECT_EQ(lost("overflow"), 5);
}

TEST_F(a_collector, gets_at_the_end_what_there_is) {
  put(2);
  const auto flushed = ask<traces_flushed>(it, flush_traces{});
  ASSERT_EQ(exports(), 1U) << "at once";
  EXPECT_EQ(spans_in(0), 2U);
  EXPECT_TRUE(flushed.done());
  EXPECT_TRUE(ask<traces_flushed>(it, flush_traces{}).done()) << "there is nothing";
}

TEST_F(a_collector, holds_up_the_end_for_three_seconds_at_most) {
  answers(reply::silence());
  put(3);
  const auto flushed = ask<traces_flushed>(it, flush_traces{});
  advance(limits::trace_flush - 1ms);
  EXPECT_FALSE(flushed.done());
  advance(1ms);
  EXPECT_TRUE(flushed.done());
  EXPECT_EQ(lost("failed"), 3);
}

TEST_F(a_collector, whose_exporter_dies_loses_what_that_had_and_nobody_waits) {
  answers(reply::silence());
  put(3);
  const auto flushed = ask<traces_flushed>(it, flush_traces{});
  crash(it);
  EXPECT_TRUE(flushed.done());
  EXPECT_EQ(lost("failed"), 3);
}

TEST(collector_of, completes_a_base_url_alone) {
  for (const auto& [endpoint, target] : std::vector<std::pair<std::string, std::string>>{
           {"http://c", "/v1/traces"},
           {"http://c:4318/", "/v1/traces"},
           {"https://c/otlp", "/otlp"},
           {"https://c/v1/traces", "/v1/traces"},
           {"https://c/tenant/v1/traces/", "/tenant/v1/traces/"}}) {
    gate::config::tracing_section section;
    section.otlp_endpoint = endpoint;
    EXPECT_EQ(collector_of(section).to->url.target, target) << endpoint;
  }
}

}  // namespace
}  // namespace gate::traces
