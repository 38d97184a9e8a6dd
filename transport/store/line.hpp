#pragma once
/// LINE: one connection to the store, from the look-up of its name to its end. What is asked within
/// one turn of the unit leaves in one write, and is answered in its order. Each question has a
/// deadline; who was told that it is over is not told of the answer that comes late. After
/// `limits::store_timeouts` of them in a row the line ends itself. Made by a client, once; a new
/// connection is a new line. Thread: the unit's.
///
///   open -> connecting -> handshake -> ready -> ended
///             \______________\___________\____->
#include <array>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "protocol/metrics.hpp"
#include "protocol/resp/handshake.hpp"
#include "protocol/resp/reader.hpp"
#include "transport/http/lookups.hpp"
#include "transport/http/wire.hpp"

namespace gate::store {

using monotonic = std::chrono::steady_clock;

/// Why a line ended.
struct line_end {
  /// The store is there, and will answer once it has read its data.
  bool loading = false;
  std::string why;  ///< for the log and for messages: never with a password
};

class line;
class line_user {
 public:
  /// The handshake is over.
  virtual void on_ready(line& which) = 0;
  /// What nobody asked for: messages of channels.
  virtual void on_push(const resp::value& v) = 0;
  /// For the time of `limits::store_quiet` nothing has come.
  virtual void on_quiet(line& which) = 0;
  /// Once, and nothing comes after it but the answers of those that wait: `lost`.
  virtual void on_ended(line& which, const line_end& how) = 0;

 protected:
  ~line_user() = default;
};

class line final : public http::wire_user,
                   public scheduler::turn_end_user,
                   public std::enable_shared_from_this<line> {
 public:
  struct surroundings {
    scheduler::io_unit& unit;
    http::lookups& lookups;
    std::optional<boost::asio::ssl::context>& tls;  ///< made when it is needed
    const resp::store_url& to;
  };
  /// The value is that of an answer, good for the time of the call; else null.
  using answer = std::function<void(store_outcome, const resp::value*)>;
  /// How a question is answered: by a reply, or by a push (in RESP2: a list) that confirms it.
  enum class answered_by : std::uint8_t { reply, confirmation };

  /// `most`: what it speaks at best. One that is to speak RESP2 is for channels alone: there, a
  /// connection that listens may ask for nothing else.
  line(const surroundings& s, line_user& user, resp::dialect most);

  void open();
  /// Nobody is told anything any more.
  void abandon();
  /// It is over, as its user knows: those that wait are told.
  void drop();

  bool ready() const { return ready_; }
  /// It waits for the addresses of a host name.
  bool looks_up() const { return looks_up_; }
  resp::dialect speaks() const { return handshake_.speaks(); }
  /// A whole command, to a line that is ready.
  void ask(std::string command, monotonic::time_point deadline, answer then,
           answered_by how = answered_by::reply);
  /// Ends it for a reason that its user found.
  void end(std::string why) { end({false, std::move(why)}); }

  std::size_t waiting() const { return waiting_.size(); }
  std::size_t waiting_bytes() const { return waiting_bytes_; }

  // http::wire_user, scheduler::turn_end_user
  void on_connected(boost::system::error_code ec) override;
  void on_read(boost::system::error_code ec, std::size_t n) override;
  void on_written(boost::system::error_code ec) override;
  void on_turn_end() override;

 private:
  struct question {
    monotonic::time_point deadline;
    answer then;  ///< null: it was told that it is over
    std::size_t bytes = 0;
    answered_by how = answered_by::reply;
  };

  void connect(http::endpoints to);
  void end(line_end how);
  void say(std::string_view bytes);
  void read();
  void hear(const resp::value& v);
  void shake_hands(const resp::value& v);
  void settle(const resp::value& v);
  void arm();
  void tick();
  /// What the end of the connection means.
  std::string meaning(boost::system::error_code ec, std::string_view what);

  surroundings s_;
  line_user* user_;
  std::unique_ptr<http::wire> wire_;
  resp::handshake handshake_;
  resp::reader reader_;
  boost::asio::steady_timer timer_;
  monotonic::time_point armed_ = monotonic::time_point::max();
  monotonic::time_point heard_at_{};
  std::deque<question> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::size_t timeouts_ = 0;  ///< in a row
  std::string out_;
  bool news_;  ///< for channels alone
  bool looks_up_ = false;
  bool ready_ = false;
  bool ended_ = false;
  bool writing_ = false;
  bool turn_end_asked_ = false;
  std::array<char, 16 * 1024> in_;
};

/// What a reply means as an outcome.
store_outcome outcome_of(const resp::value& v);

}  // namespace gate::store
