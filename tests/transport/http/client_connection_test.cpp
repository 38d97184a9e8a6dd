// When a connection to an upstream may carry the next request, and what proves that one was not
// processed.
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include "tests/transport/support/real_world.hpp"
#include "transport/http/pool.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::testing {
namespace {

fetch post(std::uint64_t id, std::string body = "{}") {
  fetch f;
  f.id = id;
  f.before = std::move(body);
  return f;
}

/// More than the kernels of both sides take without a reader.
std::string endless() {
  return std::string(32 * 1024 * 1024, 'x');
}

/// One exchange; afterwards the connection is idle.
peer warm(real_world& w, listener& server) {
  w.fetch_from(server.url(), post(1));
  auto s = server.accept();
  s.read();
  s.send(response(200, "application/json", "1"));
  EXPECT_EQ(w.answer().end, fetch_end::complete);
  return s;
}

/// Serves one request, on a connection of its own.
void serve_next(real_world& w, listener& server, const std::string& start,
                const std::string& body = "{}") {
  auto s = server.accept();
  const auto m = s.read();
  EXPECT_EQ(m.start, start);
  EXPECT_TRUE(m.body == body);
  s.send(response(200, "application/json", "the answer"));
  const auto a = w.answer();
  EXPECT_EQ(a.end, fetch_end::complete) << a.why;
  EXPECT_EQ(*a.body, "the answer");
}

// --- early answers -------------------------------------------------------------------------------

TEST(early_answer, the_next_request_does_not_land_in_the_middle_of_this_one) {
  real_world w;
  listener server;
  w.fetch_from(server.url("/1"), post(1, endless()));
  auto s = server.accept();
  s.read_until("\r\n\r\n");
  s.send(response(413, "text/plain", "too large"));
  const auto a = w.answer();
  EXPECT_EQ(a.end, fetch_end::complete);
  EXPECT_EQ(a.status, 413);
  EXPECT_EQ(*a.body, "too large");
  w.fetch_from(server.url("/2"), post(2));
  serve_next(w, server, "POST /2 HTTP/1.1");
  EXPECT_EQ(s.read_to_end().find("POST"), std::string::npos);
}

TEST(early_answer, a_redirect_is_followed_on_another_connection) {
  real_world w;
  listener server;
  w.fetch_from(server.url("/1"), post(1, endless()));
  auto s = server.accept();
  s.read_until("\r\n\r\n");
  s.send(response(307, "", "", "Location: /2\r\n"));
  auto next = server.accept();
  const auto m = next.read();
  EXPECT_EQ(m.start, "POST /2 HTTP/1.1");
  EXPECT_TRUE(m.body == endless());
  next.send(response(200, "application/json", "1"));
  EXPECT_EQ(w.answer().status, 200);
  EXPECT_EQ(s.read_to_end().find("POST"), std::string::npos);
}

TEST(early_answer, a_waiting_request_gets_a_fresh_connection) {
  real_world w;
  listener server;
  w.fetch_from(server.url("/1"), post(1, endless()));
  auto s = server.accept();
  s.read_until("\r\n\r\n");
  // Both in one go: the second fetch is started in the turn in which the first ends.
  s.send(response(413, "text/plain", "") + response(200, "application/json", "stray"));
  w.fetch_from(server.url("/2"), post(2));
  EXPECT_EQ(w.answer().status, 413);
  serve_next(w, server, "POST /2 HTTP/1.1");
}

struct early_answer_to : ::testing::TestWithParam<std::size_t> {};

TEST_P(early_answer_to, what_an_idle_connection_said_answers_no_later_request) {
  real_world w;
  listener server;
  auto s = warm(w, server);
  // The bytes wait to be read in the moment in which the connection is chosen.
  w.on_unit([&] {
    s.send(response(408, "text/plain", "too slow"));
    boost::asio::post(scheduler::io_unit::current()->context(), [&w, &server] {
      const scheduler::handler_scope scope(*scheduler::io_unit::current());
      caf::anon_send(w.doors().egress,
                     w.make_start(server.url("/2"), post(2, std::string(GetParam(), 'x'))));
    });
  });
  serve_next(w, server, "POST /2 HTTP/1.1", std::string(GetParam(), 'x'));
}

INSTANTIATE_TEST_SUITE_P(requests, early_answer_to, ::testing::Values(2, 20'000));

// --- proof ---------------------------------------------------------------------------------------

TEST(proof, a_reset_is_none) {
  for (int before : {1, 3, 30}) {  // kernels acknowledge the first segments of a connection at once
    real_world w;
    listener server;
    auto s = warm(w, server);
    for (int i = 1; i < before; ++i) {
      w.fetch_from(server.url(), post(1));
      s.read();
      s.send(response(200, "application/json", "1"));
      w.answer();
    }
    w.fetch_from(server.url("/pay"), post(2));
    s.read();  // and executes it
    s.reset();
    const auto a = w.answer();
    EXPECT_EQ(a.end, fetch_end::broken);
    EXPECT_FALSE(a.untouched) << a.why;
    w.fetch_from(server.url("/3"), post(3));
    serve_next(w, server, "POST /3 HTTP/1.1");  // nothing was sent a second time
  }
}

TEST(proof, is_not_asked_for_what_may_be_done_twice) {
  real_world w;
  listener server;
  auto s = warm(w, server);
  auto f = post(2);
  f.repeatable = true;
  w.fetch_from(server.url("/2"), std::move(f));
  s.read();
  s.reset();
  serve_next(w, server, "POST /2 HTTP/1.1");
}

TEST(proof, an_orderly_end_before_anything_arrived) {
  // Looked at in the turn that sends the request: the end was there first, and what is sent after
  // it is never acknowledged.
  for (const bool large : {false, true}) {
    real_world w;
    listener server;
    auto s = warm(w, server);
    const std::string body(large ? 40'000 : 2, 'x');  // large ones are written at once
    w.on_unit([&] {
      s.close();
      caf::anon_send(w.doors().egress, w.make_start(server.url("/2"), post(2, body)));
    });
    auto next = server.accept();
    const auto m = next.read();
    EXPECT_EQ(m.start, "POST /2 HTTP/1.1");
    EXPECT_TRUE(m.body == body);
    next.send(response(200, "application/json", "1"));
    EXPECT_EQ(w.answer().end, fetch_end::complete);
  }
}

}  // namespace
}  // namespace gate::testing
