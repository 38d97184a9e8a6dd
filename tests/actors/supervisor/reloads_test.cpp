#include "actors/supervisor/reloads.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/validate.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::supervisor {
namespace {

using outcome = discovery_settled::outcome;

struct fake_reloads_door final : reloads_door {
  bool stops = false, loader = true;
  std::vector<std::uint64_t> asked;  ///< numbers that LOADER was given
  std::vector<std::string> texts;
  std::vector<snapshot_ptr> taken;
  std::vector<discovery_settled> settled;

  bool stopping() const override { return stops; }
  bool has_loader() const override { return loader; }
  void load(std::variant<load_document, load_discovered> what) override {
    if (auto* m = std::get_if<load_discovered>(&what)) {
      asked.push_back(m->number);
      texts.push_back("discovered " + m->text);
    } else {
      const auto& d = std::get<load_document>(what);
      asked.push_back(d.number);
      texts.push_back(d.text.value_or("the source"));
    }
  }
  void take_over(snapshot_ptr next) override { taken.push_back(std::move(next)); }
  std::uint64_t generation() const override { return 40 + taken.size(); }
  void settle(discovery_settled what) override { settled.push_back(std::move(what)); }
};

std::size_t log_lines = 0;

struct reloading : ::testing::Test {
  fake_reloads_door door;
  metrics counted;
  reloads it{door, counted};
  std::vector<reloaded> answers;
  const snapshot_ptr good = config::compile(config::load(R"({"upstreams":[]})").doc);

  reloading() {
    log_lines = 0;
    log::redirect([](std::string_view) { ++log_lines; });
  }
  ~reloading() override { log::redirect(nullptr); }

  void wish(std::string text = "{}") {
    it.by_program({std::move(text)}, [this](reloaded r) { answers.push_back(std::move(r)); });
  }
  /// Applied, rejected, error; then whether what runs is not what was read last.
  std::vector<double> counts() {
    const labelled<reload_outcome> by(counted, metric::config_reloads);
    return {by[reload_outcome::applied].now(), by[reload_outcome::rejected].now(),
            by[reload_outcome::error].now(), counted.now(metric::config_outdated, {})};
  }
  std::string problem(std::size_t i) const { return answers.at(i).problems.at(0).what; }
};

TEST_F(reloading, a_program_is_answered_when_its_document_runs) {
  wish("a document");
  EXPECT_EQ(door.texts, std::vector<std::string>{"a document"});
  EXPECT_TRUE(answers.empty());
  it.on_loaded({door.asked[0], good, {}, true});
  EXPECT_EQ(door.taken, std::vector{good});
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].generation, 41U);
  EXPECT_TRUE(answers[0].problems.empty());
  it.on_loaded({door.asked[0], good, {}, true});
  EXPECT_EQ(door.taken.size(), 1U) << "nobody waits for that any more";
}

TEST_F(reloading, what_is_wrong_with_it_is_said_and_logged) {
  wish();
  it.on_loaded({door.asked[0], nullptr, {{"/x", "one"}, {"/y", "two"}}, true});
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].generation, 40U);
  EXPECT_EQ(answers[0].problems.size(), 2U);
  EXPECT_EQ(log_lines, 2U);
  EXPECT_TRUE(door.taken.empty());
}

TEST_F(reloading, of_signals_one_is_worked_on_and_one_waits) {
  for (int i = 0; i < 5; ++i) it.by_signal();
  EXPECT_EQ(door.texts, (std::vector<std::string>{"the source", "the source"}));
  it.on_loaded({door.asked[0], good, {}, true});
  it.by_signal();
  EXPECT_EQ(door.asked.size(), 3U);
}

TEST_F(reloading, only_so_many_wait) {
  for (std::size_t i = 0; i < limits::reloads; ++i) wish();
  EXPECT_TRUE(answers.empty());
  wish();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(problem(0), "too many reloads wait: try again");
  EXPECT_EQ(it.waiting(), limits::reloads);
}

TEST_F(reloading, nothing_is_judged_while_it_stops_or_without_loader) {
  door.stops = true;
  wish();
  door.stops = false;
  door.loader = false;
  wish();
  EXPECT_TRUE(door.asked.empty());
  EXPECT_EQ(problem(0), "the gateway is stopping");
  EXPECT_EQ(problem(1), "the gateway can not judge documents at the moment: try again");
}

TEST_F(reloading, what_became_of_the_operators_documents_is_counted) {
  EXPECT_NE(counted.expose().find("gate_config_reloads_total{outcome=\"rejected\"} 0"),
            std::string::npos)
      << "from the start";
  EXPECT_EQ(counts(), (std::vector<double>{0, 0, 0, 0}));
  it.by_signal();
  it.on_loaded({door.asked.back(), nullptr, {{"/x", "one"}, {"/y", "two"}}, true});
  EXPECT_EQ(counts(), (std::vector<double>{0, 1, 0, 1})) << "once, whatever is wrong with it";
  it.by_signal();
  it.on_loaded({door.asked.back(), good, {}, true});
  EXPECT_EQ(counts(), (std::vector<double>{1, 1, 0, 0}));
  wish();
  it.loader_lost();
  EXPECT_EQ(counts(), (std::vector<double>{1, 1, 1, 1})) << "it was not applied";
  wish();
  it.on_loaded({door.asked.back(), good, {}, true});
  it.by_discovery({5, "text"});
  it.on_loaded({door.asked.back(), nullptr, {{"/x", "one"}}, true});
  it.by_discovery({6, "text"});
  it.on_loaded({door.asked.back(), good, {}, true});
  EXPECT_EQ(counts(), (std::vector<double>{2, 1, 1, 0})) << "of discovery DISCOVERY counts";
}

TEST_F(reloading, what_was_wanted_last_says_whether_an_earlier_one_runs) {
  for (std::size_t i = 0; i < limits::reloads + 1; ++i) wish();
  EXPECT_EQ(counts().back(), 1) << "the last was refused at once";
  it.on_loaded({door.asked.front(), good, {}, true});
  EXPECT_EQ(counts().back(), 1) << "an earlier one is not the last";
  wish();
  it.on_loaded({door.asked.back(), good, {}, true});
  EXPECT_EQ(counts().back(), 0);
}

TEST_F(reloading, what_is_judged_too_late_is_not_taken_over) {
  wish();
  it.by_discovery({5, "text"});
  door.stops = true;
  for (const auto number : door.asked) it.on_loaded({number, good, {}, true});
  EXPECT_TRUE(door.taken.empty());
  EXPECT_EQ(problem(0), "the gateway is stopping");
  EXPECT_EQ(door.settled.at(0).what, outcome::unjudged) << "which is not the document's fault";
}

TEST_F(reloading, discovery_hears_what_came_of_its_document) {
  for (std::uint64_t n : {11, 12, 13}) it.by_discovery({n, "text"});
  EXPECT_EQ(door.texts.at(0), "discovered text");
  it.on_loaded({door.asked[0], good, {}, true});
  it.on_loaded({door.asked[1], nullptr, {{"/x", "wrong"}}, true});
  it.on_loaded({door.asked[2], nullptr, {{"", "nobody looked"}}, false});
  ASSERT_EQ(door.settled.size(), 3U);
  EXPECT_EQ(door.settled[0].number, 11U);
  EXPECT_EQ(door.settled[0].what, outcome::applied);
  EXPECT_EQ(door.settled[1].what, outcome::refused);
  EXPECT_EQ(door.settled[2].what, outcome::unjudged);
  EXPECT_EQ(log_lines, 0U) << "DISCOVERY says it in its own words";
}

TEST_F(reloading, a_loader_that_crashed_has_refused_what_it_had) {
  wish();
  it.by_signal();
  it.by_discovery({9, "text"});
  it.loader_lost();
  EXPECT_EQ(problem(0), "the gateway failed to judge the document");
  EXPECT_EQ(log_lines, 2U);
  EXPECT_EQ(door.settled.at(0).what, outcome::unjudged);
  EXPECT_EQ(it.waiting(), 0U);
  it.on_loaded({door.asked[0], good, {}, true});
  EXPECT_TRUE(door.taken.empty());
}

TEST_F(reloading, whoever_waits_at_the_end_is_forgotten) {
  wish();
  it.clear();
  it.on_loaded({door.asked[0], good, {}, true});
  EXPECT_TRUE(answers.empty());
}

}  // namespace
}  // namespace gate::supervisor
