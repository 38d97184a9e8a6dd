// The document is made of the Services alone, whatever the order in which they came.
#include "actors/kubernetes/service_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "config/discovery/discovered.hpp"
#include "protocol/limits.hpp"
#include "tests/actors/kubernetes/support.hpp"

namespace gate::kubernetes {
namespace {

drawn_service named(std::string name, std::string created = "2026-01-01T00:00:00Z") {
  drawn_service out;
  out.name = std::move(name);
  out.created = std::move(created);
  return out;
}

std::size_t read_by_gateway(const made_document& d) {
  auto read = config::read_discovered(d.text, {});
  EXPECT_TRUE(read.problems.empty());
  const auto merged = config::merge({}, std::move(read.upstreams));
  for (const auto& p : merged.problems) ADD_FAILURE() << config::to_line(p);
  return merged.doc.upstreams.size();
}

TEST(kubernetes_table, no_service_no_upstream) {
  const service_table t({});
  EXPECT_EQ(t.document().text, "{\"upstreams\":[]}\n");
  EXPECT_TRUE(config::read_discovered(t.document().text, {}).problems.empty());
}

TEST(kubernetes_table, comes_changes_goes) {
  service_table t({});
  EXPECT_TRUE(t.put(named("b").read()));
  EXPECT_TRUE(t.put(named("a").read()));
  auto d = t.document();
  EXPECT_EQ(d.upstreams, 2U);
  EXPECT_EQ(read_by_gateway(d), 2U);
  EXPECT_LT(d.text.find("tools--a"), d.text.find("tools--b"));
  EXPECT_TRUE(t.put(named("a").with("namespace", "other").read()));
  EXPECT_NE(t.document().text.find(R"("namespace":"other")"), std::string::npos);
  auto plain = named("a");
  plain.annotations.clear();
  EXPECT_TRUE(t.put(plain.read())) << "the annotation was taken away";
  EXPECT_FALSE(t.put(plain.read())) << "nothing has changed";
  EXPECT_EQ(t.document().upstreams, 1U);
  EXPECT_TRUE(t.remove(named("b").read()));
  EXPECT_FALSE(t.remove(named("b").read()));
  EXPECT_EQ(t.size(), 0U);
  t.put(named("a").read());
  t.replace({named("c").read()});
  EXPECT_EQ(t.document().upstreams, 1U);
  EXPECT_NE(t.document().text.find("tools--c"), std::string::npos);
}

TEST(kubernetes_table, the_older_one_has_the_namespace) {
  service_table t({});
  t.put(named("young", "2026-03-01T00:00:00Z").with("namespace", "x").read());
  t.put(named("old", "2026-02-01T00:00:00Z").with("namespace", "x").read());
  t.put(named("wrong").with("scheme", "gopher").read());
  const auto d = t.document();
  EXPECT_EQ(read_by_gateway(d), 1U);
  EXPECT_NE(d.text.find("tools--old"), std::string::npos);
  ASSERT_EQ(d.out.size(), 2U);
  EXPECT_EQ(d.out[0].service, "tools/wrong");
  EXPECT_EQ(d.out[1], (left_out{"tools/young", absence::space,
                                "its namespace \"x\" is that of tools/old, which is "
                                "older"}));
  t.remove(named("old").read());
  EXPECT_NE(t.document().text.find("tools--young"), std::string::npos) << "it has it now";
  // Of the same age: by name.
  t.put(named("a", "2026-03-01T00:00:00Z").with("namespace", "x").read());
  EXPECT_NE(t.document().text.find("tools--a"), std::string::npos);
}

TEST(kubernetes_table, in_whatever_order) {
  std::vector<service> all;
  for (int i = 0; i < 60; ++i) {
    auto s = named("s" + std::to_string(i), "2026-01-0" + std::to_string(1 + i % 5) + "T00:00:00Z")
                 .with("namespace", "n" + std::to_string(i % 23));
    if (i % 7 == 0) s = s.with("scheme", "x");
    all.push_back(s.read());
  }
  std::mt19937 dice(5);
  service_table first({});
  first.replace(all);
  const auto expected = first.document();
  EXPECT_EQ(read_by_gateway(expected), expected.upstreams);
  for (int round = 0; round < 50; ++round) {
    std::ranges::shuffle(all, dice);
    service_table t({});
    for (const auto& s : all) {
      t.put(s);
      if (dice() % 3 == 0) {
        t.remove(s);
        t.put(s);
      }
    }
    const auto d = t.document();
    EXPECT_EQ(d.text, expected.text);
    EXPECT_EQ(d.out, expected.out);
  }
}

TEST(kubernetes_table, too_many) {
  service_table t({});
  const auto many = limits::cluster_services + 5;
  for (std::size_t i = 0; i < many; ++i) {
    auto n = std::to_string(i);
    t.put(named("s" + n, "2026-01-01T00:00:" + std::string(6 - n.size(), '0') + n).read());
  }
  const auto d = t.document();
  EXPECT_EQ(d.upstreams, limits::cluster_services);
  EXPECT_EQ(read_by_gateway(d), limits::cluster_services);
  ASSERT_EQ(d.out.size(), 5U);
  EXPECT_EQ(d.out.front().service, "tools/s" + std::to_string(limits::cluster_services));
  EXPECT_LE(d.text.size(), limits::discovery_bytes);
}

TEST(kubernetes_table, the_document_is_one_that_the_gateway_reads) {
  service_table t({});
  const std::string longest(limits::cluster_annotation_bytes, 'x');
  for (std::size_t i = 0; i < limits::cluster_services; ++i) {
    auto s = named("s" + std::to_string(i));
    for (int l = 0; l < 4; ++l) s = s.with("label-" + std::to_string(l), longest);
    t.put(s.read());
  }
  const auto d = t.document();
  EXPECT_LE(d.text.size(), limits::discovery_bytes);
  EXPECT_GT(d.text.size(), limits::discovery_bytes - 8192);
  EXPECT_EQ(d.upstreams + d.out.size(), limits::cluster_services);
  EXPECT_EQ(read_by_gateway(d), d.upstreams);
}

TEST(kubernetes_table, what_is_kept_has_a_bound) {
  service_table t({});
  for (std::size_t i = 0; i < limits::cluster_kept + 3; ++i) {
    auto n = std::to_string(i);
    auto s = named("s" + n, std::string(8 - n.size(), '0') + n);
    s.annotations["gate.mcp/enabled"] = "maybe";  // quick to judge
    t.put(s.read());
  }
  EXPECT_EQ(t.size(), limits::cluster_kept);
  EXPECT_EQ(t.document().out.size(), limits::cluster_kept);
  EXPECT_FALSE(t.remove(named("s" + std::to_string(limits::cluster_kept)).read()))
      << "the newest are forgotten";
  EXPECT_TRUE(t.remove(named("s0").read()));
}

}  // namespace
}  // namespace gate::kubernetes
