// INGRESS over real sockets: requests in, whole answers out.
#include "transport/http/server.hpp"

#include <gtest/gtest.h>

#include "tests/transport/support/real_world.hpp"
#include "transport/doors/ingress_actor.hpp"
#include "transport/http/connection.hpp"

namespace gate::testing {
namespace {

void echo(const exchange_ptr& e) {
  const auto& r = e->request();
  e->respond(head(200, "text/plain"), {r.head->target, "|", r.body});
}

TEST(server, an_answer_on_the_wire) {
  real_world w;
  w.serve([](const exchange_ptr& e) {
    e->respond(head(200, "application/json", "X-One: 1\r\nX-Two: 2\r\n"), {"{", "", "}"});
  });
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  EXPECT_EQ(c.read_until("}"),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-One: 1\r\nX-Two: 2\r\n"
            "Content-Length: 2\r\n\r\n{}");
}

TEST(server, answers_without_a_body) {
  real_world w;
  w.serve([](const exchange_ptr& e) {
    e->respond(head(e->request().head->target == "/none" ? 204 : 202), {});
  });
  auto c = connect_to(w.port());
  c.send(request("POST", "/"));
  EXPECT_EQ(c.read_until("\r\n\r\n"), "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
  c.send(request("DELETE", "/none"));
  EXPECT_EQ(c.read_until("\r\n\r\n"), "HTTP/1.1 204 No Content\r\n\r\n");
}

TEST(server, a_connection_serves_many_requests) {
  real_world w;
  w.serve(echo);
  auto c = connect_to(w.port());
  for (int i = 0; i < 20; ++i) {
    c.send(request("POST", "/" + std::to_string(i), "body"));
    const auto m = c.read();
    EXPECT_EQ(m.status(), 200);
    EXPECT_EQ(m.body, "/" + std::to_string(i) + "|body");
    EXPECT_EQ(m.header("connection"), "");
  }
}

TEST(server, requests_in_pieces_and_in_chunks) {
  real_world w;
  w.serve(echo);
  auto c = connect_to(w.port());
  const std::string bytes = "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                            chunk("one") + chunk("two") + "0\r\n\r\n";
  for (const char b : bytes) c.send({&b, 1});
  EXPECT_EQ(c.read().body, "/c|onetwo");
}

TEST(server, one_pipelined_answer_a_turn_so_that_others_are_heard_in_between) {
  // Large enough to be handed to the kernel at once, which has room for all of them.
  const std::string large(17 * 1024, 'x');
  real_world w;
  inbox<std::string> order;
  w.serve([&](const exchange_ptr& e) {
    order.put(std::string(e->request().head->target));
    e->respond(head(200, "text/plain"), {large});
  });
  auto greedy = connect_to(w.port()), other = connect_to(w.port());
  for (auto* c : {&greedy, &other}) {
    c->send(request("GET", "/first"));
    c->read();
    order.wait();
  }
  constexpr int many = 40;
  std::string all;
  for (int i = 0; i < many; ++i) all += request("GET", "/greedy");
  w.on_unit([&] {  // both lie there when the unit looks
    greedy.send(all);
    other.send(request("GET", "/other"));
  });
  for (int i = 0; i < many; ++i) greedy.read();
  other.read();
  int before = 0;
  while (order.wait() != "/other") ++before;
  EXPECT_LE(before, 2);
}

TEST(server, tls_is_answered_at_once) {
  real_world w;
  w.serve([](const exchange_ptr& e) {
    EXPECT_EQ(e->request().flaw, http::defect::malformed);
    e->respond({400, "text/plain", {}, true}, {"no"});
  });
  auto c = connect_to(w.port());
  c.send("\x16\x03\x01\x02");
  EXPECT_EQ(c.read().status(), 400);
  EXPECT_TRUE(c.ended());
}

TEST(server, who_was_never_accepted_goes_for_the_next) {
  constexpr std::size_t files = 64;  // half of them are for clients
  real_world w(1, 1024, [](runtime::options& o) {
    o.owns_process = false;
    o.descriptors = files;
  });
  w.serve(echo);
  auto known = connect_to(w.port());
  known.send(request("POST", "/1", "x"));
  EXPECT_EQ(known.read().status(), 200);
  std::vector<peer> idlers;
  for (std::size_t i = 0; i < files; ++i) {
    idlers.push_back(connect_to(w.port()));
    idlers.back().send("GET / HT");
  }
  auto next = connect_to(w.port());
  next.send(request("POST", "/2", "x"));
  EXPECT_EQ(next.read().status(), 200);
  known.send(request("POST", "/3", "x"));
  EXPECT_EQ(known.read().body, "/3|x");
  EXPECT_TRUE(idlers.front().ended());
}

TEST(server, an_offer_to_speak_http_2_is_answered_in_1_1) {
  real_world w;
  w.serve(echo);
  auto c = connect_to(w.port());
  // As Java's HttpClient makes it with each request.
  for (int i = 0; i < 3; ++i) {
    c.send(
        "POST /mcp HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nContent-Length: 2\r\n"
        "Host: a\r\nHTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA\r\n"
        "Upgrade: h2c\r\n\r\nhi");
    EXPECT_EQ(c.read_until("/mcp|hi"),
              "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\n/mcp|hi");
  }
}

TEST(server, pipelined_requests_are_answered_one_by_one_in_order) {
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port());
  c.send(request("GET", "/1") + request("POST", "/2", "two") + request("GET", "/3"));
  for (const std::string target : {"/1", "/2", "/3"}) {
    auto d = w.arrival();
    w.with(d, [&](exchange& e) {
      EXPECT_EQ(e.request().head->target, target);
      EXPECT_FALSE(w.any_arrival()) << "one at a time";
      e.respond(head(200, "text/plain"), {e.request().head->target, e.request().body});
    });
    w.release(std::move(d));
  }
  EXPECT_EQ(c.read().body, "/1");
  EXPECT_EQ(c.read().body, "/2two");
  EXPECT_EQ(c.read().body, "/3");
}

TEST(server, large_bodies_both_ways) {
  const std::string large(8 * 1024 * 1024, 'x');
  real_world w(1, large.size());
  w.serve(echo);
  auto c = connect_to(w.port());
  for (int i = 0; i < 2; ++i) {
    c.send(request("POST", "/", large));
    EXPECT_EQ(c.read().body.size(), large.size() + 2);
  }
}

TEST(server, clients_that_ask_for_the_end) {
  real_world w;
  w.serve(echo);
  auto c = connect_to(w.port());
  c.send(request("GET", "/", {}, "Connection: close\r\n"));
  const auto m = c.read();
  EXPECT_EQ(m.header("connection"), "close");
  EXPECT_TRUE(c.ended());
  auto old = connect_to(w.port());
  old.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n");
  EXPECT_EQ(old.read().header("connection"), "close");
  EXPECT_TRUE(old.ended());
}

TEST(server, an_actor_may_end_the_connection) {
  real_world w;
  w.serve([](const exchange_ptr& e) {
    e->respond(response_head{403, "text/plain", "", true}, {"no"});
  });
  auto c = connect_to(w.port());
  c.send(request("GET", "/1") + request("GET", "/2"));
  const auto m = c.read();
  EXPECT_EQ(m.status(), 403);
  EXPECT_EQ(m.header("connection"), "close");
  EXPECT_TRUE(c.ended()) << "the second request is not served";
}

TEST(server, flawed_requests_are_delivered_and_the_connection_ends) {
  real_world w(1, 8);
  w.serve([](const exchange_ptr& e) {
    e->respond(head(e->request().flaw == http::defect::body_too_large ? 413 : 400, "text/plain"),
               {http::describe(e->request().flaw)});
  });
  const auto refused = [&w](std::string_view bytes, int status) {
    auto c = connect_to(w.port());
    c.send(bytes);
    const auto m = c.read();
    EXPECT_EQ(m.status(), status) << bytes;
    EXPECT_EQ(m.header("connection"), "close") << bytes;
    EXPECT_TRUE(c.ended()) << bytes;
  };
  refused("GET / HTTP/1.1\r\n\r\n", 400);
  refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n123456789", 413);
  refused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n123456789\r\n",
          413);
  // What would have been a second request, had the first been believed.
  refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n" +
              request("GET", "/smuggled"),
          400);
  // No end of the chunk's header in sight: not kept for ever.
  const auto head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  refused(head + std::string(100 * 1024, '0'), 400);
}

TEST(server, an_answer_survives_what_the_client_goes_on_sending) {
  real_world w(1, 8);
  w.serve([](const exchange_ptr& e) { e->respond(head(413, "text/plain"), {"too large"}); });
  auto c = connect_to(w.port());
  c.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  c.send_what_fits(std::string(64 * 1024, 'x'));
  EXPECT_EQ(c.read().body, "too large");
}

TEST(server, a_client_may_wait_for_permission_to_send) {
  real_world w;
  w.serve(echo);
  auto c = connect_to(w.port());
  c.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(c.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  c.send("hi");
  EXPECT_EQ(c.read().body, "/|hi");
}

TEST(server, a_dropped_exchange_is_an_internal_error_and_the_end) {
  real_world w;
  w.serve([](const exchange_ptr&) {});
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  const auto m = c.read();
  EXPECT_EQ(m.status(), 500);
  EXPECT_EQ(m.header("connection"), "close");
  EXPECT_TRUE(c.ended());
}

TEST(server, cut_closes_everything) {
  real_world w;
  w.serve_by_hand();
  auto idle = connect_to(w.port());
  auto busy = connect_to(w.port());
  busy.send(request("GET", "/"));
  auto d = w.arrival();
  caf::anon_send(w.doors().ingress, cut{});
  EXPECT_TRUE(busy.ended());
  EXPECT_TRUE(idle.ended());
  w.with(d, [](exchange& e) {
    EXPECT_FALSE(e.alive());
    e.respond(head(200), {});  // does nothing
  });
  w.release(std::move(d));
}

TEST(server, nothing_is_accepted_before_somebody_serves) {
  real_world w;
  auto c = connect_to(w.port());  // waits in the kernel's queue
  c.send(request("GET", "/early"));
  w.serve(echo);
  EXPECT_EQ(c.read().body, "/early|");
}

}  // namespace
}  // namespace gate::testing
