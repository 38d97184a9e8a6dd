// A connection moves to the unit that owns its session, with all that it has received.
#include <gtest/gtest.h>
#include <atomic>

#include <array>
#include <thread>

#include "protocol/mcp/session_id.hpp"
#include "protocol/mcp/stateless/request_state.hpp"
#include "tests/transport/support/real_world.hpp"

namespace gate::testing {
namespace {

std::string session_line(std::uint8_t unit) {
  return "Mcp-Session-Id: " + mcp::make_session_id({}, unit) + "\r\n";
}

/// Answers the next arrival with its body; the unit that delivered it.
std::size_t serve_one(real_world& w) {
  auto d = w.arrival();
  const auto unit = d.unit;
  w.with(d, [](exchange& e) { e.respond(head(200, "text/plain"), {e.request().body}); });
  w.release(std::move(d));
  return unit;
}

TEST(moving, a_request_for_a_session_of_another_unit_goes_there) {
  real_world w(2);
  w.serve_by_hand();
  auto c = connect_to(w.port());
  c.send(request("POST", "/", "plain"));
  const auto home = serve_one(w);
  EXPECT_EQ(c.read().body, "plain");
  const auto other = 1 - home;
  c.send(request("POST", "/", "moved", session_line(static_cast<std::uint8_t>(other))));
  EXPECT_EQ(serve_one(w), other);
  EXPECT_EQ(c.read().body, "moved");
  c.send(request("POST", "/", "stays"));
  EXPECT_EQ(serve_one(w), other) << "it lives there now";
  EXPECT_EQ(c.read().body, "stays");
  c.send(request("POST", "/", "back", session_line(static_cast<std::uint8_t>(home))));
  EXPECT_EQ(serve_one(w), home);
  EXPECT_EQ(c.read().body, "back");
}

TEST(moving, a_request_without_a_session_goes_where_its_call_waits) {
  real_world w(2);
  w.serve_by_hand();
  auto c = connect_to(w.port());
  const auto body = [](std::uint8_t unit) {
    mcp::stateless::request_state s;
    s.unit = unit;
    return R"({"params":{"requestState":")" + mcp::stateless::seal(s, {}, {}) + "\"}}";
  };
  const std::string revision = "MCP-Protocol-Version: 2026-07-28\r\n";
  for (const std::uint8_t unit : {0, 1, 1, 0, 1}) {
    c.send(request("POST", "/", body(unit), revision));
    EXPECT_EQ(serve_one(w), unit);
    EXPECT_EQ(c.read().body, body(unit));
  }
  c.send(request("POST", "/", body(2), revision));
  EXPECT_EQ(serve_one(w), 1U) << "there is no such unit";
  c.read();
  c.send(request("POST", "/", body(0), "MCP-Protocol-Version: 2025-11-25\r\n"));
  EXPECT_EQ(serve_one(w), 1U) << "in the other generation it means nothing";
  c.read();
  c.send(request("POST", "/", "{}", revision + session_line(0)));
  EXPECT_EQ(serve_one(w), 1U) << "in this one sessions mean nothing";
}

TEST(moving, requests_that_were_read_ahead_travel_along) {
  real_world w(2);
  w.serve_by_hand();
  auto c = connect_to(w.port());
  // Sizes around those of the buffers that are read into: each round the cut is elsewhere.
  for (const std::size_t size : {0, 100, 1900, 2048, 30'000, 65'536, 100'000}) {
    std::string all;
    const std::string filler(size, 'x');
    for (const std::uint8_t unit : {1, 0, 1, 1, 0})
      all += request("POST", "/", std::to_string(unit) + filler, session_line(unit));
    std::thread sender([&c, &all] { c.send(all); });
    for (const std::size_t unit : {1, 0, 1, 1, 0}) {
      EXPECT_EQ(serve_one(w), unit) << size;
      EXPECT_TRUE(c.read().body == std::to_string(unit) + filler) << size;
    }
    sender.join();
  }
}

TEST(moving, a_request_that_was_delivered_may_be_sent_on) {
  real_world w(2);
  w.serve_by_hand();
  w.judge_headers();
  // The long one is judged by its header, before anybody knows what is in it.
  for (const std::size_t size : {10, 300'000}) {
    auto c = connect_to(w.port());
    const std::string body(size, 'x');
    std::thread sender([&] { c.send(request("POST", "/", body) + request("POST", "/", "next")); });
    auto d = w.arrival();
    const auto home = d.unit;
    bool follows = false;
    w.with(d, [&](exchange& e) {
      follows = e.request().body_follows;
      if (!follows) return;
      EXPECT_FALSE(e.move_to(static_cast<std::uint8_t>(1 - home))) << "half of it";
      e.read_body(true);
    });
    if (follows) {
      EXPECT_EQ(w.body_read(), d.from->number());
    }
    bool stays = false, goes = false;
    w.with(d, [&](exchange& e) {
      stays = !e.move_to(static_cast<std::uint8_t>(home)) && !e.move_to(2) && e.alive();
      goes = e.move_to(static_cast<std::uint8_t>(1 - home)) && !e.alive();
      e.respond(head(500, "text/plain"), {"nobody hears this"});
    });
    EXPECT_TRUE(stays);
    EXPECT_TRUE(goes);
    w.release(std::move(d));
    EXPECT_EQ(serve_one(w), 1 - home);
    EXPECT_TRUE(c.read().body == body);
    EXPECT_EQ(serve_one(w), 1 - home) << "what came behind it has come along";
    EXPECT_EQ(c.read().body, "next");
    sender.join();
  }
}

/// Counts those that are lost.
class counted_passage final : public passage {
 public:
  explicit counted_passage(std::atomic<int>& lost) : lost_(lost) {}
  ~counted_passage() override { lost_ += !arrived_; }
  void arrive() noexcept override { arrived_ = true; }

 private:
  std::atomic<int>& lost_;
  bool arrived_ = false;
};

TEST(moving, what_goes_with_a_request_arrives_with_it) {
  std::atomic<int> lost{0};
  {
    real_world w(2);
    w.serve_by_hand();
    auto c = connect_to(w.port());
    c.send(request("POST", "/", "x"));
    auto d = w.arrival();
    const auto home = d.unit;
    bool came = false;
    w.with(d, [&](exchange& e) {
      auto by = std::make_shared<counted_passage>(lost);
      e.move_to(2, by);
      by->arrive();  // it has not left
      e.move_to(static_cast<std::uint8_t>(1 - home), std::make_shared<counted_passage>(lost));
    });
    w.release(std::move(d));
    auto there = w.arrival();
    EXPECT_EQ(there.unit, 1 - home);
    w.with(there, [&](exchange& e) {
      came = e.request().on_its_way != nullptr;
      if (came) e.request().on_its_way->arrive();
      e.respond(head(200, "text/plain"), {"here"});
    });
    EXPECT_TRUE(came);
    EXPECT_EQ(c.read().body, "here");
    w.release(std::move(there));
  }
  EXPECT_EQ(lost, 0);
}

TEST(moving, a_request_whose_answer_has_begun_stays) {
  real_world w(2);
  w.serve_by_hand();
  auto c = connect_to(w.port());
  c.send(request("POST", "/", "x"));
  auto d = w.arrival();
  bool went = false;
  w.with(d, [&](exchange& e) {
    e.open_stream("");
    for (const std::uint8_t unit : {0, 1}) went |= e.move_to(unit);
    e.send("data: 1\n\n");
    e.end_stream();
    for (const std::uint8_t unit : {0, 1}) went |= e.move_to(unit);
  });
  c.read_until("data: 1\n\n");
  EXPECT_FALSE(went);
  w.release(std::move(d));
}

TEST(moving, a_stream_opens_where_the_session_lives) {
  real_world w(2);
  w.serve_by_hand();
  for (const std::uint8_t unit : {0, 1}) {
    auto c = connect_to(w.port());
    c.send(request("GET", "/", {}, session_line(unit)));
    auto d = w.arrival();
    EXPECT_EQ(d.unit, unit);
    w.with(d, [](exchange& e) {
      e.open_stream("");
      e.send("data: 1\n\n");
    });
    c.read_until("data: 1\n\n");
    c.close();
    EXPECT_EQ(w.gone(), d.from->number());
    w.release(std::move(d));
  }
}

TEST(moving, ids_that_name_no_unit_stay) {
  real_world w(2);
  w.serve_by_hand();
  for (const std::string id :
       {"", "1", "01", "no-session-of-ours", "ffffffffffffffffffffffffffffffff"}) {
    auto c = connect_to(w.port());
    c.send(request("GET", "/", {}, "Mcp-Session-Id: " + id + "\r\nConnection: close\r\n"));
    serve_one(w);
    EXPECT_EQ(c.read().status(), 200) << id;
  }
  auto c = connect_to(w.port());
  c.send(request("GET", "/", {}, session_line(2)));
  serve_one(w);
  EXPECT_EQ(c.read().status(), 200) << "a unit that does not exist";
}

TEST(moving, a_connection_that_is_to_end_ends_there_as_well) {
  real_world w(2);
  w.serve_by_hand();
  for (const std::uint8_t unit : {0, 1}) {
    auto c = connect_to(w.port());
    c.send(request("GET", "/", {}, session_line(unit) + "Connection: close\r\n"));
    EXPECT_EQ(serve_one(w), unit);
    EXPECT_EQ(c.read().header("connection"), "close");
    EXPECT_TRUE(c.ended());
  }
}

TEST(moving, connections_are_dealt_to_all_units) {
  real_world w(3);
  w.serve_by_hand();
  std::array<int, 3> served{};
  for (int i = 0; i < 6; ++i) {
    auto c = connect_to(w.port());
    c.send(request("GET", "/"));
    ++served.at(serve_one(w));
    c.read();
  }
  EXPECT_EQ(served, (std::array<int, 3>{2, 2, 2}));
}

TEST(moving, every_unit_drains) {
  real_world w(2);
  w.serve_by_hand();
  auto c = connect_to(w.port());
  c.send(request("GET", "/", {}, session_line(1)));
  auto d = w.arrival();
  auto first = w.drain(0);
  auto second = w.drain(1);
  first.get();
  EXPECT_EQ(second.wait_for(std::chrono::seconds{0}), std::future_status::timeout);
  w.with(d, [](exchange& e) { e.respond(head(200), {}); });
  EXPECT_EQ(c.read().header("connection"), "close");
  c.close();
  second.get();
  w.release(std::move(d));
}

}  // namespace
}  // namespace gate::testing
