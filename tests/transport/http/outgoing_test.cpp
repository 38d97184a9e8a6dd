#include "transport/http/outgoing.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <boost/asio/io_context.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/transport/support/sockets.hpp"

namespace gate::http {
namespace {

using fate = outgoing::fate;

struct outgoing_bytes : ::testing::Test {
  outgoing_bytes() {
    socket.connect({boost::asio::ip::address_v4::loopback(), door.port()});
    socket.non_blocking(true);
    client = door.accept();
  }
  fate write(std::string_view bytes) {
    const boost::asio::const_buffer piece(bytes.data(), bytes.size());
    return out.write({&piece, 1});
  }

  void wait_for_room() {
    pollfd wanted{socket.native_handle(), POLLOUT, 0};
    ::poll(&wanted, 1, -1);
  }

  testing::listener door;
  boost::asio::io_context context;
  boost::asio::ip::tcp::socket socket{context};
  testing::peer client;
  outgoing out{socket};
};

TEST_F(outgoing_bytes, small_pieces_leave_together_at_the_end_of_the_turn) {
  EXPECT_EQ(write("one "), fate::at_turn_end);
  EXPECT_EQ(write("two "), fate::gathered);
  EXPECT_EQ(out.size(), 8U);
  EXPECT_FALSE(out.waits());
  EXPECT_EQ(out.flush(), fate::taken);
  EXPECT_EQ(out.size(), 0U);
  EXPECT_EQ(write("three"), fate::at_turn_end) << "of the next turn";
  EXPECT_EQ(out.flush(), fate::taken);
  EXPECT_EQ(client.read_until("three"), "one two three");
}

TEST_F(outgoing_bytes, a_large_piece_takes_along_what_was_gathered) {
  EXPECT_EQ(write("small "), fate::at_turn_end);
  EXPECT_EQ(write(std::string(20'000, 'x') + "!"), fate::taken);
  EXPECT_EQ(out.flush(), fate::taken) << "there is nothing left to do";
  EXPECT_EQ(client.read_until("!"), "small " + std::string(20'000, 'x') + "!");
}

TEST_F(outgoing_bytes, other_connections_have_their_turn_between_parts_of_what_is_large) {
  // (The kernel would take it all: what it keeps is for the rest of this test.)
  socket.set_option(boost::asio::socket_base::send_buffer_size(4 * 1024 * 1024));
  constexpr std::size_t size = 1024 * 1024, part = 256 * 1024;
  EXPECT_EQ(write(std::string(size - 1, 'x') + "!"), fate::stuck);
  std::string got;
  std::thread reader([&] { got = client.read_until("!"); });
  for (auto last = fate::goes_on; last == fate::goes_on;) {
    const auto before = out.size();
    wait_for_room();
    last = out.go_on();
    EXPECT_LE(before - out.size(), part);
  }
  reader.join();
  EXPECT_EQ(got.size(), size);
}

TEST_F(outgoing_bytes, what_is_written_in_many_pieces_comes_in_their_order) {
  std::vector<std::string> texts;
  std::string all;
  for (int i = 0; i < 40; ++i) all += texts.emplace_back(7'000, static_cast<char>('A' + i));
  std::vector<boost::asio::const_buffer> pieces;
  for (const auto& t : texts) pieces.emplace_back(t.data(), t.size());
  EXPECT_EQ(out.write(pieces), fate::stuck);
  std::string got;
  std::thread reader([&] { got = client.read_until(texts.back()); });
  for (auto last = fate::goes_on; last == fate::goes_on; last = out.go_on()) wait_for_room();
  reader.join();
  EXPECT_EQ(got, all);
}

TEST_F(outgoing_bytes, what_the_kernel_does_not_take_waits) {
  const std::string much(64 * 1024 * 1024, 'x');
  EXPECT_EQ(write(much), fate::stuck);
  EXPECT_TRUE(out.waits());
  EXPECT_GT(out.held(), 0U);
  EXPECT_EQ(write("!"), fate::queued) << "behind it, however small";
  EXPECT_EQ(out.flush(), fate::queued);
  out.watch();
  EXPECT_FALSE(out.took_enough()) << "its client has taken nothing";
  std::string got;
  std::thread reader([&] { got = client.read_until("!"); });
  fate last = fate::goes_on;
  bool enough = false;
  while (last == fate::goes_on) {
    wait_for_room();
    last = out.go_on();
    enough = enough || out.took_enough();
  }
  reader.join();
  EXPECT_EQ(last, fate::taken);
  EXPECT_TRUE(enough);
  EXPECT_FALSE(out.waits());
  EXPECT_EQ(out.held(), 0U) << "the memory of it is given back";
  EXPECT_EQ(got.size(), much.size() + 1);
}

TEST_F(outgoing_bytes, a_broken_connection_says_so) {
  EXPECT_EQ(write(std::string(64 * 1024 * 1024, 'x')), fate::stuck);
  client.reset();
  wait_for_room();
  EXPECT_EQ(out.go_on(), fate::broken);
}

}  // namespace
}  // namespace gate::http
