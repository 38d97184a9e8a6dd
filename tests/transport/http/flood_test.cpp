// Upstreams that send without end: how far they are read, and that nothing is lost. The rates are
// the tests' own, either next to nothing, so that what is paused stays so, or so small a burst that
// every test pauses often. Nothing here looks at a clock.
#include <gtest/gtest.h>
#include <poll.h>

#include <boost/asio/post.hpp>
#include <memory>
#include <vector>

#include "tests/transport/support/real_world.hpp"
#include "transport/http/client.hpp"
#include "transport/http/pool.hpp"

namespace gate::testing {
namespace {

using http::answer_rates;

constexpr answer_rates standstill{
    .events_per_second = 1e-6, .events_at_once = 10, .bytes_per_second = 1e-6};
constexpr answer_rates stutter{.events_per_second = 20'000, .events_at_once = 10};

/// A client on the world's unit with rates of its own.
class paced_client {
 public:
  paced_client(real_world& w, answer_rates rates) : w_(w) {
    w_.on_unit([this, rates] {
      http::client::callbacks call;
      call.done = [this](const fetch_client&, fetched f) { done_.put(std::move(f)); };
      call.events = [this](const fetch_client&, streamed s) {
        turns_.push_back({s.events.size(), others_});
        boost::asio::post(scheduler::io_unit::current()->context(), [this] { ++others_; });
        for (auto& e : s.events) {
          data_ += e.data;
          ++events_;
          if (events_ == wanted_) reached_.put(events_);
        }
      };
      client_ = std::make_unique<http::client>(*scheduler::io_unit::current(), std::move(call),
                                               http::resolve_by_system, rates);
    });
  }
  ~paced_client() { end(); }
  void end() {
    w_.on_unit([this] { client_.reset(); });
  }

  /// `wanted`: `reached` returns when so many events have come.
  void fetch_from(const listener& server, std::uint64_t id = 1, std::size_t wanted = 0,
                  std::size_t most = 64 * 1024 * 1024) {
    fetch f;
    f.id = id;
    f.before = "{}";
    destination d;
    d.max_response_bytes = most;
    w_.on_unit([&] {
      wanted_ = wanted;
      client_->start(last_ = w_.make_start(server.url(), std::move(f), std::move(d)));
    });
  }
  void abandon() {
    w_.on_unit([this] { client_->abandon({last_.what->id, last_.asker}); });
  }
  void reached() { reached_.wait(); }
  fetched answer() { return done_.wait(); }
  bool answered() { return !done_.empty(); }
  std::size_t events() {
    std::size_t n = 0;
    w_.on_unit([&] { n = events_; });
    return n;
  }
  std::string data() {
    std::string out;
    w_.on_unit([&] { out = data_; });
    return out;
  }
  /// Events that came at once, and how often somebody else had come to work before.
  struct turn {
    std::size_t events, others;
  };
  std::vector<turn> turns() {
    std::vector<turn> out;
    w_.on_unit([&] { out = turns_; });
    return out;
  }

 private:
  real_world& w_;
  inbox<fetched> done_;
  inbox<std::size_t> reached_;
  std::unique_ptr<http::client> client_;
  start_fetch last_;
  std::string data_;
  std::size_t events_ = 0, wanted_ = 0, others_ = 0;
  std::vector<turn> turns_;
};

const std::string stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string event(int n) {
  return "data: " + std::to_string(n) + ";\n\n";
}

std::string numbers(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += std::to_string(i) + ";";
  return out;
}

/// Sends `piece` again and again until nobody takes any more: neither the kernels nor, for a while
/// during which it could have read all that they hold, the client.
void flood(real_world& w, peer& s, const std::string& piece) {
  std::string block;
  while (block.size() < 64 * 1024) block += piece;
  // An eighth more than the largest answer may come at once, and fills the kernel's buffers.
  constexpr std::size_t far_too_much = 128 * 1024 * 1024;
  std::size_t sent = 0, at = 0;
  pollfd room{s.fd(), POLLOUT, 0};
  do {
    const auto n = s.send_what_fits(std::string_view(block).substr(at));
    at = (at + n) % block.size();
    sent += n;
    ASSERT_LT(sent, far_too_much) << "nothing stops it";
    w.on_unit([] {});
  } while (::poll(&room, 1, 300) > 0);
}

void expect_stopped(const std::string& piece, std::size_t most_events) {
  real_world w;
  listener server;
  paced_client c(w, standstill);
  c.fetch_from(server);
  auto s = server.accept();
  s.read();
  s.send(stream_head);
  flood(w, s, piece);
  EXPECT_LE(c.events(), most_events);
  EXPECT_FALSE(c.answered());
  // The others go on.
  listener other;
  c.fetch_from(other, 2);
  auto o = other.accept();
  o.read();
  o.send(response(200, "application/json", "\"fine\""));
  const auto a = c.answer();
  EXPECT_EQ(a.id, 2u);
  EXPECT_EQ(*a.body, "\"fine\"");
}

TEST(flood, of_events_is_stopped) {
  expect_stopped(chunk(event(1)), 10 + 8 * 1024 / event(1).size());
}

TEST(flood, of_comments_is_stopped) {
  expect_stopped(chunk(":\n:\n:\n\n"), 0);
}

TEST(flood, of_one_byte_chunks_is_stopped) {
  expect_stopped(chunk(":"), 0);
}

TEST(flood, of_bytes_that_are_no_event_is_stopped) {
  // Each line is long enough to pay for itself; the bytes themselves are the flood.
  expect_stopped(chunk(":" + std::string(30'000, 'x') + "\n"), 0);
}

TEST(flood, of_interim_answers_is_stopped) {
  real_world w;
  listener server;
  paced_client c(w, standstill);
  c.fetch_from(server);
  auto s = server.accept();
  s.read();
  flood(w, s, "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_FALSE(c.answered());
}

TEST(flood, others_have_their_turn_after_a_few_events) {
  real_world w;
  listener server;
  paced_client c(w, {.events_per_second = 1e9, .events_at_once = 1e9});  // is never paused
  constexpr int count = 300;
  c.fetch_from(server, 1, count);
  auto s = server.accept();
  s.read();
  std::string all = stream_head;
  for (int i = 0; i < count; ++i) all += chunk(event(i));
  s.send(all);
  c.reached();
  const auto turns = c.turns();
  for (std::size_t i = 0; i < turns.size(); ++i) {
    EXPECT_EQ(turns[i].others, i) << "nobody had a turn before turn " << i;
    // Four, and what else the last slice of 256 bytes brought.
    EXPECT_LE(turns[i].events, 4 + 256 / event(0).size());
  }
  EXPECT_EQ(c.data(), numbers(count));
}

TEST(flood, nothing_is_lost_by_pauses) {
  for (const bool chunked : {true, false}) {
    real_world w;
    listener server;
    paced_client c(w, stutter);
    c.fetch_from(server);
    auto s = server.accept();
    s.read();
    s.send(chunked ? stream_head : "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    constexpr int count = 3000;
    std::string all;
    for (int i = 0; i < count; ++i) all += chunked ? chunk(event(i)) : event(i);
    s.send(all);
    if (chunked) s.send("0\r\n\r\n");
    s.finish();
    const auto a = c.answer();
    EXPECT_EQ(a.end, fetch_end::complete) << a.why;
    EXPECT_EQ(c.data(), numbers(count));
  }
}

TEST(flood, a_stream_that_was_paused_leaves_a_usable_connection) {
  real_world w;
  listener server;
  paced_client c(w, stutter);
  c.fetch_from(server);
  auto s = server.accept();
  s.read();
  std::string all = stream_head;
  for (int i = 0; i < 500; ++i) all += chunk(event(i));
  s.send(all + "0\r\n\r\n");
  EXPECT_EQ(c.answer().end, fetch_end::complete);
  c.fetch_from(server, 2);
  s.read();  // on the same connection
  s.send(response(200, "application/json", "2"));
  EXPECT_EQ(*c.answer().body, "2");
}

TEST(flood, one_large_event_is_none) {
  real_world w;
  listener server;
  // A pause would last for ever.
  paced_client c(w, standstill);
  constexpr std::size_t size = 8 * 1024 * 1024;
  c.fetch_from(server, 1, 1, size + 1024);
  auto s = server.accept();
  s.read();
  s.send(stream_head);
  const std::string piece(16 * 1024, 'x');
  s.send(chunk("data: "));
  for (std::size_t sent = 0; sent < size; sent += piece.size()) s.send(chunk(piece));
  s.send(chunk("\n\n"));
  c.reached();
  EXPECT_EQ(c.data().size(), size);
}

TEST(flood, one_event_of_many_lines_is_none) {
  real_world w;
  listener server;
  paced_client c(w, standstill);
  c.fetch_from(server, 1, 1);
  auto s = server.accept();
  s.read();
  s.send(stream_head);
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "data:   \"a member\": \"and its value\",\n";
  s.send(chunk(text + "\n"));
  c.reached();
}

TEST(flood, an_answer_that_is_paused_can_be_abandoned) {
  real_world w;
  listener server;
  paced_client c(w, standstill);
  c.fetch_from(server);
  auto s = server.accept();
  s.read();
  s.send(stream_head);
  flood(w, s, chunk(event(1)));
  c.abandon();
  EXPECT_TRUE(s.ended());
  EXPECT_FALSE(c.answered());
}

TEST(flood, the_client_may_end_while_an_answer_is_paused) {
  real_world w;
  listener server;
  paced_client c(w, standstill);
  c.fetch_from(server);
  auto s = server.accept();
  s.read();
  s.send(stream_head);
  flood(w, s, chunk(event(1)));
  c.end();
  EXPECT_TRUE(s.ended());
}

TEST(flood, an_end_behind_a_pause_is_read) {
  real_world w;
  listener server;
  paced_client c(w, stutter);
  c.fetch_from(server);
  auto s = server.accept();
  s.read();
  std::string all = stream_head;
  for (int i = 0; i < 500; ++i) all += chunk(event(i));
  s.send(all);
  s.close();  // in the middle of the answer
  const auto a = c.answer();
  EXPECT_EQ(a.end, fetch_end::broken);
  EXPECT_EQ(c.data(), numbers(500));
}

}  // namespace
}  // namespace gate::testing
