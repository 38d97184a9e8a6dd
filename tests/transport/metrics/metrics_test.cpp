#include "transport/metrics.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "protocol/limits.hpp"
#include "transport/metrics/process.hpp"

namespace gate {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

bool has_line(const std::string& text, const std::string& line) {
  for (const auto& l : lines_of(text))
    if (l == line) return true;
  return false;
}

/// The value of a series without labels.
double value_of(const std::string& text, const std::string& name) {
  for (const auto& l : lines_of(text))
    if (l.starts_with(name + " ")) return std::stod(l.substr(name.size() + 1));
  ADD_FAILURE() << "no " << name;
  return -1;
}

std::string_view name_of(metric_type t) {
  return t == metric_type::counter ? "counter" : t == metric_type::gauge ? "gauge" : "histogram";
}

/// Each metric of the catalogue, once, with a value for each label.
void touch_everything(metrics& m) {
  for (const auto& r : metric_catalogue) {
    const auto labels = static_cast<int>(!r.labels[0].empty()) + !r.labels[1].empty();
    if (r.type == metric_type::histogram) {
      auto h = labels == 0   ? m.get_histogram(r.id)
               : labels == 1 ? m.get_histogram(r.id, {"x"})
                             : m.get_histogram(r.id, {"x", "y"});
      h.observe(1);
    } else {
      auto v = labels == 0   ? m.get(r.id)
               : labels == 1 ? m.get(r.id, {"x"})
                             : m.get(r.id, {"x", "y"});
      v.add();
    }
  }
}

TEST(metrics, the_whole_catalogue_is_exposed) {
  metrics m;
  touch_everything(m);
  const auto text = m.expose();
  for (const auto& r : metric_catalogue) {
    const std::string name(r.name);
    EXPECT_TRUE(has_line(text, "# HELP " + name + " " + std::string(r.help))) << name;
    EXPECT_TRUE(has_line(text, "# TYPE " + name + " " + std::string(name_of(r.type)))) << name;
    std::string labels;
    for (const auto label : r.labels)
      if (!label.empty())
        labels += std::string(labels.empty() ? "" : ",") + std::string(label) + "=";
    const auto series = r.type == metric_type::histogram ? name + "_count" : name;
    EXPECT_NE(text.find("\n" + series + (labels.empty() ? " 1\n" : "{")), std::string::npos)
        << name;
  }
}

TEST(metrics, the_text_format) {
  metrics m;
  touch_everything(m);
  std::map<std::string, int> types;
  const auto text = m.expose();
  EXPECT_TRUE(text.ends_with('\n'));
  for (const auto& line : lines_of(text)) {
    ASSERT_FALSE(line.empty());
    if (line.starts_with("# TYPE ")) ++types[line.substr(7, line.find(' ', 7) - 7)];
    if (line.starts_with('#')) continue;
    // name{labels} value
    const auto end = line.rfind(' ');
    ASSERT_NE(end, std::string::npos) << line;
    std::size_t used = 0;
    std::stod(line.substr(end + 1), &used);
    EXPECT_EQ(used, line.size() - end - 1) << line;
  }
  for (const auto& [name, times] : types) EXPECT_EQ(times, 1) << name;
}

TEST(metrics, counters_and_gauges) {
  metrics m;
  auto c = m.get(metric::requests, {"tools/call", "ok"});
  c.add();
  c.add(2);
  c.set(77);  // gauges only
  m.get(metric::requests, {"tools/call", "ok"}).add();
  m.get(metric::requests, {"ping", "ok"}).add();
  auto g = m.get(metric::sessions, {"client"});
  g.set(5);
  g.add(-2);
  const auto text = m.expose();
  EXPECT_TRUE(has_line(text, R"(gate_requests_total{method="tools/call",outcome="ok"} 4)")) << text;
  EXPECT_TRUE(has_line(text, R"(gate_requests_total{method="ping",outcome="ok"} 1)"));
  EXPECT_TRUE(has_line(text, R"(gate_sessions{kind="client"} 3)"));
  EXPECT_TRUE(has_line(text, R"(gate_build_info{version=")" GATE_VERSION R"("} 1)"));
}

TEST(metrics, histograms) {
  metrics m;
  auto h = m.get_histogram(metric::request_duration, {"ping"});
  for (const double x : {0.0001, 0.003, 0.003, 100.0}) h.observe(x);
  auto calls = m.get_histogram(metric::request_upstream_calls);
  calls.observe(0);
  calls.observe(4);
  const auto text = m.expose();
  const std::string bucket = "gate_request_duration_seconds_bucket{method=\"ping\",le=\"";
  EXPECT_TRUE(has_line(text, bucket + "0.0005\"} 1")) << text;
  EXPECT_TRUE(has_line(text, bucket + "0.0025\"} 1"));
  EXPECT_TRUE(has_line(text, bucket + "0.005\"} 3"));
  EXPECT_TRUE(has_line(text, bucket + "60\"} 3"));
  EXPECT_TRUE(has_line(text, bucket + "+Inf\"} 4"));
  EXPECT_TRUE(has_line(text, "gate_request_duration_seconds_count{method=\"ping\"} 4"));
  EXPECT_TRUE(has_line(text, "gate_request_upstream_calls_bucket{le=\"0\"} 1"));
  EXPECT_TRUE(has_line(text, "gate_request_upstream_calls_bucket{le=\"5\"} 2"));
  EXPECT_TRUE(has_line(text, "gate_request_upstream_calls_sum 4"));
}

TEST(metrics, labels_are_escaped) {
  metrics m;
  m.get(metric::http_rejections, {"a\"b\\c\nd"}).add();
  const auto text = m.expose();
  EXPECT_TRUE(has_line(text, R"(gate_http_rejections_total{reason="a\"b\\c\nd"} 1)")) << text;
}

TEST(metrics, handles_without_a_metric_ignore_everything) {
  const metrics::value v;
  v.add();
  v.set(1);
  const metrics::histogram h;
  h.observe(1);
}

TEST(metrics, a_gauge_can_be_removed) {
  metrics m;
  auto one = m.get(metric::sessions, {"client"});
  one.set(5);
  m.get(metric::sessions, {"bridged"}).set(7);
  m.remove(metric::sessions, {"client"});
  m.remove(metric::sessions, {"client"});
  m.remove(metric::sessions, {"never seen"});
  auto text = m.expose();
  EXPECT_EQ(text.find(R"(gate_sessions{kind="client"})"), std::string::npos) << text;
  EXPECT_TRUE(has_line(text, R"(gate_sessions{kind="bridged"} 7)"));

  const auto copy = one;
  copy.set(9);
  one.add();
  EXPECT_EQ(m.expose().find(R"(gate_sessions{kind="client"})"), std::string::npos);
  m.get(metric::sessions, {"client"}).add(2);
  one.set(9);
  EXPECT_TRUE(has_line(m.expose(), R"(gate_sessions{kind="client"} 2)")) << "a new series";
}

TEST(metrics, the_last_gauge_takes_its_family_along) {
  metrics m;
  m.get(metric::sessions, {"client"}).set(1);
  m.remove(metric::sessions, {"client"});
  EXPECT_EQ(m.expose().find("gate_sessions"), std::string::npos);
}

TEST(metrics, counters_and_histograms_can_be_removed_and_begin_anew) {
  metrics m;
  const auto c = m.get(metric::requests, {"ping", "ok"});
  const auto h = m.get_histogram(metric::request_duration, {"ping"});
  c.add(3);
  h.observe(1);
  m.get(metric::requests, {"ping", "error"}).add();
  m.remove(metric::requests, {"ping", "ok"});
  m.remove(metric::request_duration, {"ping"});
  c.add();
  h.observe(1);
  auto text = m.expose();
  EXPECT_EQ(text.find(R"(method="ping",outcome="ok")"), std::string::npos) << text;
  EXPECT_EQ(text.find("gate_request_duration_seconds"), std::string::npos) << text;
  EXPECT_TRUE(has_line(text, R"(gate_requests_total{method="ping",outcome="error"} 1)"));
  m.get(metric::requests, {"ping", "ok"}).add();
  c.add();
  EXPECT_TRUE(has_line(m.expose(), R"(gate_requests_total{method="ping",outcome="ok"} 1)"));
}

TEST(metrics, whole_numbers_are_written_as_such) {
  metrics m;
  m.get(metric::requests, {"ping", "ok"}).add(100'000);
  m.get(metric::requests, {"ping", "error"}).add(1'234'567'890'123);
  m.get(metric::sessions, {"client"}).set(-7);
  m.get(metric::sessions, {"bridged"}).set(0.1);
  const auto text = m.expose();
  EXPECT_TRUE(has_line(text, R"(gate_requests_total{method="ping",outcome="ok"} 100000)"));
  EXPECT_TRUE(
      has_line(text, R"(gate_requests_total{method="ping",outcome="error"} 1234567890123)"));
  EXPECT_TRUE(has_line(text, R"(gate_sessions{kind="client"} -7)"));
  EXPECT_TRUE(has_line(text, R"(gate_sessions{kind="bridged"} 0.1)"));
}

TEST(metrics, of_many_series_each_is_exposed_once) {
  metrics m;
  constexpr int many = 64 * 3;  // parts that are made one after the other, all full
  for (int i = 0; i < many; ++i) {
    const auto id = "u" + std::to_string(i);
    m.get(metric::upstream_requests, {id, "ok"}).add(i);
    const auto text = m.expose();
    if (i % 32 == 0 || i > many - 3)
      for (int k = 0; k <= i; ++k) {
        const auto line = "gate_upstream_requests_total{outcome=\"ok\",upstream=\"u" +
                          std::to_string(k) + "\"} " + std::to_string(k);
        const auto at = text.find('\n' + line + '\n');
        ASSERT_NE(at, text.npos) << line;
        ASSERT_EQ(text.find('\n' + line + '\n', at + 1), text.npos) << line;
      }
    ASSERT_EQ(text.find("# TYPE gate_upstream_requests_total"),
              text.rfind("# TYPE gate_upstream_requests_total"));
  }
}

TEST(metrics, labels_are_in_the_order_of_their_names) {
  metrics m;
  m.get(metric::upstream_requests, {"one", "ok"}).add();
  EXPECT_TRUE(
      has_line(m.expose(), R"(gate_upstream_requests_total{outcome="ok",upstream="one"} 1)"));
}

TEST(metrics, a_series_may_be_removed_while_others_use_it) {
  metrics m;
  std::atomic<bool> over = false;
  std::vector<std::thread> users;
  for (int i = 0; i < 3; ++i)
    users.emplace_back([&] {
      auto mine = m.get(metric::sessions, {"client"});
      auto count = m.get(metric::requests, {"ping", "ok"});
      auto length = m.get_histogram(metric::request_duration, {"ping"});
      while (!over) {
        mine.add();
        count.add();
        length.observe(1);
        mine = m.get(metric::sessions, {"client"});
        count = m.get(metric::requests, {"ping", "ok"});
        length = m.get_histogram(metric::request_duration, {"ping"});
      }
    });
  for (int i = 0; i < 500; ++i) {
    m.remove(metric::sessions, {"client"});
    m.remove(metric::requests, {"ping", "ok"});
    m.remove(metric::request_duration, {"ping"});
    m.expose();
  }
  over = true;
  for (auto& u : users) u.join();
}

TEST(process_metrics, are_exposed_with_their_types) {
  metrics m;
  const auto text = m.expose();
  EXPECT_TRUE(has_line(text, "# TYPE process_cpu_seconds_total counter"));
  for (const std::string name :
       {"process_resident_memory_bytes", "process_virtual_memory_bytes", "process_open_fds",
        "process_max_fds", "process_threads", "process_start_time_seconds"}) {
    EXPECT_TRUE(has_line(text, "# TYPE " + name + " gauge")) << name;
    EXPECT_GT(value_of(text, name), 0) << name;
  }
}

TEST(metrics, who_asks_again_gets_the_same_text_for_a_second) {
  metrics m;
  const std::chrono::steady_clock::time_point start;
  const auto first = m.exposed(start);
  m.get(metric::sessions, {"client"}).set(7);
  EXPECT_EQ(m.exposed(start + limits::metrics_reuse - std::chrono::milliseconds{1}), first);
  const auto next = m.exposed(start + limits::metrics_reuse);
  EXPECT_TRUE(has_line(*next, R"(gate_sessions{kind="client"} 7)"));
}

TEST(process_metrics, are_read_anew) {
  metrics m;
  const auto before = m.expose();
  const auto open = value_of(before, "process_open_fds");
  const int fds[2] = {::dup(1), ::dup(1)};
  // The clock of the kernel's accounting must move: however slow the machine, this loop ends.
  double cpu = value_of(before, "process_cpu_seconds_total");
  const auto start = cpu;
  std::string after;
  while (cpu <= start) {
    after = m.expose();
    cpu = value_of(after, "process_cpu_seconds_total");
    ASSERT_GE(cpu, start) << "a counter never falls";
  }
  EXPECT_EQ(value_of(after, "process_open_fds"), open + 2);
  EXPECT_EQ(value_of(after, "process_start_time_seconds"),
            value_of(before, "process_start_time_seconds"));
  for (const int fd : fds) ::close(fd);
}

}  // namespace
}  // namespace gate
