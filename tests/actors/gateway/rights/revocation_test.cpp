// What an issuer withdraws: keys that vanish from its set, and what had been opened by them.
#include "protocol/limits.hpp"
#include "simulations/world/guarded_world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

/// Of the world's issuer, signed with any of the test keys; it ends in `life`.
std::string token_by(const std::string& key, std::string_view sub, std::chrono::seconds life) {
  const auto claims = R"({"iss":"https://idp.test","aud":"https://gate.test/mcp","sub":")" +
                      std::string(sub) + R"(","exp":)" +
                      std::to_string(world_start() + life.count()) + "}";
  return oauth::token_of(claims, "ES256", key);
}

struct withdrawn_keys : ::testing::Test {
  world w{guarded_world(guarded(a_and_b))};
  fake_upstream& idp = w.upstream("idp");
  client c{w};

  bool enters(std::string token) {
    client other(w);
    other.token = std::move(token);
    return other.request("1", "ping")->status == 400;  // behind stage 2: it names no session
  }
  void publish(std::string text) { idp.always("GET", reply::http(200, std::move(text))); }
  /// The next refresh has taken place.
  void refresh() { w.advance(limits::key_set_refresh); }
  void tick() { w.advance(1s); }
};

struct sets_without_use : withdrawn_keys, ::testing::WithParamInterface<std::string> {};

TEST_P(sets_without_use, are_the_truth) {
  const auto token = token_for("alice");
  EXPECT_TRUE(enters(token));
  publish(GetParam());
  refresh();
  EXPECT_FALSE(enters(token)) << "although it was remembered";
  EXPECT_EQ(world::logged("no key that can verify signatures"), 1U);
  EXPECT_EQ(world::logged("can not be fetched"), 0U);
  // What fails from then on brings nothing back.
  idp.always("GET", reply::http(500));
  refresh();
  EXPECT_FALSE(enters(token));
  publish(published_keys());
  refresh();
  EXPECT_TRUE(enters(token));
}

INSTANTIATE_TEST_SUITE_P(all, sets_without_use,
                         ::testing::Values(R"({"keys":[]})",
                                           oauth::jwk_set({oauth::jwk("rsa_2048",
                                                                      R"("alg":"PS256")")}),
                                           oauth::jwk_set({oauth::jwk("p256", R"("use":"enc")")}),
                                           R"({"keys":[{"kty":"oct","k":"AAAA"}]})"));

struct no_sets : withdrawn_keys, ::testing::WithParamInterface<reply> {};

TEST_P(no_sets, leave_what_was_known) {
  EXPECT_TRUE(enters(token_for("alice")));
  idp.always("GET", GetParam());
  refresh();
  w.advance(15s);
  EXPECT_TRUE(enters(token_for("alice")));
}

INSTANTIATE_TEST_SUITE_P(all, no_sets,
                         ::testing::Values(reply::http(503), reply::http(404, R"({"keys":[]})"),
                                           reply::http(200, "<html></html>"),
                                           reply::http(200, R"({"keys":{}})"),
                                           reply::http(200, R"({"jwks":[]})"),
                                           reply::http(200, R"([])"),
                                           reply::failure(fetch_end::broken), reply::silence()));

TEST_F(withdrawn_keys, end_the_streams_that_they_opened) {
  publish(oauth::jwk_set({oauth::jwk("p256"), oauth::jwk("p256_other")}));
  refresh();
  c.token = token_by("p256", "alice", 24h);
  c.initialize();
  auto lost = c.get();
  client d(w);
  d.token = token_by("p256_other", "bob", 24h);
  d.initialize();
  auto kept = d.get();
  publish(oauth::jwk_set({oauth::jwk("p256_other")}));
  w.advance(limits::key_set_refresh - 1s);
  EXPECT_FALSE(lost->stream_ended);
  w.advance(2s);
  EXPECT_TRUE(lost->stream_ended);
  EXPECT_FALSE(kept->stream_ended);
  EXPECT_EQ(c.get()->status, 401);
  // The owner comes back with another token.
  c.token = token_by("p256_other", "alice", 24h);
  auto again = c.get();
  tick();
  EXPECT_TRUE(again->streaming);
  EXPECT_FALSE(again->stream_ended);
}

TEST_F(withdrawn_keys, that_only_got_another_name_or_company_end_nothing) {
  c.token = token_by("p256", "alice", 24h);
  c.initialize();
  auto stream = c.get();
  auto renamed = oauth::jwk_set({oauth::jwk("p256_other"), oauth::jwk("p256")});
  renamed.replace(renamed.find(R"("kid":"p256")", renamed.find("p256_other") + 20), 12,
                  R"("kid":"new!")");
  publish(renamed);
  refresh();
  tick();
  EXPECT_FALSE(stream->stream_ended);
}

TEST_F(withdrawn_keys, that_are_too_old_to_be_trusted_end_streams_as_well) {
  c.token = token_by("p256", "alice", 72h);
  c.initialize();
  auto stream = c.get();
  idp.always("GET", reply::failure(fetch_end::connect_failed));
  w.advance(23h);
  c.request("1", "ping");  // shows the token again
  EXPECT_FALSE(stream->stream_ended);
  w.advance(1h + 1min);
  EXPECT_TRUE(stream->stream_ended);
}

TEST_F(withdrawn_keys, end_the_stream_of_a_running_call_which_goes_on) {
  w.upstream("a").always("tools/call", reply::silence());
  c.token = token_by("p256", "alice", 24h);
  c.initialize();
  w.advance(limits::key_set_refresh - 10s);
  auto r = c.call("1", "a__x");
  w.advance(5s);
  ASSERT_TRUE(r->streaming);
  const auto primed = r->stream.substr(r->stream.find("id: ") + 4);
  const auto id = primed.substr(0, primed.find('\n'));
  publish(oauth::jwk_set({oauth::jwk("p256_other")}));
  w.advance(6s);
  EXPECT_TRUE(r->stream_ended);
  fake_upstream::answer(w.upstream("a").last("tools/call"), reply::result("7"));
  w.settle();
  EXPECT_EQ(r->stream.find("\"result\""), std::string::npos);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
  c.more_headers = {"Last-Event-ID: " + id};
  EXPECT_EQ(c.get()->status, 401);
  c.token = token_by("p256_other", "alice", 24h);
  auto rest = c.get();
  EXPECT_EQ(rest->last(), R"({"jsonrpc":"2.0","id":1,"result":7})");
}

TEST_F(withdrawn_keys, open_no_stream_for_a_call_that_came_a_moment_before) {
  w.upstream("a").always("tools/call", reply::silence());
  c.token = token_by("p256", "alice", 24h);
  c.initialize();
  publish(oauth::jwk_set({oauth::jwk("p256_other")}));
  w.advance(limits::key_set_refresh - 100ms);
  auto r = c.call("1", "a__x");
  w.advance(5s);
  EXPECT_TRUE(r->stream_ended || r->status == 401);
}

TEST_F(withdrawn_keys, whatever_a_token_says_it_has_to_be_shown_once_a_day) {
  c.token = token_by("p256", "alice", 20 * 365 * 24h);
  c.initialize();
  auto stream = c.get();
  w.advance(12h);
  EXPECT_EQ(c.request("1", "ping")->status, 200);
  w.advance(24h - 2s);
  EXPECT_FALSE(stream->stream_ended);
  w.advance(3s);
  EXPECT_TRUE(stream->stream_ended);
  stream = c.get();
  w.advance(23h);
  EXPECT_TRUE(stream->streaming);
  EXPECT_FALSE(stream->stream_ended);
}

TEST(without_tokens, streams_last) {
  world w;
  client c(w);
  c.initialize();
  auto stream = c.get();
  w.advance(72h);
  EXPECT_FALSE(stream->stream_ended);
}

}  // namespace
}  // namespace gate
