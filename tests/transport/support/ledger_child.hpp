#pragma once
/// The program `ledger_child` as a child process whose lines are read, and which can be killed.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gate::testing {

class ledger_child {
 public:
  explicit ledger_child(std::vector<std::string> words) {
    // Beside the program of the tests.
    const auto program =
        (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "ledger_child").string();
    words.insert(words.begin(), program);
    std::vector<char*> arguments;
    for (auto& w : words) arguments.push_back(w.data());
    arguments.push_back(nullptr);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    const int failed =
        ::posix_spawn(&pid_, program.c_str(), &files, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::close(ends[1]);
    from_ = ends[0];
    if (failed != 0) throw std::runtime_error("can not start " + program);
  }
  ~ledger_child() {
    kill();
    ::close(from_);
  }
  ledger_child(const ledger_child&) = delete;
  ledger_child& operator=(const ledger_child&) = delete;

  /// The next line; empty at its end.
  std::string line() {
    while (true) {
      if (const auto end = text_.find('\n'); end != std::string::npos) {
        auto out = text_.substr(0, end);
        text_.erase(0, end + 1);
        return out;
      }
      std::array<char, 4096> some{};
      const auto n = ::read(from_, some.data(), some.size());
      // What was not said to its end was not said.
      if (n <= 0) return {};
      text_.append(some.data(), static_cast<std::size_t>(n));
    }
  }
  /// At once, and until it is gone.
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  /// Its exit code, or -1.
  int wait() {
    int status = 0;
    if (pid_ <= 0 || ::waitpid(std::exchange(pid_, 0), &status, 0) < 0) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = 0;
  int from_ = -1;
  std::string text_;
};

}  // namespace gate::testing
