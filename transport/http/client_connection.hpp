#pragma once
/// One connection to an upstream; carries one fetch at a time. Owned by its pool, and by what is
/// under way on it. Thread: the unit's.
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/limits.hpp"
#include "transport/http/answer_intake.hpp"
#include "transport/http/pool.hpp"
#include "transport/http/wire.hpp"

namespace gate::http {

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
  void connect_failed(obstacle where, std::string why);
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

  /// Where its pool and its asker have it, while it is busy.
  struct place {
    std::size_t index = 0;      ///< in the pool's list
    asker* who = nullptr;       ///< null: it is not
    std::size_t who_index = 0;  ///< in the asker's list
    bool listens = false;       ///< carries a stream: see `pool::streams_`
    bool ends = false;          ///< carries the end of a session: see `pool::ending_`
  };
  /// How far its request has come.
  struct sending {
    /// Stays below `done` for ever when a write fails.
    wire::progress written = wire::progress::done;
    bool waits = false;  ///< for the end of the turn
    bool failed = false;
    std::size_t bytes = 0;
  };

  enum class progress : std::uint8_t { none, wanted, running };

  void arm_end_deadline();
  void send();
  void write_request();
  void read();
  void consume(std::string_view bytes);
  /// Reads nothing more before the answer may go on.
  void pause();
  void go_on();
  bool stream_begins();
  void deliver_events();
  void answered();
  bool follow_redirect();
  /// Can it carry another request? Not while ours is still being written (a server may answer
  /// early): the next would land in the middle of it.
  bool reusable() const;
  bool surely_untouched(boost::system::error_code ec);
  void broke(boost::system::error_code ec);
  void finish(fetched result);

  pool& owner_;  ///< may be gone once closed
  scheduler::io_unit& unit_;
  std::unique_ptr<wire> wire_;
  std::optional<job> job_;
  answer_intake intake_;
  sending sent_;
  place place_;
  std::unique_ptr<boost::asio::steady_timer> connect_timer_, end_timer_;
  std::unique_ptr<boost::asio::steady_timer> pause_timer_;  ///< made when it is first needed
  std::array<char, 4096> in_;
  clock::time_point idle_until_ = clock::time_point::max();
  std::chrono::seconds server_keeps_{limits::origin_idle_time};
  bool used_ = false;         ///< has carried a request before
  bool stream_told_ = false;  ///< the asker knows that its stream is open
  bool connected_ = false;
  bool old_addresses_ = false;
  bool closed_ = false;
  progress reading_ = progress::none;
  bool paused_ = false;
};

}  // namespace gate::http
