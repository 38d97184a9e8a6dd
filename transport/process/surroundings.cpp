#include "transport/surroundings.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

namespace gate {
namespace {

problem unwritten(const std::string& path, int error) {
  return {"can not write " + path + ": " + std::strerror(error)};
}

result<void> write_file(const std::string& path, std::string_view text, int flags, mode_t mode) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode);
  if (fd < 0) return unwritten(path, errno);
  while (!text.empty()) {
    const auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int why = errno;
      ::close(fd);
      ::unlink(path.c_str());
      return unwritten(path, why);
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::close(fd) != 0) return unwritten(path, errno);
  return {};
}

/// What is typed is not shown as long as this lives. Whoever ends the program meanwhile gets back a
/// terminal that shows it.
class unseen {
 public:
  unseen() {
    if (::tcgetattr(STDIN_FILENO, &before) != 0) return;
    for (std::size_t i = 0; i < endings.size(); ++i) {
      struct sigaction restoring {};
      restoring.sa_handler = [](int number) {
        ::tcsetattr(STDIN_FILENO, TCSANOW, &before);
        ::signal(number, SIG_DFL);
        ::raise(number);  // once this has returned
      };
      ::sigaction(endings[i], &restoring, &otherwise_[i]);
    }
    auto quiet = before;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
    changed_ = true;
  }
  ~unseen() {
    if (!changed_) return;
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    for (std::size_t i = 0; i < endings.size(); ++i)
      ::sigaction(endings[i], &otherwise_[i], nullptr);
  }
  unseen(const unseen&) = delete;
  unseen& operator=(const unseen&) = delete;

 private:
  static constexpr std::array endings{SIGINT, SIGTERM, SIGQUIT};
  static inline termios before{};  // a handler has no other way to it; there is one terminal
  std::array<struct sigaction, endings.size()> otherwise_{};
  bool changed_ = false;
};

constexpr const char* next_ending = ".next";

}  // namespace

std::string program_folder() {
  std::string path(PATH_MAX, '\0');
  const auto n = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return path.substr(0, path.rfind('/'));
}

std::string current_folder() {
  std::string path(PATH_MAX, '\0');
  return ::getcwd(path.data(), path.size()) ? std::string(path.c_str()) : std::string("/");
}

bool on_terminal() {
  return ::isatty(STDIN_FILENO) != 0;
}

bool errors_on_terminal() {
  return ::isatty(STDERR_FILENO) != 0;
}

result<void> could_write(const std::string& path) {
  struct stat known {};
  if (::stat(path.c_str(), &known) == 0) {
    if (S_ISDIR(known.st_mode)) return unwritten(path, EISDIR);
    if (::access(path.c_str(), W_OK) != 0) return unwritten(path, errno);
    return {};
  }
  if (errno != ENOENT) return unwritten(path, errno);
  const auto folder = std::filesystem::path(path).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    return unwritten(path, errno);
  return {};
}

std::optional<std::string> read_terminal_line(bool shown) {
  std::optional<unseen> quiet;
  if (!shown) quiet.emplace();
  std::string line;
  const bool read = static_cast<bool>(std::getline(std::cin, line));
  if (!shown) std::cerr << '\n';
  if (!read) return std::nullopt;
  return line;
}

result<void> write_new_file(const std::string& path, std::string_view text, bool secret) {
  return write_file(path, text, O_EXCL, secret ? 0600 : 0644);
}

result<void> replace_file(const std::string& given, std::string_view text) {
  struct stat before {};
  const bool there = ::stat(given.c_str(), &before) == 0;
  const auto mode = there ? before.st_mode & 07777 : 0600;
  // What a link points at is replaced, not the link: files of settings are often kept elsewhere.
  std::error_code bad;
  const auto target = std::filesystem::canonical(given, bad);
  const auto path = there && !bad ? target.string() : given;
  const auto next = path + next_ending;
  if (auto written = write_file(next, text, O_TRUNC, mode); !written) return written;
  if (::rename(next.c_str(), path.c_str()) != 0) return unwritten(path, errno);
  return {};
}

result<void> make_folder(const std::string& path) {
  std::error_code bad;
  std::filesystem::create_directories(path, bad);
  if (bad) return problem{"can not make the folder " + path + ": " + bad.message()};
  return {};
}

result<std::unique_ptr<run_folder>> run_folder::make(const std::string& parent,
                                                     std::string file_name) {
  auto path = parent + "/gate-XXXXXX";
  if (!::mkdtemp(path.data()))
    return problem{"can not make a folder in " + parent + ": " + std::strerror(errno)};
  auto file = path + '/' + file_name;
  return std::unique_ptr<run_folder>(new run_folder(std::move(path), std::move(file)));
}

run_folder::~run_folder() {
  ::unlink((file_ + next_ending).c_str());
  ::unlink(file_.c_str());
  ::rmdir(path_.c_str());
}

result<std::string> run_folder::keep(std::string_view text) const {
  ::mkdir(path_.c_str(), 0700);  // it may have been tidied away
  if (auto kept = replace_file(file_, text); !kept) return kept.error();
  return {boost::system::in_place_value, file_};
}

}  // namespace gate
