#pragma once
/// What of HTTP/1.1 the gateway lets in (docs: strict request gate). Lenient parsers between a
/// proxy and a server are how requests are smuggled (RFC 9112 §11.2), so everything ambiguous is
/// refused with 400 and the connection closed, before anything else looks at the request.
#include <cstdint>
#include <span>
#include <string_view>

namespace gate::http {

struct header {
  std::string_view name;
  std::string_view value;  ///< without surrounding blanks
};

/// Case-insensitive comparison of ASCII field names.
bool same_name(std::string_view a, std::string_view b) noexcept;

/// A request's head as received. `block` is the raw header block, from the request line to the
/// empty line, both included.
struct request_head {
  std::string_view method;
  std::string_view target;
  int version = 11;  ///< 10 or 11
  std::span<const header> headers;
  std::string_view block;
};

enum class defect : std::uint8_t {
  none,
  malformed,          ///< not HTTP/1.x, or refused by the parser
  host,               ///< no Host header, or more than one
  method,             ///< not GET, POST, PATCH, DELETE or OPTIONS
  content_length,     ///< repeated, or not digits only
  transfer_encoding,  ///< anything but exactly `chunked`, on HTTP/1.0, or with Content-Length
  folding,            ///< a header continued on the next line (obs-fold)
  target,             ///< not origin-form, or not printable ASCII
  bare_line_feed,     ///< a line of the block ends without CR
  header_too_large,   ///< the block exceeds `limits::header_bytes` or `limits::header_lines`
  body_too_large,     ///< declared or received more than the configured cap
  timeout,            ///< the peer was too slow
  crowded,            ///< too many bodies are being read: no room for this one
};

/// A sentence for the answer and the log, without a full stop.
std::string_view describe(defect d) noexcept;

/// The first rule that `head` breaks, or `none`.
defect check(const request_head& head) noexcept;

/// The value of header `name`, or empty. The first, if repeated.
std::string_view find(std::span<const header> headers, std::string_view name) noexcept;

}  // namespace gate::http
