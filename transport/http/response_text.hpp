#pragma once
/// Heads of responses and chunks of streams, as text (RFC 9112). Pure.
#include <array>
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "transport/interfaces.hpp"

namespace gate::http {

/// Of a response whose body has so many bytes; `close`: it is the last one of its connection.
/// `paper` is used again and again; what is returned is in it.
std::string_view response_text(std::string& paper, const response_head& head, std::size_t length,
                               bool close);
/// Of an event stream, with these further headers (each with its CRLF). `chunked`: else it ends
/// with the connection.
std::string_view stream_text(std::string& paper, std::string_view headers, bool chunked,
                             bool close);

/// One chunk around these bytes, as three pieces that live as long as this does.
class chunk {
 public:
  explicit chunk(std::string_view bytes);
  chunk(const chunk&) = delete;
  chunk& operator=(const chunk&) = delete;
  const std::array<boost::asio::const_buffer, 3>& pieces() const { return pieces_; }
  /// The bytes alone.
  const boost::asio::const_buffer& plain() const { return pieces_[1]; }

 private:
  char size_[24];
  std::array<boost::asio::const_buffer, 3> pieces_;
};
/// Behind the last one.
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

}  // namespace gate::http
