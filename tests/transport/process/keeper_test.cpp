// KEEPER and its wardens, with real processes: what is started, what is told of it, and that
// nothing is ever left.
#include "transport/process/keeper.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "transport/process/process_tree.hpp"

namespace gate::process {
namespace {

using event = warden_report::event;

constexpr int patience_ms = 30'000;

bool readable(int fd) {
  pollfd p{fd, POLLIN, 0};
  return ::poll(&p, 1, patience_ms) == 1;
}

/// Is it there at all? A zombie is.
bool exists(pid_t pid) {
  return ::kill(pid, 0) == 0 || errno != ESRCH;
}

/// Waits until the kernel knows the process no more.
bool disappears(pid_t pid) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  while (exists(pid)) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

struct running {
  child_ends ends;

  warden_report next() const {
    warden_report r{event::gone, -1};
    EXPECT_TRUE(readable(ends.control.get()));
    const auto n = ::recv(ends.control.get(), &r, sizeof r, 0);
    if (n != static_cast<ssize_t>(sizeof r)) ADD_FAILURE() << "the warden ended without a word";
    return r;
  }
  void expect(event what) const { EXPECT_EQ(next().what, what); }
  void order(warden_order o) const {
    const char byte = static_cast<char>(o);
    EXPECT_EQ(::send(ends.control.get(), &byte, 1, MSG_NOSIGNAL), 1);
  }
  /// Its output, up to and with so many line feeds, or to its end.
  std::string say(int lines) const {
    std::string out;
    char c = 0;
    while (lines > 0 && readable(ends.output.get()) && ::read(ends.output.get(), &c, 1) == 1) {
      out += c;
      lines -= c == '\n';
    }
    return out;
  }
  std::vector<pid_t> say_pids(int count) const {
    std::istringstream in(say(count));
    std::vector<pid_t> out;
    for (pid_t pid = 0; in >> pid;) out.push_back(pid);
    EXPECT_EQ(out.size(), static_cast<std::size_t>(count));
    return out;
  }
};

std::shared_ptr<keeper> shell(std::string script, std::vector<std::string> environment = {},
                              std::string directory = {}) {
  return keeper::start(
             {{"sh", "-c", std::move(script)}, std::move(directory), std::move(environment)})
      .value();
}

TEST(keeper, starts_children_with_what_was_named_and_nothing_else) {
  const auto k = shell(
      "echo $PWD; env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=; ls /proc/self/fd | wc -l",
      {"A=1", "PATH=/usr/bin:/bin"}, "/");
  running c{k->spawn().value()};
  const auto started = c.next();
  EXPECT_EQ(started.what, event::started);
  EXPECT_GT(started.value, 0);
  std::istringstream said(c.say(4));
  std::string directory, first, second, descriptors;
  said >> directory >> first >> second >> descriptors;
  EXPECT_EQ(directory, "/");
  EXPECT_TRUE((first == "A=1" && second.starts_with("PATH=")) ||
              (second == "A=1" && first.starts_with("PATH=")))
      << first << ' ' << second;
  EXPECT_EQ(descriptors, "4");  // its three, and the folder that ls reads
  c.expect(event::exited);
  c.expect(event::gone);
  EXPECT_FALSE(exists(started.value));
}

TEST(keeper, the_last_report_of_a_warden_that_left_an_order_unread_is_heard) {
  int fds[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
  descriptor ours(fds[0]), theirs(fds[1]);
  ASSERT_EQ(::send(ours.get(), "K", 1, MSG_NOSIGNAL), 1);
  const warden_report gone{event::gone, 7};
  ASSERT_EQ(::send(theirs.get(), &gone, sizeof gone, MSG_NOSIGNAL),
            static_cast<ssize_t>(sizeof gone));
  theirs.reset();
  warden_report heard;
  ASSERT_EQ(receive_report(ours.get(), heard), static_cast<ssize_t>(sizeof heard));
  EXPECT_EQ(heard.what, event::gone);
  EXPECT_EQ(heard.value, 7);
  EXPECT_EQ(receive_report(ours.get(), heard), 0);
}

TEST(keeper, passes_bytes_both_ways) {
  const auto k = shell("exec cat");
  running c{k->spawn().value()};
  c.expect(event::started);
  EXPECT_EQ(::write(c.ends.input.get(), "a\nb\n", 4), 4);
  EXPECT_EQ(c.say(2), "a\nb\n");
  c.ends.input.reset();
  const auto end = c.next();
  EXPECT_EQ(end.what, event::exited);
  EXPECT_EQ(end.value, 0);
  c.expect(event::gone);
}

TEST(keeper, tells_how_a_child_ended) {
  const auto failing = shell("exit 7");
  running a{failing->spawn().value()};
  a.expect(event::started);
  const auto code = a.next();
  EXPECT_EQ(code.what, event::exited);
  EXPECT_EQ(code.value, 7);
  const auto crashing = shell("kill -SEGV $$");
  running b{crashing->spawn().value()};
  b.expect(event::started);
  const auto crash = b.next();
  EXPECT_EQ(crash.what, event::killed);
  EXPECT_EQ(crash.value, SIGSEGV);
}

TEST(keeper, tells_why_a_child_could_not_be_started) {
  const auto nothing = keeper::start({{"/no/such/program"}, {}, {}}).value();
  running a{nothing->spawn().value()};
  const auto why = a.next();
  EXPECT_EQ(why.what, event::failed_executable);
  EXPECT_EQ(why.value, ENOENT);
  const auto nowhere = shell("true", {}, "/no/such/folder");
  running b{nowhere->spawn().value()};
  EXPECT_EQ(b.next().what, event::failed_directory);
}

TEST(keeper, terminates_the_group) {
  const auto k = shell("sleep 1000 & echo $!; echo $$; wait", {"PATH=/usr/bin:/bin"});
  running c{k->spawn().value()};
  c.expect(event::started);
  const auto pids = c.say_pids(2);
  c.order(warden_order::terminate);
  const auto end = c.next();
  EXPECT_EQ(end.what, event::killed);
  EXPECT_EQ(end.value, SIGTERM);
  c.expect(event::gone);
  for (const auto pid : pids) EXPECT_FALSE(exists(pid));
}

/// Ignores SIGTERM; has a grandchild in its group, one in a session of its own, one whose parent
/// has ended, and one that detached in every way.
constexpr auto stubborn =
    "trap '' TERM\n"
    "sleep 1000 & echo $!\n"
    "setsid sleep 1000 & echo $!\n"
    "(sleep 1000 & echo $!)\n"
    "setsid sh -c 'trap \"\" TERM; sleep 1000 >/dev/null 2>&1 </dev/null & echo $!'\n"
    "echo $$\n"
    "while :; do sleep 1000; done\n";

TEST(keeper, kills_whoever_does_not_listen_and_wherever_they_went) {
  const auto k = shell(stubborn, {"PATH=/usr/bin:/bin"});
  running c{k->spawn().value()};
  c.expect(event::started);
  const auto pids = c.say_pids(5);
  c.order(warden_order::terminate);
  c.order(warden_order::kill);
  EXPECT_EQ(c.next().what, event::killed);
  c.expect(event::gone);
  for (const auto pid : pids) EXPECT_FALSE(exists(pid));
}

TEST(keeper, an_orphan_holds_its_session_until_it_is_killed) {
  const auto k = shell("setsid sh -c 'sleep 1000 >/dev/null & echo $!'", {"PATH=/usr/bin:/bin"});
  running c{k->spawn().value()};
  c.expect(event::started);
  const auto pids = c.say_pids(1);
  c.expect(event::exited);
  EXPECT_TRUE(exists(pids[0]));
  pollfd quiet{c.ends.control.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&quiet, 1, 100), 0) << "it is said to be gone";
  c.order(warden_order::kill);
  c.expect(event::gone);
  EXPECT_FALSE(exists(pids[0]));
}

TEST(keeper, the_end_of_the_control_socket_kills_everything) {
  const auto k = shell(stubborn, {"PATH=/usr/bin:/bin"});
  running c{k->spawn().value()};
  c.expect(event::started);
  const auto pids = c.say_pids(5);
  c.ends.control.reset();
  for (const auto pid : pids) EXPECT_TRUE(disappears(pid)) << pid;
}

TEST(keeper, its_own_end_leaves_nothing) {
  auto k = shell(stubborn, {"PATH=/usr/bin:/bin"});
  std::vector<running> all;
  std::vector<pid_t> pids;
  for (int i = 0; i < 5; ++i) {
    all.push_back({k->spawn().value()});
    all.back().expect(event::started);
    for (const auto pid : all.back().say_pids(5)) pids.push_back(pid);
  }
  all.clear();
  k.reset();  // waits for its end
  for (const auto pid : pids) EXPECT_FALSE(exists(pid)) << pid;
}

TEST(keeper, what_a_killed_warden_leaves_is_killed) {
  const auto k = shell(stubborn, {"PATH=/usr/bin:/bin"});
  running c{k->spawn().value()};
  c.expect(event::started);
  const auto pids = c.say_pids(5);
  const auto wardens = children_of(k->pid());
  ASSERT_EQ(wardens.size(), 1U);
  ::kill(wardens[0], SIGKILL);
  c.expect(event::gone);  // says KEEPER, when it is so
  for (const auto pid : pids) EXPECT_FALSE(exists(pid)) << pid;
  running again{k->spawn().value()};  // it works on
  again.expect(event::started);
}

TEST(keeper, a_child_that_forks_without_end_is_ended) {
  // Each round of it forks further ones, in sessions of their own, and ends.
  const auto k = shell(
      "i=0; while [ $i -lt 3 ]; do setsid sleep 1000 & i=$((i+1)); done; "
      "s='sleep 0.02; setsid sh -c \"$0\" \"$0\" & setsid sleep 1000 &'; "
      "sh -c \"$s\" \"$s\" & echo ready; sleep 1000",
      {"PATH=/usr/bin:/bin"});
  running c{k->spawn().value()};
  c.expect(event::started);
  EXPECT_EQ(c.say(1), "ready\n");
  ::poll(nullptr, 0, 300);
  c.order(warden_order::kill);
  EXPECT_EQ(c.next().what, event::killed);
  c.expect(event::gone);
}

/// Processes that start one more of their kind and end, as fast as they can, without end: whoever
/// is seen is another one a moment later.
const char* const comets =
    "k='sh -c \"$0\" \"$0\" &'; "
    "i=0; while [ $i -lt 10 ]; do setsid sh -c \"$k\" \"$k\" & i=$((i+1)); done; "
    "echo ready; while :; do sleep 1000; done";

TEST(keeper, what_forks_and_ends_again_and_again_is_caught) {
  const auto k = shell(comets, {"PATH=/usr/bin:/bin"});
  running c{k->spawn().value()};
  c.expect(event::started);
  EXPECT_EQ(c.say(1), "ready\n");
  ::poll(nullptr, 0, 100);  // they are on their way
  c.order(warden_order::kill);
  EXPECT_EQ(c.next().what, event::killed);
  c.expect(event::gone);
}

TEST(keeper, also_when_its_warden_was_killed) {
  const auto k = shell(comets, {"PATH=/usr/bin:/bin"});
  running c{k->spawn().value()};
  const auto started = c.next();
  EXPECT_EQ(started.what, event::started);
  EXPECT_EQ(c.say(1), "ready\n");
  ::poll(nullptr, 0, 100);
  const auto wardens = children_of(k->pid());
  ASSERT_EQ(wardens.size(), 1U);
  ::kill(wardens.front(), SIGKILL);
  c.expect(event::gone);
  EXPECT_TRUE(children_of(k->pid()).empty());
}

std::string shown(pid_t pid, const char* what) {
  std::ifstream in("/proc/" + std::to_string(pid) + '/' + what);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  std::erase(text, '\0');
  return text;
}

TEST(keeper, its_processes_have_names_of_their_own_and_no_environment) {
  ASSERT_FALSE(shown(::getpid(), "environ").empty());
  const auto k =
      shell("tr -d '\\0' </proc/$PPID/environ; echo; exec sleep 1000", {"PATH=/usr/bin:/bin"});
  running c{k->spawn().value()};
  c.expect(event::started);
  EXPECT_EQ(c.say(1), "\n");
  const auto wardens = children_of(k->pid());
  ASSERT_EQ(wardens.size(), 1U);
  EXPECT_EQ(shown(k->pid(), "cmdline"), "gate-keeper");
  EXPECT_EQ(shown(wardens[0], "cmdline"), "gate-warden");
  EXPECT_EQ(shown(k->pid(), "environ"), "");
  EXPECT_EQ(shown(wardens[0], "environ"), "");
}

/// A program whose execution waits for as long as this lives: the kernel asks the holder of a lease
/// first. (It stands for a file system that does not answer.)
class held_program {
 public:
  held_program() {
    std::signal(SIGIO, SIG_IGN);
    for (const std::string& folder : {::testing::TempDir(), std::string("/dev/shm/")}) {
      path_ = folder + "gate_held_program_" + std::to_string(::getpid());
      fd_ = descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0700));
      if (fd_ && ::fcntl(fd_.get(), F_SETLEASE, F_WRLCK) == 0) return;
      ::unlink(path_.c_str());
      fd_.reset();
    }
  }
  held_program(const held_program&) = delete;
  held_program& operator=(const held_program&) = delete;
  ~held_program() { ::unlink(path_.c_str()); }
  explicit operator bool() const { return static_cast<bool>(fd_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  descriptor fd_;
};

TEST(keeper, a_child_that_does_not_even_begin_can_be_killed) {
  const held_program held;
  ASSERT_TRUE(held);
  auto k = keeper::start({{held.path()}, {}, {}}).value();
  running c{k->spawn().value()};
  pollfd quiet{c.ends.control.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&quiet, 1, 200), 0);
  c.order(warden_order::kill);
  c.expect(event::killed);
  c.expect(event::gone);
  running again{k->spawn().value()};
  pollfd as_quiet{again.ends.control.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&as_quiet, 1, 100), 0);
  again.ends.control.reset();
  k.reset();  // waits for its end
}

TEST(keeper, does_not_start_what_nobody_waits_for) {
  const std::string mark = ::testing::TempDir() + "gate_mark_" + std::to_string(::getpid());
  ::unlink(mark.c_str());
  auto k = shell("echo x >" + mark);
  ::kill(k->pid(), SIGSTOP);
  ASSERT_EQ(::waitpid(k->pid(), nullptr, WUNTRACED), k->pid());
  for (int i = 0; i < 20; ++i) static_cast<void>(k->spawn().value());  // and forgotten at once
  ::kill(k->pid(), SIGCONT);
  k.reset();
  EXPECT_NE(::access(mark.c_str(), F_OK), 0);
}

TEST(keeper, its_death_is_seen) {
  const auto k = shell("exec sleep 1000", {"PATH=/usr/bin:/bin"});
  running c{k->spawn().value()};
  c.expect(event::started);
  const auto life = k->life();
  pollfd p{life.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&p, 1, 0), 0);
  ::kill(k->pid(), SIGKILL);
  EXPECT_TRUE(readable(life.get()));
  k->reap();
  EXPECT_FALSE(exists(k->pid()));
  c.order(warden_order::kill);  // wardens go on without it
  c.expect(event::killed);
  c.expect(event::gone);
}

TEST(keeper, children_have_the_limit_of_files_that_was_given) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit fewer{256, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &fewer);
  const auto k = shell("ulimit -n");
  ::setrlimit(RLIMIT_NOFILE, &before);
  running c{k->spawn().value()};
  c.expect(event::started);
  EXPECT_EQ(c.say(1), "256\n");
}

TEST(keeper, many_at_once) {
  auto k = shell("exec sleep 1000", {"PATH=/usr/bin:/bin"});
  std::vector<running> all;
  for (int i = 0; i < 50; ++i) all.push_back({k->spawn().value()});
  std::vector<pid_t> pids;
  for (const auto& c : all) {
    const auto r = c.next();
    EXPECT_EQ(r.what, event::started);
    pids.push_back(r.value);
  }
  all.clear();
  k.reset();
  for (const auto pid : pids) EXPECT_FALSE(exists(pid));
}

}  // namespace
}  // namespace gate::process
