#pragma once
/// The header of a request, received and found fine: its text, kept once for whoever looks at the
/// request, and what is asked of it for every request, looked up once.
///
/// Requests of one client on one connection mostly have the same header but for the length of their
/// body. So a connection keeps the last one, and recognises it instead of reading it again
/// (`recognise`): the very same bytes were judged by the strict gate before, and so was what they
/// mean. Immutable once `look_up` was called; shared between threads as a connection moves.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/http/bearer.hpp"
#include "protocol/http/request_gate.hpp"
#include "protocol/http/verb.hpp"

namespace gate::http {

struct received_head {
  verb method = verb::get;
  int version = 11;         ///< 10 or 11
  std::string_view target;  ///< into `block`, as everything else
  std::vector<header> headers;
  std::string block;  ///< as received, from the request line to the empty line

  // Of `headers`, for the transport of MCP.
  std::string_view contradiction;  ///< see `http::contradiction`
  std::string_view session_id;     ///< Mcp-Session-Id
  std::string_view version_named;  ///< MCP-Protocol-Version
  bool sends_json = false;         ///< Content-Type is application/json
  bool accepts_json = false;       ///< Accept admits application/json
  bool accepts_events = false;     ///< and text/event-stream
  bool plain = false;              ///< surely without Origin and trace context
  bearer shown;                    ///< the token in it

  // The same, of the revisions without sessions.
  std::optional<std::string_view> method_named;  ///< Mcp-Method, the first
  std::optional<std::string_view> target_named;  ///< Mcp-Name, raw, the first
  bool names_repeated = false;                   ///< one of these is there more than once
  bool names_params = false;                     ///< there is a header Mcp-Param-*

  /// The digits of Content-Length, if another request can be recognised by this header.
  std::string_view length;

  received_head() = default;
  received_head(const received_head&) = delete;  // its views point into it
  received_head& operator=(const received_head&) = delete;

  /// Once all the above of `block` is there. `recognisable`: the connection stays open, and nothing
  /// but Content-Length is said of the body.
  void look_up(bool recognisable);

 private:
  void look_for_names();
};

using head_ptr = std::shared_ptr<const received_head>;

/// That of a request which has none.
const head_ptr& no_head();

/// The length of the body, by Content-Length. Nothing: it comes in chunks, or there is none.
std::optional<std::uint64_t> announced_body(const received_head& head) noexcept;

struct recognised {
  std::size_t header_bytes = 0;  ///< of what was given
  std::size_t body_bytes = 0;    ///< announced
};

/// Do `bytes` begin with the whole header `block`, but for other digits in Content-Length?
/// `length`: those of `block`, within it; without any, nothing is recognised. Bodies of more than
/// `max_body` bytes are not recognised either: they have rules of their own.
std::optional<recognised> recognise(std::string_view block, std::string_view length,
                                    std::string_view bytes, std::size_t max_body) noexcept;
std::optional<recognised> recognise(const received_head& last, std::string_view bytes,
                                    std::size_t max_body) noexcept;

}  // namespace gate::http
