#include "tests/transport/support/sockets.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace gate::testing {
namespace {

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

sockaddr_in local(std::uint16_t port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

bool wait_for(int fd, short what) {
  pollfd p{fd, what, 0};
  return ::poll(&p, 1, static_cast<int>(std::chrono::milliseconds{patience}.count())) == 1;
}

int open_socket() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  return fd;
}

void set_no_delay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

int message::status() const {
  const auto space = start.find(' ');
  return space == std::string::npos ? 0 : std::atoi(start.c_str() + space);
}

std::string message::header(std::string_view name) const {
  std::string out;
  for (const auto& [key, value] : headers)
    if (key == name) out += (out.empty() ? "" : "|") + value;
  return out;
}

// --- one end of a connection --------------------------------------------------------------------

peer::peer(int fd) : fd_(fd) {}
peer::~peer() {
  close();
}
peer::peer(peer&& from) noexcept : fd_(std::exchange(from.fd_, -1)), got_(std::move(from.got_)) {}
peer& peer::operator=(peer&& from) noexcept {
  std::swap(fd_, from.fd_);
  std::swap(got_, from.got_);
  return *this;
}

void peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!wait_for(fd_, POLLOUT)) throw std::runtime_error("nobody takes what is sent");
    const auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0) fail("send");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::size_t peer::send_what_fits(std::string_view bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto n =
        ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n <= 0) break;
    sent += static_cast<std::size_t>(n);
  }
  return sent;
}

bool peer::more() {
  if (!wait_for(fd_, POLLIN)) throw std::runtime_error("nothing came; so far: " + got_);
  char buffer[16 * 1024];
  const auto n = ::recv(fd_, buffer, sizeof buffer, 0);
  if (n <= 0) return false;
  got_.append(buffer, static_cast<std::size_t>(n));
  return true;
}

std::string peer::take(std::size_t n) {
  while (got_.size() < n)
    if (!more()) throw std::runtime_error("the connection ended early; so far: " + got_);
  auto out = got_.substr(0, n);
  got_.erase(0, n);
  return out;
}

std::string peer::read_until(std::string_view end) {
  for (std::size_t looked_at = 0;;) {
    const auto at = got_.find(end, looked_at);
    if (at != std::string::npos) return take(at + end.size());
    looked_at = got_.size() - std::min(got_.size(), end.size());  // it may be half there
    if (!more()) throw std::runtime_error("the connection ended early; so far: " + got_);
  }
}

message peer::read() {
  message m;
  auto head = read_until("\r\n\r\n");
  head.resize(head.size() - 2);
  m.start = head.substr(0, head.find("\r\n"));
  for (auto from = m.start.size() + 2; from < head.size();) {
    const auto end = head.find("\r\n", from);
    const auto line = head.substr(from, end - from);
    const auto colon = line.find(':');
    m.headers.emplace_back(lower_case(line.substr(0, colon)),
                           line.substr(std::min(line.size(), colon + 2)));
    from = end + 2;
  }
  if (m.header("transfer-encoding") == "chunked") {
    for (;;) {
      const auto size = std::stoul(read_until("\r\n"), nullptr, 16);
      const auto piece = take(size + 2);
      if (size == 0) break;
      m.body += piece.substr(0, size);
    }
  } else if (const auto length = m.header("content-length"); !length.empty()) {
    m.body = take(std::stoul(length));
  }
  return m;
}

std::string peer::read_to_end() {
  while (more()) {
  }
  return std::exchange(got_, {});
}

void peer::finish() {
  ::shutdown(fd_, SHUT_WR);
}

void peer::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void peer::reset() {
  const linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

// --- listening and connecting -------------------------------------------------------------------

listener::listener() : fd_(open_socket()) {
  auto address = local(0);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd_, raw, size) != 0 || ::listen(fd_, 64) != 0 || ::getsockname(fd_, raw, &size) != 0)
    fail("listen");
  port_ = ntohs(address.sin_port);
}

listener::~listener() {
  close();
}

void listener::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::string listener::url(std::string_view target) const {
  return "http://127.0.0.1:" + std::to_string(port_) + std::string(target);
}

peer listener::accept() {
  if (!wait_for(fd_, POLLIN)) throw std::runtime_error("nobody connects");
  const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) fail("accept");
  set_no_delay(fd);
  return peer(fd);
}

bool listener::waits() const {
  pollfd p{fd_, POLLIN, 0};
  return ::poll(&p, 1, 0) > 0;
}

peer connect_to(std::uint16_t port, int receive_buffer) {
  peer p(open_socket());
  if (receive_buffer > 0)
    ::setsockopt(p.fd(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  const auto address = local(port);
  if (::connect(p.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("connect");
  set_no_delay(p.fd());
  return p;
}

bool refuses(std::uint16_t port) {
  peer p(open_socket());
  const auto address = local(port);
  return ::connect(p.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

// --- messages -----------------------------------------------------------------------------------

std::string request(std::string_view method, std::string_view target, std::string_view body,
                    std::string_view headers) {
  std::string out(method);
  out.append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\n").append(headers);
  if (!body.empty()) out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return out.append("\r\n").append(body);
}

std::string response(int status, std::string_view type, std::string_view body,
                     std::string_view headers) {
  std::string out = "HTTP/1.1 " + std::to_string(status) + " Any Reason\r\n";
  if (!type.empty()) out.append("Content-Type: ").append(type).append("\r\n");
  out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return out.append(headers).append("\r\n").append(body);
}

std::string chunk(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string size;
  for (auto n = bytes.size(); n > 0 || size.empty(); n /= 16) size.insert(0, 1, digits[n % 16]);
  return size + "\r\n" + std::string(bytes) + "\r\n";
}

}  // namespace gate::testing
