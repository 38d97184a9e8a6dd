#pragma once
/// A PostgreSQL of the tests' own: made and started when it is first asked for, ended with the
/// program. It listens at a local socket only.
#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/transport/support/temporary_folder.hpp"

namespace gate::testing {

class postgres_server {
 public:
  static postgres_server& get();
  ~postgres_server() { stop(true); }
  postgres_server(const postgres_server&) = delete;
  postgres_server& operator=(const postgres_server&) = delete;

  /// Until it accepts connections.
  void start();
  /// Connections are closed, and it ends; or at once, as after a loss of power.
  void stop(bool at_once = false);

  /// The address of a new, empty database.
  std::string new_database(const std::string& options = "");
  /// Of any database by name, for a user of the server's.
  std::string url(const std::string& database, const std::string& user = "gate") const;
  /// Statements to it, without rows.
  static void run(const std::string& url, const std::string& sql);
  /// The first row's first column.
  static std::int64_t number(const std::string& url, const std::string& sql);

  const std::string& folder() const { return folder_.path(); }

 private:
  postgres_server();
  pid_t spawn(const std::vector<std::string>& words, int log) const;
  void read_log(int from);

  temporary_folder folder_;
  pid_t pid_ = 0;
  std::thread reader_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::string log_;
  bool is_ready_ = false, ended_ = false;
  int databases_ = 0;
};

}  // namespace gate::testing
