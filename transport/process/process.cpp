#include "transport/process.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "protocol/limits.hpp"

namespace gate {

namespace {

using open_file = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

problem unreadable(const std::string& path, const std::string& what) {
  return {"can not read the configuration file " + path + ": " + what};
}

/// Null: it could not be opened, and errno says why.
result<std::string> read_all(const std::string& path, open_file in) {
  if (!in) return unreadable(path, std::strerror(errno));
  std::string out;
  char buffer[65536];
  for (;;) {
    const auto n = std::fread(buffer, 1, sizeof buffer, in.get());
    out.append(buffer, n);
    if (out.size() > limits::document_bytes)
      return unreadable(
          path, "it is larger than " + std::to_string(limits::document_bytes >> 20) + " MiB");
    if (n == 0) break;
  }
  if (std::ferror(in.get())) return unreadable(path, std::strerror(errno));
  return {boost::system::in_place_value, std::move(out)};
}

}  // namespace

std::optional<std::string> environment_variable(std::string_view name) {
  auto value = whole_environment_variable(name);
  if (value && value->empty()) return {};
  return value;
}

std::optional<std::string> whole_environment_variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (!value) return {};
  return value;
}

void forbid_inspection() {
  ::prctl(PR_SET_DUMPABLE, 0);
}

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur < limit.rlim_max) {
    const auto before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = before;
  }
  return limit.rlim_cur;
}

std::size_t descriptor_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

result<std::string> read_file(const std::string& path) {
  return read_all(path, open_file(std::fopen(path.c_str(), "rb"), std::fclose));
}

result<std::string> read_regular_file(const std::string& path) {
  // Opened first, so that nothing else can take the place of what was looked at; without waiting
  // for somebody to write to it, as opening a pipe would.
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  open_file in(fd < 0 ? nullptr : ::fdopen(fd, "rb"), std::fclose);
  if (fd >= 0 && !in) ::close(fd);
  struct stat found {};
  if (in && ::fstat(fd, &found) == 0 && !S_ISREG(found.st_mode))
    return unreadable(path, "it is not a regular file");
  return read_all(path, std::move(in));
}

void ignore_hangup() {
  std::signal(SIGHUP, SIG_IGN);
}

void ignore_broken_pipes() {
  std::signal(SIGPIPE, SIG_IGN);
}

result<file_stamp> stamp_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return problem{std::strerror(errno)};
  file_stamp out;
  out.modified_ns = std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
  out.device = found.st_dev;
  out.inode = found.st_ino;
  out.bytes = static_cast<std::uint64_t>(found.st_size);
  return out;
}

struct without_signals::state {
  sigset_t set;
};

without_signals::without_signals() : before_(std::make_unique<state>()) {
  sigset_t all;
  sigfillset(&all);
  // A thread's own faults are nobody else's.
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
    sigdelset(&all, own);
  pthread_sigmask(SIG_BLOCK, &all, &before_->set);
}

without_signals::~without_signals() {
  pthread_sigmask(SIG_SETMASK, &before_->set, nullptr);
}

}  // namespace gate
