// Connections to upstreams: when they are used again, when a request is sent again, where redirects
// may lead.
#include "transport/http/pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <boost/asio/post.hpp>
#include <map>
#include <thread>

#include "protocol/limits.hpp"
#include "tests/transport/support/real_world.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::testing {
namespace {

fetch ask(std::uint64_t id, verb method = verb::post) {
  fetch f;
  f.id = id;
  f.method = method;
  if (method == verb::post) f.before = "{}";
  return f;
}

std::string answer(std::uint64_t id, std::string_view headers = {}) {
  return response(200, "application/json", std::to_string(id), headers);
}

/// One exchange; afterwards the connection is idle.
peer warmed(real_world& w, listener& server) {
  w.fetch_from(server.url(), ask(1));
  auto s = server.accept();
  s.read();
  s.send(answer(1));
  EXPECT_EQ(w.answer().end, fetch_end::complete);
  return s;
}

TEST(pool, an_idle_connection_is_used_again) {
  real_world w;
  listener server;
  auto s = warmed(w, server);
  for (std::uint64_t id = 2; id < 10; ++id) {
    w.fetch_from(server.url("/" + std::to_string(id)), ask(id));
    EXPECT_EQ(s.read().start, "POST /" + std::to_string(id) + " HTTP/1.1");
    s.send(answer(id));
    EXPECT_EQ(*w.answer().body, std::to_string(id));
  }
}

TEST(pool, of_all_idle_connections_there_are_so_many) {
  real_world w;
  listener first, second;
  destination few;
  few.idle_in_all = 1;
  const auto exchange = [&](listener& at, std::uint64_t id) {
    w.fetch_from(at.url(), ask(id), few);
    auto s = at.accept();
    s.read();
    s.send(answer(id));
    EXPECT_EQ(w.answer().end, fetch_end::complete);
    return s;
  };
  auto kept = exchange(first, 1);
  for (std::uint64_t id = 2; id < 5; ++id) {
    auto closed = exchange(second, id);
    EXPECT_TRUE(closed.ended());
  }
  w.fetch_from(first.url(), ask(5), few);
  EXPECT_EQ(kept.read().start, "POST / HTTP/1.1");
  // Its place is free while it is at work.
  auto other = exchange(second, 6);
  kept.send(answer(5));
  EXPECT_EQ(w.answer().id, 5U);
  EXPECT_TRUE(kept.ended());
  w.fetch_from(second.url(), ask(7), few);
  EXPECT_EQ(other.read().start, "POST / HTTP/1.1");
}

TEST(pool, requests_at_the_same_time_get_connections_of_their_own) {
  real_world w;
  listener server;
  std::vector<peer> peers;
  for (std::uint64_t id = 1; id <= 3; ++id) {
    w.fetch_from(server.url("/" + std::to_string(id)), ask(id));
    peers.push_back(server.accept());
  }
  for (std::size_t i = peers.size(); i-- > 0;) {  // answered in reverse
    EXPECT_EQ(peers[i].read().start, "POST /" + std::to_string(i + 1) + " HTTP/1.1");
    peers[i].send(answer(i + 1));
    EXPECT_EQ(w.answer().id, i + 1);
  }
}

TEST(pool, streams_leave_room_for_calls) {
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = files.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  real_world w;
  listener server;
  std::vector<peer> streams;
  std::uint64_t id = 1;
  for (; id <= limits::origin_connections; ++id) {
    w.fetch_from(server.url(), ask(id, verb::get));
    streams.push_back(server.accept());
  }
  w.fetch_from(server.url(), ask(id));
  auto s = server.accept();
  s.read();
  s.send(answer(id));
  EXPECT_EQ(w.answer().end, fetch_end::complete);
}

void raise_file_limit() {
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = files.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
}

TEST(pool, one_asker_leaves_room_for_the_next) {
  raise_file_limit();
  real_world w;
  listener server;
  std::vector<peer> slow;
  constexpr std::size_t most = limits::origin_connections / 4 * 3;
  for (std::uint64_t id = 1; id <= limits::origin_connections + 6; ++id) {
    w.fetch_from(server.url("/slow"), ask(id));
    if (slow.size() < most) slow.push_back(server.accept());
  }
  auto other = w.make_start(server.url("/fast"), ask(9999));
  other.asker = w.new_asker();
  caf::anon_send(w.doors().egress, other);
  auto s = server.accept();
  EXPECT_EQ(s.read().start, "POST /fast HTTP/1.1");
  s.send(answer(9999, "Connection: close\r\n"));
  EXPECT_EQ(w.answer().id, 9999U);
  // What waits goes on as soon as something ends.
  slow.back().read();
  slow.back().send(answer(most));
  EXPECT_EQ(w.answer().id, most);
  EXPECT_EQ(slow.back().read().start, "POST /slow HTTP/1.1");
}

TEST(pool, ends_of_sessions_go_behind_calls_few_at_a_time) {
  real_world w;
  listener server;
  std::vector<peer> ends;
  for (std::uint64_t id = 1; id <= 3 * limits::origin_ends; ++id)
    w.fetch_from(server.url("/end"), ask(id, verb::del));
  w.fetch_from(server.url("/call"), ask(9999));
  for (std::size_t i = 0; i < limits::origin_ends; ++i) {
    ends.push_back(server.accept());
    EXPECT_EQ(ends.back().read().start, "DELETE /end HTTP/1.1");
  }
  auto call = server.accept();
  EXPECT_EQ(call.read().start, "POST /call HTTP/1.1");
  ends.front().send("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(w.answer().status, 204);
  EXPECT_EQ(ends.front().read().start, "DELETE /end HTTP/1.1") << "its turn came";
  // Who does not answer is not waited for, from when it was sent.
  const auto late = w.answer();
  EXPECT_EQ(late.end, fetch_end::broken);
  EXPECT_NE(late.why.find("end of a session"), std::string::npos) << late.why;
}

TEST(pool, an_abandoned_fetch_makes_room_and_one_that_waits_is_forgotten) {
  real_world w;
  listener server;
  std::vector<peer> ends;
  for (std::uint64_t id = 1; id <= limits::origin_ends + 2; ++id)
    w.fetch_from(server.url("/" + std::to_string(id)), ask(id, verb::del));
  for (std::size_t i = 0; i < limits::origin_ends; ++i) ends.push_back(server.accept());
  w.abandon(limits::origin_ends + 1);  // waits
  w.abandon(1);                        // is under way
  auto next = server.accept();
  EXPECT_EQ(next.read().start, "DELETE /" + std::to_string(limits::origin_ends + 2) + " HTTP/1.1");
}

TEST(pool, a_server_that_closes_is_not_asked_again_there) {
  real_world w;
  listener server;
  for (const std::string line : {"Connection: close\r\n", "Keep-Alive: timeout=1\r\n"}) {
    w.fetch_from(server.url(), ask(1));
    auto s = server.accept();
    s.read();
    s.send(answer(1, line));
    EXPECT_EQ(w.answer().end, fetch_end::complete);
    w.fetch_from(server.url(), ask(2));
    auto next = server.accept();
    next.read();
    next.send(answer(2, "Connection: close\r\n"));
    EXPECT_EQ(w.answer().id, 2u);
    EXPECT_TRUE(s.ended()) << line;
  }
}

TEST(pool, bytes_that_nobody_asked_for_end_the_connection) {
  real_world w;
  listener server;
  auto s = warmed(w, server);
  s.send(answer(666));
  EXPECT_TRUE(s.ended());
  w.fetch_from(server.url(), ask(2));
  s = server.accept();
  s.read();
  // Behind the answer comes another one: it belongs to no request, certainly not to the next.
  s.send(answer(2) + answer(666));
  EXPECT_EQ(*w.answer().body, "2");
  EXPECT_TRUE(s.ended());
}

// --- sending again
// ----------------------------------------------------------------------------------

/// The server closes an idle connection in the very moment in which it is chosen again: the request
/// is taken up while the end of the connection already waits to be read.
void close_under_a_request(real_world& w, peer& s, start_fetch again) {
  auto& context = scheduler::io_unit::current()->context();
  s.close();
  boost::asio::post(context, [&w, again = std::move(again)] {
    const scheduler::handler_scope scope(*scheduler::io_unit::current());
    caf::anon_send(w.doors().egress, again);
  });
}

TEST(sending_again, when_the_request_never_left) {
  real_world w;
  listener server;
  auto s = warmed(w, server);
  w.on_unit([&] { close_under_a_request(w, s, w.make_start(server.url("/2"), ask(2))); });
  auto next = server.accept();
  EXPECT_EQ(next.read().start, "POST /2 HTTP/1.1");
  next.send(answer(2));
  const auto a = w.answer();
  EXPECT_EQ(a.end, fetch_end::complete) << a.why;
  EXPECT_EQ(*a.body, "2");
}

TEST(sending_again, when_the_peer_was_gone_already) {
  real_world w;
  listener server;
  auto s = warmed(w, server);
  w.on_unit([&] {
    s.close();
    auto f = ask(2);
    f.repeatable = true;  // a reset proves nothing, and it may be one that comes
    caf::anon_send(w.doors().egress, w.make_start(server.url("/2"), std::move(f)));
  });
  auto next = server.accept();
  EXPECT_EQ(next.read().start, "POST /2 HTTP/1.1");
  next.send(answer(2));
  EXPECT_EQ(w.answer().end, fetch_end::complete);
}

TEST(sending_again, not_when_the_server_took_the_request) {
  real_world w;
  listener server;
  auto s = warmed(w, server);
  w.fetch_from(server.url(), ask(2));
  s.read();
  s.close();
  const auto a = w.answer();
  EXPECT_EQ(a.end, fetch_end::broken);
  EXPECT_FALSE(a.untouched);
  EXPECT_NE(a.why.find("before an answer"), std::string::npos) << a.why;
}

TEST(sending_again, when_it_does_no_harm) {
  real_world w;
  listener server;
  auto s = warmed(w, server);
  auto f = ask(2);
  f.repeatable = true;
  w.fetch_from(server.url(), std::move(f));
  s.read();
  s.close();
  auto next = server.accept();
  next.read();
  next.close();
  EXPECT_EQ(w.answer().end, fetch_end::broken) << "once only";
}

TEST(sending_again, not_on_a_fresh_connection_and_not_behind_the_first_byte) {
  real_world w;
  listener server;
  auto f = ask(1);
  f.repeatable = true;
  w.fetch_from(server.url(), f);
  auto fresh = server.accept();
  fresh.read();
  fresh.close();
  EXPECT_EQ(w.answer().end, fetch_end::broken);
  auto s = warmed(w, server);
  w.fetch_from(server.url(), f);
  s.read();
  s.send("HTTP/1.1 200 OK\r\n");
  s.close();
  const auto a = w.answer();
  EXPECT_EQ(a.end, fetch_end::broken);
  EXPECT_FALSE(a.untouched);
  EXPECT_NE(a.why.find("in the middle"), std::string::npos) << a.why;
}

// --- redirects
// --------------------------------------------------------------------------------------

std::string redirect(int status, const std::string& to) {
  return response(status, "", "", "Location: " + to + "\r\n");
}

TEST(redirects, within_the_origin_keep_method_and_body) {
  real_world w;
  listener server;
  auto s = warmed(w, server);
  for (const auto& to : {std::string("/new?x"), server.url("/new?x")})
    for (const int status : {307, 308}) {
      w.fetch_from(server.url("/old"), ask(2));
      s.read();
      s.send(redirect(status, to));
      const auto m = s.read();
      EXPECT_EQ(m.start, "POST /new?x HTTP/1.1");
      EXPECT_EQ(m.body, "{}");
      s.send(answer(2));
      EXPECT_EQ(w.answer().end, fetch_end::complete);
    }
}

TEST(redirects, a_get_follows_the_older_ones_too) {
  real_world w;
  listener server;
  auto s = warmed(w, server);
  for (const int status : {301, 302, 303, 307, 308}) {
    w.fetch_from(server.url("/old"), ask(2, verb::get));
    s.read();
    s.send(redirect(status, "/new"));
    EXPECT_EQ(s.read().start, "GET /new HTTP/1.1");
    s.send(answer(2));
    EXPECT_EQ(w.answer().end, fetch_end::complete);
  }
}

TEST(redirects, never_lead_elsewhere) {
  real_world w;
  listener server, other;
  const auto port = std::to_string(server.port());
  for (const std::string& to :
       {other.url("/"), std::string("//evil.test/"), "http://localhost:" + port + "/",
        "https://127.0.0.1:" + port + "/", std::string("relative"), std::string(""),
        std::string("ftp://127.0.0.1/"), "http://u@127.0.0.1:" + port + "/"}) {
    w.fetch_from(server.url("/"), ask(2));
    auto s = server.accept();
    s.read();
    s.send(redirect(307, to));
    const auto a = w.answer();
    EXPECT_EQ(a.end, fetch_end::redirected) << to;
    EXPECT_EQ(a.status, 307);
    EXPECT_TRUE(s.ended());
  }
}

TEST(redirects, a_post_is_never_turned_into_something_else) {
  real_world w;
  listener server;
  for (const int status : {301, 302, 303}) {
    w.fetch_from(server.url("/"), ask(2));
    auto s = server.accept();
    s.read();
    s.send(redirect(status, "/new"));
    const auto a = w.answer();
    EXPECT_EQ(a.end, fetch_end::redirected) << status;
    EXPECT_EQ(a.status, status);
    EXPECT_EQ(a.why, "answered " + std::to_string(status) + ", and this redirect is not followed");
    s.close();
  }
}

TEST(redirects, are_counted) {
  real_world w;
  listener server;
  auto s = warmed(w, server);
  w.fetch_from(server.url("/0"), ask(2));
  for (int i = 0; i <= limits::redirects; ++i) {
    EXPECT_EQ(s.read().start, "POST /" + std::to_string(i) + " HTTP/1.1");
    s.send(redirect(307, "/" + std::to_string(i + 1)));
  }
  EXPECT_EQ(w.answer().end, fetch_end::redirected);
}

TEST(redirects, what_comes_behind_one_is_not_the_answer) {
  real_world w;
  listener server;
  w.fetch_from(server.url("/old"), ask(2));
  auto s = server.accept();
  s.read();
  s.send(redirect(307, "/new") + answer(666));
  auto next = server.accept();
  EXPECT_EQ(next.read().start, "POST /new HTTP/1.1");
  next.send(answer(2));
  EXPECT_EQ(*w.answer().body, "2");
}

// --- whose connections they are ------------------------------------------------------------------

destination shared_as(std::string who) {
  destination d;
  d.share = std::move(who);
  return d;
}

TEST(pool, upstreams_of_one_origin_do_not_take_each_others_connections) {
  real_world w;
  listener server;
  std::map<std::string, peer> peers;
  for (const auto* who : {"one", "two"}) {
    w.fetch_from(server.url(), ask(1), shared_as(who));
    peers[who] = server.accept();
    peers[who].read();
    peers[who].send(answer(1));
    EXPECT_EQ(w.answer().end, fetch_end::complete);
  }
  for (const auto* who : {"one", "two", "one"}) {
    w.fetch_from(server.url(std::string("/") + who), ask(2), shared_as(who));
    EXPECT_EQ(peers[who].read().start, std::string("POST /") + who + " HTTP/1.1");
    peers[who].send(answer(2));
    EXPECT_EQ(w.answer().end, fetch_end::complete);
  }
}

TEST(pool, that_has_nothing_any_more_is_forgotten) {
  real_world w;
  listener server;
  inbox<fetched> answers;
  std::unique_ptr<http::client> it;
  const auto pools = [&] {
    std::size_t out = 0;
    w.on_unit([&] { out = it->pools(); });
    return out;
  };
  w.on_unit([&] {
    http::client::callbacks call;
    call.done = [&](const fetch_client&, fetched f) { answers.put(std::move(f)); };
    call.events = [](const fetch_client&, const streamed&) {};
    it = std::make_unique<http::client>(*scheduler::io_unit::current(), std::move(call));
    for (const auto* who : {"one", "two"})
      it->start(w.make_start(server.url(), ask(1), shared_as(who)));
  });
  auto one = server.accept(), two = server.accept();
  for (auto* s : {&one, &two}) {
    s->read();
    s->send(answer(1));
    EXPECT_EQ(answers.wait().end, fetch_end::complete);
  }
  EXPECT_EQ(pools(), 2U) << "each has an idle connection";
  one.close();
  // It is looked for once a second; however slow the machine is, this loop ends.
  const auto until = std::chrono::steady_clock::now() + patience;
  while (pools() > 1 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_EQ(pools(), 1U);
  // The one that is left serves on.
  w.on_unit([&] { it->start(w.make_start(server.url(), ask(2), shared_as("two"))); });
  EXPECT_EQ(two.read().start, "POST / HTTP/1.1");
  two.send(answer(2));
  EXPECT_EQ(answers.wait().end, fetch_end::complete);
  w.on_unit([&] { it.reset(); });
}

}  // namespace
}  // namespace gate::testing
