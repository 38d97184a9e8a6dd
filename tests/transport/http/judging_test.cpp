// Long bodies: their header is judged before they are read, and asked for.
#include <gtest/gtest.h>

#include <thread>
#include <tuple>

#include "protocol/limits.hpp"
#include "protocol/mcp/session_id.hpp"
#include "tests/transport/support/held.hpp"
#include "tests/transport/support/real_world.hpp"

namespace gate::testing {
namespace {

constexpr std::string_view expecting = "Expect: 100-continue\r\n";
constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
const std::string large(limits::body_unjudged + 1, 'x');

/// Only the header of a request with that body.
std::string header_of(std::string_view body, std::string_view lines = {}) {
  auto all = request("POST", "/", body, lines);
  all.resize(all.size() - body.size());
  return all;
}

std::string chunked_header(std::string_view lines = {}) {
  return "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + std::string(lines) +
         "\r\n";
}

struct judges : ::testing::Test, real_world {
  explicit judges(std::size_t units = 1) : real_world(units, 8 * 1024 * 1024) {
    judge_headers();
    serve_by_hand();
  }
  delivery header() {
    auto d = arrival();
    with(d, [](exchange& e) {
      EXPECT_TRUE(e.request().body_follows);
      EXPECT_TRUE(e.request().body.empty());
    });
    return d;
  }
  void want_body(delivery& d) {
    with(d, [](exchange& e) { EXPECT_TRUE(e.read_body(false)); });
  }
  /// Of a request whose body is asked for: with that body, and served.
  void serve(delivery d, std::string_view body) {
    EXPECT_EQ(real_world::body_read(), d.from->number());
    with(d, [&](exchange& e) {
      EXPECT_FALSE(e.request().body_follows);
      EXPECT_EQ(e.request().flaw, http::defect::none);
      EXPECT_TRUE(e.request().body == body);
      e.respond(head(200, "text/plain"), {"served"});
    });
    release(std::move(d));
  }
  void refuse(delivery d) {
    with(d, [](exchange& e) { e.respond(head(401, "text/plain"), {"no"}); });
    release(std::move(d));
  }
  /// Nothing but the refusal comes, then the end.
  void expect_refusal(peer& c) {
    const auto m = c.read();
    EXPECT_EQ(m.status(), 401);
    EXPECT_EQ(m.header("connection"), "close");
    EXPECT_TRUE(c.ended());
  }
};

TEST_F(judges, ask_for_a_body_that_is_held_back_only_if_they_want_it) {
  auto c = connect_to(port());
  c.send(header_of("hi", expecting));
  refuse(header());
  expect_refusal(c);  // and no 100 before it
  auto good = connect_to(port());
  for (int i = 0; i < 2; ++i) {
    good.send(header_of("hi", expecting));
    auto d = header();
    want_body(d);
    EXPECT_EQ(good.read_until("\r\n\r\n"), go_on);
    good.send("hi");
    serve(std::move(d), "hi");
    EXPECT_EQ(good.read().body, "served") << "on the same connection";
  }
}

TEST_F(judges, refuse_a_large_body_that_is_never_sent) {
  auto c = connect_to(port());
  c.send(header_of(large));
  refuse(header());
  expect_refusal(c);
}

TEST_F(judges, refuse_a_large_body_while_it_is_sent) {
  const std::string body(4 * 1024 * 1024, 'x');
  auto c = connect_to(port());
  std::jthread sender([&] { c.send(request("POST", "/", body) + request("GET", "/behind")); });
  auto d = header();
  refuse(std::move(d));
  expect_refusal(c);
  EXPECT_FALSE(any_arrival()) << "what comes behind is not served";
}

TEST_F(judges, have_a_large_body_read_and_what_comes_behind_it) {
  auto c = connect_to(port());
  const std::string larger(3 * 1024 * 1024, 'x');
  for (const auto& body : {large, larger}) {
    std::jthread sender([&] { c.send(request("POST", "/", body) + request("GET", "/behind")); });
    auto d = header();
    want_body(d);
    serve(std::move(d), body);
    EXPECT_EQ(c.read().body, "served") << "and no 100 before it";
    auto behind = arrival();
    with(behind, [](exchange& e) {
      EXPECT_EQ(e.request().head->target, "/behind");
      e.respond(head(200, "text/plain"), {"that too"});
    });
    release(std::move(behind));
    EXPECT_EQ(c.read().body, "that too");
  }
}

TEST_F(judges, are_not_asked_about_bodies_that_are_not_large) {
  auto c = connect_to(port());
  const std::string most(limits::body_unjudged, 'x');
  const auto whole = [&](std::string_view bytes, std::string_view body) {
    for (std::size_t at = 0; at < bytes.size(); at += 5000) c.send(bytes.substr(at, 5000));
    auto d = arrival();
    with(d, [&](exchange& e) {
      EXPECT_FALSE(e.request().body_follows);
      EXPECT_TRUE(e.request().body == body);
      EXPECT_FALSE(e.read_body(false)) << "there is nothing to be read";
      e.respond(head(200, "text/plain"), {"ok"});
    });
    release(std::move(d));
    EXPECT_EQ(c.read().body, "ok");
  };
  whole(request("POST", "/", most), most);
  whole(chunked_header() + chunk(most.substr(1)) + chunk("y") + "0\r\n\r\n", most.substr(1) + "y");
  whole(request("POST", "/", "hi", expecting), "hi");  // it came with its header
}

TEST_F(judges, hear_of_a_chunked_body_when_it_turns_out_to_be_large) {
  auto c = connect_to(port());
  c.send(chunked_header() + chunk("begin"));
  on_unit([] {});
  EXPECT_FALSE(any_arrival());
  c.send(chunk(large));
  auto d = header();
  want_body(d);
  c.send(chunk("end") + "0\r\n\r\n");
  serve(std::move(d), "begin" + large + "end");
  EXPECT_EQ(c.read().body, "served");
  c.send(chunked_header() + chunk(large));
  refuse(header());
  expect_refusal(c);
  auto holds_back = connect_to(port());
  holds_back.send(chunked_header(expecting));
  auto e = header();
  want_body(e);
  EXPECT_EQ(holds_back.read_until("\r\n\r\n"), go_on);
  holds_back.send(chunk("hi") + "0\r\n\r\n");
  serve(std::move(e), "hi");
  EXPECT_EQ(holds_back.read().body, "served");
}

TEST_F(judges, hear_what_is_wrong_with_the_body) {
  const auto flaw_of = [&](std::string_view rest, http::defect flaw) {
    auto c = connect_to(port());
    c.send(chunked_header(expecting));
    auto d = header();
    want_body(d);
    c.send(rest);
    EXPECT_EQ(body_read(), d.from->number());
    with(d, [&](exchange& e) {
      EXPECT_EQ(e.request().flaw, flaw);
      e.respond(head(400, "text/plain"), {"no"});
    });
    release(std::move(d));
    EXPECT_EQ(c.read_until("\r\n\r\n"), go_on);
    EXPECT_EQ(c.read().header("connection"), "close");
    EXPECT_TRUE(c.ended());
  };
  flaw_of("zz\r\n", http::defect::malformed);
  flaw_of("ffffffff\r\n" + large, http::defect::body_too_large);
}

TEST_F(judges, hear_of_what_is_too_large_as_announced_at_once) {
  auto c = connect_to(port());
  c.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n" + std::string(expecting) +
         "\r\n");
  auto d = arrival();
  with(d, [](exchange& e) {
    EXPECT_FALSE(e.request().body_follows);
    EXPECT_EQ(e.request().flaw, http::defect::body_too_large);
    e.respond(head(413, "text/plain"), {"no"});
  });
  release(std::move(d));
  EXPECT_EQ(c.read().status(), 413);
}

// --- meanwhile -----------------------------------------------------------------------------------

TEST_F(judges, hear_that_a_client_is_gone) {
  auto c = connect_to(port());
  c.send(header_of("hi", expecting));
  auto d = header();
  c.close();
  EXPECT_EQ(gone(), d.from->number());
  with(d, [](exchange& e) { EXPECT_FALSE(e.read_body(false)); });
  release(std::move(d));
  auto other = connect_to(port());
  other.send(header_of(large));
  d = header();
  want_body(d);
  other.send("half");
  other.close();
  EXPECT_EQ(gone(), d.from->number());
  with(d, [](exchange& e) { EXPECT_FALSE(e.read_body(false)); });
  release(std::move(d));
}

TEST_F(judges, may_answer_while_the_body_is_read) {
  auto c = connect_to(port());
  c.send(header_of(large) + "half");
  auto d = header();
  want_body(d);
  refuse(std::move(d));
  expect_refusal(c);
}

TEST_F(judges, that_die_are_an_internal_error) {
  for (const bool asked : {false, true}) {
    auto c = connect_to(port());
    c.send(header_of(large) + "half");
    auto d = header();
    if (asked) want_body(d);
    release(std::move(d));
    EXPECT_EQ(c.read().status(), 500);
    EXPECT_TRUE(c.ended());
  }
}

TEST_F(judges, have_until_the_end_of_a_drain) {
  auto wanted = connect_to(port()), unwanted = connect_to(port());
  wanted.send(header_of("hi", expecting));
  auto d = header();
  unwanted.send(header_of(large));
  auto e = header();
  auto drained = drain();
  on_unit([] {});
  EXPECT_EQ(drained.wait_for(std::chrono::seconds{0}), std::future_status::timeout);
  refuse(std::move(e));
  expect_refusal(unwanted);
  unwanted.close();
  want_body(d);
  EXPECT_EQ(wanted.read_until("\r\n\r\n"), go_on);
  wanted.send("hi");
  serve(std::move(d), "hi");
  EXPECT_EQ(wanted.read().header("connection"), "close");
  wanted.close();
  drained.get();
}

TEST_F(judges, cost_nothing_while_they_think) {
  const std::string body(4 * 1024 * 1024, 'x');
  std::vector<peer> clients;
  std::vector<delivery> all;
  const auto before = held();
  for (int i = 0; i < 16; ++i) {
    clients.push_back(connect_to(port()));
    clients.back().send(header_of(body));
    all.push_back(header());
    clients.back().send_what_fits(body);
    on_unit([] {});
  }
  EXPECT_LT(held(), before + 2 * 1024 * 1024);
  for (auto& d : all) refuse(std::move(d));
}

TEST_F(judges, have_bounded_time_and_so_has_the_body) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  auto unjudged = connect_to(port()), unsent = connect_to(port());
  unjudged.send(header_of("hi", expecting));
  auto d = header();
  unsent.send(header_of("hi", expecting));
  auto e = header();
  want_body(e);
  EXPECT_EQ(unsent.read_until("\r\n\r\n"), go_on);
  // Meanwhile: who goes on sending what is not wanted, slowly, reads the refusal behind it.
  auto stubborn = connect_to(port());
  stubborn.send(header_of(large));
  refuse(header());
  for (std::size_t sent = 0; sent < large.size(); sent += large.size() / 12) {
    stubborn.send(std::string_view(large).substr(sent, large.size() / 12));
    std::this_thread::sleep_for(std::chrono::milliseconds{500});
  }
  expect_refusal(stubborn);
  EXPECT_EQ(body_read(), e.from->number());
  EXPECT_GE(clock::now() - start, limits::body_read);
  with(e, [](exchange& x) { EXPECT_EQ(x.request().flaw, http::defect::timeout); });
  refuse(std::move(e));
  expect_refusal(unsent);
  const auto m = unjudged.read();
  EXPECT_GE(clock::now() - start, limits::header_judged) << "not the time for a header";
  EXPECT_EQ(m.status(), 503);
  EXPECT_EQ(m.header("retry-after"), "1");
  with(d, [](exchange& x) {
    EXPECT_FALSE(x.alive());
    EXPECT_FALSE(x.read_body(false));
    x.respond(head(401), {});  // does nothing
  });
  release(std::move(d));
  EXPECT_TRUE(unjudged.ended());
}

// --- room ----------------------------------------------------------------------------------------

TEST(judged_bodies, that_find_no_room_meanwhile_are_refused_when_they_are_asked_for) {
  constexpr std::size_t most = 128 * 1024;
  real_world w(1, most, [](runtime::options& o) { o.bodies_bytes = 0; });  // eight of these
  w.judge_headers();
  w.serve_by_hand();
  std::vector<peer> clients;
  std::vector<delivery> all;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(connect_to(w.port()));
    clients.back().send(chunked_header() + chunk(large));
    all.push_back(w.arrival());
  }
  std::size_t crowded = 0;
  for (auto& d : all) {
    w.with(d, [](exchange& e) { EXPECT_TRUE(e.read_body(false)); });
    clients[static_cast<std::size_t>(&d - all.data())].send("0\r\n\r\n");
    EXPECT_EQ(w.body_read(), d.from->number());
    w.with(d, [&](exchange& e) {
      crowded += e.request().flaw == http::defect::crowded;
      e.respond(head(200, "text/plain"), {"answer"});
    });
    w.release(std::move(d));
  }
  EXPECT_GE(crowded, 1U);
  EXPECT_LE(crowded, 5U);
  for (auto& c : clients) EXPECT_EQ(c.read().body, "answer");
}

TEST(judged_bodies, of_those_who_are_known_make_no_room_for_strangers) {
  constexpr std::size_t most = 128 * 1024;
  real_world w(1, most, [](runtime::options& o) { o.bodies_bytes = 0; });  // eight of these
  w.judge_headers();
  w.serve_by_hand();
  auto known = connect_to(w.port());
  known.send(chunked_header() + chunk(large));
  auto its = w.arrival();
  w.with(its, [](exchange& e) { EXPECT_TRUE(e.read_body(true)); });
  std::vector<peer> strangers;
  std::vector<delivery> all;
  for (int i = 0; i < 10; ++i) {
    strangers.push_back(connect_to(w.port()));
    strangers.back().send(chunked_header() + chunk(large));
    all.push_back(w.arrival());
  }
  known.send("0\r\n\r\n");
  EXPECT_EQ(w.body_read(), its.from->number());
  w.with(its, [](exchange& e) {
    EXPECT_EQ(e.request().flaw, http::defect::none);
    e.respond(head(200, "text/plain"), {"answer"});
  });
  w.release(std::move(its));
  EXPECT_EQ(known.read().body, "answer");
  for (auto& d : all) {
    w.with(d, [](exchange& e) { e.respond(head(401), {}); });
    w.release(std::move(d));
  }
}

TEST(judged_bodies, go_for_the_next_connection_if_their_client_was_never_accepted) {
  constexpr std::size_t files = 64;  // half of them are for clients
  real_world w(1, 1024 * 1024, [](runtime::options& o) {
    o.owns_process = false;
    o.descriptors = files;
  });
  w.judge_headers();
  w.serve_by_hand();
  std::vector<peer> slow;
  std::vector<delivery> all;
  for (std::size_t i = 0; i < files / 2; ++i) {
    slow.push_back(connect_to(w.port()));
    slow.back().send(header_of(large));
    all.push_back(w.arrival());
    w.with(all.back(), [](exchange& e) { EXPECT_TRUE(e.read_body(false)); });
  }
  auto next = connect_to(w.port());
  next.send(request("POST", "/next", "x"));
  auto d = w.arrival();
  EXPECT_EQ(w.gone(), all.front().from->number()) << "whoever judged it is told";
  w.with(d, [](exchange& e) { e.respond(head(200, "text/plain"), {"served"}); });
  w.release(std::move(d));
  EXPECT_EQ(next.read().body, "served");
  for (auto& x : all) w.release(std::move(x));
}

// --- other units ---------------------------------------------------------------------------------

struct units_that_judge : judges {
  units_that_judge() : judges(2) {}
};

TEST_F(units_that_judge, do_so_where_the_session_lives) {
  const auto of_unit = [](std::uint8_t unit) {
    return "Mcp-Session-Id: " + mcp::make_session_id({}, unit) + "\r\n";
  };
  auto c = connect_to(port());
  const std::string body(300'000, 'x');
  for (const std::uint8_t unit : {1, 0, 0, 1}) {
    const auto other = static_cast<std::uint8_t>(1 - unit);
    const std::tuple<std::size_t, std::string, std::string> requests[] = {
        {unit, request("POST", "/", body, of_unit(unit)), body},
        {other, chunked_header(of_unit(other)) + chunk(large) + chunk(large) + "0\r\n\r\n",
         large + large}};
    for (const auto& [where, bytes, what] : requests) {
      std::jthread sender([&c, &all = bytes] { c.send(all); });
      auto d = header();
      EXPECT_EQ(d.unit, where);
      want_body(d);
      serve(std::move(d), what);
      EXPECT_EQ(c.read().body, "served");
    }
    c.send(header_of("hi", of_unit(unit) + std::string(expecting)));
    auto d = header();
    EXPECT_EQ(d.unit, unit);
    want_body(d);
    EXPECT_EQ(c.read_until("\r\n\r\n"), go_on);
    c.send("hi");
    serve(std::move(d), "hi");
    EXPECT_EQ(c.read().body, "served");
  }
  c.send(header_of(large, of_unit(static_cast<std::uint8_t>(0))));
  refuse(header());
  expect_refusal(c);
}

}  // namespace
}  // namespace gate::testing
