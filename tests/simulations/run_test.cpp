// Runs: stories in processes of their own, whichever tells which; what ends a process; digests.
#include "simulations/runs/run.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <regex>
#include <sstream>
#include <thread>

#include "simulations/runs/memory_watch.hpp"
#include "simulations/runs/regression.hpp"
#include "simulations/runs/scenario_file.hpp"
#include "simulations/runs/shorten.hpp"
#include "simulations/runs/workers.hpp"
#include "tests/support/generated.hpp"

#include <filesystem>

namespace gate::runs {
namespace {

verdict plain(std::uint64_t seed) {
  verdict v;
  v.seed = seed;
  v.calls = seed * 10;
  return v;
}

std::vector<verdict> told(std::size_t jobs, std::uint64_t count, const workers::teller& tell) {
  std::vector<verdict> out;
  workers all(jobs, tell);
  all.tell_all(5, count,
               {[&](const verdict& v) {
                  out.push_back(v);
                  return true;
                },
                [] { return true; }});
  return out;
}

TEST(verdict, comes_through_a_pipe_as_it_was) {
  verdict v = plain(7);
  v.complaints = {"a: one", std::string("b: \0 two", 8), ""};
  v.digest[31] = 9;
  v.cpu = std::chrono::microseconds(3);
  v.took = std::chrono::milliseconds(4);
  v.requests = 5;
  v.faults = 6;
  auto bytes = to_frame(v) + to_frame(plain(8));
  auto half = bytes.substr(0, 20);
  EXPECT_FALSE(take_frame(half));
  half = bytes.substr(0, to_frame(v).size() - 1);
  EXPECT_FALSE(take_frame(half));
  const auto one = take_frame(bytes), two = take_frame(bytes);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->complaints, v.complaints);
  EXPECT_EQ(one->digest, v.digest);
  EXPECT_EQ(one->cpu, v.cpu);
  EXPECT_EQ(one->took, v.took);
  EXPECT_EQ(one->requests, 5U);
  EXPECT_EQ(one->faults, 6U);
  EXPECT_EQ(two->seed, 8U);
  EXPECT_TRUE(bytes.empty());
}

TEST(workers, stories_are_taken_in_the_order_of_their_seeds) {
  for (const std::size_t jobs : {1U, 3U}) {
    const auto all = told(jobs, 300, plain);
    ASSERT_EQ(all.size(), 300U);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].seed, 5 + i);
      EXPECT_EQ(all[i].calls, 10 * (5 + i));
    }
  }
}

TEST(workers, a_story_that_ends_its_process_is_a_complaint) {
  const auto all = told(2, 20, [](std::uint64_t seed) {
    if (seed == 9) ::raise(SIGKILL);
    if (seed == 11) std::_Exit(3);
    return plain(seed);
  });
  ASSERT_EQ(all.size(), 20U);
  for (const auto& v : all) {
    if (v.seed == 9)
      EXPECT_EQ(v.complaints.at(0), "process: it was ended by signal 9 (Killed)");
    else if (v.seed == 11)
      EXPECT_EQ(v.complaints.at(0), "process: it ended with exit code 3");
    else
      EXPECT_TRUE(v.complaints.empty());
  }
}

TEST(workers, one_may_have_enough) {
  std::uint64_t taken = 0;
  workers all(2, plain);
  all.tell_all(0, 1'000, {[&](const verdict&) { return ++taken < 3; }, [] { return true; }});
  EXPECT_EQ(taken, 3U);
}

TEST(workers, a_story_can_be_told_apart) {
  EXPECT_EQ(tell_apart([]() -> verdict { std::_Exit(4); }).complaints.at(0),
            "process: it ended with exit code 4");
}

// --- shortening ----------------------------------------------------------------------------------

/// Fails if both of its two bad operations are in it; a third one makes another checker complain.
class letters final : public plot {
 public:
  explicit letters(std::string all) : all_(std::move(all)) {}
  std::uint64_t seed() const override { return 1; }
  std::size_t length() const override { return all_.size(); }
  std::string operation(std::size_t i) const override { return all_.substr(i, 1); }
  plot_ptr without(std::size_t from, std::size_t count) const override {
    return std::make_unique<letters>(std::string(all_).erase(from, count));
  }
  telling tell(detail) const override {
    telling t;
    if (all_.find('a') != all_.npos && all_.find('b') != all_.npos)
      t.complaints.emplace_back("first: a and b");
    else if (all_.find('a') != all_.npos)
      t.complaints.emplace_back("other: a alone");
    return t;
  }

 private:
  std::string all_;
};

TEST(shorten, only_what_the_complaint_needs_is_left) {
  const auto tell = [](const plot& p) { return p.tell(detail::none).complaints; };
  const auto left = shorten(std::make_unique<letters>("xxxxaxxxxxxxbxxxxxx"), tell);
  ASSERT_EQ(left->length(), 2U);
  EXPECT_EQ(left->operation(0) + left->operation(1), "ab");
}

/// Its complaint needs one of three conditions; without another one it needs fewer operations.
class conditions final : public plot {
 public:
  conditions(std::string operations, std::string all)
      : operations_(std::move(operations)), all_(std::move(all)) {}
  std::uint64_t seed() const override { return 1; }
  std::size_t length() const override { return operations_.size(); }
  std::string operation(std::size_t i) const override { return operations_.substr(i, 1); }
  plot_ptr without(std::size_t from, std::size_t count) const override {
    return std::make_unique<conditions>(std::string(operations_).erase(from, count), all_);
  }
  std::string setup() const override { return all_; }
  std::vector<plot_ptr> simpler() const override {
    std::vector<plot_ptr> out;
    for (std::size_t i = 0; i < all_.size(); ++i)
      out.push_back(std::make_unique<conditions>(operations_, std::string(all_).erase(i, 1)));
    return out;
  }
  telling tell(detail) const override {
    telling t;
    const auto least = all_.find('n') != all_.npos ? 5U : 2U;
    if (all_.find('k') != all_.npos && operations_.size() >= least)
      t.complaints.emplace_back("first: k");
    return t;
  }

 private:
  std::string operations_, all_;
};

TEST(shorten, conditions_are_as_simple_as_the_complaint_allows) {
  const auto tell = [](const plot& p) { return p.tell(detail::none).complaints; };
  const auto left = shorten(std::make_unique<conditions>("xxxxxxxx", "ankb"), tell);
  EXPECT_EQ(left->setup(), "k");
  EXPECT_EQ(left->length(), 2U);
}

/// What is planted here is found late in its story, or takes some of it.
struct to_shorten {
  std::string_view kind, plant;
};
constexpr to_shorten planted_stories[] = {{"gateway", "drops_answer"}, {"gateway", "failing_good"},
                                          {"gateway", "wrong_answer"}, {"gateway", "told_key"},
                                          {"gateway", "wide_limit"},   {"hooks", "misnotes"},
                                          {"hooks", "wrong_secret"},   {"hooks", "crowds"},
                                          {"shim", "crosses_marks"},   {"shim", "wide_ceiling"}};

class planted_story : public ::testing::TestWithParam<to_shorten> {};

/// The first story in which it is found is told again without what its complaint can do without.
TEST_P(planted_story, is_five_times_shorter_when_it_is_shortened) {
  const auto& k = *find_kind(GetParam().kind);
  const auto& p = *find_plant(k, GetParam().plant);
  const auto tell = [](const plot& s) { return s.tell(detail::none).complaints; };
  for (std::uint64_t seed = 1; seed < 1'000; ++seed) {
    auto story = k.make(seed, stories::tuning(k.settings()), p.name);
    if (!story ||
        !subject_of(tell(*story)).starts_with(p.complaint.substr(0, p.complaint.find(' '))))
      continue;
    const auto before = story->length();
    const auto left = shorten(std::move(story), tell);
    RecordProperty("operations", static_cast<int>(before));
    RecordProperty("left", static_cast<int>(left->length()));
    std::cout << p.name << ": " << before << " operations, then " << left->length() << " ("
              << left->setup() << ")\n";
    EXPECT_LE(left->length() * 5, before);
    return;
  }
  ADD_FAILURE() << "nobody complained";
}

INSTANTIATE_TEST_SUITE_P(all, planted_story, ::testing::ValuesIn(planted_stories),
                         [](const auto& info) {
                           return std::string(info.param.kind) + '_' +
                                  std::string(info.param.plant);
                         });

// --- whole runs ----------------------------------------------------------------------------------

run_plan plan_of(std::string_view scenario, std::uint64_t seeds, std::size_t jobs) {
  auto read = read_scenario(scenario_text(scenario));
  EXPECT_TRUE(read.problems.empty());
  run_plan p;
  p.of = read.file.of;
  p.how = read.file.how;
  p.seeds = seeds;
  p.jobs = jobs;
  return p;
}

run_summary run_quietly(const run_plan& p) {
  return run_stories(p, {[](const verdict& v) { ADD_FAILURE() << v.seed << v.complaints.at(0); },
                         [](const run_summary&) { return true; }});
}

TEST(run, its_digest_is_the_same_whoever_tells_what) {
  for (const auto* scenario : {"gateway", "fleet", "hooks", "shim"}) {
    auto p = plan_of(scenario, 6, 1);
    p.digest = true;
    const auto alone = run_quietly(p);
    p.jobs = 3;
    const auto shared = run_quietly(p);
    EXPECT_EQ(hex(alone.digest.value()), hex(shared.digest.value())) << scenario;
    EXPECT_EQ(alone.calls, shared.calls);
    p.from = 2;
    EXPECT_NE(hex(run_quietly(p).digest.value()), hex(alone.digest.value()));
  }
}

TEST(run, every_scenario_is_told) {
  for (const auto name : scenario_names()) {
    const std::uint64_t stories = name.starts_with("busy") ? 4 : 12;
    const auto s = run_quietly(plan_of(name, stories, 2));
    EXPECT_EQ(s.stories, stories) << name;
    EXPECT_GT(s.calls, 0U) << name;
    // To begin and to end costs the most, so a story has many calls; no reason for few faults.
    const auto full = name == "gateway" || name == "fleet" || name == "hooks";
    EXPECT_GE(s.calls, (full ? 100 : 1) * s.stories) << name;
    const auto of_fleets = name.find("fleet") != std::string_view::npos;
    EXPECT_GE((of_fleets ? 100 : 50) * s.faults, name == "calm" ? 0 : s.calls) << name;
    EXPECT_EQ(s.failures, 0U) << name;
  }
}

TEST(run, a_plant_is_found_and_nothing_else_is_a_violation) {
  auto p = plan_of("gateway", 1'000, 2);
  p.planted = "wide_limit";
  const auto s = run_quietly(p);
  EXPECT_TRUE(s.plant_found);
  ASSERT_TRUE(s.first);
  EXPECT_FALSE(s.first->complaints.empty());
  EXPECT_EQ(s.failures, 0U);
}

TEST(run, what_is_kept_of_each_story_is_found) {
  auto p = plan_of("gateway", 1'000, 1);
  p.planted = "keeps_memory";
  const auto s = run_quietly(p);
  EXPECT_TRUE(s.plant_found);
  ASSERT_TRUE(s.first);
  EXPECT_TRUE(is_of_all_stories(s.first->complaints)) << s.first->complaints.front();
  EXPECT_GT(s.stories, memory_watch::first_stories);
}

/// Every story of an even seed fails.
class halves final : public kind {
 public:
  std::string_view name() const override { return "halves"; }
  std::string_view about() const override { return "for this test"; }
  std::span<const stories::setting> settings() const override { return {}; }
  const std::vector<plant>& plants() const override { return none_; }
  plot_ptr make(std::uint64_t seed, const stories::tuning&, std::string_view) const override {
    return std::make_unique<letters>(seed % 2 == 0 ? "ab" : "x");
  }

 private:
  std::vector<plant> none_;
};

TEST(run, violations_are_told_of_until_there_are_enough) {
  const halves half;
  run_plan p;
  p.of = &half;
  p.seeds = 50;
  p.jobs = 2;
  p.most_failures = 2;
  std::string heard;
  const auto s = run_stories(
      p, {[&](const verdict& v) { heard += std::to_string(v.seed) + ' ' + v.complaints.at(0); },
          [](const run_summary&) { return true; }});
  EXPECT_EQ(heard, "2 first: a and b4 first: a and b");
  EXPECT_EQ(s.failures, 2U);
  EXPECT_EQ(s.looked_at, 4U);
  ASSERT_TRUE(s.first);
  EXPECT_EQ(s.first->seed, 2U);
}

/// Something of each story is kept, for ever.
class keepsakes final : public kind {
 public:
  std::string_view name() const override { return "keepsakes"; }
  std::string_view about() const override { return "for this test"; }
  std::span<const stories::setting> settings() const override { return {}; }
  const std::vector<plant>& plants() const override { return none_; }
  plot_ptr make(std::uint64_t, const stories::tuning&, std::string_view) const override {
    static std::vector<std::string> kept;
    kept.emplace_back(400'000, 'x');
    return std::make_unique<letters>("x");
  }

 private:
  std::vector<plant> none_;
};

TEST(run, a_process_that_grows_is_a_violation) {
  const keepsakes all;
  run_plan p;
  p.of = &all;
  p.seeds = 100;
  std::string heard;
  const auto s = run_stories(p, {[&](const verdict& v) { heard += v.complaints.at(0); },
                                 [](const run_summary&) { return true; }});
  EXPECT_EQ(s.failures, 1U);
  EXPECT_LT(s.looked_at, 60U);
  EXPECT_TRUE(heard.starts_with("memory: behind ")) << heard;
}

TEST(memory_watch, what_is_made_once_is_no_growth) {
  memory_watch w;
  for (std::size_t n = 1; n <= memory_watch::first_stories; ++n) EXPECT_FALSE(w.look(n * 100));
  const auto most = memory_watch::first_stories * 100 + memory_watch::spare_bytes;
  EXPECT_FALSE(w.look(most));
  EXPECT_TRUE(w.look(most + 1));
}

TEST(run, it_can_be_interrupted) {
  auto p = plan_of("calm", 1'000'000, 2);
  const auto s = run_stories(
      p, {[](const verdict&) {}, [](const run_summary& so_far) { return so_far.stories < 3; }});
  EXPECT_TRUE(s.interrupted);
  EXPECT_GE(s.stories, 3U);
}

// --- what failed once ----------------------------------------------------------------------------

bool has_line(const std::string& text, const std::string& pattern) {
  const std::regex like(pattern);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (std::regex_search(line, like)) return true;
  return false;
}

TEST(regressions, none_fails_again) {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_path("simulations/regressions"))) {
    const auto name = "simulations/regressions/" + entry.path().filename().string();
    const auto read = read_regression(testing::read_page(name));
    if (const auto* wrong = std::get_if<file_problem>(&read)) {
      ADD_FAILURE() << name << ": " << wrong->where << ' ' << wrong->what;
      continue;
    }
    const auto& r = std::get<regression>(read);
    run_plan p;
    p.of = r.file.of;
    p.how = r.file.how;
    p.from = r.seed;
    const auto s = run_stories(p, {[&](const verdict& v) {
                                     for (const auto& c : v.complaints)
                                       ADD_FAILURE() << name << ": " << c;
                                   },
                                   [](const run_summary&) { return true; }});
    EXPECT_EQ(s.stories, 1U) << name;
    // What it is kept for happens in it.
    const auto trace = p.of->make(r.seed, p.how, "")->tell(detail::events).trace;
    EXPECT_TRUE(has_line(trace, r.meets)) << name << ": nothing in this story is like " << r.meets;
    ++count;
  }
  EXPECT_GT(count, 0U);
}

TEST(regressions, files_that_can_not_be_used_say_where) {
  const auto wrong = [](std::string_view text) {
    const auto read = read_regression(text);
    const auto* p = std::get_if<file_problem>(&read);
    return p ? p->where + ' ' + p->what : std::string{};
  };
  EXPECT_EQ(wrong(R"({"scenario":"gateway","seed":1,"meets":""})"), "/about is missing");
  EXPECT_EQ(wrong(R"({"scenario":"gateway","seed":1,"about":""})"), "/meets is missing");
  EXPECT_EQ(wrong(R"({"settings":[]})"), "/settings must be an object");
  EXPECT_TRUE(wrong(R"({"scenario":"gateway","settings":{"percent":{"x":1}},"seed":1,"meets":"",)"
                    R"("about":""})")
                  .starts_with("/settings/percent/x is unknown"));
  EXPECT_TRUE(wrong(R"({"scenario":"gateway","settings":{"acts":7},"seed":1,"meets":"",)"
                    R"("about":""})")
                  .starts_with("/settings/acts must be an object"));
  EXPECT_EQ(wrong(R"({"scenario":"x","seed":1,"meets":"","about":""})"),
            "/scenario there is no scenario \"x\"");
  EXPECT_EQ(wrong(R"({"seed":-1})"), "/seed must be a whole number from 0");
  EXPECT_EQ(wrong(R"({"sed":1})"),
            "/sed is unknown; known are scenario, settings, seed, meets, about");
  EXPECT_EQ(wrong(R"({"scenario":"gateway","seed":1,"meets":"","about":""})"), "");
  const auto tuned = read_regression(
      R"({"scenario":"reload-storm","settings":{"percent":{"modern":100}},"seed":1,"meets":"",)"
      R"("about":""})");
  ASSERT_TRUE(std::holds_alternative<regression>(tuned));
  const auto& file = std::get<regression>(tuned).file;
  EXPECT_NE(file.of->make(1, file.how, "")->setup().find("new"), std::string::npos);
}

}  // namespace
}  // namespace gate::runs
