#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "transport/lines.hpp"
#include "transport/log.hpp"
#include "transport/log/line_thread.hpp"

namespace gate {
namespace {

std::string message(int error) {
  return std::generic_category().message(error);
}

/// Appended to by this process alone, as long as others only move, shorten or remove it.
class appended_file final : public line_outlet {
 public:
  appended_file(std::string path, std::uint64_t max_bytes)
      : path_(std::move(path)), max_bytes_(max_bytes) {}
  ~appended_file() override { close(); }

  /// 0, or what is wrong.
  int open() {
    // Not to wait for whoever may read from a pipe of that name.
    const int fd =
        ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0) return errno;
    struct stat s {};
    if (::fstat(fd, &s) != 0 || (!S_ISREG(s.st_mode) && !S_ISCHR(s.st_mode))) {
      ::close(fd);
      return ENOTSUP;
    }
    close();
    fd_ = fd;
    regular_ = S_ISREG(s.st_mode);
    within_a_line_ = regular_ && ends_within_a_line(path_, s.st_size);
    return 0;
  }

  outcome put(std::string_view text, const std::atomic<bool>&) override {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    if (const int error = append(text)) {
      lost_ += lines;
      if (!std::exchange(failing_, true))
        log::error(
            "Audit events can not be written to their file and are dropped; each further one is "
            "tried, and it is not logged again until one is written.",
            {{"file", path_}, {"error", message(error)}});
      return {lines, false};
    }
    if (std::exchange(failing_, false))
      log::info("Audit events can be written to their file again.",
                {{"file", path_}, {"dropped", std::to_string(std::exchange(lost_, 0))}});
    return {};
  }

  void nudged() override {
    if (const int error = open())
      log::warn("The file of audit events can not be opened again; the one that is open is used.",
                {{"file", path_}, {"error", message(error)}});
  }

 private:
  int append(std::string_view text) {
    std::uint64_t size = 0;
    if (const int error = make_ready(text.size(), size)) return error;
    if (within_a_line_ && ::write(fd_, "\n", 1) == 1) {
      within_a_line_ = false;
      ++size;
    }
    auto left = text;
    while (!left.empty()) {
      const auto n = ::write(fd_, left.data(), left.size());
      if (n > 0) {
        left.remove_prefix(static_cast<std::size_t>(n));
        continue;
      }
      if (n < 0 && errno == EINTR) continue;
      const int error = n < 0 ? errno : EIO;
      // No half of a line stays. (If that fails too, the next line begins behind it.)
      if (regular_ && ::ftruncate(fd_, static_cast<off_t>(size)) != 0) return errno;
      return error;
    }
    return 0;
  }

  /// There is a file with room for so much; `size`: what it has.
  int make_ready(std::size_t more, std::uint64_t& size) {
    if (fd_ < 0)
      if (const int error = open()) return error;
    if (!regular_) return 0;
    struct stat s {};
    if (::fstat(fd_, &s) != 0) return errno;
    size = static_cast<std::uint64_t>(s.st_size);
    const bool full = size > 0 && size + more > max_bytes_;
    if (!full && s.st_nlink > 0) return 0;
    // It has no name any more, or another one, which others have given it; or a new one has its
    // name: that may have room.
    if (!has_its_name(s)) {
      if (const int error = open()) return error;
      if (::fstat(fd_, &s) != 0) return errno;
      size = static_cast<std::uint64_t>(s.st_size);
      if (size == 0 || size + more <= max_bytes_) return 0;
    }
    if (::rename(path_.c_str(), (path_ + ".1").c_str()) != 0) return errno;
    if (const int error = open()) return error;
    size = 0;
    return 0;
  }

  bool has_its_name(const struct stat& open_one) const {
    struct stat named {};
    return ::stat(path_.c_str(), &named) == 0 && named.st_dev == open_one.st_dev &&
           named.st_ino == open_one.st_ino;
  }

  /// Whoever wrote it before may have ended in the middle of a line.
  static bool ends_within_a_line(const std::string& path, off_t size) {
    char last = '\n';
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    const auto n = size > 0 ? ::pread(fd, &last, 1, size - 1) : 0;
    ::close(fd);
    return n == 1 && last != '\n';
  }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

  std::string path_;
  std::uint64_t max_bytes_;
  int fd_ = -1;
  bool regular_ = true;
  bool within_a_line_ = false;
  bool failing_ = false;
  std::size_t lost_ = 0;  ///< since it fails
};

}  // namespace

result<std::unique_ptr<line_file>> line_file::open(std::string path, std::uint64_t max_bytes,
                                                   line_bounds most) {
  auto file = std::make_unique<appended_file>(std::move(path), max_bytes);
  if (const int error = file->open())
    return problem{"it can not be opened: " +
                   (error == ENOTSUP ? "it is no file" : message(error))};
  return std::unique_ptr<line_file>(
      new line_file(std::make_unique<line_thread>(std::move(file), most)));
}

line_file::line_file(std::unique_ptr<line_thread> thread) : thread_(std::move(thread)) {}

line_file::~line_file() = default;

lost_lines line_file::write(std::string_view line) {
  return thread_->write(line);
}

void line_file::flush() {
  thread_->flush();
}

void line_file::flush(std::function<void()> done) {
  thread_->flush(std::move(done));
}

void line_file::reopen() {
  thread_->nudge();
}

}  // namespace gate
