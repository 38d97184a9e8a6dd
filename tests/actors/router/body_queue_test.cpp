#include "actors/router/body_queue.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct a_body_that_follows : sim::router_stage {
  std::shared_ptr<sim::receipt> r = std::make_shared<sim::receipt>();

  void begin() {
    r->number = 77;
    r->body_to_come = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    auto request = sim::make_request(verb::post, "/mcp",
                                     {"Host: 127.0.0.1", "Content-Type: application/json",
                                      "Accept: application/json, text/event-stream"});
    request.body_follows = true;
    it.entry.take_in(std::make_shared<sim::fake_exchange>(r, std::move(request)), false, false);
  }
  void come() {
    if (r->unread) {  // somebody still has it
      r->unread->body = std::move(r->body_to_come);
      r->unread->body_follows = false;
    }
    it.entry.on_body_read(r->number);
  }
};

TEST_F(a_body_that_follows, is_asked_for_behind_stage_two) {
  begin();
  EXPECT_TRUE(r->body_asked);
  EXPECT_FALSE(r->done());
  EXPECT_EQ(it.shared().calls.count(pipeline::partner::body), 1U);
  come();
  EXPECT_EQ(r->status, 400) << "no session, says stage 4";
  EXPECT_EQ(it.shared().calls.count(pipeline::partner::body), 0U);
}

TEST_F(a_body_that_follows, is_given_up_with_its_client) {
  begin();
  r->alive = false;
  it.on_client_gone(r->number);
  EXPECT_EQ(it.shared().calls.count(pipeline::partner::body), 0U);
  come();
  EXPECT_EQ(r->status, 0) << "nobody waits for it";
}

TEST_F(a_body_that_follows, does_not_hold_back_the_end) {
  begin();
  it.refuse_all();
  EXPECT_EQ(r->status, 503);
  come();
  EXPECT_EQ(r->endings, 1);
}

}  // namespace
}  // namespace gate::routing
