#pragma once
/// Status lines.
#include <string_view>

namespace gate::http {

/// `200 OK\r\n`: code, reason phrase, end of line.
constexpr std::string_view status_line(int status) {
  switch (status) {
    case 200:
      return "200 OK\r\n";
    case 201:
      return "201 Created\r\n";
    case 202:
      return "202 Accepted\r\n";
    case 204:
      return "204 No Content\r\n";
    case 304:
      return "304 Not Modified\r\n";
    case 308:
      return "308 Permanent Redirect\r\n";
    case 400:
      return "400 Bad Request\r\n";
    case 401:
      return "401 Unauthorized\r\n";
    case 403:
      return "403 Forbidden\r\n";
    case 404:
      return "404 Not Found\r\n";
    case 405:
      return "405 Method Not Allowed\r\n";
    case 406:
      return "406 Not Acceptable\r\n";
    case 408:
      return "408 Request Timeout\r\n";
    case 409:
      return "409 Conflict\r\n";
    case 413:
      return "413 Content Too Large\r\n";
    case 415:
      return "415 Unsupported Media Type\r\n";
    case 429:
      return "429 Too Many Requests\r\n";
    case 502:
      return "502 Bad Gateway\r\n";
    case 503:
      return "503 Service Unavailable\r\n";
    default:
      return "500 Internal Server Error\r\n";
  }
}

}  // namespace gate::http
