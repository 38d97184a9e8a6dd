// EGRESS over TLS. What is trusted comes from the file that SSL_CERT_FILE names, as OpenSSL has it.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/transport/support/real_world.hpp"
#include "tests/transport/support/tls_peer.hpp"
#include "transport/http/wire.hpp"

namespace gate::testing {
namespace {

fetch ask_https(std::uint64_t id, std::string body = "{}") {
  fetch f;
  f.id = id;
  f.before = std::move(body);
  return f;
}

/// A world that trusts `ca`, and nobody else.
class tls : public ::testing::Test {
 protected:
  tls() {
    path_ = std::filesystem::temp_directory_path() /
            ("gate-test-ca-" + std::to_string(::getpid()) + ".pem");
    std::ofstream(path_) << ca.pem();
    // Before the world's threads start: the environment is nobody's to change beside others.
    ::setenv("SSL_CERT_FILE", path_.c_str(), 1);
    ::setenv("SSL_CERT_DIR", "/nonexistent", 1);
    w.emplace();
  }
  ~tls() override {
    w.reset();
    ::unsetenv("SSL_CERT_FILE");
    ::unsetenv("SSL_CERT_DIR");
    std::filesystem::remove(path_);
  }

  std::string url(const std::string& host = "localhost") const {
    return "https://" + host + ":" + std::to_string(server.port()) + "/mcp";
  }

  /// A fetch that a server with this identity must not get; what the asker is told.
  fetched refused(const identity& as, const std::string& host = "localhost") {
    w->fetch_from(url(host), ask_https(1));
    tls_peer s(server.accept(), as);
    s.handshake();  // with TLS 1.3 the client's verdict comes after what the server calls its end
    EXPECT_TRUE(s.ended()) << "no byte of the request was sent";
    return w->answer();
  }

  authority ca{"gate test authority"};
  listener server;
  std::optional<real_world> w;

 private:
  std::filesystem::path path_;
};

TEST_F(tls, the_right_host) {
  const auto id = ca.sign("DNS:localhost");
  w->fetch_from(url(), ask_https(1, "{\"a\":1}"));
  tls_peer s(server.accept(), id);
  ASSERT_TRUE(s.handshake());
  EXPECT_EQ(s.asked_for(), "localhost");
  EXPECT_NE(s.read_until("{\"a\":1}").find("Host: localhost:"), std::string::npos);
  s.send(response(200, "application/json", "[1]"));
  const auto a = w->answer();
  EXPECT_EQ(a.end, fetch_end::complete) << a.why;
  EXPECT_EQ(*a.body, "[1]");
  w->fetch_from(url(), ask_https(2, "again"));  // on the same connection
  s.read_until("again");
  s.send(response(200, "application/json", "[2]"));
  EXPECT_EQ(*w->answer().body, "[2]");
}

TEST_F(tls, the_right_address) {
  w->fetch_from(url("127.0.0.1"), ask_https(1));
  tls_peer s(server.accept(), ca.sign("IP:127.0.0.1"));
  ASSERT_TRUE(s.handshake());
  EXPECT_EQ(s.asked_for(), "") << "addresses are not announced";
  s.read_until("{}");
  s.send(response(200, "application/json", "[1]"));
  EXPECT_EQ(w->answer().end, fetch_end::complete);
}

TEST_F(tls, large_bodies_and_streams) {
  const std::string large(300'000, 'x');
  w->fetch_from(url(), ask_https(1, large + "."));
  tls_peer s(server.accept(), ca.sign("DNS:localhost"));
  ASSERT_TRUE(s.handshake());
  s.read_until(large + ".");
  s.send(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
  s.send(chunk("data: " + large + "\n\n"));
  EXPECT_EQ(w->events().events.at(0).data, large);
  s.send("0\r\n\r\n");
  EXPECT_EQ(w->answer().end, fetch_end::complete);
}

TEST_F(tls, a_server_that_speaks_plain_http) {
  w->fetch_from(url(), ask_https(1));
  auto s = server.accept();
  s.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  const auto a = w->answer();
  EXPECT_EQ(a.end, fetch_end::connect_failed);
  EXPECT_EQ(a.obstacle, obstacle::tls);
  EXPECT_NE(a.why.find("does not speak TLS"), std::string::npos) << a.why;
}

TEST_F(tls, a_server_that_waits_for_a_request) {
  destination d;
  d.connect_timeout = std::chrono::milliseconds{100};
  w->fetch_from(url(), ask_https(1), d);
  auto s = server.accept();
  const auto a = w->answer();
  EXPECT_EQ(a.end, fetch_end::connect_timeout);
  EXPECT_NE(a.why.find("TLS handshake"), std::string::npos) << a.why;
}

TEST_F(tls, the_wrong_host) {
  const auto a = refused(ca.sign("DNS:elsewhere.test"));
  EXPECT_EQ(a.end, fetch_end::connect_failed);
  EXPECT_EQ(a.obstacle, obstacle::tls);
  EXPECT_TRUE(a.untouched);
  EXPECT_NE(a.why.find("hostname mismatch"), std::string::npos) << a.why;
  const auto by_address = refused(ca.sign("DNS:localhost"), "127.0.0.1");
  EXPECT_EQ(by_address.end, fetch_end::connect_failed);
  EXPECT_NE(by_address.why.find("IP address mismatch"), std::string::npos) << by_address.why;
}

TEST_F(tls, an_authority_that_is_not_trusted) {
  const authority other("another authority");
  const auto a = refused(other.sign("DNS:localhost"));
  EXPECT_EQ(a.end, fetch_end::connect_failed);
  EXPECT_EQ(a.obstacle, obstacle::tls);
  EXPECT_TRUE(a.untouched);
  EXPECT_NE(a.why.find("unable to get local issuer certificate"), std::string::npos) << a.why;
}

TEST_F(tls, a_certificate_that_has_expired) {
  const auto a = refused(ca.sign("DNS:localhost", -1));
  EXPECT_EQ(a.end, fetch_end::connect_failed);
  EXPECT_EQ(a.obstacle, obstacle::tls);
  EXPECT_NE(a.why.find("expired"), std::string::npos) << a.why;
}

TEST_F(tls, a_server_that_speaks_no_tls) {
  w->fetch_from(url(), ask_https(1));
  auto s = server.accept();
  s.send("HTTP/1.1 400 Bad Request\r\n\r\n");
  const auto a = w->answer();
  EXPECT_EQ(a.end, fetch_end::connect_failed);
  EXPECT_EQ(a.obstacle, obstacle::tls);
  EXPECT_TRUE(a.untouched);
  EXPECT_FALSE(a.why.empty());
}

TEST_F(tls, a_server_that_never_shakes_hands) {
  destination d;
  d.connect_timeout = std::chrono::milliseconds{20};
  w->fetch_from(url(), ask_https(1), d);
  auto s = server.accept();
  const auto a = w->answer();
  EXPECT_EQ(a.end, fetch_end::connect_timeout);
  EXPECT_TRUE(a.untouched);
}

TEST_F(tls, an_answer_cut_short_is_not_an_answer) {
  w->fetch_from(url(), ask_https(1));
  auto raw = server.accept();
  const int fd = raw.fd();
  tls_peer s(std::move(raw), ca.sign("DNS:localhost"));
  ASSERT_TRUE(s.handshake());
  s.read_until("{}");
  s.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[1");
  ::shutdown(fd, SHUT_RDWR);  // an attacker can do that; only close_notify is the server's word
  EXPECT_EQ(w->answer().end, fetch_end::broken);
}

TEST_F(tls, an_answer_that_ends_with_the_connection) {
  w->fetch_from(url(), ask_https(1));
  tls_peer s(server.accept(), ca.sign("DNS:localhost"));
  ASSERT_TRUE(s.handshake());
  s.read_until("{}");
  s.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[1]");
  s.close();
  const auto a = w->answer();
  EXPECT_EQ(a.end, fetch_end::complete) << a.why;
  EXPECT_EQ(*a.body, "[1]");
}

}  // namespace
}  // namespace gate::testing
