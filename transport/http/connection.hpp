#pragma once
/// One client connection: reads requests one at a time, delivers each as an exchange, writes what
/// the actors answer. No composed Asio operations: it reads when the socket is readable, tries to
/// write at once, and waits only when the kernel says so.
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "transport/http/burden.hpp"
#include "transport/http/request_reader.hpp"
#include "transport/http/send_buffer.hpp"
#include "transport/http/server.hpp"

namespace gate::http {

class connection final : public std::enable_shared_from_this<connection>,
                         public scheduler::turn_end_user {
 public:
  using clock = std::chrono::steady_clock;

  connection(server& owner, boost::asio::ip::tcp::socket socket);
  ~connection();

  void start();
  /// Starts with a request that another unit has read.
  void resume(travelling_connection& from);

  // What an exchange asks for. `number` tells a stale exchange from the current one.
  bool current(std::uint64_t number) const { return number_ == number && state_ != state::closed; }
  bool read_body(bool known);
  void respond(const response_head& head, std::initializer_list<std::string_view> body);
  void open_stream(std::string_view headers);
  bool send(std::string_view bytes);
  std::size_t queued() const { return waiting_.size(); }
  void end_stream();
  /// The last reference to the exchange is gone.
  void dropped();

  /// Where the client is; see `exchange`.
  const std::string& peer() const { return peer_; }

  bool overdue(clock::time_point now) const { return now >= deadline_; }
  void check_deadline(clock::time_point now);
  void drain();
  void close();
  /// To make room for others: whoever waits for its answer learns that the client is gone.
  void cut_off() { client_left(); }
  /// A request of it was answered with what it asked for, or came from somebody who is known.
  bool known() const { return accepted_; }
  /// What it costs that the client takes its time: to take what waits for it, to send its body.
  burden of_waiting(clock::time_point now) const;
  burden of_body(clock::time_point now) const;
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

  /// Are the actors to say something, or to be told that nobody listens?
  bool delivered() const {
    return state_ == state::judging || state_ == state::receiving || state_ == state::answering;
  }
  bool takes_more() const;
  void read();
  void on_read(boost::system::error_code ec, std::size_t n);
  void read_more();
  void consume(std::string_view bytes);
  void throw_away(std::size_t bytes);
  void pass_over(std::size_t bytes);
  void parse_ahead();
  void parse_ahead_next_turn();
  void count_body();
  void body_holds(std::size_t bytes);
  void deliver();
  void deliver_header();
  void deliver_body();
  void leave_body();
  void unjudged();
  bool move_away(http_request& request);
  void depart();
  void hand_over(http_request request);
  void client_left();

  void write(std::span<const boost::asio::const_buffer> pieces);
  void write_waiting();
  void begin_waiting();
  void watch_taking();
  void took(std::size_t n);
  void count_waiting();
  std::uint64_t taken();
  void wait_writable();
  void on_turn_end() override;
  void on_writable(boost::system::error_code ec);
  void respond_too_late(int status);
  void finished();
  void stand(crowd<connection>::line where) { owner_.crowd_.move(place_, where, owner_.now_); }
  void linger();
  void leave();
  /// At the earliest after `d`, at the latest two sweeps later.
  void set_deadline(clock::duration d) { deadline_ = owner_.now_ + d + std::chrono::seconds{1}; }

  server& owner_;  ///< may be gone once closed
  scheduler::io_unit& unit_;
  crowd<connection>::place place_;
  boost::asio::ip::tcp::socket socket_;
  bool listed_ = true;
  scheduler::handler_memory read_memory_;
  std::optional<request_reader> reader_;
  head_ptr last_head_;                     ///< of a request that came before: null at first
  std::unique_ptr<http_request> parting_;  ///< while `moving`
  http_request* unread_ = nullptr;         ///< delivered without its body, by an exchange
  std::array<char, 2048> in_;
  std::string peer_;
  std::string ahead_;                                   ///< received, not consumed yet
  send_buffer waiting_;                                 ///< to be written when the socket takes it
  std::size_t counted_waiting_ = 0, counted_body_ = 0;  ///< in the server's sums
  std::size_t left_body_ = 0;                           ///< yet to come of its last, unread one
  std::uint64_t handed_ = 0;                            ///< to the kernel
  std::uint64_t taken_from_ = 0;                        ///< `taken` when the deadline was set
  std::size_t least_taken_ = 0;                         ///< from then to the deadline
  clock::time_point behind_since_{};                    ///< while `writing_`
  clock::time_point body_since_{};                      ///< while `counted_body_`
  std::shared_ptr<void> home_;                          ///< see `travelling_connection`
  std::uint64_t number_ = 0;
  clock::time_point deadline_ = clock::time_point::max();
  state state_ = state::idle;
  bool held_back_ = false;  ///< the body, until we say `100 Continue` or it comes all the same
  bool posted_ = false;     ///< the method of the request in hand is POST
  bool accepted_ = false;   ///< a request of it got what it asked for, or its sender is known
  bool reusable_ = true;
  bool chunked_ok_ = true;  ///< HTTP/1.1; 1.0 clients get their stream closed at its end
  bool close_after_ = false;
  bool end_after_write_ = false;
  bool reading_ = false;
  bool flush_posted_ = false;
  bool writing_ = false;
};

}  // namespace gate::http
