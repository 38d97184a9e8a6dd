#pragma once
/// LEDGER's house in PostgreSQL: as many connections as `limits::ledger_connections`, each with a
/// thread that waits for it, and one bounded queue. Any number of instances share a database.
///
/// A thread takes one request that reads, or all that write and wait: these are one transaction,
/// and meanwhile the others go on with what comes. If the transaction as a whole comes to nothing,
/// each of its requests is tried alone. What others were in the way of (deadlocks) is done again.
///
/// While no connection is there, whatever is asked is `unavailable` at once, and connections are
/// tried again with growing pauses. A connection that was lost before the commit was sent is made
/// anew, and nobody hears of it; if it was lost while it was, whether that happened is unknown, and
/// the answer says so.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "protocol/base/result.hpp"
#include "transport/ledger/house.hpp"
#include "transport/postgres/books.hpp"

namespace gate::postgres {

class database final : public ledger::house {
 public:
  struct options {
    ledger::id_source ids;
    clock::wall now;  ///< this process's clock
    std::size_t connections = limits::ledger_connections;
  };

  /// Connects, and makes the tables if there are none. The error is a sentence without the
  /// password.
  static result<std::unique_ptr<database>> open(std::string_view url, options o);
  /// What was accepted is done and answered, or refused after `limits::ledger_end`.
  ~database() override;

  bool ask(request what, callback then) override;
  std::uint64_t commits() const override { return commits_; }

 private:
  using steady = std::chrono::steady_clock;

  struct job {
    request what;
    std::size_t bytes = 0;
    std::uint64_t number = 0;  ///< in the order in which they came
    callback then;
  };
  using jobs = std::vector<job>;

  /// One connection; its thread's own, but for what the mutex guards.
  struct worker {
    worker(const address& to, int stop, common& shared) : db(to, stop), book(db, shared) {}
    connection db;
    books book;
    std::chrono::milliseconds pause = limits::ledger_pause;
    steady::time_point try_at{};
    bool connected = false;
    std::thread thread;
  };

  database(address to, options o);

  /// Nothing: it is connected.
  std::optional<failure> connect(worker& w);
  void disconnect(worker& w, const failure& why);
  void run(worker& w);
  /// What is to be done next; empty: nothing any more, or the connection is to be made.
  jobs next(worker& w);
  jobs take_group();
  bool is_over() const { return ending_ && steady::now() > end_; }
  void refuse(jobs all, const std::string& why);
  void serve(worker& w, jobs all);
  /// Nothing: they are answered.
  std::optional<failure> serve_together(worker& w, std::vector<job*> all);
  void answer_all(std::vector<job*>& all, std::vector<asked>& said);

  address to_;
  int stop_;  ///< readable once it ends
  std::mutex ids_mutex_;
  common common_;
  std::atomic<std::int64_t> counters_;  ///< rows that count, given to connections in turn

  std::mutex mutex_;
  std::atomic<std::uint64_t> commits_{0};
  std::condition_variable work_;  ///< for those that have a connection
  std::condition_variable back_;  ///< for those that have none
  std::deque<job> reads_, writes_;
  std::size_t bytes_ = 0;  ///< of both
  std::uint64_t asked_ = 0;
  std::size_t connected_ = 0;
  std::string away_;  ///< why there is no connection
  bool ending_ = false;
  steady::time_point end_{};
  std::vector<std::unique_ptr<worker>> workers_;
};

}  // namespace gate::postgres
