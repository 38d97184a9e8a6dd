#include "transport/store/local_wire.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <cassert>
#include <utility>

namespace gate::store {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

class local_wire final : public http::wire {
 public:
  local_wire(scheduler::io_unit& unit, std::string path)
      : socket_(unit.context()), path_(std::move(path)) {}

  void connect(std::vector<asio::ip::tcp::endpoint>, http::wire_user_ptr user) override {
    socket_.async_connect(asio::local::stream_protocol::endpoint(path_),
                          [this, user = std::move(user)](error_code ec) {
                            error_code ignored;
                            if (!ec) socket_.non_blocking(true, ignored);
                            user->on_connected(ec);
                          });
  }

  void read(asio::mutable_buffer into, http::wire_user_ptr user) override {
    socket_.async_read_some(
        into, [user = std::move(user)](error_code ec, std::size_t n) { user->on_read(ec, n); });
  }

  std::size_t read_now(asio::mutable_buffer into, error_code& ec) override {
    return socket_.read_some(into, ec);
  }

  progress write(std::span<const asio::const_buffer> pieces, http::wire_user_ptr user) override {
    assert(rest_.empty());
    for (const auto& p : pieces) rest_.append(static_cast<const char*>(p.data()), p.size());
    error_code ec;
    const auto written = socket_.write_some(asio::buffer(rest_), ec);
    if (ec && ec != asio::error::would_block && ec != asio::error::try_again) {
      rest_.clear();
      asio::post(socket_.get_executor(), [user = std::move(user), ec] { user->on_written(ec); });
      return progress::unsent;
    }
    if (!ec && written == rest_.size()) return rest_.clear(), progress::done;
    rest_.erase(0, ec ? 0 : written);
    asio::async_write(socket_, asio::buffer(rest_),
                      [this, user = std::move(user)](error_code e, std::size_t) {
                        if (!e) std::string().swap(rest_);
                        user->on_written(e);
                      });
    return progress::running;
  }

  /// Nobody asks: what the store has not answered is lost.
  std::size_t unacknowledged() override { return 0; }

  void close() override {
    error_code ec;
    socket_.close(ec);
  }

 private:
  asio::local::stream_protocol::socket socket_;
  std::string path_;
  std::string rest_;
};

}  // namespace

std::unique_ptr<http::wire> make_local_wire(scheduler::io_unit& unit, std::string path) {
  return std::make_unique<local_wire>(unit, std::move(path));
}

}  // namespace gate::store
