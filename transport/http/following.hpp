#pragma once
/// FOLLOWING: one request of FOLLOWER, over a connection of its own. Made by FOLLOWER; keeps itself
/// alive while an operation of its wire runs. Thread: the unit's.
///
///   start -> resolve -> connect (with TLS) -> head -> body, a piece at a time -> ended
///                \__________\_________________\________\______________________-> ended, and why
#include <array>
#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "transport/following.hpp"
#include "transport/http/lookups.hpp"
#include "transport/http/piece_reader.hpp"
#include "transport/http/wire.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::http {

class following final : public wire_user, public std::enable_shared_from_this<following> {
 public:
  /// Called on the unit's thread; `ended` is the last.
  struct hearer {
    std::function<void(follow_began)> began;
    std::function<void(follow_said)> said;
    std::function<void(follow_ended)> ended;
  };

  following(scheduler::io_unit& unit, lookups& names, follow what, hearer to);
  void start();
  /// The piece that was told last has been dealt with.
  void go_on();
  /// Nothing is told any more.
  void cancel();

  void on_connected(boost::system::error_code ec) override;
  void on_read(boost::system::error_code ec, std::size_t n) override;
  void on_written(boost::system::error_code ec) override;

 private:
  using error_code = boost::system::error_code;

  /// Nothing: the file with the authorities can not be read, which has been told.
  std::unique_ptr<wire> make_wire();
  void connect(endpoints to);
  void send();
  void read();
  /// Tells what has been read, and reads on when that has been dealt with.
  void tell();
  void end(follow_end how, std::string why);

  scheduler::io_unit& unit_;
  lookups& names_;
  follow what_;
  hearer to_;
  std::optional<boost::asio::ssl::context> tls_;  ///< before the wire, which refers to it
  std::unique_ptr<wire> wire_;
  piece_reader reader_;
  std::string request_, unread_;
  std::array<char, 16 * 1024> in_;
  bool began_ = false, held_ = false, over_ = false;
  bool reading_ = false;
};

}  // namespace gate::http
