#include "transport/runtime.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/transport/support/real_world.hpp"
#include "transport/clock.hpp"
#include "transport/log.hpp"
#include "transport/process.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::testing {
namespace {

TEST(runtime, units_and_ports) {
  real_world w(3);
  EXPECT_GT(w.port(), 0);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(w.doors(i).ingress);
    EXPECT_TRUE(w.doors(i).egress);
    EXPECT_NE(w.doors(i).unit, nullptr);
  }
  EXPECT_NE(w.doors(0).unit, w.doors(1).unit);
}

TEST(runtime, clients_within_the_limit_of_open_files) {
  EXPECT_EQ(connections_within(1'000'000, 1, 0), limits::client_connections);
  EXPECT_EQ(connections_within(20'000, 1, 0), 20'000 - limits::other_descriptors);
  EXPECT_EQ(connections_within(20'000, 2, 0), 10'000 - limits::other_descriptors);
  EXPECT_EQ(connections_within(20'000, 1, 1000), 19'000 - limits::other_descriptors);
  EXPECT_EQ(connections_within(1024, 1, 0), 512U) << "never more than half is set aside";
  EXPECT_EQ(connections_within(0, 1, 0), 0U);
}

int warnings = 0;

/// How often it is said that few clients have room.
int warned_with(std::size_t descriptors, bool listens = true) {
  warnings = 0;
  log::redirect([](std::string_view line) {
    warnings += line.find("leaves room for few clients") != std::string_view::npos;
  });
  runtime::options o;
  o.port = 0;
  o.descriptors = descriptors;
  o.listens = listens;
  {
    const auto r = runtime::start(o);
    EXPECT_TRUE(r);
  }
  log::redirect(nullptr);
  return warnings;
}

/// Half of so few files is set aside.
TEST(runtime, few_open_files_are_warned_of_where_clients_can_connect) {
  constexpr auto few = 2 * limits::few_connections - 2;
  EXPECT_EQ(warned_with(few), 1);
  EXPECT_EQ(warned_with(few, false), 0) << "nobody can connect";
}

TEST(runtime, many_open_files_are_not_warned_of) {
  constexpr auto many = 2 * limits::few_connections;
  ASSERT_GE(raise_descriptor_limit(), many) << "this needs a higher hard limit of open files";
  EXPECT_EQ(warned_with(many), 0);
}

TEST(runtime, a_port_that_is_taken) {
  listener other;
  runtime::options o;
  o.port = other.port();
  const auto r = runtime::start(o);
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().what.find("127.0.0.1:" + std::to_string(other.port())), std::string::npos);
  EXPECT_NE(r.error().what.find("--port"), std::string::npos) << r.error().what;
}

TEST(runtime, a_host_that_does_not_exist) {
  runtime::options o;
  o.host = "no-such-host.invalid";
  o.port = 0;
  const auto r = runtime::start(o);
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().what.find("no-such-host.invalid"), std::string::npos);
}

TEST(runtime, it_may_end_with_everything_open) {
  listener server;
  real_world w(2);
  w.serve_by_hand();
  auto idle = connect_to(w.port());
  auto busy = connect_to(w.port());
  busy.send(request("GET", "/"));
  auto d = w.arrival();
  w.with(d, [](exchange& e) { e.open_stream(""); });
  w.release(std::move(d));
  w.fetch_from(server.url());
  auto upstream = server.accept();
}

TEST(runtime, healthcheck) {
  real_world w;
  w.serve([](const exchange_ptr& e) {
    EXPECT_EQ(e->request().head->target, "/health");
    e->respond(head(503), {});
  });
  EXPECT_TRUE(http_answers("127.0.0.1", w.port(), "/health"))
      << "an answer is one, whatever it says";
  listener gone;
  const auto port = gone.port();
  gone.close();
  EXPECT_FALSE(http_answers("127.0.0.1", port, "/health"));
}

TEST(process, environment) {
  ::setenv("GATE_TEST_SET", "value", 1);
  ::setenv("GATE_TEST_EMPTY", "", 1);
  EXPECT_EQ(environment_variable("GATE_TEST_SET"), "value");
  EXPECT_EQ(environment_variable("GATE_TEST_EMPTY"), std::nullopt);
  EXPECT_EQ(environment_variable("GATE_TEST_UNSET"), std::nullopt);
}

TEST(process, files) {
  const auto path =
      std::filesystem::temp_directory_path() / ("gate-test-file-" + std::to_string(::getpid()));
  const std::string bytes("a\0b\r\n\xff", 6);
  std::ofstream(path, std::ios::binary) << bytes;
  const auto read = read_file(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, bytes);
  std::filesystem::resize_file(path, 16 * 1024 * 1024 + 1);
  const auto large = read_file(path);
  ASSERT_FALSE(large);
  EXPECT_NE(large.error().what.find("16 MiB"), std::string::npos);
  std::filesystem::remove(path);
  const auto absent = read_file(path);
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().what.find(path.string()), std::string::npos);
  EXPECT_NE(absent.error().what.find("No such file"), std::string::npos) << absent.error().what;
  EXPECT_FALSE(read_file(std::filesystem::temp_directory_path())) << "a directory";
}

TEST(process, stamps_tell_files_apart) {
  const auto path =
      (std::filesystem::temp_directory_path() / ("gate-test-stamp-" + std::to_string(::getpid())))
          .string();
  std::ofstream(path) << "a";
  const auto first = stamp_of(path);
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, *stamp_of(path));
  EXPECT_EQ(first->bytes, 1U);
  std::ofstream(path, std::ios::app) << "b";
  EXPECT_NE(*first, *stamp_of(path));
  std::filesystem::remove(path);
  const auto gone = stamp_of(path);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().what, "No such file or directory");
}

TEST(process, threads_without_signals) {
  const auto blocked = [](int signal) {
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    return sigismember(&now, signal) == 1;
  };
  {
    const without_signals shy;
    std::thread([&] {
      EXPECT_TRUE(blocked(SIGTERM));
      EXPECT_TRUE(blocked(SIGHUP));
      EXPECT_FALSE(blocked(SIGSEGV)) << "a thread's own faults";
    }).join();
  }
  EXPECT_FALSE(blocked(SIGTERM));
}

TEST(runtime, two_of_them_in_one_process) {
  real_world a, b(2);
  EXPECT_NE(a.port(), b.port());
  // An actor without a home that is woken by a thread of the other one runs at home all the same.
  std::promise<bool> at_home;
  auto floating = b.system().spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](int) {
      auto* unit = scheduler::io_unit::current();
      at_home.set_value(unit == b.doors(0).unit || unit == b.doors(1).unit);
    }};
  });
  a.on_unit([&] { caf::anon_send(floating, 1); });
  EXPECT_TRUE(at_home.get_future().get());
  a.serve([](const exchange_ptr& e) { e->respond(head(200), {}); });
  b.serve([](const exchange_ptr& e) { e->respond(head(202), {}); });
  auto ca = connect_to(a.port()), cb = connect_to(b.port());
  ca.send(request("GET", "/"));
  cb.send(request("GET", "/"));
  EXPECT_EQ(ca.read().status(), 200);
  EXPECT_EQ(cb.read().status(), 202);
}

TEST(clocks, what_is_handed_in) {
  const auto before = std::chrono::system_clock::now();
  EXPECT_GE(system_wall_clock()(), before);
  std::vector<std::uint8_t> a(32), b(32);
  const auto random = system_random();
  random(a);
  random(b);
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace gate::testing
