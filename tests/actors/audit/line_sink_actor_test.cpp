#include "actors/audit/line_sink_actor.hpp"

#include "protocol/limits.hpp"
#include "tests/support/actor_test.hpp"

namespace gate::audits {
namespace {

using namespace sim;

struct a_line_sink : actor_test {
  std::string out;
  std::size_t flushes = 0;
  std::function<void()> done;
  lost_lines lost;
  metrics all;

  sink_handle make(bool can_flush = true) {
    sink s{[this](std::string_view line) {
             out += line;
             return lost;
           },
           {}};
    if (can_flush)
      s.flush = [this](std::function<void()> f) {
        ++flushes;
        done = std::move(f);
      };
    return system().spawn<line_sink_actor>(
        std::move(s), labelled<audit_loss>(all, metric::audit_dropped, "stdout"));
  }
  bool counted(std::string_view why, std::string_view number) {
    const auto line = R"(gate_audit_dropped_total{reason=")" + std::string(why) +
                      R"(",sink="stdout"} )" + std::string(number) + '\n';
    return all.expose().find(line) != std::string::npos;
  }
};

TEST_F(a_line_sink, writes_lines_as_they_are) {
  const auto it = make();
  for (const auto* line : {"a\n", "b\n"})
    tell(it, audit_line{std::make_shared<const std::string>(line)});
  EXPECT_EQ(out, "a\nb\n");
  EXPECT_TRUE(counted("overflow", "0"));
  EXPECT_TRUE(counted("failed", "0"));
}

TEST_F(a_line_sink, counts_what_had_to_be_dropped) {
  const auto it = make();
  lost = {2, 1};
  for (int i = 0; i < 2; ++i) tell(it, audit_line{std::make_shared<const std::string>("a\n")});
  EXPECT_TRUE(counted("overflow", "4"));
  EXPECT_TRUE(counted("failed", "2"));
}

TEST_F(a_line_sink, answers_when_its_lines_have_left) {
  const auto it = make();
  const auto flushed = ask<audit_flushed>(it, flush_audit{});
  EXPECT_EQ(flushes, 1U);
  EXPECT_FALSE(flushed.done());
  done();
  settle();
  EXPECT_TRUE(flushed.done());
  EXPECT_TRUE(ask<audit_flushed>(make(false), flush_audit{}).done()) << "they have already";
}

TEST_F(a_line_sink, waits_so_long_and_no_longer) {
  const auto flushed = ask<audit_flushed>(make(), flush_audit{});
  advance(limits::lines_flush - std::chrono::milliseconds{1});
  EXPECT_FALSE(flushed.done());
  advance(std::chrono::milliseconds{1});
  EXPECT_TRUE(flushed.done());
}

TEST_F(a_line_sink, that_dies_answers_whoever_waits) {
  const auto it = make();
  const auto flushed = ask<audit_flushed>(it, flush_audit{});
  crash(it);
  EXPECT_TRUE(flushed.done());
}

}  // namespace
}  // namespace gate::audits
