#pragma once
/// The connections to one origin: busy ones, idle ones, and the requests that wait for one. Those
/// of different askers take turns, and none takes all connections; the ends of sessions go behind.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "transport/http/client.hpp"
#include "transport/http/fair_line.hpp"
#include "transport/http/response_reader.hpp"
#include "transport/http/wire.hpp"

namespace gate::http {

class client_connection;
using client_connection_ptr = std::shared_ptr<client_connection>;

class pool {
 public:
  using clock = std::chrono::steady_clock;

  pool(client& owner, url origin)
      : owner_(owner),
        origin_(std::move(origin)),
        host_line_("Host: " + origin_.authority() + "\r\n") {}
  ~pool();

  void start(job j);
  bool abandon(const abandon_fetch& what);
  /// What waits of this asker.
  void forget(caf::actor_id who);
  bool waits(caf::actor_id who) const { return waiting_.of(who) + ends_.of(who) > 0; }
  void sweep(clock::time_point now);
  /// Is there nothing in it, and nothing under way?
  bool unused() const {
    return busy_.empty() && idle_.empty() && waiting_.empty() && ends_.empty() &&
           nameless_.empty() && !looking_up_;
  }

 private:
  friend class client_connection;

  void queue(fair_line<job>& line, std::size_t most, job j);
  void no_longer_waits(const job& j);
  /// Over an idle connection, or a new one.
  void begin(job j);
  void open(job j);
  /// The connection is busy with this from now on.
  void occupy(const client_connection_ptr& c, const job& j);
  std::size_t calls() const { return busy_.size() - streams_; }
  bool has_room() const;
  bool admits(const job& j) const;
  bool admits_end() const;
  /// What waits and may begin now: a call, else the end of a session.
  std::optional<job> take_next();
  /// Connects it as soon as there are addresses. Old ones do, unless they have just failed.
  void resolve(client_connection_ptr c, bool old_ones_do = true);
  void look_up();
  void looked_up(boost::system::error_code ec, endpoints found);
  std::unique_ptr<wire> make_wire();
  /// The connection finished its job and can take another.
  void idle(const client_connection_ptr& c);
  /// The connection is gone.
  void remove(const client_connection_ptr& c);
  void next();

  client& owner_;
  url origin_;
  std::string host_line_;  ///< of each request
  std::vector<client_connection_ptr> busy_;
  std::size_t streams_ = 0;                  ///< of `busy_`, those that carry a stream
  std::vector<client_connection_ptr> idle_;  ///< most recently used last
  fair_line<job> waiting_;                   ///< calls
  fair_line<job> ends_;                      ///< of sessions
  std::size_t ending_ = 0;                   ///< of `busy_`, those that carry such an end
  endpoints addresses_;
  clock::time_point fresh_until_{};   ///< no new lookup before this
  clock::time_point usable_until_{};  ///< old addresses are better than none until then
  clock::time_point retry_at_{};      ///< the last lookup failed
  bool looking_up_ = false;
  std::vector<client_connection_ptr> nameless_;  ///< wait for the lookup
};

/// One connection to an upstream; carries one fetch at a time.
class client_connection final : public wire_user,
                                public scheduler::turn_end_user,
                                public std::enable_shared_from_this<client_connection> {
 public:
  using clock = pool::clock;

  client_connection(pool& owner, std::unique_ptr<wire> w);

  /// Connects, then runs the job it was made for.
  /// `old`: they were looked up some time ago; if none answers, newer ones are tried.
  void connect(endpoints to, bool old);
  void assign(job j) { job_ = std::move(j); }
  void run(job j);
  void arm_connect_deadline();
  void arm_end_deadline();
  void connect_failed(std::string why);
  /// Closes without a word to anybody.
  void close();

  bool carries(const abandon_fetch& what) const;
  /// Nobody waits for what it carries any more.
  void abandon();
  clock::time_point idle_until() const { return idle_until_; }

  void on_connected(boost::system::error_code ec) override;
  void on_read(boost::system::error_code ec, std::size_t n) override;
  void on_written(boost::system::error_code ec) override;
  void on_turn_end() override;

 private:
  friend class pool;

  void send();
  void write_request();
  void read();
  void consume(std::string_view bytes);
  /// Reads the answer in small slices, as far as its pace allows; returns what is left.
  std::string_view feed(std::string_view bytes);
  /// Reads nothing more until the upstream's flood has been made up for.
  void pause();
  /// Reads nothing more until the others on this unit have had their turn.
  void give_way();
  void pause_until(clock::time_point t);
  void go_on();
  bool stream_begins();
  void deliver_events();
  void answered();
  bool follow_redirect();
  /// Can it carry another request? Not while ours is still being written (a server may answer
  /// early): the next would land in the middle of it. Nor with bytes that nobody asked for.
  bool reusable() const;
  bool surely_untouched(boost::system::error_code ec);
  void broke(boost::system::error_code ec);
  void finish(fetched result);

  pool& owner_;  ///< may be gone once closed
  scheduler::io_unit& unit_;
  std::unique_ptr<wire> wire_;
  std::optional<job> job_;
  known_answer last_answer_;
  std::optional<response_reader> reader_;
  std::optional<pace> pace_;  ///< of an answer that did not come in one piece
  std::unique_ptr<boost::asio::steady_timer> connect_timer_, end_timer_;
  std::unique_ptr<boost::asio::steady_timer> pause_timer_;  ///< made when it is first needed
  std::array<char, 4096> in_;
  std::string ahead_;         ///< was read, and waits for its turn or for what belongs to it
  std::size_t consumed_ = 0;  ///< of `ahead_`
  clock::time_point idle_until_ = clock::time_point::max();
  std::chrono::seconds server_keeps_{limits_idle()};
  std::size_t index_ = 0;      ///< place in the pool's busy list
  asker* who_ = nullptr;       ///< while busy
  std::size_t who_index_ = 0;  ///< place in its list
  bool used_ = false;          ///< has carried a request before
  bool had_events_ = false;    ///< in the slice that was taken last
  bool gives_way_ = false;     ///< this turn has brought enough
  bool listens_ = false;       ///< carries a stream: see `pool::streams_`
  bool ends_ = false;          ///< carries the end of a session: see `pool::ending_`
  bool stream_told_ = false;   ///< the asker knows that its stream is open
  bool connected_ = false;
  bool old_addresses_ = false;
  bool closed_ = false;
  bool reading_ = false;
  bool paused_ = false;
  /// Of the request. Stays below `done` for ever when a write fails.
  wire::progress written_ = wire::progress::done;
  bool send_waits_ = false;  ///< for the end of the turn
  bool write_failed_ = false;
  std::size_t request_bytes_ = 0;

  static std::chrono::seconds limits_idle();
};

}  // namespace gate::http
