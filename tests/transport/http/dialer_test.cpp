#include "transport/http/dialer.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <optional>

#include "protocol/limits.hpp"
#include "tests/transport/support/sockets.hpp"

namespace gate::testing {
namespace {

using boost::asio::ip::make_address;
using boost::asio::ip::tcp;
using boost::system::error_code;

tcp::endpoint at(const std::string& address, std::uint16_t port = 1) {
  return {make_address(address), port};
}

/// An address that drops whoever wants to connect: its backlog is full.
class black_hole {
 public:
  black_hole() {
    acceptor_.emplace(context_);
    acceptor_->open(tcp::v4());
    acceptor_->bind(at("127.0.0.2", 0));
    acceptor_->listen(0);
    for (auto& s : fill_) {
      s.emplace(context_);
      s->async_connect(where(), [](error_code) {});  // not waited for: it never ends
    }
  }
  tcp::endpoint where() const { return acceptor_->local_endpoint(); }

 private:
  boost::asio::io_context context_;
  std::optional<tcp::acceptor> acceptor_;
  std::array<std::optional<tcp::socket>, 4> fill_;
};

struct dialled {
  bool answered = false;
  error_code ec;
  tcp::endpoint to;
};

dialled dial(const std::vector<tcp::endpoint>& to, std::chrono::milliseconds most) {
  boost::asio::io_context context;
  dialled out;
  const auto d = std::make_shared<http::dialer>(context, to, [&](error_code ec, tcp::socket s) {
    out.answered = true;
    out.ec = ec;
    if (!ec) out.to = s.remote_endpoint();
  });
  d->start();
  context.run_for(most);
  d->cancel();
  context.restart();
  context.run_for(std::chrono::seconds{1});  // what was aborted reports
  return out;
}

TEST(dialer, families_by_turns) {
  EXPECT_TRUE(http::by_turns({}).empty());
  const auto a = at("::1"), b = at("::2"), c = at("127.0.0.1"), d = at("127.0.0.2"), e = at("::3");
  EXPECT_EQ(http::by_turns({a, b, e, c, d}), (std::vector{a, c, b, d, e}));
  EXPECT_EQ(http::by_turns({c, d, a}), (std::vector{c, a, d}));
  const std::vector<tcp::endpoint> many(100, c);
  EXPECT_EQ(http::by_turns(many).size(), limits::connect_addresses);
}

TEST(dialer, an_address_that_drops_packets_does_not_hold_up_the_next) {
  black_hole hole;
  listener server;
  const auto found = dial({hole.where(), at("127.0.0.1", server.port())}, patience);
  EXPECT_TRUE(found.answered);
  EXPECT_FALSE(found.ec) << found.ec.message();
  EXPECT_EQ(found.to, at("127.0.0.1", server.port()));
}

TEST(dialer, an_address_that_refuses_is_not_waited_for) {
  listener server, closed;
  const auto nobody = at("127.0.0.1", closed.port());
  closed.close();
  const auto found = dial({nobody, at("127.0.0.1", server.port())}, patience);
  EXPECT_FALSE(found.ec) << found.ec.message();
  const auto none = dial({nobody, nobody}, patience);
  EXPECT_TRUE(none.answered);
  EXPECT_EQ(none.ec, boost::asio::error::connection_refused);
}

TEST(dialer, says_nothing_once_it_is_cancelled) {
  black_hole hole;
  const auto found = dial({hole.where(), hole.where()}, std::chrono::milliseconds{20});
  EXPECT_FALSE(found.answered);
}

}  // namespace
}  // namespace gate::testing
