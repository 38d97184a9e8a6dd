#include "actors/audit/stdout_sink_actor.hpp"

#include "tests/support/actor_test.hpp"

namespace gate::audits {
namespace {

using namespace sim;

struct stdout_sink : actor_test {
  std::string out;
  std::size_t flushes = 0, lost = 0;
  metrics all;

  sink_actor make(bool can_flush = true) {
    sink s{[this](std::string_view line) {
             out += line;
             return lost;
           },
           {}};
    if (can_flush) s.flush = [this] { ++flushes; };
    return system().spawn<stdout_sink_actor>(std::move(s),
                                             all.get(metric::audit_dropped, {"stdout"}));
  }
  bool counted(std::string_view number) const {
    return const_cast<metrics&>(all).expose().find("gate_audit_dropped_total{sink=\"stdout\"} " +
                                                   std::string(number) + '\n') != std::string::npos;
  }
};

TEST_F(stdout_sink, writes_lines_as_they_are) {
  const auto it = make();
  for (const auto* line : {"a\n", "b\n"})
    tell(it, audit_line{std::make_shared<const std::string>(line)});
  EXPECT_EQ(out, "a\nb\n");
  EXPECT_TRUE(counted("0"));
}

TEST_F(stdout_sink, counts_what_had_to_be_dropped) {
  const auto it = make();
  lost = 2;
  for (int i = 0; i < 2; ++i) tell(it, audit_line{std::make_shared<const std::string>("a\n")});
  EXPECT_TRUE(counted("4"));
}

TEST_F(stdout_sink, answers_when_it_has_flushed) {
  EXPECT_TRUE(ask<audit_flushed>(make(), flush_audit{}).value->has_value());
  EXPECT_EQ(flushes, 1U);
  EXPECT_TRUE(ask<audit_flushed>(make(false), flush_audit{}).value->has_value());
}

}  // namespace
}  // namespace gate::audits
