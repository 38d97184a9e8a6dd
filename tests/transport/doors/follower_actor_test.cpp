// FOLLOWER over real connections: transport/http/following.hpp, asked by transport/following.hpp.
#include "transport/doors/follower_actor.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <variant>

#include "protocol/limits.hpp"
#include "tests/transport/support/real_world.hpp"
#include "tests/transport/support/temporary_folder.hpp"
#include "tests/transport/support/tls_peer.hpp"

namespace gate::testing {
namespace {

using heard = std::variant<follow_began, follow_said, follow_ended>;

class follow_user final : public follow_client::base {
 public:
  follow_user(caf::actor_config& cfg, inbox<heard>* to) : follow_client::base(cfg), to_(to) {}
  behavior_type make_behavior() override {
    return {[this](const follow_began& m) { to_->put(m); },
            [this](const follow_said& m) { to_->put(m); },
            [this](const follow_ended& m) { to_->put(m); }};
  }

 private:
  inbox<heard>* to_;
};

class a_follower : public ::testing::Test {
 protected:
  a_follower()
      : door(spawn_follower(w.system(), w.doors().unit)),
        user(w.system().spawn<follow_user>(&told)) {}
  ~a_follower() override {
    caf::anon_send_exit(door, caf::exit_reason::kill);
    caf::anon_send_exit(user, caf::exit_reason::kill);
  }
  void ask(const std::string& url, std::string ca = {}, std::uint64_t id = 7) {
    caf::anon_send(door,
                   follow{id, http::parse_url(url).value(), "X-Own: 1\r\n", std::move(ca), user});
  }
  template <class T>
  T next() {
    auto m = told.wait();
    if (auto* it = std::get_if<T>(&m)) return std::move(*it);
    ADD_FAILURE() << "another message, number " << m.index();
    return {};
  }
  void on() { caf::anon_send(door, follow_on{7}); }

  inbox<heard> told;
  real_world w;
  listener server;
  follower_door door;
  follow_client user;
};

constexpr std::string_view chunked_head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST_F(a_follower, tells_what_comes_as_it_comes) {
  ask(server.url("/a?b=c"));
  auto p = server.accept();
  const auto request = p.read();
  EXPECT_EQ(request.start, "GET /a?b=c HTTP/1.1");
  EXPECT_EQ(request.header("x-own"), "1");
  EXPECT_EQ(request.header("connection"), "close");
  EXPECT_EQ(request.header("host"), "127.0.0.1:" + std::to_string(server.port()));
  p.send(chunked_head);
  EXPECT_EQ(next<follow_began>().status, 200);
  p.send("3\r\nabc\r\n");
  EXPECT_EQ(next<follow_said>().bytes, "abc");
  p.send("2\r\nde\r\n");
  EXPECT_TRUE(told.empty()) << "not before it is asked for";
  on();
  EXPECT_EQ(next<follow_said>().bytes, "de");
  on();
  p.send("0\r\n\r\n");
  EXPECT_EQ(next<follow_ended>().how, follow_end::complete);
  EXPECT_TRUE(p.ended());
}

TEST_F(a_follower, reads_no_more_than_is_asked_for) {
  ask(server.url("/"));
  auto p = server.accept();
  p.read();
  p.send("HTTP/1.1 200 OK\r\n\r\n");
  next<follow_began>();
  const std::string much(64 * 1024 * 1024, 'x');
  const auto sent = p.send_what_fits(much);
  EXPECT_LT(sent, much.size());
  EXPECT_LE(next<follow_said>().bytes.size(), 16U * 1024);
}

TEST_F(a_follower, says_how_it_ended) {
  ask(server.url("/"));
  auto p = server.accept();
  p.read();
  p.send(std::string(chunked_head) + "3\r\nabc\r\n");
  next<follow_began>();
  next<follow_said>();
  p.reset();
  on();
  EXPECT_EQ(next<follow_ended>().how, follow_end::broken);
  ask(server.url("/"));
  p = server.accept();
  p.read();
  p.send("SSH-2.0-x\r\n\r\n");
  auto m = next<follow_ended>();
  EXPECT_EQ(m.how, follow_end::malformed);
  EXPECT_EQ(m.why, "the answer is not HTTP");
  ask("http://nowhere.invalid/");
  EXPECT_EQ(next<follow_ended>().how, follow_end::unreached);
  const auto gone = [] {
    listener other;
    return other.url("/");
  }();
  ask(gone);
  m = next<follow_ended>();
  EXPECT_EQ(m.how, follow_end::unreached);
  EXPECT_NE(m.why, "");
}

TEST_F(a_follower, gathers_no_line_or_trailer_that_has_no_end) {
  for (const std::string_view beginning : {"5;x=", "0\r\nX: "}) {
    SCOPED_TRACE(beginning);
    ask(server.url("/"));
    auto p = server.accept();
    p.read();
    p.send(chunked_head);
    next<follow_began>();
    p.send(beginning);
    // Enough for the bound, and for what one read adds; all of it fits in the sockets' buffers.
    p.send(std::string(limits::answer_header_bytes + 32U * 1024, 'x'));
    const auto m = next<follow_ended>();
    EXPECT_EQ(m.how, follow_end::malformed);
    EXPECT_EQ(m.why, "a line or trailer of it is longer than 65536 bytes");
    EXPECT_TRUE(p.ended());
  }
}

TEST_F(a_follower, what_is_stopped_is_closed_and_not_heard_of) {
  ask(server.url("/"));
  auto p = server.accept();
  p.read();
  p.send(std::string(chunked_head) + "3\r\nabc\r\n");
  next<follow_began>();
  next<follow_said>();
  caf::anon_send(door, stop_following{7});
  on();
  EXPECT_TRUE(p.ended());
  EXPECT_TRUE(told.empty());
}

TEST_F(a_follower, several_at_once) {
  ask(server.url("/1"), {}, 1);
  auto one = server.accept();
  ask(server.url("/2"), {}, 2);
  auto two = server.accept();
  EXPECT_EQ(two.read().start, "GET /2 HTTP/1.1");
  two.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
  auto began = next<follow_began>();
  EXPECT_EQ(began.id, 2U);
  EXPECT_EQ(began.status, 403);
  EXPECT_EQ(next<follow_ended>().id, 2U);
  EXPECT_EQ(one.read().start, "GET /1 HTTP/1.1");
  one.send("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(next<follow_began>().id, 1U);
}

TEST_F(a_follower, trusts_the_authority_that_is_named_and_no_other) {
  const authority ca("of the cluster");
  const authority other("of nobody");
  const temporary_folder folder;
  const auto file = [&](const std::string& name, const std::string& text) {
    const auto path = folder.file(name);
    std::ofstream(path) << text;
    return path;
  };
  const auto trusted = file("ca.crt", ca.pem());
  const auto wrong = file("other.crt", other.pem());
  const auto url = "https" + server.url("/").substr(4);
  const auto as = ca.sign("IP:127.0.0.1");
  for (const auto& untrusted : {wrong, std::string()}) {
    ask(url, untrusted);
    EXPECT_FALSE(tls_peer(server.accept(), as).handshake());
    EXPECT_EQ(next<follow_ended>().how, follow_end::unreached);
  }
  for (const auto& none : {folder.file("nowhere"), file("empty.crt", "")}) {
    ask(url, none);
    const auto m = next<follow_ended>();
    EXPECT_EQ(m.how, follow_end::unreached);
    EXPECT_NE(m.why.find(none), std::string::npos);
  }
  const auto misnamed = ca.sign("DNS:other.example");
  ask(url, trusted);
  EXPECT_FALSE(tls_peer(server.accept(), misnamed).handshake());
  EXPECT_EQ(next<follow_ended>().how, follow_end::unreached);
  ask(url, trusted);
  tls_peer p(server.accept(), as);
  ASSERT_TRUE(p.handshake());
  p.read_until("\r\n\r\n");
  p.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_EQ(next<follow_began>().status, 200);
  EXPECT_EQ(next<follow_said>().bytes, "{}");
  on();
  EXPECT_EQ(next<follow_ended>().how, follow_end::complete);
}

}  // namespace
}  // namespace gate::testing
