#pragma once
/// The other ends of the sockets under test: a client and a server that do, byte by byte, what a
/// test tells them. They block, so a test reads from top to bottom; a wait that lasts `patience`
/// means that nothing will come any more, and fails the test instead of hanging it.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gate::testing {

inline constexpr std::chrono::seconds patience{60};

/// An HTTP message taken apart by a reader that knows nothing of the one under test.
struct message {
  std::string start;  ///< request line or status line
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;  ///< chunked bodies are joined

  int status() const;
  /// The values of a header, joined by `|`; names in lower case.
  std::string header(std::string_view name) const;
};

/// One end of a connection.
class peer {
 public:
  explicit peer(int fd = -1);
  ~peer();
  peer(peer&& from) noexcept;
  peer& operator=(peer&& from) noexcept;

  int fd() const { return fd_; }
  void send(std::string_view bytes);
  /// Sends as much as the other side takes without reading; the number of bytes.
  std::size_t send_what_fits(std::string_view bytes);
  /// The next message: head, and a body of the announced length or in chunks.
  message read();
  /// Everything until `end` has been received, `end` included.
  std::string read_until(std::string_view end);
  /// Everything up to the end of the connection (closed or reset).
  std::string read_to_end();
  /// Nothing but the end of the connection comes.
  bool ended() { return read_to_end().empty(); }

  /// No more bytes will be sent.
  void finish();
  void close();
  /// Closes with a reset instead of an orderly end.
  void reset();

 private:
  bool more();
  std::string take(std::size_t n);

  int fd_;
  std::string got_;
};

/// A listening socket on 127.0.0.1.
class listener {
 public:
  listener();
  ~listener();
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(std::string_view target = "/") const;
  peer accept();
  /// Has somebody connected who was not accepted yet?
  bool waits() const;
  /// Refuses connections from now on.
  void close();

 private:
  int fd_;
  std::uint16_t port_ = 0;
};

/// `receive_buffer` bounds what the kernel takes in for a client that does not read; 0: its
/// default.
peer connect_to(std::uint16_t port, int receive_buffer = 0);
/// Does 127.0.0.1 refuse connections on this port?
bool refuses(std::uint16_t port);

/// The bytes of a request with a body of known length.
std::string request(std::string_view method, std::string_view target, std::string_view body = {},
                    std::string_view headers = {});
/// The bytes of a response with a body of known length.
std::string response(int status, std::string_view type, std::string_view body,
                     std::string_view headers = {});
/// A body as one chunk.
std::string chunk(std::string_view bytes);

}  // namespace gate::testing
