#include "transport/http/response_text.hpp"

#include <charconv>

#include "protocol/base/pen.hpp"
#include "transport/http/status.hpp"

namespace gate::http {

std::string_view response_text(std::string& paper, const response_head& head, std::size_t length,
                               bool close) {
  pen text(paper, 256 + head.headers.size());
  text << "HTTP/1.1 " << status_line(head.status);
  if (!head.content_type.empty()) text << "Content-Type: " << head.content_type << "\r\n";
  text << head.headers;
  // In a 304 it would be that of the 200 (RFC 9110 §8.6).
  if (head.status != 204 && head.status != 304) text << "Content-Length: " << length << "\r\n";
  if (close) text << "Connection: close\r\n";
  text << "\r\n";
  return text.text();
}

std::string_view stream_text(std::string& paper, std::string_view headers, bool chunked,
                             bool close) {
  paper.assign("HTTP/1.1 ");
  paper += status_line(200);
  // No transform: proxies in between must neither buffer nor compress the stream.
  paper +=
      "Content-Type: text/event-stream\r\nCache-Control: no-cache, no-transform\r\n"
      "X-Accel-Buffering: no\r\n";
  paper += headers;
  if (chunked) paper += "Transfer-Encoding: chunked\r\n";
  paper += close ? "Connection: close\r\n\r\n" : "\r\n";
  return paper;
}

chunk::chunk(std::string_view bytes) {
  auto end = std::to_chars(size_, size_ + sizeof size_ - 2, bytes.size(), 16).ptr;
  *end++ = '\r';
  *end++ = '\n';
  pieces_ = {boost::asio::const_buffer(size_, static_cast<std::size_t>(end - size_)),
             boost::asio::const_buffer(bytes.data(), bytes.size()),
             boost::asio::const_buffer("\r\n", 2)};
}

}  // namespace gate::http
