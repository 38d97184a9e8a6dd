#include "actors/audit/webhook_sink_actor.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "simulations/world/fake_egress.hpp"
#include "tests/support/actor_test.hpp"
#include "transport/log.hpp"

namespace gate::audits {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct a_webhook : actor_test {
  a_webhook() {
    log_lines().clear();
    log::redirect([](std::string_view line) { log_lines().emplace_back(line); });
    (*net)["r"] = std::make_unique<fake_upstream>("r");
    answers(reply::http(204));
    auto to = std::make_shared<destination>();
    to->url = http::parse_url("https://r.test/events?key=hidden").value();
    webhook_parts parts{{to, std::make_shared<const std::string>("X-A: b\r\n")},
                        system().spawn<fake_egress>(net, std::size_t{0}),
                        [](std::span<std::uint8_t> out) {
                          for (auto& b : out) b = 0x80;
                        },
                        labelled<audit_loss>(all, metric::audit_dropped, "webhook")};
    it = system().spawn<webhook_sink_actor>(nullptr, std::move(parts));
  }
  ~a_webhook() override {
    it = nullptr;
    clear_stage();
    log::redirect(nullptr);
  }

  fake_upstream& receiver() { return *net->at("r"); }
  void answers(reply r) { receiver().always("not JSON-RPC", std::move(r)); }
  void put(const std::string& number) {
    tell(it, audit_line{std::make_shared<const std::string>(R"({"n":)" + number + "}\n")});
  }
  /// What each delivery brought.
  std::vector<std::string> deliveries() {
    std::vector<std::string> out;
    for (const auto& s : receiver().seen()) out.push_back(s->body);
    return out;
  }
  double lost(std::string_view why) {
    const auto key =
        R"(gate_audit_dropped_total{reason=")" + std::string(why) + R"(",sink="webhook"} )";
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
  sink_handle it;
};

using list = std::vector<std::string>;

TEST_F(a_webhook, delivers_what_came_together_as_one_array) {
  put("1");
  put("2");
  EXPECT_EQ(deliveries(), list{}) << "it waits for others";
  advance(limits::outbox_gather);
  EXPECT_EQ(deliveries(), list{R"([{"n":1},{"n":2}])"});
  const auto& s = receiver().seen().front();
  EXPECT_EQ(s->header("x-a"), "b");
  EXPECT_EQ(s->what->method, verb::post);
  put("3");
  advance(limits::outbox_gather);
  EXPECT_EQ(deliveries().back(), R"([{"n":3}])");
  EXPECT_EQ(lost("overflow"), 0);
  EXPECT_EQ(lost("failed"), 0);
  EXPECT_TRUE(log_lines().empty());
}

TEST_F(a_webhook, sends_a_hundred_at_once_and_one_delivery_after_the_other) {
  answers(reply{.after = 1s, .status = 200});
  for (int i = 0; i < 250; ++i) put(std::to_string(i));
  ASSERT_EQ(deliveries().size(), 1U);
  EXPECT_EQ(std::ranges::count(deliveries()[0], '{'), 100);
  advance(1s);
  EXPECT_EQ(deliveries().size(), 2U);
  advance(1s);
  EXPECT_EQ(std::ranges::count(deliveries().at(2), '{'), 50);
}

TEST_F(a_webhook, tries_four_times_and_says_so_once) {
  answers(reply::http(500));
  put("1");
  advance(limits::outbox_gather);
  for (const auto pause : {500ms, 1000ms, 2000ms}) advance(pause + 10ms);
  EXPECT_EQ(deliveries(), list(4, R"([{"n":1}])"));
  EXPECT_EQ(lost("failed"), 1);
  ASSERT_EQ(log_lines().size(), 1U);
  EXPECT_NE(log_lines()[0].find("HTTP 500"), std::string::npos) << log_lines()[0];
  EXPECT_EQ(log_lines()[0].find("hidden"), std::string::npos) << log_lines()[0];
  put("2");
  advance(limits::outbox_gather);
  EXPECT_EQ(log_lines().size(), 1U);
  answers(reply::http(200));
  advance(600ms);
  EXPECT_EQ(deliveries().back(), R"([{"n":2}])");
  ASSERT_EQ(log_lines().size(), 2U);
  EXPECT_NE(log_lines()[1].find("dropped=1"), std::string::npos) << log_lines()[1];
}

TEST_F(a_webhook, takes_no_answer_but_a_good_one_for_one) {
  for (auto bad : {reply::http(301), reply::http(404), reply::http(100),
                   reply::failure(fetch_end::redirected), reply::failure(fetch_end::broken),
                   reply::failure(fetch_end::connect_failed), reply{.events = {"{}"}}}) {
    const auto before = deliveries().size();
    answers(bad);
    put("1");
    advance(limits::outbox_gather);
    answers(reply::http(202));
    advance(1s);
    EXPECT_EQ(deliveries().size(), before + 2) << bad.status;
  }
  EXPECT_EQ(lost("failed"), 0);
}

TEST_F(a_webhook, gives_an_attempt_ten_seconds) {
  answers(reply::silence());
  put("1");
  advance(limits::outbox_gather);
  advance(limits::outbox_answer - 1ms);
  EXPECT_FALSE(receiver().seen().front()->abandoned);
  advance(1ms);
  EXPECT_TRUE(receiver().seen().front()->abandoned);
  answers(reply::http(200));
  advance(1s);
  EXPECT_EQ(deliveries().size(), 2U);
}

TEST_F(a_webhook, that_hangs_costs_no_more_than_its_bound) {
  answers(reply::silence());
  hold(true);
  for (std::size_t i = 0; i < limits::outbox_items + 7; ++i) put("1");
  hold(false);
  settle();
  EXPECT_EQ(lost("overflow"), 7);
}

TEST_F(a_webhook, leaves_at_the_end_what_it_can) {
  put("1");
  const auto flushed = ask<audit_flushed>(it, flush_audit{});
  EXPECT_EQ(deliveries(), list{R"([{"n":1}])"}) << "at once";
  EXPECT_TRUE(flushed.done());
  EXPECT_TRUE(ask<audit_flushed>(it, flush_audit{}).done()) << "there is nothing";
}

TEST_F(a_webhook, holds_up_the_end_for_three_seconds_at_most) {
  answers(reply::silence());
  put("1");
  put("2");
  const auto flushed = ask<audit_flushed>(it, flush_audit{});
  advance(limits::outbox_flush - 1ms);
  EXPECT_FALSE(flushed.done());
  advance(1ms);
  EXPECT_TRUE(flushed.done());
  EXPECT_EQ(lost("failed"), 2);
  EXPECT_TRUE(receiver().seen().front()->abandoned);
}

TEST_F(a_webhook, that_dies_counts_what_it_had_and_answers_whoever_waits) {
  answers(reply::silence());
  put("1");
  const auto flushed = ask<audit_flushed>(it, flush_audit{});
  crash(it);
  EXPECT_TRUE(flushed.done());
  EXPECT_EQ(lost("failed"), 1);
}

}  // namespace
}  // namespace gate::audits
