#include "actors/router/entrance.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct an_entrance : sim::router_stage {
  an_entrance()
      : router_stage(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],
          "server":{"rateLimit":{"requestsPerMinute":60}}})") {}

  sim::receipt_ptr ping() { return post({}, R"({"jsonrpc":"2.0","id":1,"method":"ping"})"); }
  std::size_t waiting() { return it.shared().calls.count(pipeline::partner::limiter); }
};

TEST_F(an_entrance, has_requests_metered) {
  const auto r = ping();
  ASSERT_EQ(doors.metered.size(), 1U);
  EXPECT_EQ(r->endings, 0);
  EXPECT_EQ(waiting(), 1U);
  it.entry.on_admitted({doors.metered[0], true});
  EXPECT_EQ(r->status, 400) << "no session, says stage 4";
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(an_entrance, refuses_what_is_not_admitted) {
  const auto r = ping();
  ASSERT_EQ(doors.metered.size(), 1U);
  admitted no;
  no.number = doors.metered[0];
  no.yes = false;
  it.entry.on_admitted(no);
  EXPECT_EQ(r->status, 429) << r->body;
  EXPECT_EQ(waiting(), 0U);
  it.entry.on_admitted(no);
  EXPECT_EQ(r->endings, 1) << "it has ended";
}

TEST_F(an_entrance, lets_in_where_nobody_can_meter) {
  doors.limiter = false;
  EXPECT_EQ(ping()->status, 400);
  EXPECT_TRUE(doors.metered.empty());
}

TEST_F(an_entrance, meters_nothing_twice) {
  auto r = std::make_shared<sim::receipt>();
  r->number = 500;
  auto request = sim::make_request(verb::post, "/mcp",
                                   {"Host: 127.0.0.1", "Content-Type: application/json",
                                    "Accept: application/json, text/event-stream"},
                                   R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  it.entry.take_in(std::make_shared<sim::fake_exchange>(r, std::move(request)), false, true);
  EXPECT_TRUE(doors.metered.empty());
  EXPECT_EQ(r->status, 400);
}

TEST_F(an_entrance, is_for_hosts_that_are_configured) {
  auto r = std::make_shared<sim::receipt>();
  auto request = sim::make_request(verb::get, "/health", {"Host: evil.test"});
  it.entry.take_in(std::make_shared<sim::fake_exchange>(r, std::move(request)), false, false);
  EXPECT_EQ(r->status, 403) << r->body;
  EXPECT_TRUE(doors.health.empty());
}

TEST_F(an_entrance, leads_to_the_endpoints_beside_mcp) {
  arrive(verb::get, {}, {}, "/health");
  EXPECT_EQ(doors.health.size(), 1U);
  EXPECT_TRUE(doors.metered.empty());
}

TEST_F(an_entrance, knows_nothing_of_a_body_that_nobody_waits_for) {
  it.entry.on_body_read(12345);
  EXPECT_TRUE(it.shared().calls.all().empty());
}

}  // namespace
}  // namespace gate::routing
