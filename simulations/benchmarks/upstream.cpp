/// bench_upstream: an MCP server that costs next to nothing, so that a benchmark sees the gateway.
///
/// Listens on N consecutive ports from P (0: any free ones) of 127.0.0.1 and prints them on one
/// line; behind them those that it takes and refuses to serve, and those that are deaf: who
/// connects to one hears nothing at all. One thread, one epoll set, HTTP/1.1 with keep-alive. Any
/// path is an MCP endpoint of the session generation: initialize, ping, tools/list, tools/call; GET
/// opens an event stream; DELETE ends a session. The path shapes the answers: `/sse` as an event
/// stream, `/slow?ms=50` after a while, `/big?bytes=1000000` with a long text. `/hang` never
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

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simulations/benchmarks/command_line.hpp"

namespace {

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

/// What never changes while it runs.
struct answers {
  string tools;  ///< result of tools/list
  string call;   ///< result of tools/call
  string flood;  ///< chunks: what a stream that floods brings again and again
};

// --- reading -------------------------------------------------------------------------------------

long number(string_view text, long fallback = 0) {
  long value = fallback;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool same_name(string_view a, string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

/// The value of `key` at the first place where it is followed by a string or a number, raw. Good
/// enough for messages whose arguments do not imitate an envelope.
string_view member(string_view body, string_view key) {
  for (auto at = body.find(key); at != string_view::npos; at = body.find(key, at)) {
    at += key.size();
    auto from = body.find_first_not_of(" :", at);
    if (from == string_view::npos) return {};
    if (body[from] == '"') {
      auto end = body.find('"', from + 1);
      return end == string_view::npos ? string_view{} : body.substr(from, end + 1 - from);
    }
    auto end = body.find_first_not_of("-0123456789", from);
    if (end > from) return body.substr(from, end - from);
  }
  return {};
}

/// The number behind `name=` in a query.
long parameter(string_view target, string_view name, long fallback) {
  auto at = target.find(name);
  return at == string_view::npos ? fallback : number(target.substr(at + name.size()), fallback);
}

struct request {
  string_view method, target, body;
  std::size_t size = 0;  ///< bytes of the whole request; 0: not complete yet
};

/// The request at the beginning of `in`, if it is complete.
request read_request(string_view in) {
  request out;
  auto end = in.find("\r\n\r\n");
  if (end == string_view::npos) return out;
  std::size_t length = 0;
  auto line = in.find("\r\n");
  auto words = in.substr(0, line);
  out.method = words.substr(0, words.find(' '));
  words.remove_prefix(out.method.size() + 1);
  out.target = words.substr(0, words.find(' '));
  while (line < end) {
    auto next = in.find("\r\n", line + 2);
    auto field = in.substr(line + 2, next - line - 2);
    auto colon = field.find(':');
    auto name = field.substr(0, colon);
    auto value = colon == string_view::npos ? string_view{} : field.substr(colon + 1);
    value.remove_prefix(std::min(value.size(), value.find_first_not_of(' ')));
    if (same_name(name, "content-length")) length = static_cast<std::size_t>(number(value));
    line = next;
  }
  auto begin = end + 4;
  if (in.size() >= begin + length) {
    out.body = in.substr(begin, length);
    out.size = begin + length;
  }
  return out;
}

// --- answering -----------------------------------------------------------------------------------

void respond(string& out, string_view status, string_view type, string_view extra,
             std::initializer_list<string_view> body) {
  std::size_t length = 0;
  for (auto part : body) length += part.size();
  out.append("HTTP/1.1 ").append(status).append("\r\nContent-Length: ");
  out.append(std::to_string(length)).append("\r\n");
  if (!type.empty()) out.append("Content-Type: ").append(type).append("\r\n");
  out.append(extra).append("\r\n");
  for (auto part : body) out.append(part);
}

string call_result(std::size_t bytes) {
  return R"({"content":[{"type":"text","text":")" + string(bytes, 'x') + R"("}]})";
}

string initialize_result(string_view body) {
  auto version = member(body, "\"protocolVersion\"");
  return R"({"protocolVersion":)" + string(version.empty() ? R"("2025-11-25")" : version) +
         R"(,"capabilities":{"tools":{"listChanged":true}},)"
         R"("serverInfo":{"name":"bench_upstream","version":"1"}})";
}

long opened = 0;  ///< sessions
long ended = 0;   ///< by a DELETE each

string new_session() {
  char line[64];
  std::snprintf(line, sizeof line, "Mcp-Session-Id: bench-%d-%ld\r\n", getpid(), ++opened);
  return line;
}

void append_chunk(string& out, string_view event) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", event.size());
  out.append(size).append(event).append("\r\n");
}

constexpr string_view open_stream =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
    "Transfer-Encoding: chunked\r\n\r\n";

/// A call's answer behind so much of its progress, as an event stream.
void answer_with_progress(const answers& fixed, const request& r, string& out) {
  const auto token = member(r.body, "\"progressToken\"");
  const auto times = token.empty() ? 0 : parameter(r.target, "progress=", 100);
  out += open_stream;
  string event;
  for (long i = 1; i <= times; ++i) {
    event = R"(data: {"jsonrpc":"2.0","method":"notifications/progress","params":{)";
    event.append(R"("progressToken":)").append(token);
    event.append(R"(,"progress":)" + std::to_string(i) + "}}\n\n");
    append_chunk(out, event);
  }
  event = R"(data: {"jsonrpc":"2.0","id":)";
  event.append(member(r.body, "\"id\"")).append(R"(,"result":)").append(fixed.call) += "}\n\n";
  append_chunk(out, event);
  out += "0\r\n\r\n";
}

/// Appends the answer to one POSTed message.
void answer_message(const answers& fixed, const request& r, string& out) {
  auto method = member(r.body, "\"method\"");
  auto id = member(r.body, "\"id\"");
  if (method.empty() || id.empty()) return respond(out, "202 Accepted", "", "", {});
  string made;
  string extra;
  string_view result;
  if (method == "\"tools/call\"") {
    if (r.target.starts_with("/hang")) return;
    if (r.target.starts_with("/flood")) return answer_with_progress(fixed, r, out);
    result = fixed.call;
    if (r.target.starts_with("/big"))
      result = made = call_result(static_cast<std::size_t>(parameter(r.target, "bytes=", 1 << 20)));
  } else if (method == "\"tools/list\"") {
    result = fixed.tools;
  } else if (method == "\"initialize\"") {
    result = made = initialize_result(r.body);
    extra = new_session();
  } else if (method == "\"ping\"" || method == "\"logging/setLevel\"") {
    result = "{}";
  }
  string_view member = result.empty() ? ",\"error\":" : ",\"result\":";
  if (result.empty()) result = R"({"code":-32601,"message":"Method not found"})";
  constexpr string_view head = R"({"jsonrpc":"2.0","id":)";
  if (r.target.starts_with("/sse") && method != "\"initialize\"") {
    respond(out, "200 OK", "text/event-stream", extra,
            {"event: message\ndata: ", head, id, member, result, "}\n\n"});
  } else {
    respond(out, "200 OK", "application/json", extra, {head, id, member, result, "}"});
  }
}

/// Appends the answer to `r`; returns after how many milliseconds it is due.
long answer(const answers& fixed, const request& r, string& out) {
  if (r.method == "GET") {
    // Stays open and silent, until somebody POSTs to /streams; or floods.
    out += open_stream;
    return 0;
  }
  if (r.method == "DELETE") {
    ++ended;
    respond(out, "200 OK", "", "", {});
    return 0;
  }
  answer_message(fixed, r, out);
  return r.target.starts_with("/slow") ? parameter(r.target, "ms=", 50) : 0;
}

/// An event for an open stream, as a chunk.
string list_changed_chunk() {
  string out;
  append_chunk(out,
               "event: message\ndata: "
               R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"
               "\n\n");
  return out;
}

/// Every tenth event says that a list has changed, the others are of the log.
string flood_chunks() {
  string out;
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 9; ++k)
      append_chunk(out, R"(data: {"jsonrpc":"2.0","method":"notifications/message","params":)"
                        R"({"level":"info","data":"what nobody wanted to know"}})"
                        "\n\n");
    out += list_changed_chunk();
  }
  return out;
}

// --- sockets -------------------------------------------------------------------------------------

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
      auto r = read_request(string_view(c.in).substr(taken));
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
      auto ms = answer(fixed_, r, c.out);
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
    const auto open = std::to_string(opened - ended);
    respond(out, "200 OK", "application/json", "",
            {R"({"streams":)", count, R"(,"sessions":)", open, "}"});
    if (r.method != "POST") return;
    const auto chunk = list_changed_chunk();
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

answers make_answers(const settings& s) {
  answers out;
  out.call = call_result(static_cast<std::size_t>(s.text));
  out.tools = R"({"tools":[)";
  for (int i = 1; i <= s.tools; ++i) {
    if (i > 1) out.tools += ',';
    out.tools += R"({"name":"tool_)" + std::to_string(i) + R"(","description":"Synthetic tool )" +
                 std::to_string(i) +
                 R"( of the benchmark","inputSchema":{"type":"object","properties":{)"
                 R"("text":{"type":"string"},"count":{"type":"integer"}}}})";
  }
  out.tools += "]}";
  out.flood = flood_chunks();
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto s = bench::read_options(program, argc, argv);
  server(s, make_answers(s)).run();
}
