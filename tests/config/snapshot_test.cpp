#include "config/snapshot/snapshot.hpp"

#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

std::shared_ptr<const snapshot> compiled(std::string_view text, std::uint64_t generation = 1) {
  auto p = load(text);
  EXPECT_EQ(lines(p.problems), std::vector<std::string>{});
  return compile(std::move(p.doc), generation);
}

TEST(snapshot, single_upstream_without_namespace_is_passed_through) {
  auto s = compiled(plain, 7);
  EXPECT_EQ(s->generation, 7U);
  EXPECT_TRUE(s->passthrough);
  ASSERT_EQ(s->upstreams.size(), 1U);
  const auto& u = s->upstreams[0];
  EXPECT_EQ(u.id, "a");
  EXPECT_EQ(u.prefix, "");
  EXPECT_EQ(u.endpoint.origin(), "http://127.0.0.1:9001");
  EXPECT_EQ(u.endpoint.target, "/mcp");
  EXPECT_EQ(u.connect, milliseconds(5'000));
  EXPECT_EQ(u.request, milliseconds(60'000));
  EXPECT_EQ(u.cache_ttl, milliseconds(30'000));
  EXPECT_EQ(u.max_response_bytes, 64U * 1024 * 1024);
  EXPECT_EQ(s->page_size, 200U);
  EXPECT_EQ(s->find_namespace(""), nullptr);
  EXPECT_EQ(s->find_namespace("a"), nullptr);
}

TEST(snapshot, namespaces_are_found) {
  auto s = compiled(R"({"upstreams": [
      {"id": "a", "url": "http://x", "namespace": "one", "cacheTtlMs": -1, "labels": {"k": "v"},
       "owner": {"team": "t"}, "timeouts": {"connectMs": 1, "requestMs": 2},
       "maxResponseBytes": 3},
      {"id": "b", "urls": ["https://y"], "namespace": "two"}],
    "routing": {"namespaceSeparator": "_", "pageSize": -1}})");
  EXPECT_FALSE(s->passthrough);
  EXPECT_EQ(s->separator, "_");
  EXPECT_EQ(s->page_size, std::nullopt);
  const auto* one = s->find_namespace("one");
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->index, 0U);
  EXPECT_EQ(one->prefix, "one_");
  EXPECT_EQ(one->cache_ttl, std::nullopt);
  EXPECT_EQ(one->labels.at("k"), "v");
  EXPECT_EQ(one->owner->team, "t");
  EXPECT_EQ(one->connect, milliseconds(1));
  EXPECT_EQ(one->request, milliseconds(2));
  EXPECT_EQ(one->max_response_bytes, 3U);
  const auto* two = s->find_namespace(std::string_view("two_tool").substr(0, 3));
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(two->index, 1U);
  EXPECT_TRUE(two->endpoint.tls);
  EXPECT_EQ(s->find_namespace("three"), nullptr);
  EXPECT_EQ(s->doc.upstreams.size(), 2U);
}

TEST(snapshot, single_upstream_with_namespace_is_not_passed_through) {
  auto s = compiled(upstream_with(R"("url": "http://x", "namespace": "n")"));
  EXPECT_FALSE(s->passthrough);
  ASSERT_NE(s->find_namespace("n"), nullptr);
}

TEST(snapshot, no_upstream_yet) {
  auto s = compiled(R"({"discovery": {"url": "https://r"}})");
  EXPECT_FALSE(s->passthrough);
  EXPECT_TRUE(s->upstreams.empty());
}

}  // namespace
}  // namespace gate::config
