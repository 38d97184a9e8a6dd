#pragma once
/// The file that LEDGER keeps everything in, opened for this process alone: SQLite in WAL mode,
/// where each commit is on the disk when it returns. Beside it are `-wal` and `-shm` of SQLite, and
/// `.lock`, which names the process that has it and is never removed. All are readable by their
/// owner only: there are secrets in them. Not for network file systems.
#include <memory>
#include <span>
#include <string>

#include "protocol/base/result.hpp"
#include "protocol/webhook/records.hpp"
#include "transport/ledger/schema.hpp"
#include "transport/ledger/sqlite.hpp"

namespace gate::ledger {

/// An exclusive lock on a file, for as long as this lives, or the process.
class file_lock {
 public:
  /// Takes it, or says who has it.
  static result<file_lock> take(const std::string& path);
  file_lock(file_lock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  file_lock& operator=(file_lock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~file_lock();

 private:
  explicit file_lock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

class database_file {
 public:
  /// Makes the file if there is none; its folder must exist. A file that is not ours, damaged, of a
  /// later version or in use is left as it is, and the error says so.
  static result<std::unique_ptr<database_file>> open(
      const std::string& path, webhook::wall_time now,
      std::span<const char* const> steps = schema_steps());

  sqlite::connection& db() { return db_; }

 private:
  database_file(file_lock lock, const std::string& path) : lock_(std::move(lock)), db_(path) {}

  file_lock lock_;  ///< let go of when the file is closed
  sqlite::connection db_;
};

}  // namespace gate::ledger
