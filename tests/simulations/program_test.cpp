// The program gate-sim: its commands, the options of `run`, and what it says.
#include <gtest/gtest.h>

#include "simulations/program/command.hpp"
#include "simulations/program/progress.hpp"
#include "simulations/program/run_options.hpp"
#include "tests/support/parsed_options.hpp"

namespace gate::sim_program {
namespace {

using testing::words;
using namespace std::chrono_literals;

run_options good(const words& args) {
  return testing::good_options<parse_run_options>(args);
}
std::string bad(const words& args) {
  return testing::bad_options<parse_run_options>(args);
}

TEST(run_options, are_read) {
  EXPECT_EQ(good({}).scenario(), "gateway");
  EXPECT_EQ(good({}).seeds, 1'000U);
  const auto o = good({"fleet", "--seeds", "5", "--from=9", "--jobs", "3", "--digest", "--shrink",
                       "--plant", "calls_twice", "--failures", "2", "--trace"});
  EXPECT_EQ(o.scenario(), "fleet");
  EXPECT_EQ(o.seeds, 5U);
  EXPECT_EQ(o.from, 9U);
  EXPECT_EQ(o.jobs, 3U);
  EXPECT_EQ(o.failures, 2U);
  EXPECT_TRUE(o.digest && o.shrink && o.trace);
  EXPECT_EQ(o.plant, "calls_twice");
}

TEST(run_options, say_what_is_wrong) {
  EXPECT_EQ(bad({"--seeds", "0"}), "--seeds: expected a number from 1 to 1000000000, found \"0\"");
  EXPECT_EQ(bad({"--sed", "1"}),
            "unknown option --sed; did you mean --seeds?; see gate-sim run --help");
  EXPECT_EQ(bad({"a", "b"}), "one scenario at a time: \"b\" is one too many");
}

TEST(run_options, help_names_all) {
  for (const auto* name : {"--seeds", "--from", "--jobs", "--failures", "--digest", "--shrink",
                           "--trace", "--plant", "--report", "--help"})
    EXPECT_NE(run_help().find(name), std::string::npos) << name;
}

TEST(commands, are_all_in_the_help_text) {
  for (const auto& c : commands())
    EXPECT_NE(program_help().find("\n  " + std::string(c.name) + ' '), std::string::npos) << c.name;
}

TEST(commands, each_has_help_of_its_own) {
  for (const auto& c : commands()) {
    const std::vector<const char*> help{"--help"}, wrong{"--no-such-option"};
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(c.run(help), exit_good) << c.name;
    EXPECT_NE(
        ::testing::internal::GetCapturedStdout().find("usage: gate-sim " + std::string(c.name)),
        std::string::npos)
        << c.name;
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(c.run(wrong), exit_unusable) << c.name;
    EXPECT_NE(::testing::internal::GetCapturedStderr().find("unknown option"), std::string::npos);
  }
}

std::string said_of(const words& args, int code) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_program(args), code);
  return ::testing::internal::GetCapturedStderr();
}

TEST(commands, one_that_there_is_not_names_those_that_there_are) {
  const auto all = said_of({"ran"}, exit_unusable);
  EXPECT_TRUE(all.starts_with("gate-sim: there is no command \"ran\"; did you mean run?")) << all;
  for (const auto& c : commands()) EXPECT_NE(all.find(c.name), std::string::npos) << c.name;
  EXPECT_TRUE(said_of({}, exit_unusable).starts_with("gate-sim: needs a command"));
}

TEST(commands, run_says_what_can_not_be_run) {
  EXPECT_TRUE(
      said_of({"run", "gatewey"}, exit_unusable)
          .starts_with("gate-sim: there is no scenario \"gatewey\"; did you mean gateway?"));
  EXPECT_NE(said_of({"run", "/nowhere/x.json"}, exit_unusable).find("/nowhere/x.json"),
            std::string::npos);
  EXPECT_TRUE(said_of({"run", "--plant", "nothing"}, exit_unusable)
                  .starts_with("gate-sim: stories of the kind gateway have no fault \"nothing\""));
}

// --- what is said --------------------------------------------------------------------------------

runs::run_summary half_way() {
  runs::run_summary s;
  s.stories = s.looked_at = 500;
  s.requests = 30'000;
  s.calls = 20'000;
  s.elapsed = 10s;
  s.faults = 1'000;
  s.cpu = 20s;
  s.took = 2h;
  return s;
}

TEST(progress, a_bar_fits_the_terminal) {
  EXPECT_EQ(
      progress_bar(half_way(), 1'000, 100),
      "[###############...............] 500/1,000 seeds, 50 seeds/s, 2,000 calls/s, 10 s left");
  for (const std::size_t columns : {0U, 10U, 40U, 60U, 80U})
    EXPECT_LE(progress_bar(half_way(), 1'000, columns).size(), columns);
  EXPECT_EQ(progress_line(half_way(), 1'000),
            "500 of 1,000 seeds, 50 seeds/s, 2,000 calls/s, 10 s left");
}

TEST(progress, nothing_yet_is_nothing_yet) {
  EXPECT_EQ(progress_line({}, 10), "0 of 10 seeds, 0 seeds/s, 0 calls/s");
}

TEST(summary, says_what_was_told_and_how_fast) {
  runs::run_plan p;
  p.seeds = 1'000;
  p.jobs = 2;
  EXPECT_EQ(summary_text(half_way(), p),
            "500 stories (seeds 1 to 500), 30,000 requests of clients with 20,000 calls, "
            "1,000 faults, "
            "2 h of virtual time\n"
            "10 s with 2 process(es); 1,500 requests and 1,000 calls a second and core\n"
            "Nobody complained.\n");
  auto s = half_way();
  s.interrupted = true;
  s.failures = 2;
  const auto text = summary_text(s, p);
  EXPECT_TRUE(text.starts_with("Interrupted; so far: 500 stories")) << text;
  EXPECT_TRUE(text.ends_with("2 violation(s).\n")) << text;
}

TEST(violation, names_the_command_that_repeats_it) {
  runs::verdict v;
  v.seed = 17;
  v.took = 1234ms;
  v.complaints = {"answers: x"};
  EXPECT_EQ(violation_text("gateway", "a b.json", v, "", 3),
            "VIOLATION in the story of seed 17 of a b.json, which took 1234 ms of virtual time:\n"
            "  answers: x\n"
            "    expected: every request ends exactly once, or its client is gone.\n"
            "Again:   gate-sim run 'a b.json' --from 17 --seeds 1 --trace\n"
            "Shorter: gate-sim run 'a b.json' --from 17 --seeds 1 --shrink\n");
}

TEST(violation, says_once_what_each_checker_expected) {
  EXPECT_EQ(
      seen_and_expected("shim", {"answers: a", "answers: b", "marks: c", "nobody: d"}),
      "  answers: a\n"
      "  answers: b\n"
      "    expected: every request ends exactly once, or its client is gone.\n"
      "  marks: c\n"
      "    expected: what belongs to a session is in the hands of its client and its child, of "
      "nobody else; and an answer is that of its own call.\n"
      "  nobody: d\n");
}

TEST(violation, of_all_stories_of_a_process_is_repeated_with_all_of_them) {
  runs::verdict v;
  v.seed = 17;
  v.took = 1234ms;
  v.complaints = {"memory: x"};
  EXPECT_EQ(violation_text("gateway", "gateway", v, "keeps_memory", 3),
            "VIOLATION in the story of seed 17 of gateway, which took 1234 ms of virtual time:\n"
            "  memory: x\n"
            "    expected: stories leave no memory behind.\n"
            "Again:   gate-sim run gateway --from 3 --seeds 15 --plant keeps_memory --jobs 1\n");
}

}  // namespace
}  // namespace gate::sim_program
