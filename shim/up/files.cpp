#include "shim/up/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace gate::up {
namespace {

problem failed_at(const std::string& path, int error) {
  return {"can not write " + path + ": " + std::strerror(error)};
}

result<void> write_file(const std::string& path, std::string_view text, int flags, mode_t mode) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode);
  if (fd < 0) return failed_at(path, errno);
  while (!text.empty()) {
    const auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int why = errno;
      ::close(fd);
      ::unlink(path.c_str());
      return failed_at(path, why);
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::close(fd) != 0) return failed_at(path, errno);
  return {};
}

}  // namespace

result<void> write_new_file(const std::string& path, std::string_view text, bool secret) {
  return write_file(path, text, O_EXCL, secret ? 0600 : 0644);
}

result<void> replace_file(const std::string& path, std::string_view text) {
  struct stat before {};
  const auto mode = ::stat(path.c_str(), &before) == 0 ? before.st_mode & 07777 : 0600;
  const auto next = path + ".next";
  if (auto written = write_file(next, text, O_TRUNC, mode); !written) return written;
  if (::rename(next.c_str(), path.c_str()) != 0) return failed_at(path, errno);
  return {};
}

result<void> make_folder(const std::string& path) {
  std::error_code bad;
  std::filesystem::create_directories(path, bad);
  if (bad) return problem{"can not make the folder " + path + ": " + bad.message()};
  return {};
}

}  // namespace gate::up
