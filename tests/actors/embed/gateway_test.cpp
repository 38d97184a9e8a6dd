// The gateway as an embedding program sees it: real threads, real ports.
#include "gate/gateway.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <csignal>
#include <future>
#include <stdexcept>
#include <thread>

#include "protocol/limits.hpp"
#include "transport/log.hpp"
#include "transport/runtime.hpp"

namespace {

using gate::gateway;
using std::chrono::seconds;

constexpr std::string_view one = R"({"upstreams": [{"id": "a", "url": "http://127.0.0.1:1/mcp"}]})";
constexpr std::string_view two = R"({"upstreams": [
  {"id": "a", "url": "http://127.0.0.1:1/mcp", "namespace": "a"},
  {"id": "b", "url": "http://127.0.0.1:1/mcp", "namespace": "b"}]})";
constexpr std::string_view bad = R"({"upstreams": [{"id": "a", "url": "nowhere"}]})";
constexpr std::string_view audited = R"({
  "upstreams": [{"id": "a", "url": "http://127.0.0.1:1/mcp"}],
  "audit": {"sinks": [{"type": "stdout"}]}})";

gateway::options options() {
  gateway::options o;
  o.port = 0;
  // What the gateway says goes nowhere; the log is the process's, and other tests want it as it is.
  o.log = {gateway::log::level::info, gateway::log::format::text};
  gate::log::redirect([](std::string_view) {});
  return o;
}

gateway start(std::string_view document = one, const gateway::options& o = options()) {
  auto started = gateway::start(document, o);
  if (const auto* wrong = std::get_if<gateway::problems>(&started))
    throw std::runtime_error(wrong->front().what);
  return std::move(std::get<gateway>(started));
}

gateway::problems problems_of(std::string_view document, const gateway::options& o = options()) {
  auto started = gateway::start(document, o);
  const auto* wrong = std::get_if<gateway::problems>(&started);
  return wrong ? *wrong : gateway::problems{};
}

/// It answers; what, is not the question.
bool answers(const gateway& g, const std::string& target = "/metrics") {
  return gate::http_answers("127.0.0.1", g.port(), target);
}

TEST(embedded_gateway, starts_serves_and_stops) {
  auto g = start();
  EXPECT_NE(g.port(), 0);
  EXPECT_TRUE(g.running());
  EXPECT_FALSE(g.wait_for(std::chrono::milliseconds{0}));
  EXPECT_TRUE(answers(g));
  g.stop();
  g.stop();
  g.wait();
  g.wait();
  EXPECT_FALSE(g.running());
  EXPECT_FALSE(answers(g));
  EXPECT_EQ(gateway::version(), GATE_VERSION);
}

TEST(embedded_gateway, tells_all_that_is_wrong) {
  const auto wrong = problems_of(R"({"upstreams": [{"id": "a", "url": "nowhere"}], "servr": 1})");
  ASSERT_EQ(wrong.size(), 2U);
  std::string pointers;
  for (const auto& p : wrong) {
    pointers += p.pointer + " ";
    EXPECT_FALSE(p.what.empty());
  }
  EXPECT_NE(pointers.find("/upstreams/0/url "), std::string::npos) << pointers;
  EXPECT_NE(pointers.find("/servr "), std::string::npos) << pointers;
  EXPECT_EQ(problems_of("{").size(), 1U);
  EXPECT_EQ(problems_of("").size(), 1U);
  EXPECT_EQ(problems_of(std::string(gate::limits::document_bytes + 1, ' ')).front().what,
            "the document is larger than 16 MiB");
}

TEST(embedded_gateway, options_can_be_wrong_too) {
  auto o = options();
  o.threads = 0;
  EXPECT_EQ(problems_of(one, o).front().what, "threads: expected 1 to 64");
  o.threads = 65;
  EXPECT_EQ(problems_of(one, o).size(), 1U);
  o = options();
  o.host = "";
  EXPECT_EQ(problems_of(one, o).front().what, "host: expected an address, found nothing");
  const auto g = start();
  o = options();
  o.port = g.port();
  EXPECT_NE(problems_of(one, o).front().what.find("can not listen on"), std::string::npos);
  EXPECT_TRUE(answers(g));
}

TEST(embedded_gateway, takes_another_document_over_or_refuses_it) {
  auto g = start();
  EXPECT_EQ(g.reload(two), gateway::problems{});
  const auto wrong = g.reload(bad);
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_EQ(wrong.front().pointer, "/upstreams/0/url");
  EXPECT_TRUE(answers(g));
  EXPECT_EQ(g.reload(one), gateway::problems{});
}

TEST(embedded_gateway, asks_the_source_again) {
  std::atomic<int> asked = 0;
  auto o = options();
  o.reread = [&asked]() -> std::string {
    if (++asked == 2) throw std::runtime_error("the source is away");
    return std::string(asked == 1 ? two : bad);
  };
  auto g = start(one, o);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(g.reload_from_source(), gateway::problems{});
  auto wrong = g.reload_from_source();
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_NE(wrong.front().what.find("the source is away"), std::string::npos);
  EXPECT_EQ(g.reload_from_source().front().pointer, "/upstreams/0/url");
  auto without = start();
  EXPECT_EQ(without.reload_from_source().size(), 1U);
}

TEST(embedded_gateway, its_callbacks_can_not_wait_for_it) {
  gateway* self = nullptr;
  gateway::problems inner;
  auto o = options();
  o.reread = [&] {
    inner = self->reload(one);
    return std::string(two);
  };
  auto g = start(one, o);
  self = &g;
  EXPECT_EQ(g.reload_from_source(), gateway::problems{});
  EXPECT_EQ(inner.size(), 1U);
}

TEST(embedded_gateway, reloads_from_many_threads) {
  auto g = start();
  std::atomic<int> refused = 0;
  std::vector<std::thread> users;
  for (int i = 0; i < 8; ++i)
    users.emplace_back([&g, &refused, i] {
      for (int n = 0; n < 10; ++n)
        refused += !g.reload(i % 4 == 3 ? bad : n % 2 == 0 ? two : one).empty();
    });
  for (auto& u : users) u.join();
  EXPECT_EQ(refused, 20);
  EXPECT_TRUE(answers(g));
}

TEST(embedded_gateway, a_reload_does_not_outlive_it) {
  auto g = start();
  std::vector<std::thread> users;
  for (int i = 0; i < 4; ++i)
    users.emplace_back([&g] {
      while (g.reload(two).empty()) {
      }
    });
  g.stop();
  g.wait();
  for (auto& u : users) u.join();
  EXPECT_EQ(g.reload(two).size(), 1U);
}

TEST(embedded_gateway, two_live_side_by_side) {
  auto first = start(one);
  auto o = options();
  o.threads = 2;
  auto second = start(two, o);
  EXPECT_NE(first.port(), second.port());
  EXPECT_TRUE(answers(first));
  EXPECT_TRUE(answers(second));
  EXPECT_EQ(first.reload(two), gateway::problems{});
  first.stop();
  first.wait();
  EXPECT_TRUE(second.running());
  EXPECT_TRUE(answers(second));
  EXPECT_EQ(second.reload(one), gateway::problems{});
  first = start();
  EXPECT_TRUE(answers(first));
}

TEST(embedded_gateway, moves) {
  auto a = start();
  const auto port = a.port();
  auto b = std::move(a);
  EXPECT_EQ(b.port(), port);
  b = start();
  EXPECT_NE(b.port(), port) << "its own had not been let go of yet";
  EXPECT_FALSE(gate::http_answers("127.0.0.1", port, "/metrics"));
}

TEST(embedded_gateway, tells_its_audit_lines) {
  std::promise<std::string> told;
  std::atomic<int> lines = 0;
  auto o = options();
  o.audit = [&](std::string_view line) {
    if (++lines == 1) told.set_value(std::string(line));
    throw std::runtime_error("harmless");
  };
  auto g = start(audited, o);
  EXPECT_TRUE(answers(g, "/mcp"));  // without a session: refused
  auto line = told.get_future();
  ASSERT_EQ(line.wait_for(seconds{60}), std::future_status::ready);
  const auto text = line.get();
  EXPECT_TRUE(text.starts_with("{") && text.ends_with("}")) << text;
}

TEST(embedded_gateway, leaves_the_process_alone) {
  constexpr std::array signals{SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGCHLD};
  static std::atomic<int> heard;
  heard = 0;
  std::array<struct sigaction, signals.size()> mine{}, then{};
  for (std::size_t i = 0; i < signals.size(); ++i) {
    mine[i].sa_handler = [](int) { ++heard; };
    ::sigaction(signals[i], &mine[i], &then[i]);
  }
  rlimit before{}, after{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  {
    auto g = start();
    ::getrlimit(RLIMIT_NOFILE, &after);
    EXPECT_EQ(before.rlim_cur, after.rlim_cur);
    for (const int s : signals) std::raise(s);
    EXPECT_TRUE(g.running());
    EXPECT_TRUE(answers(g));
  }
  EXPECT_EQ(heard, static_cast<int>(signals.size()));
  for (std::size_t i = 0; i < signals.size(); ++i) {
    struct sigaction now {};
    ::sigaction(signals[i], &then[i], &now);
    EXPECT_EQ(now.sa_handler, mine[i].sa_handler) << signals[i];
  }
}

}  // namespace
