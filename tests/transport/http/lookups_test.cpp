#include "transport/http/lookups.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>

#include "tests/transport/support/real_world.hpp"
#include "transport/http/client.hpp"
#include "transport/http/pool.hpp"

namespace gate::testing {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

/// A name server in the test's hands. `dead` is not answered before the test ends. Lookups nobody
/// waits for may outlive it: they keep what they need.
class name_server {
 public:
  ~name_server() { release(); }
  void release() {
    if (!released_) state_->let_go.set_value();
    released_ = true;
  }
  int asked() const { return state_->asked; }
  /// What it answers for this name from now on; for others, where the test listens.
  void say(const std::string& host, std::vector<std::string> addresses) {
    const std::lock_guard lock(state_->mutex);
    state_->said[host] = std::move(addresses);
  }

  http::resolve_function function() {
    return [s = state_](const std::string& host, std::uint16_t port, error_code& ec) {
      ++s->asked;
      if (host == "dead.test" || host == "slow.test") std::shared_future(s->gone).wait();
      if (host == "dead.test") ec = boost::asio::error::host_not_found;
      http::endpoints found;
      for (const auto& one : s->answer_for(host))
        found.emplace_back(boost::asio::ip::make_address(one), port);
      return found;
    };
  }

 private:
  struct state {
    std::atomic<int> asked{0};
    std::promise<void> let_go;
    std::shared_future<void> gone{let_go.get_future()};
    std::mutex mutex;
    std::map<std::string, std::vector<std::string>> said;

    std::vector<std::string> answer_for(const std::string& host) {
      const std::lock_guard lock(mutex);
      const auto it = said.find(host);
      return it == said.end() ? std::vector<std::string>{"127.0.0.1"} : it->second;
    }
  };
  std::shared_ptr<state> state_ = std::make_shared<state>();
  bool released_ = false;
};

/// A client on the world's unit that asks this name server.
class named_client {
 public:
  named_client(real_world& w, name_server& names) : w_(w) {
    w_.on_unit([&] {
      http::client::callbacks call;
      call.done = [this](const fetch_client&, fetched f) { done_.put(std::move(f)); };
      call.events = [](const fetch_client&, streamed) {};
      client_ = std::make_unique<http::client>(*scheduler::io_unit::current(), std::move(call),
                                               names.function());
    });
  }
  ~named_client() {
    w_.on_unit([this] { client_.reset(); });
  }

  void fetch_from(const std::string& url, std::uint64_t id, destination to = {}) {
    fetch f;
    f.id = id;
    w_.on_unit([&] { client_->start(w_.make_start(url, std::move(f), std::move(to))); });
  }
  fetched answer() { return done_.wait(); }

 private:
  real_world& w_;
  inbox<fetched> done_;
  std::unique_ptr<http::client> client_;
};

std::string url_of(const std::string& host, const listener& server) {
  return "http://" + host + ":" + std::to_string(server.port()) + "/";
}

void serve(listener& server) {
  auto s = server.accept();
  s.read();
  s.send(response(200, "text/plain", "ok", "Connection: close\r\n"));
}

TEST(lookups, a_dead_name_holds_up_no_other) {
  real_world w;
  name_server names;
  named_client c(w, names);
  listener server;
  c.fetch_from(url_of("dead.test", server), 1);
  c.fetch_from(url_of("alive.test", server), 2);
  serve(server);
  EXPECT_EQ(c.answer().id, 2u);
  names.release();
  const auto a = c.answer();
  EXPECT_EQ(a.id, 1u);
  EXPECT_EQ(a.end, fetch_end::connect_failed);
  EXPECT_TRUE(a.untouched);
  EXPECT_NE(a.why.find("resolve"), std::string::npos) << a.why;
}

TEST(lookups, whoever_comes_meanwhile_waits_for_the_same_answer) {
  real_world w;
  name_server names;
  named_client c(w, names);
  listener server;
  for (std::uint64_t id = 1; id <= 5; ++id) c.fetch_from(url_of("slow.test", server), id);
  names.release();
  for (int i = 0; i < 5; ++i) serve(server);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(c.answer().end, fetch_end::complete);
  c.fetch_from(url_of("slow.test", server), 6);
  serve(server);
  EXPECT_EQ(c.answer().id, 6u);
  EXPECT_EQ(names.asked(), 1);
}

TEST(lookups, an_address_is_no_name) {
  real_world w;
  name_server names;
  named_client c(w, names);
  listener server;
  c.fetch_from(server.url(), 1);
  serve(server);
  EXPECT_EQ(c.answer().end, fetch_end::complete);
  EXPECT_EQ(names.asked(), 0);
}

TEST(lookups, a_deadline_ends_the_wait_for_a_name) {
  real_world w;
  name_server names;
  named_client c(w, names);
  listener server;
  w.on_unit([] {});
  c.fetch_from(url_of("dead.test", server), 1);
  EXPECT_EQ(c.answer().end, fetch_end::connect_timeout);
}

TEST(lookups, many_dead_names_and_an_end_that_waits_for_none) {
  real_world w;
  name_server names;
  std::unique_ptr<http::lookups> under_test;
  w.on_unit([&] {
    under_test = std::make_unique<http::lookups>(*scheduler::io_unit::current(), names.function());
    for (int i = 0; i < 100; ++i)
      under_test->start("dead.test", 80, [](error_code, const http::endpoints&) { FAIL(); });
  });
  w.on_unit([&] { under_test.reset(); });
  EXPECT_LE(names.asked(), 16);
}

TEST(lookups, names_in_a_row_are_all_answered) {
  real_world w;
  name_server names;
  inbox<bool> answers;
  std::unique_ptr<http::lookups> under_test;
  w.on_unit([&] {
    under_test = std::make_unique<http::lookups>(*scheduler::io_unit::current(), names.function());
    for (int i = 0; i < 100; ++i)
      under_test->start("dead.test", 80, [&](error_code ec, const http::endpoints&) {
        answers.put(static_cast<bool>(ec));
      });
  });
  names.release();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(answers.wait());
  EXPECT_EQ(names.asked(), 100);
  w.on_unit([&] { under_test.reset(); });
}

TEST(lookups, the_system_knows_this_host) {
  error_code ec;
  const auto found = http::resolve_by_system("localhost", 80, ec);
  ASSERT_FALSE(ec) << ec.message();
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found.front().address().is_loopback());
  EXPECT_EQ(found.front().port(), 80);
  EXPECT_TRUE(http::resolve_by_system("no-such-host.invalid", 80, ec).empty());
  EXPECT_TRUE(ec);
}

// --- whom a request may be sent to ---------------------------------------------------------------

destination to_peers(http::peers whom) {
  destination d;
  d.whom = whom;
  return d;
}

TEST(lookups, what_a_name_stands_for_is_judged_where_it_is_connected_to) {
  real_world w;
  name_server names;
  named_client c(w, names);
  listener server;
  const std::vector<std::string> inside{"127.0.0.1",
                                        "0.0.0.0",
                                        "10.0.0.1",
                                        "169.254.169.254",
                                        "192.168.1.1",
                                        "100.64.0.1",
                                        "::1",
                                        "::",
                                        "fc00::1",
                                        "fe80::1",
                                        "::ffff:127.0.0.1",
                                        "::7f00:1",
                                        "64:ff9b::7f00:1",
                                        "2002:7f00:1::",
                                        "2001::1",
                                        "ff02::1"};
  std::uint64_t id = 0;
  for (const auto& one : inside) {
    const auto host = "n" + std::to_string(++id) + ".test";
    names.say(host, {one});
    c.fetch_from(url_of(host, server), id, to_peers(http::peers::public_ones));
    const auto a = c.answer();
    EXPECT_EQ(a.end, fetch_end::connect_failed) << one;
    EXPECT_EQ(a.obstacle, obstacle::forbidden) << one;
    EXPECT_TRUE(a.untouched) << one;
    EXPECT_NE(a.why.find("only public addresses"), std::string::npos) << one << ": " << a.why;
  }
  EXPECT_FALSE(server.waits()) << "somebody was connected to";
}

TEST(lookups, an_address_in_the_url_is_judged_too) {
  real_world w;
  name_server names;
  named_client c(w, names);
  listener server;
  c.fetch_from(server.url(), 1, to_peers(http::peers::public_ones));
  EXPECT_EQ(c.answer().end, fetch_end::connect_failed);
  EXPECT_FALSE(server.waits());
}

TEST(lookups, a_name_for_addresses_of_both_kinds_leads_to_those_that_may_be) {
  real_world w;
  name_server names;
  named_client c(w, names);
  listener server;
  names.say("both.test", {"169.254.169.254", "127.0.0.1", "10.0.0.1"});
  c.fetch_from(url_of("both.test", server), 1, to_peers(http::peers::public_or_loopback));
  serve(server);
  EXPECT_EQ(c.answer().status, 200);
}

TEST(lookups, a_connection_of_others_is_not_used_where_it_might_not_have_been_made) {
  real_world w;
  name_server names;
  named_client c(w, names);
  listener server;
  c.fetch_from(url_of("any.test", server), 1);
  auto s = server.accept();
  s.read();
  s.send(response(200, "text/plain", "ok"));
  EXPECT_EQ(c.answer().status, 200);
  c.fetch_from(url_of("any.test", server), 2, to_peers(http::peers::public_ones));
  EXPECT_EQ(c.answer().end, fetch_end::connect_failed) << "it went over the idle connection";
}

}  // namespace
}  // namespace gate::testing
