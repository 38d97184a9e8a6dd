// Trace context on its way from clients to upstreams.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;

const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const std::string other = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

struct traces : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");

  traces() { c.initialize(); }
  sight_ptr called(std::string_view params = {}) {
    c.call("1", "a__x", params);
    return a.last("tools/call");
  }
};

TEST_F(traces, pass_in_headers) {
  EXPECT_EQ(called()->header("traceparent"), "") << "none is made up";
  c.more_headers = {"Traceparent: " + parent, "tracestate: a=1,b=2", "baggage: k=v;p=1, x=y"};
  auto asked = called();
  EXPECT_EQ(asked->header("traceparent"), parent);
  EXPECT_EQ(asked->header("tracestate"), "a=1,b=2");
  EXPECT_EQ(asked->header("baggage"), "k=v;p=1, x=y");
  EXPECT_NE(asked->header("mcp-session-id"), "");
  c.more_headers.clear();
  EXPECT_EQ(called()->header("traceparent"), "") << "of one request, not of the session";
}

TEST_F(traces, of_params_go_before_those_of_headers) {
  c.more_headers = {"traceparent: " + parent, "tracestate: a=1", "baggage: k=v"};
  auto asked = called(R"("_meta":{"traceparent":")" + other + R"("})");
  EXPECT_EQ(asked->header("traceparent"), other);
  EXPECT_EQ(asked->header("tracestate"), "") << "it belongs to the other one";
  EXPECT_EQ(asked->header("baggage"), "k=v");
  EXPECT_EQ(at(asked->body, "params", "_meta", "traceparent"), '"' + other + '"') << "verbatim";
  asked = called(R"("_meta":{"traceparent":"nonsense"})");
  EXPECT_EQ(asked->header("traceparent"), parent);
  EXPECT_EQ(asked->header("tracestate"), "a=1");
  asked = called(R"("_meta":{"traceparent":")" + other +
                 R"(","tracestate":"z=9\r\nX-Evil: 1","baggage":"a=b\r\nX-Evil: 1"})");
  EXPECT_EQ(asked->header("traceparent"), other);
  EXPECT_EQ(asked->header("tracestate"), "");
  EXPECT_EQ(asked->header("x-evil"), "");
}

TEST_F(traces, that_are_no_traces_do_not_pass) {
  c.more_headers = {"traceparent: " + parent + "-", "tracestate: a=1"};
  auto asked = called();
  EXPECT_EQ(asked->header("traceparent"), "");
  EXPECT_EQ(asked->header("tracestate"), "");
  c.more_headers = {"traceparent: " + parent, "traceparent: " + other};
  EXPECT_EQ(called()->header("traceparent"), "");
}

TEST_F(traces, are_named_in_the_log_by_the_handshake_that_a_call_waited_for) {
  a.always("initialize", reply::http(404));
  c.more_headers = {"traceparent: " + parent};
  c.call("1", "a__x");
  EXPECT_EQ(world::logged("can not be used"), 1U);
  EXPECT_EQ(world::logged("traceId=" + parent.substr(3, 32)), 1U);
}

TEST_F(traces, go_with_the_handshake_that_a_call_causes_and_with_lists) {
  c.more_headers = {"traceparent: " + parent};
  called();
  EXPECT_EQ(a.last("initialize")->header("traceparent"), parent);
  EXPECT_EQ(at(a.last("initialize")->body, "params", "_meta"), "") << "real servers mind that";
  c.list("2");
  EXPECT_EQ(a.last("tools/list")->header("traceparent"), parent);
}

}  // namespace
}  // namespace gate
