#include "simulations/against/connection.hpp"

#include <openssl/ssl.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl.hpp>

#include "protocol/sse/parser.hpp"

namespace gate::against {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
constexpr auto as_values = asio::as_tuple(asio::use_awaitable);

/// Of an answer, or of one event of a stream.
constexpr std::size_t most_of_an_answer = 64UL * 1024 * 1024;
constexpr std::chrono::seconds opening{10};

}  // namespace

connection::connection(asio::io_context& io, asio::ssl::context* tls, const http::url& to)
    : host_(to.host) {
  if (tls)
    tls_.emplace(io, *tls);
  else
    plain_.emplace(io);
}

beast::tcp_stream& connection::tcp() {
  return tls_ ? tls_->next_layer() : *plain_;
}

void connection::close() {
  usable_ = false;
  tcp().close();
}

asio::awaitable<std::string> connection::open(const endpoints& at) {
  tcp().expires_after(opening);
  if (const auto [bad, to] = co_await tcp().async_connect(at, as_values); bad)
    co_return "can not connect: " + bad.message();
  if (tls_) {
    if (SSL_set_tlsext_host_name(tls_->native_handle(), host_.c_str()) != 1)
      co_return "can not name the host for TLS";
    tls_->set_verify_mode(asio::ssl::verify_peer);
    tls_->set_verify_callback(asio::ssl::host_name_verification(host_));
    if (const auto [bad] =
            co_await tls_->async_handshake(asio::ssl::stream_base::client, as_values);
        bad)
      co_return "no TLS: " + bad.message();
  }
  usable_ = true;
  co_return std::string();
}

asio::awaitable<answer> connection::ask(const request& what, clock::time_point until) {
  tcp().expires_at(until);
  // A coroutine may not begin in one arm of a conditional and end in another.
  if (tls_) co_return co_await talk(*tls_, what);
  co_return co_await talk(*plain_, what);
}

template <class Stream>
asio::awaitable<answer> connection::talk(Stream& stream, const request& what) {
  answer out;
  usable_ = false;
  if (const auto [bad, n] = co_await beast::http::async_write(stream, what, as_values); bad) {
    out.trouble = bad == beast::error::timeout ? "no answer in time" : "the connection broke";
    co_return out;
  }
  beast::http::response_parser<beast::http::buffer_body> parser;
  parser.body_limit(boost::none);
  if (const auto [bad, n] =
          co_await beast::http::async_read_header(stream, buffer_, parser, as_values);
      bad) {
    out.trouble = bad == beast::error::timeout ? "no answer in time" : "the connection broke";
    co_return out;
  }
  const auto& head = parser.get();
  out.status = head.result_int();
  out.session = head["mcp-session-id"];
  out.streams = std::string_view(head["content-type"]).starts_with("text/event-stream");
  sse::parser events(most_of_an_answer);
  std::array<char, 16 * 1024> piece{};
  while (!parser.is_done()) {
    parser.get().body().data = piece.data();
    parser.get().body().size = piece.size();
    const auto [bad, n] = co_await beast::http::async_read_some(stream, buffer_, parser, as_values);
    const std::string_view came(piece.data(), piece.size() - parser.get().body().size);
    if (out.streams)
      events.feed(came, [&out](sse::event&& e) {
        if (e.data.find("\"result\"") != e.data.npos || e.data.find("\"error\"") != e.data.npos)
          out.events.push_back(std::move(e.data));
      });
    else if (out.body.size() + came.size() <= most_of_an_answer)
      out.body += came;
    else
      out.trouble = "an answer of more than 64 MiB";
    if (bad && bad != beast::http::error::need_buffer) {
      // A stream may be let go of; anything else is cut off.
      if (!out.streams)
        out.trouble = bad == beast::error::timeout ? "no answer in time" : "the connection broke";
      co_return out;
    }
    if (!out.trouble.empty()) co_return out;
  }
  usable_ = parser.get().keep_alive();
  co_return out;
}

}  // namespace gate::against
