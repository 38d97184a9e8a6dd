// Who goes when there is no room: connections that never were accepted, bodies that do not come to
// their end, answers that nobody takes.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <vector>

#include "tests/transport/support/real_world.hpp"

namespace gate::testing {
namespace {

constexpr std::size_t most_body = 64 * 1024;

/// Room for eight bodies, and whoever has to answer.
struct narrow_world : real_world {
  narrow_world() : real_world(1, most_body, [](runtime::options& o) { o.bodies_bytes = 0; }) {
    serve([](const exchange_ptr& e) {
      const bool crowded = e->request().flaw == http::defect::crowded;
      e->respond(head(crowded ? 503 : 200, "text/plain"), {"answer"});
    });
  }
};

/// Sends a body, but for a little at its end.
void send_most(real_world& w, peer& c) {
  const std::string body(most_body, 'x');
  c.send(request("POST", "/", body, "Expect: 100-continue\r\n").substr(0, most_body));
  c.read_until("100 Continue\r\n\r\n");
  // It lies there; each round has the unit look at its sockets.
  for (int i = 0; i < 5; ++i) w.on_unit([] {});
}

peer known_client(real_world& w) {
  auto c = connect_to(w.port());
  c.send(request("POST", "/", "{}"));
  EXPECT_EQ(c.read().status(), 200);
  return c;
}

/// How many were told something.
std::size_t answered(const std::vector<peer>& all) {
  std::size_t n = 0;
  for (const auto& c : all) {
    char byte = 0;
    n += ::recv(c.fd(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 1;
  }
  return n;
}

TEST(slow_bodies, shut_out_nobody_who_was_never_accepted_either) {
  narrow_world w;
  std::vector<peer> slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(connect_to(w.port()));
    send_most(w, slow.back());
  }
  EXPECT_EQ(answered(slow), 0U);
  auto another = connect_to(w.port());
  another.send(request("POST", "/", std::string(most_body, 'x')));
  EXPECT_EQ(another.read().status(), 200);
  EXPECT_EQ(answered(slow), 1U);
}

TEST(slow_bodies, of_accepted_clients_shut_out_nobody) {
  narrow_world w;
  std::vector<peer> slow;
  for (int i = 0; i < 8; ++i) {
    slow.push_back(known_client(w));
    send_most(w, slow.back());
  }
  EXPECT_EQ(answered(slow), 0U);
  for (int i = 0; i < 2; ++i) {
    auto c = i == 0 ? connect_to(w.port()) : known_client(w);
    c.send(request("POST", "/", std::string(most_body, 'x')));
    EXPECT_EQ(c.read().status(), 200);
  }
  EXPECT_GE(answered(slow), 1U);
  EXPECT_LE(answered(slow), 2U);
}

// --- connections ---------------------------------------------------------------------------------

struct few_connections : real_world {
  static constexpr std::size_t files = 64;  // half of them are for clients
  static constexpr std::size_t clients = 32;
  few_connections()
      : real_world(1, 1024, [](runtime::options& o) {
          o.owns_process = false;
          o.descriptors = files;
        }) {}
};

TEST(crowded, who_sent_more_ahead_but_was_never_accepted_goes_for_the_next) {
  few_connections w;
  w.serve([](const exchange_ptr& e) { e->respond(head(200, "text/plain"), {"answer"}); });
  std::vector<peer> idlers;
  for (std::size_t i = 0; i < w.clients; ++i) {
    idlers.push_back(connect_to(w.port()));
    idlers.back().send(request("GET", "/") + "GET / HT");
    EXPECT_EQ(idlers.back().read().status(), 200);
  }
  auto next = connect_to(w.port());
  next.send(request("POST", "/", "x"));
  EXPECT_EQ(next.read().status(), 200);
}

TEST(crowded, who_was_told_to_leave_goes_for_the_next) {
  few_connections w;
  w.serve([](const exchange_ptr& e) { e->respond({400, "text/plain", {}, true}, {"no"}); });
  std::vector<peer> refused;
  for (std::size_t i = 0; i < w.clients; ++i) {
    refused.push_back(connect_to(w.port()));
    refused.back().send(request("GET", "/"));
    EXPECT_EQ(refused.back().read().status(), 400);
  }
  auto next = connect_to(w.port());
  next.send(request("POST", "/", "x"));
  EXPECT_EQ(next.read().status(), 400);
}

// --- answers -------------------------------------------------------------------------------------

TEST(crowded, an_answer_larger_than_all_that_may_wait_arrives) {
  const std::string large(16 * 1024 * 1024, 'x');
  real_world w(1, 1024, [](runtime::options& o) { o.waiting_bytes = 1024 * 1024; });
  w.serve([&large](const exchange_ptr& e) { e->respond(head(200, "text/plain"), {large}); });
  auto c = connect_to(w.port(), 4096);
  c.send(request("GET", "/"));
  EXPECT_EQ(c.read().body.size(), large.size());
}

/// Has one of them been cut off?
bool any_gone(const std::vector<peer>& all) {
  std::vector<pollfd> fds;
  for (const auto& c : all) fds.push_back({c.fd(), POLLRDHUP, 0});
  const auto ms = std::chrono::milliseconds{patience}.count();
  return ::poll(fds.data(), fds.size(), static_cast<int>(ms)) > 0;
}

TEST(crowded, who_is_cut_off_as_it_writes_is_gone) {
  // Gathered in two pieces, what waits takes more memory than it has bytes: it is counted when the
  // kernel does not take all of it.
  const std::string large(10 * 1024, 'x'), small(5 * 1024, 'x'), most(15 * 1024, 'x');
  real_world w(1, 1024, [](runtime::options& o) { o.waiting_bytes = 1; });
  w.serve([&](const exchange_ptr& e) {
    if (e->request().head->target == "/small") return e->respond(head(200, "text/plain"), {"here"});
    if (e->request().head->target == "/most")
      return e->respond(head(200, "text/plain"), {most, "and more"});
    e->respond(head(200, "text/plain"), {large, small});
  });
  // So many that some stay unread: then the end is a reset, which does not wait behind the answers.
  // Those that come behind hold more, so that they go themselves.
  std::vector<peer> clients;
  for (const std::string target : {"/", "/", "/most", "/most", "/most", "/most"}) {
    std::string many;
    while (many.size() < 1024 * 1024) many += request("GET", target);
    clients.push_back(connect_to(w.port(), 4096));
    clients.back().send_what_fits(many);
  }
  EXPECT_TRUE(any_gone(clients));
  auto next = connect_to(w.port());
  next.send(request("GET", "/small"));
  EXPECT_EQ(next.read().body, "here");
}

}  // namespace
}  // namespace gate::testing
