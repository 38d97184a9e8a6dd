// Connections that end before their client has sent all of a body: how long they are read on, and
// that the answer is not lost meanwhile. Time is told by another connection, whose end is known.
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <thread>

#include "protocol/limits.hpp"
#include "tests/transport/support/real_world.hpp"
#include "transport/http/server.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::testing {
namespace {

constexpr std::string_view expects_continue = "Expect: 100-continue\r\n";
const std::string large_body(2 * limits::body_unjudged, 'x');

std::string head_of(std::string_view body, std::string_view lines = {}) {
  auto all = request("POST", "/", body, lines);
  all.resize(all.size() - body.size());
  return all;
}

/// A server of the test's own, so that its connections can be counted.
struct lingering : ::testing::Test {
  static constexpr std::size_t most_body = 128 * 1024;

  lingering() {
    http::server::callbacks call;
    call.arrived = [this](exchange_ptr e) { arrived_.put(std::move(e)); };
    call.body_read = call.gone = [](std::uint64_t) {};
    world_.on_unit([&] {
      http::server_bounds bounds;
      bounds.body = most_body;
      bounds.bodies = 0;  // room for eight of these, four of strangers
      server_ = std::make_unique<http::server>(*scheduler::io_unit::current(), 1, bounds, call);
    });
  }
  ~lingering() override {
    world_.on_unit([&] { server_.reset(); });
  }

  peer connect() {
    auto c = connect_to(door_.port());
    const auto other_end = door_.accept();
    world_.on_unit([&] {
      using boost::asio::ip::tcp;
      tcp::socket socket(scheduler::io_unit::current()->context());
      socket.assign(tcp::v4(), ::dup(other_end.fd()));
      server_->adopt(std::move(socket));
    });
    return c;
  }
  exchange_ptr arrival() { return arrived_.wait(); }
  /// With the work done on the unit's thread.
  void refuse(exchange_ptr e, std::string_view text = "no") {
    world_.on_unit([&] {
      EXPECT_TRUE(e->alive());
      e->respond({401, "text/plain", {}, true}, {text});
      e.reset();
    });
  }
  /// A client that has sent `bytes`, and was refused for it.
  peer refused(std::string_view bytes) {
    auto c = connect();
    c.send(bytes);
    refuse(arrival());
    return c;
  }
  /// What was sent has been looked at; each round has the unit look at its sockets.
  void settle() {
    for (int i = 0; i < 5; ++i) world_.on_unit([] {});
  }
  std::size_t connections() {
    std::size_t n = 0;
    world_.on_unit([&] { n = server_->connections(); });
    return n;
  }
  /// Waits until there are no more than so many; how many there are then.
  std::size_t connections_left(std::size_t most) {
    using clock = std::chrono::steady_clock;
    const auto until = clock::now() + patience;
    for (;;) {
      const auto n = connections();
      if (n <= most || clock::now() > until) return n;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  }
  /// Is somebody there who takes what this client sends? (Else the first byte brings a reset.)
  bool is_heard(peer& c) { return c.send_what_fits("x") == 1 && c.send_what_fits("x") == 1; }

  real_world world_;
  listener door_;
  inbox<exchange_ptr> arrived_;
  std::unique_ptr<http::server> server_;
};

void expect_refusal(peer& c) {
  const auto m = c.read();
  EXPECT_EQ(m.status(), 401);
  EXPECT_EQ(m.header("connection"), "close");
  EXPECT_TRUE(c.ended());
}

/// Of one more than the body, of the others not a byte more; and the clients' side stays open:
/// nothing but the count of what has come tells that nothing more is to be waited for.
TEST_F(lingering, is_short_when_all_of_a_refused_body_has_come) {
  const std::string_view body = large_body, rest = body.substr(1000);
  auto owes = refused(head_of(body));
  auto with_header = refused(head_of(body) + large_body.substr(0, 1000));
  auto meanwhile = connect();
  meanwhile.send(head_of(body));
  auto judged = arrival();
  meanwhile.send(body.substr(0, 1000));
  settle();
  refuse(std::move(judged));
  // Behind the refusal, but before the client has taken all of that.
  auto behind = connect();
  behind.send(head_of(body));
  refuse(arrival(), std::string(16 * 1024 * 1024, 'x'));
  behind.send(body.substr(0, 1000));
  settle();
  for (auto* c : {&with_header, &meanwhile, &behind}) {
    c->send(rest);
    expect_refusal(*c);
  }
  auto more = refused(head_of(body));
  more.send(large_body + large_body);
  expect_refusal(more);
  EXPECT_EQ(connections_left(1), 1U);
  EXPECT_TRUE(is_heard(owes)) << "whose body has not come";
  expect_refusal(owes);
}

TEST_F(lingering, is_short_when_a_body_that_was_held_back_does_not_come) {
  auto owes = refused(head_of(large_body));
  auto holds_back = refused(head_of(large_body, expects_continue));
  expect_refusal(holds_back);
  EXPECT_EQ(connections_left(1), 1U);
  EXPECT_TRUE(is_heard(owes));
}

/// RFC 9110 §10.1.1: a client need not wait for `100 Continue` for ever.
TEST_F(lingering, is_not_short_when_a_body_that_was_held_back_comes_all_the_same) {
  const std::string_view body = large_body, rest = body.substr(1000);
  const auto start = head_of(body, expects_continue);
  std::vector<peer> clients;
  clients.push_back(refused(start + large_body.substr(0, 1000)));
  clients.push_back(connect());
  clients.back().send(start);
  auto judged = arrival();
  clients.back().send(body.substr(0, 1000));
  settle();
  refuse(std::move(judged));
  clients.push_back(refused(start));
  clients.back().send(body.substr(0, 1000));
  settle();
  auto short_one = refused(request("GET", "/"));
  EXPECT_EQ(connections_left(clients.size()), clients.size());
  for (auto& c : clients) {
    c.send(rest);
    expect_refusal(c);
  }
  EXPECT_EQ(connections_left(0), 0U) << "which have sent all";
}

/// There was no room for what had come of their bodies, so it was let go of before the refusal.
struct crowd_of_bodies : lingering {
  static constexpr std::size_t some = 40 * 1024;
  static constexpr std::size_t so_many = 3 * most_body / some * 2;
  const std::string body_ = std::string(most_body, 'x');
  std::vector<peer> clients_;
  std::vector<exchange_ptr> all_;

  void come() {
    // A header that takes more than one read: so much of the body is read with its end.
    const auto start = head_of(body_, "X: " + std::string(3000, 'x') + "\r\n");
    for (std::size_t i = 0; i < so_many; ++i) {
      clients_.push_back(connect());
      // There at once: the unit is not looking.
      world_.on_unit([&] { clients_.back().send(start + body_.substr(0, some)); });
      all_.push_back(arrival());
    }
  }
};

TEST_F(crowd_of_bodies, is_one) {
  come();
  std::size_t crowded = 0;
  for (auto& e : all_)
    world_.on_unit([&] {
      EXPECT_TRUE(e->read_body(false));
      crowded += e->request().flaw == http::defect::crowded;
      e.reset();
    });
  EXPECT_GE(crowded, 1U);
}

TEST_F(crowd_of_bodies, lingers_shortly_once_the_rest_has_come) {
  auto owes = refused(head_of(large_body));
  come();
  for (auto& e : all_) refuse(std::move(e));
  for (auto& c : clients_) {
    c.send(body_.substr(some));
    expect_refusal(c);
  }
  EXPECT_EQ(connections_left(1), 1U);
  EXPECT_TRUE(is_heard(owes));
}

}  // namespace
}  // namespace gate::testing
