#include "transport/doors/ingress_actor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "protocol/mcp/session_id.hpp"
#include "tests/transport/support/real_world.hpp"
#include "transport/log.hpp"
#include "transport/pinned.hpp"
#include "transport/process.hpp"

namespace gate::testing {
namespace {

/// A ROUTER that answers at once, as long as it lives. Streams are left open.
class mortal_router final : public pinned<arrivals_handle::base> {
 public:
  mortal_router(caf::actor_config& cfg, caf::execution_unit* unit) : pinned(cfg, unit) {}
  behavior_type make_behavior() override {
    return {
        [this](arrival& m) {
          if (m.from->request().head->target == "/later") return kept_.push_back(std::move(m.from));
          if (m.from->request().head->target == "/stream") {
            m.from->open_stream("");
            return kept_.push_back(std::move(m.from));
          }
          if (m.from->request().head->target == "/peer")
            return m.from->respond(head(200, "text/plain"), {m.from->peer()});
          m.from->respond(head(200, "text/plain"), {"ok"});
        },
        [](const body_read&) {},
        [](const client_gone&) {},
    };
  }
  void on_exit() override { kept_.clear(); }

 private:
  std::vector<exchange_ptr> kept_;
};

TEST(ingress, tells_where_a_client_is) {
  real_world w;
  caf::anon_send(w.doors().ingress, serve{w.system().spawn<mortal_router>(w.doors().unit)});
  auto c = connect_to(w.port());
  for (int i = 0; i < 2; ++i) {
    c.send(request("GET", "/peer"));
    EXPECT_EQ(c.read().body, "127.0.0.1");
  }
}

TEST(ingress, answers_itself_while_there_is_no_router) {
  real_world w;
  auto first = w.system().spawn<mortal_router>(w.doors().unit);
  caf::anon_send(w.doors().ingress, serve{first});
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  EXPECT_EQ(c.read().status(), 200);
  auto waiting = connect_to(w.port());
  waiting.send(request("POST", "/later"));
  auto listening = connect_to(w.port());
  listening.send(request("GET", "/stream"));
  listening.read_until("\r\n\r\n");
  c.send(request("GET", "/"));  // the request to wait was handled before this one
  EXPECT_EQ(c.read().status(), 200);

  caf::anon_send_exit(first, caf::exit_reason::kill);
  first = nullptr;
  const auto m = waiting.read();
  EXPECT_EQ(m.status(), 500);
  EXPECT_EQ(m.header("content-type"), "application/json");
  EXPECT_EQ(m.body, R"({"error":"internal error"})");
  EXPECT_TRUE(waiting.ended());
  EXPECT_TRUE(listening.ended());
  for (int i = 0; i < 2; ++i) {
    c.send(request("POST", "/", "{}"));
    const auto refused = c.read();
    EXPECT_EQ(refused.status(), 503);
    EXPECT_EQ(refused.header("retry-after"), "1");
    EXPECT_EQ(refused.header("content-type"), "application/json");
    EXPECT_EQ(refused.body, R"({"error":"restarting"})");
  }

  auto second = w.system().spawn<mortal_router>(w.doors().unit);
  caf::anon_send(w.doors().ingress, serve{second});
  w.on_unit([] {});
  c.send(request("GET", "/"));
  EXPECT_EQ(c.read().status(), 200) << "on the same connection";
  caf::anon_send_exit(second, caf::exit_reason::kill);
  second = nullptr;
}

TEST(ingress, the_end_of_an_old_router_does_not_harm_the_new_one) {
  real_world w;
  auto first = w.system().spawn<mortal_router>(w.doors().unit);
  auto second = w.system().spawn<mortal_router>(w.doors().unit);
  caf::anon_send(w.doors().ingress, serve{first});
  caf::anon_send(w.doors().ingress, serve{second});
  caf::anon_send_exit(first, caf::exit_reason::kill);
  first = nullptr;
  w.on_unit([] {});
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  EXPECT_EQ(c.read().status(), 200);
  caf::anon_send_exit(second, caf::exit_reason::kill);
  second = nullptr;
}

// --- answers that are wrong ----------------------------------------------------------------------

TEST(exchange, a_whole_answer_within_a_stream_ends_the_connection) {
  real_world w;
  w.serve([](const exchange_ptr& e) {
    e->open_stream("");
    e->respond(head(200, "text/plain"), {"too late"});
    EXPECT_FALSE(e->alive());
  });
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  EXPECT_EQ(c.read_to_end().find("too late"), std::string::npos);
}

TEST(exchange, a_second_answer_is_not_sent) {
  real_world w;
  w.serve([](const exchange_ptr& e) {
    e->respond(head(200, "text/plain"), {"one"});
    e->respond(head(200, "text/plain"), {"two"});
  });
  auto c = connect_to(w.port());
  c.send(request("GET", "/1") + request("GET", "/2"));
  EXPECT_EQ(c.read().body, "one");
  EXPECT_EQ(c.read().body, "one");
}

TEST(exchange, a_stream_that_is_dropped_ends_the_connection) {
  real_world w;
  w.serve([](const exchange_ptr& e) { e->open_stream(""); });
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  EXPECT_EQ(c.read_to_end().find("0\r\n\r\n"), std::string::npos) << "not a proper end";
}

// --- drain ---------------------------------------------------------------------------------------

TEST(moving, between_units_that_drain_a_connection_is_not_lost) {
  real_world w(2);
  w.serve_by_hand();
  auto c = connect_to(w.port());
  const auto all =
      request("POST", "/", "{}", "Mcp-Session-Id: " + mcp::make_session_id({}, 1) + "\r\n");
  c.send(request("GET", "/") + all.substr(0, all.size() - 1));
  auto first = w.arrival();
  EXPECT_EQ(first.unit, 0u);
  w.with(first, [](exchange& e) { e.respond(head(204), {}); });
  w.release(std::move(first));
  EXPECT_EQ(c.read().status(), 204);  // and what came with it is being read
  auto there = w.drain(1);
  there.get();
  auto here = w.drain(0);
  w.on_unit([] {});
  EXPECT_EQ(here.wait_for(std::chrono::seconds{0}), std::future_status::timeout);
  c.send(all.substr(all.size() - 1));
  auto d = w.arrival();
  EXPECT_EQ(d.unit, 1u);
  w.on_unit([] {});
  EXPECT_EQ(here.wait_for(std::chrono::milliseconds{50}), std::future_status::timeout)
      << "a connection that has moved is still to be answered";
  w.with(d, [](exchange& e) { e.respond(head(200, "text/plain"), {"served"}); });
  w.release(std::move(d));
  const auto m = c.read();
  EXPECT_EQ(m.body, "served");
  EXPECT_EQ(m.header("connection"), "close");
  c.close();
  here.get();
}

// --- the process ---------------------------------------------------------------------------------

// UBSan's check of types needs descriptors itself. In `make test` the build with ThreadSanitizer,
// which has no UBSan, runs this.
#ifndef __SANITIZE_ADDRESS__
std::atomic<int> complaints{0};

TEST(descriptors, an_outage_is_survived_and_logged_once) {
  real_world w;
  w.serve([](const exchange_ptr& e) { e->respond(head(200, "text/plain"), {"ok"}); });
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  auto low = before;
  low.rlim_cur = 256;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  log::redirect([](std::string_view line) {
    if (line.find("can not be accepted") != std::string_view::npos) ++complaints;
  });
  std::vector<int> hoard;
  for (int fd = 0; (fd = ::dup(0)) >= 0;) hoard.push_back(fd);
  ASSERT_FALSE(hoard.empty());
  ::close(hoard.back());
  hoard.pop_back();
  auto starved = connect_to(w.port());  // with the last descriptor
  starved.send(request("GET", "/"));
  std::this_thread::sleep_for(std::chrono::milliseconds{350});
  EXPECT_EQ(complaints, 1) << "several attempts, one outage";
  for (const int fd : hoard) ::close(fd);
  EXPECT_EQ(starved.read().status(), 200) << "accepted once there is room";
  ::setrlimit(RLIMIT_NOFILE, &before);
  log::redirect(nullptr);
}
#endif

TEST(descriptors, as_many_as_the_system_allows) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  auto low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_max, 512);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(raise_descriptor_limit(), before.rlim_max);
  rlimit after{};
  ::getrlimit(RLIMIT_NOFILE, &after);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(signals, a_closed_pipe_does_not_end_the_process) {
  std::signal(SIGPIPE, SIG_DFL);
  real_world w;
  struct sigaction now {};
  ASSERT_EQ(::sigaction(SIGPIPE, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, SIG_IGN);
}

}  // namespace
}  // namespace gate::testing
