#pragma once
/// One request and its answer on a connection to a live gateway, which is opened for it or left
/// over from another. The pool of idle ones is the sender's.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/http/url.hpp"

namespace gate::against {

using clock = std::chrono::steady_clock;
using request = boost::beast::http::request<boost::beast::http::string_body>;

struct answer {
  std::string trouble;  ///< why there is none; empty: there is one
  unsigned status = 0;
  std::string session;  ///< `Mcp-Session-Id`
  bool streams = false;
  std::string body;                 ///< of an answer that is no stream
  std::vector<std::string> events;  ///< data of those with an id or response, of a stream
};

class connection {
 public:
  connection(boost::asio::io_context& io, boost::asio::ssl::context* tls, const http::url& to);

  using endpoints = boost::asio::ip::tcp::resolver::results_type;
  /// What went wrong; empty: it is open.
  boost::asio::awaitable<std::string> open(const endpoints& at);
  /// `until`: then the answer is given up, and what has come of it is the answer if it is a stream.
  boost::asio::awaitable<answer> ask(const request& what, clock::time_point until);
  /// Can another request follow?
  bool usable() const { return usable_; }
  /// Gives up on what is under way.
  void close();

 private:
  template <class Stream>
  boost::asio::awaitable<answer> talk(Stream& stream, const request& what);

  boost::beast::tcp_stream& tcp();

  std::string host_;
  std::optional<boost::beast::tcp_stream> plain_;
  std::optional<boost::asio::ssl::stream<boost::beast::tcp_stream>> tls_;
  boost::beast::flat_buffer buffer_;
  bool usable_ = false;
};

}  // namespace gate::against
