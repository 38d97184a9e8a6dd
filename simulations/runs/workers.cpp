#include "simulations/runs/workers.hpp"

#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace gate::runs {
namespace {

using clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) fail("no pipe to a process that tells stories");
  return ends;
}

/// False: the other end is gone.
bool write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(to, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// False: the other end is gone.
bool read_some(int from, std::string& to) {
  std::array<char, 65'536> chunk{};
  for (;;) {
    const auto n = ::read(from, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to.append(chunk.data(), static_cast<std::size_t>(n));
    return true;
  }
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = ::strsignal(WTERMSIG(status));
    return "process: it was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
           (name != nullptr ? name : "?") + ')';
  }
  return "process: it ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

workers::workers(std::size_t jobs, teller tell) : tell_(std::move(tell)), workers_(jobs) {
  std::signal(SIGPIPE, SIG_IGN);
  for (auto& w : workers_) start(w);
}

workers::~workers() {
  for (auto& w : workers_) stop(w);
}

void workers::start(worker& w) {
  const auto orders = make_pipe(), results = make_pipe();
  w = {};
  w.pid = ::fork();
  if (w.pid < 0) fail("no process that tells stories");
  if (w.pid == 0) {
    ::close(orders[1]);
    ::close(results[0]);
    // Of the others' pipes the ends must not stay open here.
    for (const auto& other : workers_) {
      if (other.orders >= 0) ::close(other.orders);
      if (other.results >= 0) ::close(other.results);
    }
    work(orders[0], results[1]);
  }
  ::close(orders[0]);
  ::close(results[1]);
  w.orders = orders[1];
  w.results = results[0];
}

/// It ends with the process that gives the orders, whose Ctrl-C is not meant for it.
void workers::work(int orders, int results) {
  std::signal(SIGINT, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The next story wants the memory of this one: between two it does not go back to the system.
  constexpr int kept_bytes = 64 * 1024 * 1024;
  ::mallopt(M_TRIM_THRESHOLD, kept_bytes);
  ::mallopt(M_TOP_PAD, 4 * 1024 * 1024);
  std::string arrived;
  while (read_some(orders, arrived)) {
    while (arrived.size() >= sizeof(std::uint64_t)) {
      std::uint64_t seed = 0;
      std::memcpy(&seed, arrived.data(), sizeof seed);
      arrived.erase(0, sizeof seed);
      if (!write_all(results, to_frame(tell_(seed)))) std::_Exit(0);
    }
  }
  std::_Exit(0);
}

void workers::stop(worker& w) {
  if (w.pid < 0) return;
  ::close(w.orders);
  ::close(w.results);
  ::kill(w.pid, SIGKILL);
  while (::waitpid(w.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  w.pid = -1;
}

void workers::give(worker& w, std::uint64_t seed) {
  w.busy = true;
  w.seed = seed;
  w.since = clock::now();
  // If it is gone, that shows where its results should come from.
  write_all(w.orders, {reinterpret_cast<const char*>(&seed), sizeof seed});
}

void workers::hear(worker& w) {
  if (!read_some(w.results, w.arrived)) return buried(w);
  while (auto v = take_frame(w.arrived)) {
    w.busy = false;
    done_.emplace(v->seed, std::move(*v));
  }
}

/// The story that it told has ended it; another one takes its place.
void workers::buried(worker& w) {
  int status = 0;
  while (::waitpid(w.pid, &status, 0) < 0 && errno == EINTR) {
  }
  w.pid = -1;
  ::close(w.orders);
  ::close(w.results);
  if (!w.busy) throw std::runtime_error("a process that tells stories ended without one");
  verdict v;
  v.seed = w.seed;
  v.complaints.push_back(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
                                 clock::now() - w.since > longest_story
                             ? "process: it computed for more than " +
                                   std::to_string(longest_story.count()) + " s, and was ended"
                             : how_it_ended(status));
  done_.emplace(v.seed, std::move(v));
  start(w);
}

void workers::end_those_that_hang() {
  for (auto& w : workers_)
    if (w.busy && clock::now() - w.since > longest_story) ::kill(w.pid, SIGKILL);
}

void workers::tell_all(std::uint64_t first, std::uint64_t count, const listener& to) {
  auto next = first, due = first;
  const auto end = first + count;
  const auto ahead = seeds_ahead * workers_.size();
  std::vector<pollfd> wanted(workers_.size());
  while (due < end) {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      auto& w = workers_[i];
      if (!w.busy && next < end && next < due + ahead) give(w, next++);
      wanted[i] = {w.busy ? w.results : -1, POLLIN, 0};
    }
    constexpr int a_moment = 100;  // ms
    if (::poll(wanted.data(), wanted.size(), a_moment) < 0 && errno != EINTR)
      fail("waiting for stories");
    for (std::size_t i = 0; i < workers_.size(); ++i)
      if (wanted[i].fd >= 0 && wanted[i].revents != 0) hear(workers_[i]);
    for (auto it = done_.begin(); it != done_.end() && it->first == due; it = done_.begin()) {
      const auto v = std::move(it->second);
      done_.erase(it);
      ++due;
      if (!to.take(v)) return;
    }
    end_those_that_hang();
    if (!to.tick()) return;
  }
}

verdict tell_apart(const std::function<verdict()>& tell) {
  verdict out;
  workers one(1, [&](std::uint64_t) { return tell(); });
  one.tell_all(0, 1,
               {[&](const verdict& v) {
                  out = v;
                  return true;
                },
                [] { return true; }});
  return out;
}

}  // namespace gate::runs
