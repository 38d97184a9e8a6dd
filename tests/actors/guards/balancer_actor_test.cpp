#include "actors/guards/balancer_actor.hpp"

#include <algorithm>

#include "config/validate.hpp"
#include "tests/support/actor_test.hpp"
#include "transport/log.hpp"

namespace gate::guards {
namespace {

using namespace std::chrono_literals;

std::vector<std::string>& lines() {
  static std::vector<std::string> all;
  return all;
}

struct heard_of {
  std::vector<std::size_t> picked;
  std::vector<probe_endpoint> probes;
  std::vector<std::vector<bool>> told;
};
using hearer = endpoint_user::extend_with<endpoint_probes>::extend_with<endpoints_listener>;

class balancer_stage : public sim::actor_test {
 protected:
  balancer_stage() {
    lines().clear();
    log::redirect([](std::string_view line) { lines().emplace_back(line); });
  }
  ~balancer_stage() override {
    it_ = nullptr;
    clear_stage();
    log::redirect(nullptr);
  }
  void start(const std::string& upstream) {
    auto parsed = gate::config::load(R"({"upstreams":[)" + upstream + "]}");
    for (const auto& p : parsed.problems) ADD_FAILURE() << gate::config::to_line(p);
    const auto u = gate::config::compile(std::move(parsed.doc))->upstreams.at(0);
    it_ = system().spawn<balancer_actor>(make_balancer_parts(u, metrics_));
    settle();
  }
  hearer listener() {
    return system().spawn([log = log_](hearer::pointer) -> hearer::behavior_type {
      return {[log](const endpoint_picked& m) { log->picked.push_back(m.endpoint); },
              [log](const probe_endpoint& m) { log->probes.push_back(m); },
              [log](const endpoints_told& m) { log->told.push_back(m.healthy); }};
    });
  }
  double healthy(std::string_view endpoint) {
    const auto text = metrics_.expose();
    const auto sample = "\ngate_upstream_endpoint_healthy{endpoint=\"" + std::string(endpoint) +
                        "\",upstream=\"a\"} ";
    const auto at = text.find(sample);
    return at == text.npos ? -1 : std::strtod(text.c_str() + at + sample.size(), nullptr);
  }
  /// Answers the probes that were asked for since the last time.
  void answer(bool connected) {
    for (auto probes = std::exchange(log_->probes, {}); const auto& p : probes)
      tell(it_, endpoint_probed{p.round, p.endpoint, connected, connected ? "" : "connect failed"});
  }
  std::size_t logged(std::string_view part) {
    return static_cast<std::size_t>(std::ranges::count_if(
        lines(), [&](const std::string& line) { return line.find(part) != line.npos; }));
  }

  gate::metrics metrics_;
  std::shared_ptr<heard_of> log_ = std::make_shared<heard_of>();
  gate::balancer_handle it_;
};

const std::string passive = R"({"id":"a","urls":["http://x.test/mcp","http://y.test/mcp"]})";
const std::string active = R"({"id":"a","urls":["http://x.test/mcp","http://y.test/mcp"],
                               "healthCheck":{"intervalMs":10000}})";

TEST_F(balancer_stage, that_ends_leaves_nothing_at_those_who_listen) {
  const auto who = caf::actor_cast<endpoints_listener>(listener());
  const auto references_after = [&](bool listened_to) {
    start(R"({"id":"a","urls":["http://a.test/mcp","http://b.test/mcp"]})");
    if (listened_to) tell(it_, listen_to_endpoints{who});
    const caf::weak_actor_ptr left(caf::actor_cast<caf::strong_actor_ptr>(it_).get());
    crash(it_);
    it_ = nullptr;
    EXPECT_EQ(left.get()->strong_refs.load(), 0U);
    return left.get()->weak_refs.load();
  };
  EXPECT_EQ(references_after(true), references_after(false));
}

TEST_F(balancer_stage, picks_ejects_and_restores) {
  start(passive);
  const auto me = listener();
  tell(it_, listen_to_endpoints{me});
  EXPECT_EQ(log_->told.size(), 1U);
  EXPECT_EQ(healthy("http://x.test:80/mcp"), 1);
  tell(it_, endpoint_failed{0});
  tell(it_, endpoint_failed{0});
  tell(it_, endpoint_failed{17});
  EXPECT_EQ(healthy("http://x.test:80/mcp"), 0);
  EXPECT_EQ(healthy("http://y.test:80/mcp"), 1);
  ASSERT_EQ(log_->told.size(), 2U) << "told once";
  EXPECT_EQ(log_->told[1], (std::vector<bool>{false, true}));
  EXPECT_EQ(logged("is ejected"), 1U);
  tell(it_, pick_endpoint{1, {}, me});
  tell(it_, pick_endpoint{2, {}, me});
  tell(it_, pick_endpoint{3, {1}, me});
  EXPECT_EQ(log_->picked, (std::vector<std::size_t>{1, 1, 0}));
  advance(30s);
  ASSERT_EQ(log_->told.size(), 3U) << "without being asked";
  EXPECT_EQ(healthy("http://x.test:80/mcp"), 1);
  EXPECT_EQ(logged("is in rotation again"), 1U);
}

TEST_F(balancer_stage, one_that_listens_no_longer_is_forgotten) {
  start(passive);
  const auto me = listener();
  tell(it_, listen_to_endpoints{me});
  crash(me);
  tell(it_, endpoint_failed{0});
  EXPECT_EQ(log_->told.size(), 1U);
}

TEST_F(balancer_stage, probes_at_the_start_and_at_each_interval) {
  start(active);
  advance(60s);
  EXPECT_TRUE(log_->probes.empty()) << "nobody is there to do it";
  tell(it_, probe_with{listener()});
  ASSERT_EQ(log_->probes.size(), 2U);
  answer(true);
  advance(10s);
  EXPECT_EQ(log_->probes.size(), 2U);
  EXPECT_TRUE(log_->told.empty());
  EXPECT_TRUE(lines().empty());
}

TEST_F(balancer_stage, probes_one_endpoint_once_at_a_time) {
  start(active);
  tell(it_, probe_with{listener()});
  const auto first = log_->probes;
  tell(it_, endpoint_probed{first.at(1).round, 1, true, {}});
  advance(10s);
  ASSERT_EQ(log_->probes.size(), 3U);
  EXPECT_EQ(log_->probes[2].endpoint, 1U);
  advance(30s);
  EXPECT_EQ(log_->probes.size(), 3U);
}

TEST_F(balancer_stage, probes_eject_and_restore) {
  start(active);
  const auto me = listener();
  tell(it_, listen_to_endpoints{me});
  tell(it_, probe_with{me});
  answer(false);
  EXPECT_EQ(log_->told.back(), (std::vector<bool>{false, false}));
  for (int n = 0; n < 5; ++n) {
    advance(10s);
    answer(false);
  }
  EXPECT_EQ(logged("is ejected"), 2U) << "once each: the rest begins anew with every failed probe";
  EXPECT_EQ(logged("a probe failed: connect failed"), 2U);
  EXPECT_EQ(healthy("http://y.test:80/mcp"), 0);
  advance(10s);
  answer(true);
  EXPECT_EQ(log_->told.back(), (std::vector<bool>{true, true}));
  EXPECT_EQ(healthy("http://y.test:80/mcp"), 1);
  EXPECT_EQ(logged("is in rotation again"), 2U);
}

TEST_F(balancer_stage, a_probe_that_hangs_is_waited_for) {
  start(active);
  const auto me = listener();
  tell(it_, probe_with{me});
  answer(false);
  advance(10s);
  EXPECT_EQ(log_->probes.size(), 2U);
  advance(60s);  // as long as they may take
  EXPECT_EQ(logged("is in rotation again"), 0U) << "no client finds out before the probe";
  answer(false);
  tell(it_, probe_with{});
  advance(80s);
  EXPECT_EQ(logged("is in rotation again"), 2U) << "nobody stays out when the probes stop";
}

TEST_F(balancer_stage, goes_on_with_another_upstream) {
  start(active);
  tell(it_, probe_with{listener()});
  const auto old = std::exchange(log_->probes, {});
  tell(it_, probe_with{});
  advance(20s);
  EXPECT_TRUE(log_->probes.empty());
  tell(it_, probe_with{listener()});
  EXPECT_EQ(log_->probes.size(), 2U) << "those of the old one will not be answered";
  tell(it_, endpoint_probed{old.at(0).round, 0, false, "late"});
  EXPECT_EQ(logged("is ejected"), 0U);
  answer(true);
  advance(10s);
  EXPECT_EQ(log_->probes.size(), 2U) << "one interval, whoever came and went";
}

TEST_F(balancer_stage, does_not_probe_on_behalf_of_callers) {
  auto parsed = gate::config::load(R"({"upstreams":[)" + active + "]}");
  auto u = gate::config::compile(std::move(parsed.doc))->upstreams.at(0);
  u.per_caller = true;
  it_ = system().spawn<balancer_actor>(make_balancer_parts(u, metrics_));
  tell(it_, probe_with{listener()});
  advance(60s);
  EXPECT_TRUE(log_->probes.empty());
}

TEST_F(balancer_stage, a_single_endpoint_has_no_series) {
  start(R"({"id":"a","url":"http://x.test/mcp","healthCheck":{"intervalMs":10000}})");
  const auto me = listener();
  tell(it_, probe_with{me});
  answer(false);
  EXPECT_EQ(healthy("http://x.test:80/mcp"), -1);
  EXPECT_EQ(logged("is ejected"), 1U);
  tell(it_, pick_endpoint{1, {}, me});
  EXPECT_EQ(log_->picked, (std::vector<std::size_t>{0})) << "it is tried all the same";
}

}  // namespace
}  // namespace gate::guards
