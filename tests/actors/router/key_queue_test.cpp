#include "actors/router/key_queue.hpp"

#include "protocol/oauth/key_set.hpp"
#include "simulations/world/guarded_world.hpp"
#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct a_key_queue : sim::router_stage {
  a_key_queue() : router_stage(sim::guarded(sim::a_and_b)) {}

  /// Behind stage 2 it is 400: it names no session.
  sim::receipt_ptr come(const std::string& token = sim::token_for("ada")) {
    return arrive(verb::post,
                  {"Content-Type: application/json", "Accept: application/json, text/event-stream",
                   "Authorization: Bearer " + token},
                  R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  }
  static oauth::key_set_ptr published() {
    return std::make_shared<const oauth::key_set>(
        oauth::read_key_set(sim::published_keys()).value());
  }
  void tell(bool settled, bool news, oauth::key_set_ptr keys, time_point again_at = {}) {
    keys_told m{0, settled, news, std::move(keys), again_at};
    it.entry.keys().on_keys(m);
  }
  std::size_t waiting() { return it.shared().calls.count(pipeline::partner::keys); }
};

TEST_F(a_key_queue, asks_once_for_all_who_wait) {
  const auto first = come(), second = come();
  EXPECT_EQ(doors.wanted_keys, std::vector<std::size_t>{0});
  EXPECT_EQ(waiting(), 2U);
  EXPECT_EQ(first->endings, 0);
  tell(true, true, published());
  EXPECT_EQ(first->status, 400) << first->body;
  EXPECT_EQ(second->status, 400);
  EXPECT_EQ(waiting(), 0U);
  EXPECT_EQ(come()->status, 400) << "at once";
  EXPECT_EQ(doors.wanted_keys.size(), 1U);
}

TEST_F(a_key_queue, waits_until_nothing_more_is_to_come) {
  const auto r = come();
  tell(false, false, {});
  EXPECT_EQ(waiting(), 1U) << "a fetch is under way";
  tell(false, true, published());
  EXPECT_EQ(waiting(), 1U);
  tell(true, false, {});
  EXPECT_EQ(r->status, 400) << "by what came before";
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(a_key_queue, judges_by_the_keys_that_are_known_if_there_are_no_others) {
  const auto r = come();
  tell(true, false, {});
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(r->status, 401) << r->body;
  EXPECT_NE(r->body.find("can not be had"), std::string::npos) << r->body;
  tell(true, true, published());
  const auto other = come(oauth::token_of(
      R"({"iss":"https://idp.test","aud":"https://gate.test/mcp","sub":"x","exp":)" +
          std::to_string(sim::world_start() + 600) + "}",
      "ES256", "p256_other"));
  EXPECT_EQ(waiting(), 1U) << "its key may be a new one";
  tell(true, false, {});
  EXPECT_EQ(other->status, 401) << other->body;
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(a_key_queue, asks_nobody_while_that_is_in_vain) {
  come();
  tell(true, false, {}, doors.t + std::chrono::seconds(5));
  pass(std::chrono::milliseconds(4999));
  EXPECT_EQ(come()->endings, 1);
  EXPECT_EQ(doors.wanted_keys.size(), 1U);
  pass(std::chrono::milliseconds(1));
  EXPECT_EQ(come()->endings, 0);
  EXPECT_EQ(doors.wanted_keys.size(), 2U);
}

TEST_F(a_key_queue, lets_nobody_wait_for_who_is_not_there_or_dies) {
  doors.keys = false;
  EXPECT_EQ(come()->endings, 1);
  EXPECT_TRUE(doors.wanted_keys.empty());
  doors.keys = true;
  const auto r = come();
  it.entry.keys().lost(0);
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(waiting(), 0U);
  come();
  EXPECT_EQ(doors.wanted_keys.size(), 2U) << "its successor is asked anew";
}

TEST_F(a_key_queue, has_those_who_wait_go_on_under_what_is_configured_by_then) {
  const auto r = come();
  reload(sim::guarded(R"([{"id":"a","url":"http://a.test/mcp","namespace":"a"}])",
                      R"("server":{"maxBodyBytes":1024})"));
  const auto* c = it.shared().calls.find(it.shared().calls.all().at(0));
  EXPECT_NE(c->snapshot, it.shared().snapshot);
  tell(true, true, published());
  EXPECT_EQ(r->status, 400) << r->body;
}

TEST_F(a_key_queue, forgets_whose_client_leaves) {
  come();
  for (const auto number : it.shared().calls.all()) it.shared().calls.end(number);
  EXPECT_EQ(waiting(), 0U);
  tell(true, true, published());
}

TEST_F(a_key_queue, ends_streams_whose_key_is_good_no_more) {
  tell(true, true, published());
  for (const auto& u : it.shared().snapshot->upstreams) {
    introduced m{u.index, true, mcp::usual_features, {}};
    it.met.on_introduced(m);
  }
  const auto token = "Authorization: Bearer " + sim::token_for("ada");
  const auto opened = arrive(
      verb::post,
      {"Content-Type: application/json", "Accept: application/json, text/event-stream", token},
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
      R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}})");
  ASSERT_EQ(opened->status, 200) << opened->body;
  const auto stream = arrive(verb::get, {"Accept: text/event-stream", token,
                                         "Mcp-Session-Id: " + opened->header("Mcp-Session-Id")});
  ASSERT_TRUE(stream->streaming) << stream->body;
  tell(true, true, published());
  EXPECT_FALSE(stream->stream_ended) << "the same keys";
  tell(true, true,
       std::make_shared<const oauth::key_set>(
           oauth::read_key_set(oauth::jwk_set({oauth::jwk("p256_other")})).value()));
  EXPECT_TRUE(stream->stream_ended);
}

}  // namespace
}  // namespace gate::routing
