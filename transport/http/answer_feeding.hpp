#pragma once
/// How the two readers of answers, RESPONSE READER and PIECE READER, give Beast's parser what has
/// come: the one loop, and its two bounds that are not Beast's. Templates over what each does, so
/// that a call's way has neither a virtual call nor a copy more.
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <cstddef>
#include <string_view>

#include "protocol/limits.hpp"
#include "transport/http/beast_text.hpp"

namespace gate::http {

struct answer_feeding {
  std::size_t header_used = 0;  ///< what the parser has taken before the header's end
  bool starved = false;         ///< the parser wants a longer piece than it was last given
};

/// Consumes a prefix of `bytes` and returns its length. `on_header(rest)`: the whole header was
/// read at once, and `rest` begins with it. `on_end(error)`: that was all, by that error or none.
template <class Parser, class OnHeader, class OnEnd>
std::size_t feed_answer(Parser& to, answer_feeding& at, std::string_view bytes, OnHeader on_header,
                        OnEnd on_end) {
  using error = boost::beast::http::error;
  std::size_t used = 0;
  // Beast asserts that nobody comes back to half a last chunk with less than a whole one.
  if (at.starved && to.is_header_done() && bytes.size() < last_chunk_bytes) return 0;
  while (used < bytes.size()) {
    boost::beast::error_code ec;
    const bool in_header = !to.is_header_done();
    const auto n = to.put(boost::asio::buffer(bytes.data() + used, bytes.size() - used), ec);
    // (The parser may have taken the status line before, by itself.)
    if (in_header && to.is_header_done() && at.header_used == 0) on_header(bytes.substr(used));
    used += n;
    // The parser's own bound is for what it is given at once.
    if (!to.is_header_done() &&
        (at.header_used += n) + (bytes.size() - used) > limits::answer_header_bytes) {
      on_end(make_error_code(error::header_limit));
      return used;
    }
    at.starved = ec == error::need_more;
    if (at.starved) return used;
    if (ec || to.is_done()) {
      on_end(ec);
      return used;
    }
    if (n == 0) return used;
  }
  return used;
}

/// The server closed the connection. A chunked or counted body that stops early is broken; only a
/// body that runs to the end of the connection ends properly here.
template <class Parser>
bool is_whole_at_end(Parser& it) {
  boost::beast::error_code ec;
  if (it.got_some()) it.put_eof(ec);
  return !ec && it.got_some() && it.is_done();
}

}  // namespace gate::http
