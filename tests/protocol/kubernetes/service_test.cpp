// A Service of Kubernetes, as far as it is read.
#include "protocol/kubernetes/service.hpp"

#include <gtest/gtest.h>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::kubernetes {
namespace {

std::string metadata(std::string_view annotations) {
  return R"({"metadata":{"name":"n","namespace":"s","resourceVersion":"1","annotations":{)" +
         std::string(annotations) + R"(}},"spec":{"ports":[]}})";
}

TEST(kubernetes_service, all_that_is_read) {
  const auto s = read_service(
      R"({"apiVersion":"v1","metadata":{"namespace":"tools","name":"notes","uid":"x",)"
      R"("creationTimestamp":"2026-01-02T03:04:05Z","resourceVersion":"42","annotations":)"
      R"({"gate.mcp/enabled":"true","gate.mcp/p\u0061th":"/\u00e9","x/gate.mcp/port":"1"}},)"
      R"("spec":{"type":"NodePort","clusterIP":"None","ports":[)"
      R"({"name":"a","port":80,"targetPort":"x"},)"
      R"({"name":"b","port":65535,"protocol":"UDP","targetPort":9},{"port":65536},)"
      R"({"port":"80"}]}})");
  ASSERT_TRUE(s);
  EXPECT_EQ(s->name, "notes");
  EXPECT_EQ(s->space, "tools");
  EXPECT_EQ(s->created, "2026-01-02T03:04:05Z");
  EXPECT_EQ(s->version, "42");
  EXPECT_EQ(s->type, "NodePort");
  EXPECT_EQ(s->annotations, (std::map<std::string, std::string, std::less<>>{{"enabled", "true"},
                                                                             {"path", "/\u00e9"}}));
  ASSERT_EQ(s->ports.size(), 4U);
  EXPECT_EQ(s->ports[0].name, "a");
  EXPECT_EQ(s->ports[0].number, 80);
  EXPECT_EQ(s->ports[0].protocol, "TCP");
  EXPECT_EQ(s->ports[0].target, 0) << "a name";
  EXPECT_EQ(s->ports[1].number, 65535);
  EXPECT_EQ(s->ports[1].target, 9);
  EXPECT_EQ(s->ports[1].protocol, "UDP");
  EXPECT_EQ(s->ports[2].number, 0) << "no port";
  EXPECT_EQ(s->ports[3].number, 0) << "no number";
  EXPECT_FALSE(s->too_much);
  EXPECT_TRUE(s->headless);
}

TEST(kubernetes_service, without_a_target_port_it_is_the_port) {
  const auto s = read_service(
      R"({"metadata":{"name":"n","namespace":"s","annotations":{"gate.mcp/enabled":"true"}},)"
      R"("spec":{"clusterIP":"10.0.0.7","ports":[{"port":80},{"port":81,"targetPort":0}]}})");
  ASSERT_TRUE(s);
  EXPECT_FALSE(s->headless);
  ASSERT_EQ(s->ports.size(), 2U);
  EXPECT_EQ(s->ports[0].target, 80);
  EXPECT_EQ(s->ports[1].target, 0);
}

TEST(kubernetes_service, who_wants_to_be_told_of) {
  const auto wanted = [](std::string_view annotations) {
    return read_service(metadata(annotations)).value().wanted();
  };
  EXPECT_TRUE(wanted(R"("gate.mcp/enabled":"true")"));
  EXPECT_TRUE(wanted(R"("gate.mcp/enabled":"yes")")) << "so that he is told what is wrong";
  EXPECT_TRUE(wanted(R"("gate.mcp/enabled":"")"));
  EXPECT_FALSE(wanted(R"("gate.mcp/enabled":"false")"));
  EXPECT_FALSE(wanted(R"("gate.mcp/path":"/mcp")"));
  EXPECT_FALSE(wanted(""));
}

TEST(kubernetes_service, of_others_nothing_is_kept) {
  const auto s =
      read_service(R"({"metadata":{"name":"n","namespace":"s"},"spec":{"ports":[{"port":1}]}})");
  ASSERT_TRUE(s);
  EXPECT_TRUE(s->ports.empty());
}

TEST(kubernetes_service, what_is_none) {
  for (const std::string_view raw :
       {"null", "[]", "{}", R"({"metadata":{"name":"n"}})", R"({"metadata":{"namespace":"s"}})",
        R"({"metadata":{"name":1,"namespace":"s"}})", R"({"metadata":[]})", R"("metadata")"})
    EXPECT_FALSE(read_service(raw)) << raw;
}

TEST(kubernetes_service, what_is_of_another_type_is_as_if_it_were_not_there) {
  const auto s = read_service(
      R"({"metadata":{"name":"n","namespace":"s","annotations":{"gate.mcp/enabled":true,)"
      R"("gate.mcp/enabled":"false"},"resourceVersion":5},"spec":{"ports":{"port":1}}})");
  ASSERT_TRUE(s);
  EXPECT_TRUE(s->wanted()) << "the first counts, which says nothing that is known";
  EXPECT_EQ(s->version, "");
  EXPECT_TRUE(s->ports.empty());
}

TEST(kubernetes_service, bounds) {
  const std::string longest(limits::cluster_annotation_bytes, 'a');
  auto s = read_service(metadata(R"("gate.mcp/enabled":"true","gate.mcp/path":")" + longest + '"'));
  EXPECT_FALSE(s.value().too_much);
  s = read_service(metadata(R"("gate.mcp/enabled":"true","gate.mcp/path":")" + longest + "a\""));
  EXPECT_TRUE(s.value().too_much);
  EXPECT_EQ(s.value().annotations.at("path"), longest);
  std::string many = R"("gate.mcp/enabled":"true")";
  for (int i = 0; i < 1000; ++i) many += R"(,"gate.mcp/x)" + std::to_string(i) + R"(":"1")";
  s = read_service(metadata(many));
  EXPECT_TRUE(s.value().too_much);
  EXPECT_LE(s.value().annotations.size(), limits::cluster_labels + 32);
}

TEST(kubernetes_service, labels_of_the_dns) {
  for (const std::string_view good : {"a", "a-b", "0", "a--b"})
    EXPECT_TRUE(is_dns_label(good)) << good;
  EXPECT_TRUE(is_dns_label(std::string(63, 'a')));
  EXPECT_FALSE(is_dns_label(std::string(64, 'a')));
  for (const std::string_view bad : {"", "-a", "a-", "A", "a.b", "a_b", "a/b", "a\n"})
    EXPECT_FALSE(is_dns_label(bad)) << bad;
}

}  // namespace
}  // namespace gate::kubernetes
