/// bench_load: clients that call tools at a fixed rate, whatever the answers take, or as fast as
/// the answers come.
///
/// A FLOW is `name=a;rate=1500;connections=16;sessions=s1,s2;tools=t1,t2;progress=1;listen=1`. Its
/// calls take the sessions in turn, and the tools. `rate` is in calls a second and 0 means as soon
/// as a connection is free. `progress` asks for it; `listen` holds an event stream open for each
/// session and reads what it brings. A call's time begins when it was meant to be sent, also if no
/// connection was free then, so that no pause hides behind itself. What is meant for the warm-up is
/// sent and not counted.
///
/// Prints one JSON line a flow. `late` is how long after its time the generator itself got around
/// to a call for which a connection was free. FILE gets a line a call: number of the flow, when it
/// was meant to be sent (microseconds of the steady clock), and its time, or -1 if it failed.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/benchmarks/command_line.hpp"

namespace {

using gate::config::as_help;
using gate::config::as_number;
using gate::config::as_text;
using std::string;
using std::string_view;
using steady = std::chrono::steady_clock;
using time_point = steady::time_point;
using std::chrono::nanoseconds;

[[noreturn]] void fail(const string& what) {
  std::fprintf(stderr, "bench_load: %s\n", what.c_str());
  std::exit(1);
}

template <class T>
T number(string_view text) {
  T value{};
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{})
    fail("not a number: " + string(text));
  return value;
}

std::vector<string> split(string_view text, char at) {
  std::vector<string> out;
  while (!text.empty()) {
    out.emplace_back(text.substr(0, text.find(at)));
    text.remove_prefix(std::min(text.size(), out.back().size() + 1));
  }
  return out;
}

// --- what to do ----------------------------------------------------------------------------------

struct settings {
  int port = 0;
  string path = "/mcp";
  double seconds = 3;
  double warm_up = 0.5;
  string samples;
  std::vector<string> flows;
  bool help = false;
};

using o = settings;
constexpr std::array<gate::config::option<settings>, 6> rows{{
    // clang-format off
    {"--port",    "PORT", "of 127.0.0.1",                      as_number<&o::port, 1, 65'535>(), "needed"},
    {"--path",    "PATH", "of the MCP endpoint",               as_text<&o::path>()},
    {"--seconds", "S",    "that are counted",                  as_number<&o::seconds, 0, 86'400>()},
    {"--warm-up", "S",    "before them",                       as_number<&o::warm_up, 0, 86'400>()},
    {"--samples", "FILE", "gets a line a call",                as_text<&o::samples>()},
    {"--help",    "",     "print this text, then exit",        as_help<&o::help, true>()},
    // clang-format on
}};
constexpr gate::config::program<settings> program{
    .name = "bench_load",
    .about = "clients that call tools at a fixed rate",
    .usage = "bench_load --port P [options] FLOW...",
    .exit_codes = bench::exit_codes,
    .options = rows,
    .operands = &settings::flows};

struct sample {
  int flow = 0;
  time_point meant;
  nanoseconds took{-1};
};

struct flow {
  string name;
  double rate = 0;
  int connections = 1;
  bool progress = false;
  bool listen = false;
  std::vector<string> sessions, tools;

  std::vector<string> heads;                      ///< of a call, by session
  std::vector<std::pair<string, string>> bodies;  ///< before and behind the id, by tool
  time_point next;                                ///< when the next call is meant to be sent
  std::uint64_t begun = 0;
  std::deque<time_point> waiting;  ///< calls for which no connection was free
  std::deque<int> idle;            ///< connections, which take turns
  std::uint64_t answered = 0, failed = 0, in_flight = 0, heard = 0;
  std::vector<nanoseconds> times, late;

  nanoseconds interval() const {
    return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(1 / rate));
  }
};

/// Ids of messages have this many digits, so that all requests of a kind are equally long.
constexpr std::uint64_t first_id = 1'000'000'000;
constexpr std::size_t id_digits = 10;

string head(const settings& s, string_view method, const string& session) {
  string out;
  out.append(method).append(" ").append(s.path).append(" HTTP/1.1\r\nHost: 127.0.0.1:");
  out.append(std::to_string(s.port)).append("\r\nAccept: ");
  if (method == "POST") out.append("application/json, ");
  out.append("text/event-stream\r\nMcp-Session-Id: ").append(session);
  return out.append("\r\nMCP-Protocol-Version: 2025-11-25\r\n");
}

flow read_flow(const settings& s, string_view text) {
  flow out;
  for (const auto& word : split(text, ';')) {
    const auto key = word.substr(0, word.find('='));
    const auto value = word.substr(std::min(word.size(), key.size() + 1));
    if (key == "name") out.name = value;
    if (key == "rate") out.rate = number<double>(value);
    if (key == "connections") out.connections = number<int>(value);
    if (key == "progress") out.progress = value == "1";
    if (key == "listen") out.listen = value == "1";
    if (key == "sessions") out.sessions = split(value, ',');
    if (key == "tools") out.tools = split(value, ',');
  }
  if (out.sessions.empty() || out.tools.empty()) fail("a flow without sessions or tools");
  for (const auto& id : out.sessions)
    out.heads.push_back(head(s, "POST", id) + "Content-Type: application/json\r\nContent-Length: ");
  for (const auto& name : out.tools) {
    auto rest =
        R"(,"method":"tools/call","params":{"name":")" + name + R"(","arguments":{"text":"hello"})";
    out.bodies.emplace_back(R"({"jsonrpc":"2.0","id":)", std::move(rest));
  }
  return out;
}

void append_call(const flow& f, std::uint64_t n, std::uint64_t id, string& out) {
  const auto& [before, behind] = f.bodies[(n / f.heads.size()) % f.bodies.size()];
  const auto token = std::to_string(id);
  const string meta = f.progress ? R"(,"_meta":{"progressToken":)" + token + "}" : "";
  const auto size = before.size() + id_digits + behind.size() + meta.size() + 2;
  out.append(f.heads[n % f.heads.size()]).append(std::to_string(size)).append("\r\n\r\n");
  out.append(before).append(token).append(behind).append(meta).append("}}");
}

// --- answers -------------------------------------------------------------------------------------

/// Reads one answer after the other, and of each no more than whether it is a result.
class answer_reader {
 public:
  /// True: an answer is complete, and `good` tells of it.
  bool feed(string_view bytes) {
    in_.append(bytes);
    if (!length_ && !chunked_ && !read_head()) return false;
    if (chunked_ ? !read_chunks() : in_.size() < *length_) return false;
    if (!chunked_) body_.assign(in_, 0, *length_);
    if (!chunked_) in_.erase(0, *length_);
    good = status_ok_ && body_.find("\"result\":") != string::npos;
    body_.clear();
    length_ = nullptr;
    chunked_ = false;
    return true;
  }
  bool good = false;

 private:
  bool read_head() {
    const auto end = in_.find("\r\n\r\n");
    if (end == string::npos) return false;
    const auto head = string_view(in_).substr(0, end + 2);
    status_ok_ = head.starts_with("HTTP/1.1 200");
    chunked_ = contains(head, "\r\ntransfer-encoding: chunked\r\n");
    if (!chunked_) {
      const auto at = find(head, "\r\ncontent-length: ");
      size_ = 0;
      if (at != string_view::npos) {
        const auto value = head.substr(at + 18);
        size_ = number<std::size_t>(value.substr(0, value.find('\r')));
      }
      length_ = &size_;
    }
    in_.erase(0, end + 4);
    return true;
  }
  /// True: the last one was read. Their data go to `body_`, but of long ones only what is new.
  bool read_chunks() {
    std::size_t taken = 0;
    for (;;) {
      const auto rest = string_view(in_).substr(taken);
      const auto line = rest.find("\r\n");
      if (line == string_view::npos) break;
      std::size_t size = 0;
      std::from_chars(rest.data(), rest.data() + line, size, 16);
      if (rest.size() < line + 2 + size + 2) break;
      taken += line + 2 + size + 2;
      if (size == 0) {
        in_.erase(0, taken);
        return true;
      }
      body_.assign(rest.substr(line + 2, size));  // the last event is the answer
    }
    in_.erase(0, taken);
    return false;
  }
  static std::size_t find(string_view in, string_view lower) {
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
    const auto at = std::search(in.begin(), in.end(), lower.begin(), lower.end(), same);
    return at == in.end() ? string_view::npos : static_cast<std::size_t>(at - in.begin());
  }
  static bool contains(string_view in, string_view lower) {
    return find(in, lower) != string_view::npos;
  }

  string in_, body_;
  bool status_ok_ = false;
  bool chunked_ = false;
  std::size_t size_ = 0;
  const std::size_t* length_ = nullptr;
};

// --- the load ------------------------------------------------------------------------------------

struct connection {
  int flow = 0;
  bool listens = false;
  bool busy = false;
  time_point meant;
  answer_reader answers;
};

class load {
 public:
  load(settings s, std::vector<flow> flows)
      : s_(std::move(s)), flows_(std::move(flows)), epoll_(epoll_create1(0)) {
    prctl(PR_SET_TIMERSLACK, 1);
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    watch(timer_, EPOLLIN);
  }

  void run() {
    const auto seconds = [](double n) {
      return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(n));
    };
    connect_all();
    const auto start = steady::now();
    counted_from_ = start + seconds(s_.warm_up);
    counted_to_ = counted_from_ + seconds(s_.seconds);
    for (std::ptrdiff_t i = 0; i < std::ssize(flows_); ++i) {
      auto& f = flows_[static_cast<std::size_t>(i)];
      // Not all at the same moment.
      f.next = start;
      if (f.rate > 0) f.next += f.interval() * (std::ssize(flows_) - i) / std::ssize(flows_);
    }
    for (auto now = start; now < counted_to_; now = steady::now()) {
      send_due(now);
      wait(std::min(counted_to_, next_due()));
    }
    // What is on its way may arrive.
    const auto patience = steady::now() + std::chrono::seconds(2);
    while (in_flight() > 0 && steady::now() < patience) wait(patience);
  }

  void report() const {
    for (const auto& f : flows_) report(f);
    if (s_.samples.empty()) return;
    std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(s_.samples.c_str(), "w"), std::fclose);
    if (!file) fail("can not write " + s_.samples);
    for (const auto& one : samples_)
      std::fprintf(file.get(), "%d %.3f %.3f\n", one.flow,
                   static_cast<double>(one.meant.time_since_epoch().count()) / 1e3,
                   one.took.count() < 0 ? -1.0 : static_cast<double>(one.took.count()) / 1e3);
  }

 private:
  static double microseconds(std::vector<nanoseconds> all, double part) {
    if (all.empty()) return 0;
    const auto at = std::min(all.size() - 1, static_cast<std::size_t>(part * double(all.size())));
    std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(at));
    return static_cast<double>(all[at].count()) / 1e3;
  }

  void report(const flow& f) const {
    std::printf(
        R"({"name":"%s","seconds":%.6f,"answered":%llu,"failed":%llu,"unanswered":%llu,)"
        R"("p50":%.1f,"p90":%.1f,"p99":%.1f,"p999":%.1f,"max":%.1f,"late":%.1f,"heard":%llu})"
        "\n",
        f.name.c_str(), s_.seconds, static_cast<unsigned long long>(f.answered),
        static_cast<unsigned long long>(f.failed),
        static_cast<unsigned long long>(f.in_flight + f.waiting.size()), microseconds(f.times, 0.5),
        microseconds(f.times, 0.9), microseconds(f.times, 0.99), microseconds(f.times, 0.999),
        microseconds(f.times, 1), microseconds(f.late, 0.99),
        static_cast<unsigned long long>(f.heard));
  }

  std::uint64_t in_flight() const {
    std::uint64_t out = 0;
    for (const auto& f : flows_) out += f.in_flight;
    return out;
  }

  // --- sockets

  void watch(int fd, uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }

  int connect_one(int of_flow, bool listens) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(s_.port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address))
      fail("can not connect: " + string(std::strerror(errno)));
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto at = static_cast<std::size_t>(fd);
    connections_.resize(std::max(connections_.size(), at + 1));
    auto& c = connections_[at];
    c = std::make_unique<connection>();
    c->flow = of_flow;
    c->listens = listens;
    watch(fd, EPOLLIN);
    return fd;
  }

  void connect_all() {
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      auto& f = flows_[i];
      const auto of_flow = static_cast<int>(i);
      for (int n = 0; n < f.connections; ++n) f.idle.push_back(connect_one(of_flow, false));
      for (std::size_t n = 0; f.listen && n < f.sessions.size(); ++n)
        write_all(connect_one(of_flow, true), head(s_, "GET", f.sessions[n]) + "\r\n");
    }
  }

  /// Requests are short: the socket always takes one whole.
  void write_all(int fd, const string& bytes) {
    if (send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) != std::ssize(bytes))
      fail("a request was not taken whole: " + string(std::strerror(errno)));
  }

  void wait(time_point until) {
    itimerspec at{};
    const auto ns = std::max<std::int64_t>(until.time_since_epoch().count(), 1);
    at.it_value.tv_sec = ns / 1'000'000'000;
    at.it_value.tv_nsec = ns % 1'000'000'000;
    timerfd_settime(timer_, TFD_TIMER_ABSTIME, &at, nullptr);
    epoll_event events[256];
    const int count = epoll_wait(epoll_, events, 256, -1);
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd != timer_) read(fd);
    }
  }

  // --- calls

  time_point next_due() const {
    auto out = time_point::max();
    for (const auto& f : flows_)
      if (f.rate > 0) out = std::min(out, f.next);
    return out;
  }

  void send_due(time_point now) {
    for (auto& f : flows_) {
      while (f.rate <= 0 && !f.idle.empty()) begin(f, now);
      while (f.rate > 0 && f.next <= now && f.next < counted_to_) {
        const auto meant = f.next;
        f.next += f.interval();
        if (f.idle.empty())
          f.waiting.push_back(meant);
        else
          begin(f, meant);
      }
    }
  }

  void begin(flow& f, time_point meant) {
    const int fd = f.idle.front();
    f.idle.pop_front();
    begin_on(fd, f, meant);
    if (f.rate > 0 && counts(meant)) f.late.push_back(steady::now() - meant);
  }

  void begin_on(int fd, flow& f, time_point meant) {
    auto& c = *connections_[static_cast<std::size_t>(fd)];
    c.busy = true;
    c.meant = meant;
    ++f.in_flight;
    request_.clear();
    append_call(f, f.begun++, first_id + id_++, request_);
    write_all(fd, request_);
  }

  bool counts(time_point meant) const { return meant >= counted_from_ && meant < counted_to_; }

  void read(int fd) {
    auto& c = *connections_[static_cast<std::size_t>(fd)];
    static char buffer[256 * 1024];
    const auto got = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return lost(fd);
    if (c.listens) {
      flows_[static_cast<std::size_t>(c.flow)].heard += static_cast<std::uint64_t>(got);
      return;
    }
    if (c.answers.feed({buffer, static_cast<std::size_t>(got)}) && c.busy)
      ended(fd, c.answers.good);
  }

  void ended(int fd, bool good) {
    auto& c = *connections_[static_cast<std::size_t>(fd)];
    auto& f = flows_[static_cast<std::size_t>(c.flow)];
    c.busy = false;
    --f.in_flight;
    if (counts(c.meant)) {
      const auto took = good ? steady::now() - c.meant : nanoseconds(-1);
      if (good) f.times.push_back(took);
      ++(good ? f.answered : f.failed);
      if (!s_.samples.empty()) samples_.push_back({c.flow, c.meant, took});
    }
    if (f.waiting.empty()) return f.idle.push_back(fd);
    const auto meant = f.waiting.front();
    f.waiting.pop_front();
    begin_on(fd, f, meant);
  }

  /// The server closed it: a call that it carried has failed, the next takes another.
  void lost(int fd) {
    const auto c = std::move(connections_[static_cast<std::size_t>(fd)]);
    close(fd);
    auto& f = flows_[static_cast<std::size_t>(c->flow)];
    if (c->listens) fail("an event stream ended");
    if (!c->busy) std::erase(f.idle, fd);
    const auto another = connect_one(c->flow, false);
    if (!c->busy) return f.idle.push_back(another);
    connections_[static_cast<std::size_t>(another)]->meant = c->meant;
    ended(another, false);
  }

  settings s_;
  std::vector<flow> flows_;
  int epoll_;
  int timer_ = -1;
  time_point counted_from_, counted_to_;
  std::vector<std::unique_ptr<connection>> connections_;  ///< by descriptor
  std::vector<sample> samples_;
  string request_;
  std::uint64_t id_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  auto s = bench::read_options(program, argc, argv);
  std::vector<flow> flows;
  for (const auto& text : s.flows) flows.push_back(read_flow(s, text));
  if (flows.empty() || !s.port) fail("nothing to do");
  load all(std::move(s), std::move(flows));
  all.run();
  all.report();
}
