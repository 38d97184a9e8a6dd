#include "actors/supervisor/upstream_series.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "config/validate.hpp"

namespace gate::supervisor {
namespace {

/// Upstreams that come and go, as a reload has them.
struct series_test : ::testing::Test {
  std::shared_ptr<metrics> all = std::make_shared<metrics>();
  upstream_series it{all, 2};
  config::compiler compiler;
  config::snapshot_ptr now;

  config::snapshot_ptr compiled(const std::string& upstreams) {
    auto parsed = config::load(R"({"upstreams":[)" + upstreams + "]}");
    for (const auto& p : parsed.problems) ADD_FAILURE() << config::to_line(p);
    return compiler.compile(std::move(parsed.doc));
  }
  void hold(const std::string& upstreams) {
    const auto before = std::exchange(now, compiled(upstreams));
    if (before) it.forget(*before, *now);
  }
  static std::string one(const std::string& id, const std::string& url = "http://x.test/mcp") {
    return R"({"id":")" + id + R"(","namespace":")" + id + R"(","url":")" + url + R"("})";
  }
  void count(const std::string& id) {
    all->get(metric::upstream_breaker_state, {id}).set(0);
    for (const auto kind : upstream_session_kinds)
      all->get(metric::upstream_sessions, {id, kind}).set(1);
    all->get(metric::upstream_requests, {id, "ok"}).add(1);
    all->get(metric::breaker_transitions, {id, "half-open"}).add(1);
  }
  /// Is there a sample of this family about this upstream?
  bool has(const std::string& family, const std::string& id) const {
    std::istringstream in(all->expose());
    for (std::string line; std::getline(in, line);)
      if (line.starts_with(family + '{') && line.find("upstream=\"" + id + '"') != line.npos)
        return true;
    return false;
  }
  bool has_gauge(const std::string& id) const {
    const bool out = has("gate_upstream_breaker_state", id);
    EXPECT_EQ(has("gate_upstream_sessions", id), out) << id;
    return out;
  }
  bool has_counter(const std::string& id) const {
    const bool out = has("gate_upstream_requests_total", id);
    EXPECT_EQ(has("gate_upstream_breaker_transitions_total", id), out) << id;
    return out;
  }
};

TEST_F(series_test, gauges_go_at_once_and_counters_when_too_many_have_gone) {
  hold(one("a") + "," + one("b") + "," + one("c") + "," + one("d"));
  for (const auto* id : {"a", "b", "c", "d"}) count(id);
  hold(one("b") + "," + one("c") + "," + one("d"));
  EXPECT_FALSE(has_gauge("a"));
  EXPECT_TRUE(has_counter("a"));
  EXPECT_TRUE(has_gauge("b"));
  hold(one("c") + "," + one("d"));
  hold(one("d"));
  EXPECT_FALSE(has_counter("a")) << "the first one to leave";
  EXPECT_TRUE(has_counter("b"));
}

TEST_F(series_test, one_that_comes_back_is_not_forgotten) {
  hold(one("a") + "," + one("b") + "," + one("c"));
  for (const auto* id : {"a", "b", "c"}) count(id);
  hold(one("b") + "," + one("c"));
  it.back("a");
  hold(one("a") + "," + one("c"));
  hold(one("a"));
  EXPECT_TRUE(has_counter("a"));
  EXPECT_TRUE(has_counter("b"));
  EXPECT_TRUE(has_counter("c"));
}

TEST_F(series_test, a_successor_of_the_same_name_goes_on_with_them) {
  hold(one("a"));
  count("a");
  hold(one("a", "http://y.test/mcp"));
  EXPECT_TRUE(has_gauge("a"));
  EXPECT_TRUE(has_counter("a"));
}

}  // namespace
}  // namespace gate::supervisor
