#pragma once
/// Streams of `subscriptions/listen` in front of one server that has sessions.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "protocol/jsonrpc/message.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate::sim {

inline constexpr std::string_view listener_key = "io.modelcontextprotocol/subscriptionId";
inline constexpr auto tools_have_changed =
    R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";

inline std::string updated_notice(std::string_view uri) {
  return jsonrpc::request({}, "notifications/resources/updated",
                          R"({"uri":")" + std::string(uri) + "\"}");
}

inline void offer_resources(fake_network& net) {
  net.at("a")->capabilities = R"({"tools":{"listChanged":true},"resources":{"subscribe":true}})";
  net.at("a")->resources = {R"({"uri":"x://1","name":"n"})", R"({"uri":"x://2","name":"n"})"};
}

struct listener_stage : ::testing::Test {
  std::unique_ptr<world> it;
  std::unique_ptr<stateless_client> one, other;
  int last_id = 0;

  world& begin(std::string_view config = one_upstream) {
    it = std::make_unique<world>(
        world_options{.config = std::string(config), .prepare = offer_resources});
    meet();
    return *it;
  }
  void meet() {
    one = std::make_unique<stateless_client>(*it);
    other = std::make_unique<stateless_client>(*it);
    other->peer = "127.0.0.2";
  }
  fake_upstream& a() { return it->upstream("a"); }
  receipt_ptr listen(stateless_client& who, std::string_view raw_uris, std::string_view more = {}) {
    auto r = who.request(std::to_string(++last_id), "subscriptions/listen",
                         R"("notifications":{"resourceSubscriptions":)" + std::string(raw_uris) +
                             std::string(more) + "}");
    it->settle();
    return r;
  }
  receipt_ptr listen(std::string_view raw_uris = R"(["x://1"])") { return listen(*one, raw_uris); }
  void leave(const receipt_ptr& r) {
    it->vanish(r);
    it->settle();
  }
  static std::string honoured(const receipt_ptr& r) {
    if (r->events().empty()) return "nothing yet";
    EXPECT_EQ(at(r->events()[0], "method"), R"("notifications/subscriptions/acknowledged")");
    return at(r->events()[0], "params", "notifications", "resourceSubscriptions");
  }
  /// The stream of the session that subscribed last.
  sight_ptr stream() { return stream_of(a().last("resources/subscribe")->session); }
  sight_ptr stream_of(std::string_view session) {
    for (const auto& s : a().under_way("GET"))
      if (s->session == session) return s;
    return nullptr;
  }
  void update(const sight_ptr& on, std::string_view uri = "x://1") {
    ASSERT_TRUE(on);
    fake_upstream::push(on, updated_notice(uri));
    it->settle();
  }
  void expect_counts(std::size_t begun, std::size_t ended) {
    EXPECT_EQ(a().count("resources/subscribe"), begun);
    EXPECT_EQ(a().count("resources/unsubscribe"), ended);
  }
};

}  // namespace gate::sim
