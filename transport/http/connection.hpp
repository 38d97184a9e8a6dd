#pragma once
/// One client connection: reads requests one at a time, delivers each as an exchange, writes what
/// the actors answer. No composed Asio operations: it reads when the socket is readable, tries to
/// write at once, and waits only when the kernel says so.
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>

#include "transport/http/client_place.hpp"
#include "transport/http/outgoing.hpp"
#include "transport/http/request_intake.hpp"
#include "transport/http/server.hpp"

namespace gate::http {

class connection final : public std::enable_shared_from_this<connection>,
                         public scheduler::turn_end_user {
 public:
  connection(server& owner, boost::asio::ip::tcp::socket socket);
  ~connection();

  void start();
  /// Starts with a request that another unit has read.
  void resume(travelling_connection& from);

  // What an exchange asks for. `number` tells a stale exchange from the current one.
  bool current(std::uint64_t number) const { return number_ == number && state_ != state::closed; }
  bool read_body(bool known);
  bool move_to(http_request& request, std::uint8_t unit);
  void respond(const response_head& head, std::initializer_list<std::string_view> body);
  void open_stream(std::string_view headers);
  bool send(std::string_view bytes);
  std::size_t queued() const { return out_.size(); }
  void end_stream();
  /// The last reference to the exchange is gone.
  void dropped();

  /// Where the client is; see `exchange`.
  const std::string& peer() const { return peer_; }

  // What its server asks for.
  const client_place& place() const { return place_; }
  /// It is due.
  void overdue();
  void drain();
  void close();
  /// Whoever waits for its answer learns that the client is gone: it is, or is to make room.
  void cut_off();
  /// No room for the body that it sends. `now`: nobody is reading from it at the moment.
  void refuse_body(bool now);

 private:
  enum class state : std::uint8_t {
    idle,       ///< between requests
    reading,    ///< in a request
    judging,    ///< its header is delivered: the body is read if the actors want it
    receiving,  ///< they do
    answering,  ///< delivered; waiting for the actors
    streaming,  ///< an event stream is open
    finishing,  ///< the response is complete but not yet written
    moving,     ///< read; the connection goes to another unit with it
    lingering,  ///< half closed; what the client still sends is thrown away
    closed,
  };

  enum class progress : std::uint8_t { none, wanted, running };

  /// What makes it move, and where.
  struct parting {
    std::unique_ptr<http_request> request;
    std::uint8_t unit = 0;
  };
  /// How the answer that is under way is given.
  struct answer_form {
    bool chunked = true;  ///< HTTP/1.1; 1.0 clients get their stream closed at its end
    bool posted = false;  ///< to a POST
    bool last = false;    ///< of this connection
    bool whole = false;   ///< all of it is written, or waits for that
  };

  /// Are the actors to say something, or to be told that nobody listens?
  bool delivered() const {
    return state_ == state::judging || state_ == state::receiving || state_ == state::answering;
  }
  bool takes_more() const {
    return state_ != state::closed && in_.has_room(state_ == state::judging);
  }
  void read();
  void on_read(boost::system::error_code ec, std::size_t n);
  void read_more();
  void consume(std::string_view bytes);
  void deliver();
  void depart();
  void hand_over(http_request request);

  void wrote(outgoing::fate what);
  void on_turn_end() override;
  void linger();

  server& owner_;  ///< may be gone once closed
  scheduler::io_unit& unit_;
  client_place place_;
  boost::asio::ip::tcp::socket socket_;
  request_intake in_;
  outgoing out_;
  scheduler::handler_memory read_memory_;
  std::array<char, 2048> read_;
  parting parting_;                 ///< while `moving`
  http_request* unread_ = nullptr;  ///< delivered without its body, by an exchange
  std::string peer_;
  std::shared_ptr<void> home_;  ///< see `travelling_connection`
  std::uint64_t number_ = 0;
  state state_ = state::idle;
  answer_form answer_;
  progress reading_ = progress::none;
};

}  // namespace gate::http
