#include "actors/audit/audit_actor.hpp"

#include "actors/audit/line_sink_actor.hpp"
#include "protocol/json/scan.hpp"
#include "tests/support/actor_test.hpp"

namespace gate::audits {
namespace {

using namespace sim;

/// What one SINK got, and whether it answers.
struct sink_log {
  std::vector<std::shared_ptr<const std::string>> lines;
  std::size_t flushes = 0;
  bool waits = false;
};
using sink_log_ptr = std::shared_ptr<sink_log>;

class fake_sink final : public sink_handle::base {
 public:
  fake_sink(caf::actor_config& cfg, sink_log_ptr log)
      : sink_handle::base(cfg), log_(std::move(log)) {}
  behavior_type make_behavior() override {
    return {
        [this](const audit_line& m) {
          if (*m.text == "answer") return answer();
          log_->lines.push_back(m.text);
        },
        [this](flush_audit) -> caf::result<audit_flushed> {
          ++log_->flushes;
          if (!log_->waits) return audit_flushed{};
          promises_.push_back(make_response_promise<audit_flushed>());
          return promises_.back();
        },
    };
  }
  const char* name() const override { return "fake sink"; }

 private:
  /// A promise is its owner's to keep.
  void answer() {
    for (auto& p : std::exchange(promises_, {})) p.deliver(audit_flushed{});
  }

  sink_log_ptr log_;
  std::vector<caf::typed_response_promise<audit_flushed>> promises_;
};

struct audit_test : actor_test {
  std::vector<sink_log_ptr> logs{std::make_shared<sink_log>(), std::make_shared<sink_log>()};
  std::vector<sink_handle> sinks;
  metrics all;
  gate::audit_handle it;

  audit_test() {
    std::vector<outlet> outlets;
    for (const auto& log : logs) {
      sinks.push_back(make(log));
      const std::string_view type = outlets.empty() ? "stdout" : "webhook";
      outlets.push_back({sinks.back(), all.get(metric::audit_dropped, {type, "overflow"}),
                         outlets.empty() ? held_bounds{} : held_bounds{5, 100'000}});
    }
    it = system().spawn<audit_actor>(std::move(outlets));
  }
  ~audit_test() override {
    it = nullptr;
    sinks.clear();
    clear_stage();
  }

  sink_handle make(const sink_log_ptr& log) { return system().spawn<fake_sink>(log); }
  /// An event that can be told by its method.
  void tell_of(const std::string& method) {
    auto e = std::make_shared<audit::event>();
    e->method = method;
    tell(it, audit_record{e});
  }
  void answer(std::size_t sink) {
    tell(sinks[sink], audit_line{std::make_shared<const std::string>("answer")});
  }
  /// The methods of what this sink got.
  std::string got(std::size_t sink) const {
    std::string out;
    for (const auto& line : logs[sink]->lines) {
      EXPECT_TRUE(line->ends_with("}\n")) << *line;
      out += std::string(json::member(*line, "method")) + ' ';
    }
    return out;
  }
};

TEST_F(audit_test, every_sink_gets_every_line_in_order_and_the_same_one) {
  for (const auto* method : {"a", "b", "c"}) tell_of(method);
  EXPECT_EQ(got(0), R"("a" "b" "c" )");
  EXPECT_EQ(got(1), got(0));
  EXPECT_EQ(logs[0]->lines[0], logs[1]->lines[0]) << "written once";
}

TEST_F(audit_test, lines_for_one_that_crashed_are_held_for_its_successor) {
  tell_of("a");
  tell(it, replaced<sink_handle>{{}, 1});
  tell_of("b");
  tell_of("c");
  EXPECT_EQ(got(0), R"("a" "b" "c" )") << "the other one goes on";
  EXPECT_EQ(got(1), R"("a" )");
  tell(it, replaced<sink_handle>{make(logs[1]), 1});
  EXPECT_EQ(got(1), R"("a" "b" "c" )");
  tell_of("d");
  EXPECT_EQ(got(1), R"("a" "b" "c" "d" )");
}

TEST_F(audit_test, held_lines_are_bounded_and_what_is_dropped_is_counted) {
  tell(it, replaced<sink_handle>{{}, 0});
  hold(true);
  for (std::size_t i = 0; i < limits::audit_queue + 3; ++i) tell_of("a");
  hold(false);
  settle();
  EXPECT_NE(all.expose().find("gate_audit_dropped_total{reason=\"overflow\",sink=\"stdout\"} 3\n"),
            std::string::npos);
  tell(it, replaced<sink_handle>{make(logs[0]), 0});
  EXPECT_EQ(logs[0]->lines.size(), limits::audit_queue);
}

TEST_F(audit_test, lines_are_held_within_the_bounds_of_the_sink_that_they_are_for) {
  for (std::size_t i = 0; i < 2; ++i) tell(it, replaced<sink_handle>{{}, i});
  for (const auto* method : {"a", "b", "c", "d", "e", "f"}) tell_of(method);
  const auto text = all.expose();
  EXPECT_NE(text.find("gate_audit_dropped_total{reason=\"overflow\",sink=\"webhook\"} 1\n"),
            std::string::npos);
  for (std::size_t i = 0; i < 2; ++i) tell(it, replaced<sink_handle>{make(logs[i]), i});
  EXPECT_EQ(got(0), R"("a" "b" "c" "d" "e" "f" )");
  EXPECT_EQ(got(1), R"("b" "c" "d" "e" "f" )") << "the oldest made room";
}

TEST_F(audit_test, a_flush_is_answered_when_all_sinks_have_answered) {
  for (const auto& log : logs) log->waits = true;
  auto flushed = ask<audit_flushed>(it, flush_audit{});
  EXPECT_FALSE(flushed.done());
  answer(1);
  EXPECT_FALSE(flushed.done());
  answer(0);
  EXPECT_TRUE(flushed.value->has_value());
}

TEST_F(audit_test, a_sink_that_crashes_does_not_hold_a_flush_up) {
  logs[0]->waits = true;
  crash(sinks[1]);
  hold(true);
  auto flushed = ask<audit_flushed>(it, flush_audit{});
  hold(false);
  settle();
  EXPECT_FALSE(flushed.done()) << "the other one is waited for";
  answer(0);
  EXPECT_TRUE(flushed.value->has_value());
}

TEST_F(audit_test, nobody_is_waited_for_where_nobody_is) {
  for (std::size_t i = 0; i < 2; ++i) tell(it, replaced<sink_handle>{{}, i});
  EXPECT_TRUE(ask<audit_flushed>(it, flush_audit{}).value->has_value());
  EXPECT_EQ(logs[0]->flushes + logs[1]->flushes, 0U);
}

TEST_F(audit_test, a_flush_is_answered_behind_the_lines_before_it) {
  hold(true);
  tell_of("a");
  tell_of("b");
  auto flushed = ask<audit_flushed>(it, flush_audit{});
  while (logs[0]->flushes == 0) ASSERT_TRUE(step());
  EXPECT_EQ(logs[0]->lines.size(), 2U);
  settle();
  EXPECT_TRUE(flushed.done());
}

}  // namespace
}  // namespace gate::audits
