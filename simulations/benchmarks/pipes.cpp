/// bench_pipes: calls of a tool of stdio MCP servers through nothing but their pipes, as fast as
/// the answers come: what no bridge can be faster than.
///
///   bench_pipes [options] -- COMMAND...
///
/// Starts the servers, keeps calls in flight among them all, each written by itself, and prints one
/// JSON line as bench_load does. What is sent in the warm-up is not counted.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/benchmarks/command_line.hpp"

namespace {

using gate::config::as_help;
using gate::config::as_number;
using std::string;
using std::string_view;
using steady = std::chrono::steady_clock;
using time_point = steady::time_point;
using std::chrono::nanoseconds;

[[noreturn]] void fail(const string& what) {
  std::fprintf(stderr, "bench_pipes: %s\n", what.c_str());
  std::exit(1);
}

struct settings {
  double seconds = 3;
  double warm_up = 0.5;
  int children = 1;
  int in_flight = 1;
  std::vector<string> command;
  bool help = false;
};

using o = settings;
constexpr std::array<gate::config::option<settings>, 5> rows{{
    // clang-format off
    {"--seconds",   "S", "that are counted",           as_number<&o::seconds, 0, 86'400>()},
    {"--warm-up",   "S", "before them",                as_number<&o::warm_up, 0, 86'400>()},
    {"--children",  "N", "servers",                    as_number<&o::children, 1, 100'000>()},
    {"--in-flight", "N", "calls at a time",            as_number<&o::in_flight, 1, 1'000'000>()},
    {"--help",      "",  "print this text, then exit", as_help<&o::help, true>()},
    // clang-format on
}};
constexpr gate::config::program<settings> program{
    .name = "bench_pipes",
    .about = "clients that talk to stdio servers through bare pipes",
    .usage = "bench_pipes [options] -- COMMAND...",
    .exit_codes = bench::exit_codes,
    .options = rows,
    .command = &settings::command,
    .stray_hint = "the server's command follows a literal --"};

struct child {
  pid_t pid = 0;
  int input = -1;   ///< its standard input
  int output = -1;  ///< its standard output
  string unread;
  std::deque<time_point> sent;  ///< calls in flight; they are answered in order
};

child start(const settings& s) {
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) || ::pipe2(out, O_CLOEXEC)) fail("no pipes are left");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  child c;
  std::vector<char*> words;
  for (const auto& w : s.command) words.push_back(const_cast<char*>(w.c_str()));
  words.push_back(nullptr);
  const int error = ::posix_spawnp(&c.pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) fail("can not start " + s.command[0] + ": " + std::strerror(error));
  ::close(in[0]);
  ::close(out[1]);
  c.input = in[1];
  c.output = out[0];
  return c;
}

/// Messages are short: the pipe always takes one whole.
void write_line(const child& c, string_view line) {
  if (::write(c.input, line.data(), line.size()) != std::ssize(line))
    fail(string("a message was not taken whole: ") + std::strerror(errno));
}

void read_more(child& c) {
  static char buffer[64 * 1024];
  const auto got = ::read(c.output, buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) fail("a server has ended");
  c.unread.append(buffer, static_cast<std::size_t>(got));
}

void initialize(child& c) {
  write_line(c, R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
                R"("2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})"
                "\n");
  while (c.unread.find('\n') == string::npos) read_more(c);
  if (c.unread.find(R"("result")") == string::npos) fail("no handshake: " + c.unread);
  c.unread.clear();
  write_line(c, R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
                "\n");
}

class load {
 public:
  explicit load(const settings& s) : s_(s) {
    for (int i = 0; i < s.children; ++i) {
      children_.push_back(start(s));
      initialize(children_.back());
    }
  }

  void run() {
    const auto seconds = [](double n) {
      return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(n));
    };
    from_ = steady::now() + seconds(s_.warm_up);
    to_ = from_ + seconds(s_.seconds);
    const auto count = children_.size();
    for (int i = 0; i < s_.in_flight; ++i) call(children_[static_cast<std::size_t>(i) % count]);
    std::vector<pollfd> polled;
    for (const auto& c : children_) polled.push_back({c.output, POLLIN, 0});
    while (steady::now() < to_) {
      if (::poll(polled.data(), polled.size(), 1000) < 0 && errno != EINTR) fail("poll failed");
      for (std::size_t i = 0; i < count; ++i)
        if (polled[i].revents) hear(children_[i]);
    }
  }

  void report() {
    std::printf(
        R"({"name":"calls","seconds":%.6f,"answered":%zu,"failed":%zu,"p50":%.1f,"p99":%.1f})"
        "\n",
        s_.seconds, times_.size(), failed_, microseconds(0.5), microseconds(0.99));
  }

  /// Their input ends, and then so do they.
  void end() {
    for (auto& c : children_) {
      ::close(c.input);
      ::close(c.output);
    }
    for (auto& c : children_)
      while (::waitpid(c.pid, nullptr, 0) < 0 && errno == EINTR) continue;
  }

 private:
  void call(child& c) {
    message_.assign(R"({"jsonrpc":"2.0","id":)").append(std::to_string(next_++));
    message_.append(R"(,"method":"tools/call","params":{"name":"tool_1","arguments":{"text":)");
    message_.append(R"("hello"}}})"
                    "\n");
    c.sent.push_back(steady::now());
    write_line(c, message_);
  }

  void hear(child& c) {
    read_more(c);
    std::size_t from = 0;
    for (auto end = c.unread.find('\n'); end != string::npos; end = c.unread.find('\n', from)) {
      const auto line = string_view(c.unread).substr(from, end - from);
      const auto now = steady::now();
      if (c.sent.empty()) fail("an answer to nothing");
      if (line.find(R"("result":)") == string_view::npos) ++failed_;
      if (c.sent.front() >= from_ && now < to_) times_.push_back(now - c.sent.front());
      c.sent.pop_front();
      from = end + 1;
      call(c);
    }
    c.unread.erase(0, from);
  }

  double microseconds(double part) {
    if (times_.empty()) return 0;
    const auto at =
        std::min(times_.size() - 1, static_cast<std::size_t>(part * double(times_.size())));
    std::ranges::nth_element(times_, times_.begin() + static_cast<std::ptrdiff_t>(at));
    return static_cast<double>(times_[at].count()) / 1e3;
  }

  const settings& s_;
  std::vector<child> children_;
  std::vector<nanoseconds> times_;
  time_point from_, to_;
  std::size_t failed_ = 0;
  std::uint64_t next_ = 1'000'000'000;
  string message_;
};

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto s = bench::read_options(program, argc, argv);
  if (s.command.empty()) fail("no command: it follows a literal --");
  load work(s);
  work.run();
  work.report();
  work.end();
}
