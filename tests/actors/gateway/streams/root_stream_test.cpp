// The root session's own stream: how it is opened, kept, lost, and when it is left alone.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct root_stream : ::testing::Test {
  world w{{.config = std::string(one_upstream)}};
  client c{w};
  fake_upstream& a = w.upstream("a");
  root_stream() { c.initialize(); }
};

TEST_F(root_stream, is_opened_after_the_handshake) {
  c.list("1");
  ASSERT_EQ(a.count("GET"), 1U);
  EXPECT_EQ(a.last("GET")->session, a.last("tools/list")->session);
  EXPECT_EQ(a.last("GET")->header("mcp-protocol-version"), "2025-06-18");
}

struct no_stream : root_stream, ::testing::WithParamInterface<reply> {};

TEST_P(no_stream, is_left_alone) {
  a.always("GET", GetParam());
  auto stream = c.get();
  c.list("1");
  w.advance(10min);
  EXPECT_EQ(a.count("GET"), 1U);
  EXPECT_EQ(a.count("initialize"), 1U);
  EXPECT_TRUE(stream->events().empty());
}
INSTANTIATE_TEST_SUITE_P(root_stream, no_stream,
                         ::testing::Values(reply::http(405), reply::http(404, "Cannot GET /mcp"),
                                           reply::http(400, "no session"),
                                           reply::http(200, "<html></html>")));

struct broken_stream : root_stream, ::testing::WithParamInterface<reply> {};

TEST_P(broken_stream, is_tried_again_with_growing_pauses) {
  a.always("GET", GetParam());
  c.list("1");
  w.advance(10min);
  EXPECT_GE(a.count("GET"), 20U);
  EXPECT_LE(a.count("GET"), 30U);
  EXPECT_EQ(a.count("initialize"), 1U);
  EXPECT_EQ(a.count("tools/list"), 1U) << "nothing was missed";
}
INSTANTIATE_TEST_SUITE_P(root_stream, broken_stream,
                         ::testing::Values(reply::http(503), reply::http(401),
                                           reply::failure(fetch_end::connect_failed, true),
                                           reply::failure(fetch_end::broken)));

TEST_F(root_stream, that_ends_again_and_again_is_no_storm) {
  auto stream = c.get();
  c.list("1");
  for (int i = 0; i < 600; ++i) {
    for (auto& s : a.under_way("GET")) fake_upstream::close(s);
    w.advance(1s);
  }
  EXPECT_LE(a.count("GET"), 30U);
  EXPECT_TRUE(stream->events().empty()) << "the list is the same each time";
}

TEST_F(root_stream, that_was_broken_leaves_the_lists_in_doubt) {
  a.tools = {R"({"name":"1"})"};
  auto stream = c.get();
  c.list("1");
  w.advance(31s);
  c.list("2");
  a.tools = {R"({"name":"2"})"};
  fake_upstream::close(a.last("GET"), fetch_end::broken);
  w.advance(500ms);
  EXPECT_EQ(a.count("GET"), 2U) << "it had lived long enough";
  w.advance(100ms);
  EXPECT_EQ(stream->events().size(), 1U) << "the list did change meanwhile";
  EXPECT_NE(c.list("3")->body.find(R"("2")"), std::string::npos);
}

TEST_F(root_stream, of_a_server_that_was_restarted_is_opened_in_a_new_session) {
  c.list("1");
  w.advance(31s);
  a.forget_sessions();
  fake_upstream::close(a.last("GET"), fetch_end::broken);
  w.advance(500ms);
  EXPECT_EQ(a.count("initialize"), 2U);
  EXPECT_EQ(a.under_way("GET").size(), 1U);
}

TEST_F(root_stream, handshake_answered_on_a_stream_that_stays_open_is_cut) {
  a.next("initialize",
         {.events = {R"({"jsonrpc":"2.0","id":$id,"result":{)"
                     R"("protocolVersion":"2025-06-18","capabilities":{"tools":{}}}})"},
          .open = true});
  a.sessions = false;
  c.list("1");
  auto hello = a.last("initialize");
  w.advance(5s);
  EXPECT_TRUE(hello->abandoned);
}

}  // namespace
}  // namespace gate
