// Pages, events and refusals of an API server, and how they are asked for.
#include "protocol/kubernetes/watch.hpp"

#include <gtest/gtest.h>

#include "tests/actors/kubernetes/support.hpp"

namespace gate::kubernetes {
namespace {

TEST(kubernetes_watch, targets) {
  EXPECT_EQ(list_target({}, 200, {}), "/api/v1/services?limit=200");
  EXPECT_EQ(list_target({"", "tools", ""}, 1, {}), "/api/v1/namespaces/tools/services?limit=1");
  EXPECT_EQ(
      list_target({"/k8s/c1", "", "a=b,c in (d)"}, 5, "n&x=\r\n"),
      "/k8s/c1/api/v1/services?limit=5&continue=n%26x%3D%0D%0A&labelSelector=a%3Db%2Cc+in+%28d%29");
  EXPECT_EQ(watch_target({}, "7 &", std::chrono::seconds(240)),
            "/api/v1/services?watch=true&allowWatchBookmarks=true&timeoutSeconds=240"
            "&resourceVersion=7+%26");
}

TEST(kubernetes_watch, pages) {
  const drawn_service one;
  auto other = one;
  other.annotations.clear();
  const auto page = read_list_page(page_of(one.json() + ',' + other.json(), "tok", "12"));
  ASSERT_TRUE(page);
  EXPECT_EQ(page->version, "12");
  EXPECT_EQ(page->next, "tok");
  ASSERT_EQ(page->services.size(), 1U) << "those that want to be told of";
  EXPECT_EQ(page->services.front().name, "notes");
  for (const auto* empty : {R"({"metadata":{"resourceVersion":"1"},"items":null})",
                            R"({"metadata":{"resourceVersion":"1"}})",
                            R"({"metadata":{"resourceVersion":"1"},"items":[]})"}) {
    ASSERT_TRUE(read_list_page(empty)) << empty;
    EXPECT_TRUE(read_list_page(empty)->services.empty());
  }
}

TEST(kubernetes_watch, pages_that_are_none) {
  for (const std::string_view bad : {"", "{", "[]", "{}", R"({"metadata":{},"items":[]})",
                                     R"({"metadata":{"resourceVersion":""},"items":[]})",
                                     R"({"metadata":{"resourceVersion":"1"},"items":{}})",
                                     R"({"metadata":{"resourceVersion":"1"},"items":[1]})",
                                     R"({"metadata":{"resourceVersion":"1"},"items":[]} x)"})
    EXPECT_FALSE(read_list_page(bad)) << bad;
}

TEST(kubernetes_watch, events) {
  const drawn_service one;
  const auto kind_of = [&](std::string_view type) {
    return read_watch_event(event_of(type, one.json())).value().kind;
  };
  EXPECT_EQ(kind_of("ADDED"), event_kind::changed);
  EXPECT_EQ(kind_of("MODIFIED"), event_kind::changed);
  EXPECT_EQ(kind_of("DELETED"), event_kind::gone);
  const auto e = read_watch_event(event_of("ADDED", one.json())).value();
  EXPECT_EQ(e.version, "7");
  EXPECT_EQ(e.what.name, "notes");
  const auto mark = read_watch_event(reached("88")).value();
  EXPECT_EQ(mark.kind, event_kind::progress);
  EXPECT_EQ(mark.version, "88");
  const auto error = read_watch_event(event_of("ERROR", status_of(410, "Expired"))).value();
  EXPECT_EQ(error.kind, event_kind::error);
  EXPECT_EQ(error.why.code, 410);
  EXPECT_EQ(error.why.reason, "Expired");
  EXPECT_EQ(error.why.message, "told");
}

TEST(kubernetes_watch, events_that_are_none) {
  const drawn_service one;
  auto nameless = one;
  nameless.name.clear();
  auto without_version = one;
  without_version.version.clear();
  for (const auto& bad :
       {std::string("{"), std::string("{}"), std::string("[]"), event_of("added", one.json()),
        event_of("ADDED", "null"), event_of("ADDED", nameless.json()),
        event_of("ADDED", without_version.json()), event_of("BOOKMARK", "{}"),
        std::string(R"({"object":{}})"), event_of("ADDED", one.json()) + "x"})
    EXPECT_FALSE(read_watch_event(bad)) << bad;
}

TEST(kubernetes_watch, refusals_that_say_nothing) {
  for (const std::string_view body : {"", "<html>", "[]", "{}", R"({"code":"410","reason":1})"}) {
    const auto s = read_status(body);
    EXPECT_EQ(s.code, 0) << body;
    EXPECT_TRUE(s.reason.empty() && s.message.empty()) << body;
  }
}

}  // namespace
}  // namespace gate::kubernetes
