#pragma once
/// What the readers of requests and of responses both need beside Beast's parser.
#include <boost/beast/core/string.hpp>
#include <cstddef>
#include <string_view>

namespace gate::http {

inline std::string_view sv(boost::beast::string_view s) {
  return {s.data(), s.size()};
}

/// `0 CRLF CRLF`: no chunked body ends with less (RFC 9112 §7.1).
inline constexpr std::size_t last_chunk_bytes = 5;

}  // namespace gate::http
