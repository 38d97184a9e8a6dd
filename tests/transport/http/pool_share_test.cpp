// A pool that is full: whose turn it is when something ends, calls and ends of sessions.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <vector>

#include "protocol/limits.hpp"
#include "tests/transport/support/real_world.hpp"

namespace gate::testing {
namespace {

/// What one session may have of an origin, and what is left for the next.
constexpr std::size_t most_of_one = limits::origin_connections / 4 * 3;
constexpr std::size_t rest = limits::origin_connections - most_of_one;

class full_pool : public ::testing::Test {
 protected:
  full_pool() {
    rlimit files{};
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  }

  void ask(const fetch_client& who, std::uint64_t id, verb method = verb::post) {
    fetch f;
    f.id = id;
    f.method = method;
    if (method == verb::post) f.before = "{}";
    auto start = w.make_start(server.url("/" + std::to_string(id)), std::move(f));
    start.asker = who;
    caf::anon_send(w.doors().egress, std::move(start));
    w.on_unit([] {});  // it is there, before the server says anything
  }
  /// So many calls that find a connection each.
  void run(const fetch_client& who, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      ask(who, ++last);
      slow.push_back(server.accept());
    }
  }

  real_world w;
  listener server;
  fetch_client one = w.new_asker(), two = w.new_asker(), three = w.new_asker();
  std::vector<peer> slow;
  std::uint64_t last = 10'000;
};

TEST_F(full_pool, calls_that_may_not_begin_keep_nobody_from_ending_its_session) {
  run(one, most_of_one);
  for (int i = 0; i < 8; ++i) ask(one, ++last);  // wait
  ask(two, 1, verb::del);
  auto s = server.accept();
  EXPECT_EQ(s.read().start, "DELETE /1 HTTP/1.1");
}

TEST_F(full_pool, the_deadline_of_an_end_is_not_that_of_the_next_call) {
  run(one, most_of_one - 1);
  ask(one, 1, verb::del);
  auto s = server.accept();
  EXPECT_EQ(s.read().start, "DELETE /1 HTTP/1.1");
  ask(one, 2);  // waits
  s.send(response(307, "", "", "Location: /elsewhere\r\n"));
  EXPECT_EQ(s.read().start, "POST /2 HTTP/1.1");
  auto again = server.accept();
  EXPECT_EQ(again.read().start, "DELETE /elsewhere HTTP/1.1");
  // It has a deadline of its own, later than the one that was set first.
  EXPECT_EQ(w.answer().id, 1U);
  s.send(response(200, "application/json", "2"));
  const auto a = w.answer();
  EXPECT_EQ(a.id, 2U);
  EXPECT_EQ(a.end, fetch_end::complete) << a.why;
}

TEST_F(full_pool, who_is_redirected_to_a_new_connection_leaves_room_for_the_next) {
  run(one, most_of_one);
  run(two, rest);
  ask(three, 3);  // waits
  slow.front().read();
  slow.front().send(response(307, "", "", "Location: /elsewhere\r\nConnection: close\r\n"));
  auto next = server.accept();
  EXPECT_EQ(next.read().start, "POST /3 HTTP/1.1") << "its turn, and there is room";
}

}  // namespace
}  // namespace gate::testing
