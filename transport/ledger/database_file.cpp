#include "transport/ledger/database_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <tuple>

#include "protocol/limits/ledger.hpp"

namespace gate::ledger {
namespace {

constexpr mode_t owner_only = 0600;
constexpr std::string_view magic{"SQLite format 3\0", 16};

std::string system_error() {
  return std::strerror(errno);
}

/// Closes; never one of SQLite's own, whose locks would go with it.
struct descriptor {
  int number = -1;
  ~descriptor() {
    if (number >= 0) ::close(number);
  }
};

problem no_file(const std::string& path) {
  return problem{path + " is no regular file; give another one"};
}

/// One name for one file, so that the lock beside it is one; none is made beside what is no file.
std::optional<problem> resolve(std::string& path) {
  std::error_code ec;
  const auto out = std::filesystem::weakly_canonical(path, ec);
  if (ec) return problem{path + " can not be found: " + ec.message()};
  path = out.string();
  const auto is = std::filesystem::status(out, ec);
  if (std::filesystem::exists(is) && !std::filesystem::is_regular_file(is)) return no_file(path);
  return {};
}

/// Makes it if there is none, before SQLite does with rights of its own.
std::optional<problem> prepare(const std::string& path) {
  const descriptor file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, owner_only)};
  if (file.number < 0)
    return problem{path + " can not be opened for writing: " + system_error() +
                   "; check that its folder exists, its rights, and that the disk is writable"};
  struct stat is {};
  if (::fstat(file.number, &is) != 0 || !S_ISREG(is.st_mode)) return no_file(path);
  if (is.st_size == 0) {
    struct stat log {};
    if (::stat((path + "-wal").c_str(), &log) == 0 && log.st_size > 0)
      return problem{path + " is empty, but " + path +
                     "-wal is not; nothing is written over: restore a copy, or move that away"};
  } else {
    std::array<char, magic.size()> head{};
    const auto n = ::pread(file.number, head.data(), head.size(), 0);
    if (n != static_cast<ssize_t>(head.size()) ||
        std::string_view(head.data(), head.size()) != magic)
      return problem{path + " is no SQLite database; nothing is written over: give another file"};
  }
  if ((is.st_mode & 0777) != owner_only && ::fchmod(file.number, owner_only) != 0)
    return problem{path + " is readable by others, and that can not be changed: " + system_error() +
                   "; it has secrets: give it to the user of this process"};
  return {};
}

/// After it is known to be ours.
std::optional<std::string> configure(sqlite::connection& db) {
  {
    sqlite::query q(db, "PRAGMA journal_mode = WAL");
    const bool there = q.row();
    if (there && q.text(0) != "wal")
      return db.path() + " can not be used with a write-ahead log; is it on a network disk?";
  }
  const auto cache = std::to_string(limits::ledger_cache_bytes / 1024);
  const auto log = std::to_string(limits::ledger_wal_bytes);
  db.run("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY");
  db.run(("PRAGMA cache_size = -" + cache + "; PRAGMA journal_size_limit = " + log).c_str());
  if (auto f = db.take_failure()) return f->what;
  return {};
}

}  // namespace

result<file_lock> file_lock::take(const std::string& path) {
  file_lock out(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, owner_only));
  if (out.descriptor_ < 0)
    return problem{path + " can not be opened for writing: " + system_error() +
                   "; check that its folder exists, its rights, and that the disk is writable"};
  std::array<char, 32> text{};
  if (::flock(out.descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return problem{path + " can not be locked: " + system_error()};
    const auto n = ::pread(out.descriptor_, text.data(), text.size(), 0);
    const std::string who(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    return problem{path + " is held by " +
                   (who.empty() ? "another process" : "process " + who.substr(0, who.find('\n'))) +
                   ": one process at a time can use this database; end that one"};
  }
  const auto own = std::to_string(::getpid()) + "\n";
  // It is for people only: a disk that is full is no reason not to go on.
  if (::ftruncate(out.descriptor_, 0) == 0)
    std::ignore = ::pwrite(out.descriptor_, own.data(), own.size(), 0);
  return out;
}

file_lock::~file_lock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

result<std::unique_ptr<database_file>> database_file::open(const std::string& given,
                                                           webhook::wall_time now,
                                                           std::span<const char* const> steps) {
  auto path = given;
  if (auto why = resolve(path)) return std::move(*why);
  auto lock = file_lock::take(path + ".lock");
  if (!lock) return lock.error();
  if (auto why = prepare(path)) return std::move(*why);
  std::unique_ptr<database_file> out(new database_file(std::move(*lock), path));
  auto& db = out->db();
  if (auto f = db.take_failure()) return problem{std::move(f->what)};
  if (auto why = unusable(db, steps.size())) return problem{std::move(*why)};
  if (auto why = configure(db)) return problem{std::move(*why)};
  if (auto why = migrate(db, steps, now.time_since_epoch().count())) return problem{*why};
  return out;
}

}  // namespace gate::ledger
