// INSPECTOR over real connections: transport/http/inspection.hpp, transport/http/certificate.hpp,
// transport/store/inspection.hpp, asked by transport/inspection.hpp.
#include "transport/doors/inspector_actor.hpp"

#include <gtest/gtest.h>

#include <future>

#include "protocol/resp/writer.hpp"
#include "tests/transport/support/real_world.hpp"
#include "tests/transport/support/tls_peer.hpp"

namespace gate::testing {
namespace {

using namespace std::chrono_literals;

class inspection_user final : public inspection_client::base {
 public:
  struct post {
    inbox<inspected> servers;
    inbox<store_inspected> stores;
  };
  inspection_user(caf::actor_config& cfg, post* to) : inspection_client::base(cfg), to_(to) {}
  behavior_type make_behavior() override {
    return {[this](const inspected& m) { to_->servers.put(m); },
            [this](const store_inspected& m) { to_->stores.put(m); }};
  }

 private:
  post* to_;
};

class an_inspector : public ::testing::Test {
 protected:
  an_inspector()
      : door(spawn_inspector(w.system(), w.doors().unit)),
        user(w.system().spawn<inspection_user>(&told)) {}
  ~an_inspector() override {
    caf::anon_send_exit(door, caf::exit_reason::kill);
    caf::anon_send_exit(user, caf::exit_reason::kill);
  }
  void look(const std::string& url, bool get = false, std::chrono::milliseconds time = patience) {
    caf::anon_send(door, inspect{7, http::parse_url(url).value(), time, get, user});
  }
  inspected found() {
    auto out = told.servers.wait();
    EXPECT_EQ(out.id, 7U);
    return out;
  }
  void look_at_store(listener& server, std::chrono::milliseconds time = patience) {
    auto where = resp::parse_store_url("redis://:pw@127.0.0.1:" + std::to_string(server.port()));
    caf::anon_send(door, inspect_store{8, where.value(), time, user});
  }

  inspection_user::post told;
  real_world w;
  listener server;
  inspector_handle door;
  inspection_client user;
};

TEST_F(an_inspector, connects_and_says_nothing) {
  look(server.url("/x"));
  auto p = server.accept();
  EXPECT_TRUE(p.ended());
  const auto m = found();
  EXPECT_EQ(m.ended, inspection_stage::done);
  EXPECT_EQ(m.address, "127.0.0.1 port " + std::to_string(server.port()));
}

TEST_F(an_inspector, reads_the_date_of_an_answer) {
  look(server.url("/keys?a=b"), true);
  auto p = server.accept();
  const auto request = p.read();
  EXPECT_EQ(request.start, "GET /keys?a=b HTTP/1.1");
  EXPECT_EQ(request.header("authorization"), "");
  p.send("HTTP/1.1 404 Not Found\r\ndate:  Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
  const auto m = found();
  EXPECT_EQ(m.ended, inspection_stage::done);
  EXPECT_EQ(m.status, 404);
  EXPECT_EQ(m.date, "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST_F(an_inspector, says_how_far_it_came) {
  look("http://nowhere.invalid/");
  EXPECT_EQ(found().ended, inspection_stage::resolve);
  const auto gone = [] {
    listener other;
    return other.url("/");
  }();
  look(gone);
  EXPECT_EQ(found().ended, inspection_stage::connect);
  look(server.url("/"), true);
  server.accept().send("SSH-2.0-OpenSSH_9.2\r\n\r\n");
  auto m = found();
  EXPECT_EQ(m.ended, inspection_stage::answer);
  EXPECT_EQ(m.why, "the answer is not HTTP");
  look("https" + server.url("/").substr(4));
  auto p = server.accept();
  p.send("HTTP/1.1 400 Bad Request\r\n\r\n");
  m = found();
  EXPECT_EQ(m.ended, inspection_stage::tls);
  EXPECT_EQ(m.why, "the server does not speak TLS");
}

TEST_F(an_inspector, waits_for_nobody_and_reads_no_endless_head) {
  look(server.url("/"), true, 50ms);
  auto silent = server.accept();
  EXPECT_TRUE(found().late);
  look(server.url("/"), true);
  auto endless = server.accept();
  endless.send("HTTP/1.1 200 OK\r\nX: ");
  endless.send_what_fits(std::string(100'000, 'x'));
  EXPECT_EQ(found().why, "the head of its answer is too long");
}

TEST_F(an_inspector, sees_certificates_good_or_not) {
  const authority ca("of the test");
  const auto look_at = [&](const std::string& names, int days) {
    const auto as = ca.sign(names, days);
    auto handshake = std::async(std::launch::async, [&] {
      tls_peer p(server.accept(), as);
      return p.handshake();
    });
    look("https" + server.url("/").substr(4));
    auto m = found();
    handshake.get();
    return m.certificate.value_or(seen_certificate{});
  };
  const auto fine = look_at("IP:127.0.0.1,DNS:a.example", 1);
  EXPECT_TRUE(fine.for_host);
  EXPECT_EQ(fine.names, (std::vector<std::string>{"127.0.0.1", "a.example"}));
  EXPECT_FALSE(fine.distrust.empty()) << "nobody trusts that authority";
  EXPECT_GT(fine.until, std::chrono::system_clock::now());
  const auto beyond_2262 = std::chrono::sys_days(std::chrono::year(2265) / 1 / 1);
  EXPECT_GT(look_at("IP:127.0.0.1", 90'000).until, beyond_2262);
  EXPECT_FALSE(look_at("DNS:b.example", 1).for_host);
  EXPECT_LT(look_at("IP:127.0.0.1", -1).until, std::chrono::system_clock::now());
}

TEST_F(an_inspector, says_that_a_cache_answered) {
  for (const bool copy : {false, true}) {
    look(server.url("/"), true);
    auto p = server.accept();
    p.read();
    p.send(copy ? "HTTP/1.1 200 OK\r\nAGE: 3\r\n\r" : "HTTP/1.1 200 OK\r\n\r");
    p.send("\n");
    EXPECT_EQ(found().copy, copy);
  }
}

TEST_F(an_inspector, asks_nobody_whose_certificate_is_not_good) {
  const authority ca("of the test");
  const auto as = ca.sign("IP:127.0.0.1", 1);
  look("https" + server.url("/").substr(4), true);
  tls_peer p(server.accept(), as);
  ASSERT_TRUE(p.handshake());
  EXPECT_TRUE(p.ended());
  const auto m = found();
  EXPECT_EQ(m.ended, inspection_stage::done);
  ASSERT_TRUE(m.certificate);
  EXPECT_FALSE(m.certificate->distrust.empty());
}

TEST_F(an_inspector, asks_a_store_for_two_things_and_writes_nothing) {
  look_at_store(server);
  auto p = server.accept();
  p.read_until("pw\r\n");
  p.send("%1\r\n$4\r\nrole\r\n$6\r\nmaster\r\n");
  EXPECT_EQ(p.read_until("PING\r\n"), "*1\r\n$4\r\nPING\r\n");
  p.send("+PONG\r\n");
  EXPECT_EQ(p.read_until("TIME\r\n"), "*1\r\n$4\r\nINFO\r\n*1\r\n$4\r\nTIME\r\n");
  p.send("$9\r\nversion:1\r\n*2\r\n$10\r\n1700000000\r\n$1\r\n5\r\n");
  EXPECT_TRUE(p.ended()) << "nothing else is asked";
  const auto m = told.stores.wait();
  EXPECT_TRUE(m.ready);
  EXPECT_EQ(m.why, "");
  EXPECT_EQ(m.info, "version:1");
  ASSERT_TRUE(m.time);
  EXPECT_EQ(m.time->time_since_epoch(), 1'700'000'000s + 5us);
}

TEST_F(an_inspector, takes_no_time_of_a_store_that_is_none) {
  look_at_store(server);
  auto p = server.accept();
  p.read_until("pw\r\n");
  p.send("%1\r\n$4\r\nrole\r\n$6\r\nmaster\r\n");
  p.read_until("PING\r\n");
  p.send("+PONG\r\n");
  p.read_until("TIME\r\n");
  p.send("$1\r\nx\r\n*2\r\n$19\r\n9223372036854775807\r\n$1\r\n5\r\n");
  EXPECT_FALSE(told.stores.wait().time);
}

TEST_F(an_inspector, says_when_a_store_refuses_us) {
  look_at_store(server);
  auto p = server.accept();
  p.read_until("HELLO\r\n");
  p.send("-WRONGPASS no\r\n-WRONGPASS no\r\n-WRONGPASS no\r\n-WRONGPASS no\r\n");
  const auto m = told.stores.wait();
  EXPECT_FALSE(m.ready);
  EXPECT_EQ(m.why.find("pw"), std::string::npos);
  EXPECT_FALSE(m.why.empty());
}

TEST_F(an_inspector, does_not_wait_for_a_silent_store) {
  look_at_store(server, 50ms);
  auto p = server.accept();
  EXPECT_EQ(told.stores.wait().why, "no answer in time");
}

}  // namespace
}  // namespace gate::testing
