#include "transport/http/lookups.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>

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

  http::resolve_function function() {
    return [s = state_](const std::string& host, std::uint16_t port, error_code& ec) {
      ++s->asked;
      if (host == "dead.test" || host == "slow.test") std::shared_future(s->gone).wait();
      if (host == "dead.test") ec = boost::asio::error::host_not_found;
      return http::endpoints{{boost::asio::ip::make_address("127.0.0.1"), port}};
    };
  }

 private:
  struct state {
    std::atomic<int> asked{0};
    std::promise<void> let_go;
    std::shared_future<void> gone{let_go.get_future()};
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

  void fetch_from(const std::string& url, std::uint64_t id) {
    fetch f;
    f.id = id;
    w_.on_unit([&] { client_->start(w_.make_start(url, std::move(f))); });
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

}  // namespace
}  // namespace gate::testing
