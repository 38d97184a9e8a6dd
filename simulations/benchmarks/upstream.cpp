/// bench_upstream: an MCP server that costs next to nothing, so that a benchmark sees the gateway.
///
/// Listens on N consecutive ports from P (0: any free ones) of 127.0.0.1 and prints them on one
/// line; behind them those that it takes and refuses to serve, and those that are deaf: who
/// connects to one hears nothing at all. One thread, one epoll set, HTTP/1.1 with keep-alive. Any
/// path is an MCP endpoint, of the generation that a request names: initialize, ping, tools/list,
/// tools/call; GET opens an event stream; DELETE ends a session; server/discover, and
/// subscriptions/listen, on which nothing is ever said. The path shapes the answers: `/sse` as an
/// event stream, `/slow?ms=50` after a while, `/big?bytes=1000000` with a long text. `/hang` never
/// answers a call. `/flood?progress=100` tells of a call's progress so often before it answers, and
/// its event streams bring notifications as fast as they are read.
/// `/streams` is no MCP: GET tells how many event streams and sessions are open, POST says
/// `list_changed` on all streams. It trusts its peers: bodies with Content-Length only, no limits,
/// no validation.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simulations/benchmarks/command_line.hpp"
#include "simulations/benchmarks/upstream_answers.hpp"

namespace {

using bench::answers;
using bench::request;
using gate::config::as_help;
using gate::config::as_number;
using std::string;
using std::string_view;
using steady = std::chrono::steady_clock;

struct settings {
  int port = 0;
  int ports = 1;
  int refused = 0;
  int deaf = 0;
  int tools = 20;
  int text = 32;
  bool help = false;
};

using o = settings;
constexpr std::array<gate::config::option<settings>, 7> rows{{
    // clang-format off
    {"--port",    "PORT",  "the first one to listen on, 0 for any free ones", as_number<&o::port, 0, 65'535>()},
    {"--ports",   "N",     "to listen on",                                    as_number<&o::ports, 0, 65'535>()},
    {"--refused", "N",     "further ones that are not served",                as_number<&o::refused, 0, 65'535>()},
    {"--deaf",    "N",     "further ones that answer nothing",                as_number<&o::deaf, 0, 65'535>()},
    {"--tools",   "N",     "that are listed",                                 as_number<&o::tools, 0, 1'000'000>()},
    {"--text",    "BYTES", "of the result of a call",                         as_number<&o::text, 0, 1'000'000'000>()},
    {"--help",    "",      "print this text, then exit",                      as_help<&o::help, true>()},
    // clang-format on
}};
constexpr gate::config::program<settings> program{
    "bench_upstream", "an MCP server that costs next to nothing", "bench_upstream [options]",
    bench::exit_codes, rows};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

struct connection {
  string in, out;
  std::size_t sent = 0;     ///< of `out`
  bool waiting = false;     ///< for the socket to become writable
  bool floods = false;      ///< its event stream never falls silent
  unsigned generation = 0;  ///< tells a delayed answer whether the descriptor is still its own
};

class server {
 public:
  server(settings s, answers fixed) : fixed_(std::move(fixed)), epoll_(epoll_create1(0)) {
    for (int i = 0; i < s.ports + s.refused + s.deaf; ++i)
      take_port(s.port ? s.port + i : 0, i < s.ports, i >= s.ports + s.refused);
    std::printf("\n");
    std::fflush(stdout);
  }

  [[noreturn]] void run() {
    epoll_event events[512];
    for (;;) {
      int count = epoll_wait(epoll_, events, 512, wait_ms());
      send_due();
      for (int i = 0; i < count; ++i) {
        int fd = events[i].data.fd;
        if (listeners_.count(fd)) {
          accept_all(fd);
        } else if (connections_.count(fd)) {
          serve(fd, events[i].events);
        }
      }
    }
  }

 private:
  /// To serve it, or to have it refused whoever else wants a free one, or nobody answered there.
  void take_port(int port, bool serve, bool deaf) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof address;
    if (bind(fd, generic, length) || (serve && listen(fd, 4096))) fail("bench_upstream: listen");
    getsockname(fd, generic, &length);
    std::printf("%d ", ntohs(address.sin_port));
    if (deaf) return fill_backlog(fd, address);
    if (!serve) return;
    listeners_.insert(fd);
    watch(fd, EPOLL_CTL_ADD, EPOLLIN);
  }

  /// The kernel drops whoever wants to connect once as many wait to be accepted as may.
  static void fill_backlog(int listener, const sockaddr_in& address) {
    if (listen(listener, 0)) fail("bench_upstream: listen");
    for (int i = 0; i < 4; ++i) {
      int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
  }

  void watch(int fd, int operation, uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    epoll_ctl(epoll_, operation, fd, &event);
  }

  void accept_all(int listener) {
    for (;;) {
      int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) return;
      int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      connections_[fd].generation = ++generations_;
      watch(fd, EPOLL_CTL_ADD, EPOLLIN);
    }
  }

  void drop(int fd) {
    close(fd);
    streams_.erase(fd);
    connections_.erase(fd);
  }

  void serve(int fd, uint32_t events) {
    auto& c = connections_[fd];
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
      char buffer[65536];
      auto got = recv(fd, buffer, sizeof buffer, 0);
      if (got == 0 || (got < 0 && errno != EAGAIN)) return drop(fd);
      if (got > 0) c.in.append(buffer, static_cast<std::size_t>(got));
      answer_all(fd, c);
    }
    flush(fd, c);
  }

  void answer_all(int fd, connection& c) {
    std::size_t taken = 0;
    for (;;) {
      auto r = bench::read_request(string_view(c.in).substr(taken));
      if (!r.size) break;
      taken += r.size;
      if (r.target == "/streams") {
        answer_about_streams(r, c.out);
        continue;
      }
      if (r.method == "GET") streams_.insert(fd);
      if (r.method == "GET") c.floods = r.target.starts_with("/flood");
      string late;
      auto before = c.out.size();
      auto ms = bench::answer(fixed_, r, c.out);
      if (ms > 0) {
        late.assign(c.out, before);
        c.out.resize(before);
        auto due = steady::now() + std::chrono::milliseconds(ms);
        delayed_.emplace(due, delayed{fd, c.generation, std::move(late)});
      }
    }
    c.in.erase(0, taken);
  }

  void answer_about_streams(const request& r, string& out) {
    const auto count = std::to_string(streams_.size());
    const auto open = std::to_string(bench::open_sessions());
    bench::respond(out, "200 OK", "application/json", "",
                   {R"({"streams":)", count, R"(,"sessions":)", open, "}"});
    if (r.method != "POST") return;
    const auto chunk = bench::list_changed_chunk();
    for (int fd : std::vector<int>(streams_.begin(), streams_.end())) {
      auto& c = connections_[fd];
      c.out += chunk;
      flush(fd, c);
    }
  }

  void flush(int fd, connection& c) {
    if (c.out.empty() && c.floods) c.out = fixed_.flood;
    if (c.out.empty()) return;
    auto sent = send(fd, c.out.data() + c.sent, c.out.size() - c.sent, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return drop(fd);
    if (sent > 0) c.sent += static_cast<std::size_t>(sent);
    if (c.sent == c.out.size()) {
      c.out.clear();
      c.sent = 0;
    }
    const bool more = c.floods || !c.out.empty();
    if (c.waiting == more) return;
    c.waiting = more;
    watch(fd, EPOLL_CTL_MOD, c.waiting ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }

  int wait_ms() const {
    if (delayed_.empty()) return -1;
    auto left = delayed_.begin()->first - steady::now();
    auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    return ms < 0 ? 0 : static_cast<int>(ms);
  }

  void send_due() {
    while (!delayed_.empty() && delayed_.begin()->first <= steady::now()) {
      auto late = std::move(delayed_.begin()->second);
      delayed_.erase(delayed_.begin());
      auto at = connections_.find(late.fd);
      if (at == connections_.end() || at->second.generation != late.generation) continue;
      at->second.out += late.bytes;
      flush(late.fd, at->second);
    }
  }

  struct delayed {
    int fd;
    unsigned generation;
    string bytes;
  };

  answers fixed_;
  int epoll_;
  unsigned generations_ = 0;
  std::unordered_set<int> listeners_;
  std::unordered_map<int, connection> connections_;
  std::unordered_set<int> streams_;
  std::multimap<steady::time_point, delayed> delayed_;
};

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto s = bench::read_options(program, argc, argv);
  server(s, bench::make_answers(s.tools, s.text)).run();
}
