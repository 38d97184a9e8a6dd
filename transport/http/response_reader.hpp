#pragma once
/// Reads one HTTP/1.1 response incrementally: a JSON body is gathered whole, an event stream is
/// taken apart as it arrives. Part of a client connection.
#include <boost/beast/http/basic_parser.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/sse/parser.hpp"
#include "transport/http/answer_feeding.hpp"
#include "transport/http/pace.hpp"
#include "transport/interfaces.hpp"

namespace gate::http {

/// The header of an answer that was read, and what was found in it. Answers that come over one
/// connection mostly have the same but for the length of their body, so the next one is recognised
/// by it instead of being read again: the same bytes mean the same.
struct known_answer {
  std::string block;        ///< from the status line to the empty line; empty: none is known
  std::string_view length;  ///< in `block`: the digits of Content-Length
  std::string session_id;   ///< Mcp-Session-Id
  std::optional<std::chrono::seconds> keep_alive_time;

  known_answer() = default;
  known_answer(const known_answer&) = delete;  // `length` points into `block`
  known_answer& operator=(const known_answer&) = delete;
};

class response_reader : private boost::beast::http::basic_parser<false> {
 public:
  /// `last` outlives the reader. It is what came before on the same connection, and is replaced by
  /// what comes now, if that is an ordinary answer to a call: a 200 with JSON of announced length,
  /// after which the connection stays open.
  response_reader(std::size_t max_bytes, known_answer& last);

  /// Consumes a prefix of `bytes` and returns its length; the rest must be offered again with more.
  std::size_t feed(std::string_view bytes);
  /// The same, before anything else: consumes the header if all of it is there and is the last one.
  std::size_t feed_known_header(std::string_view bytes);
  /// The server closed the connection: complete for a body without length, otherwise broken.
  void end_of_input();

  bool done() const noexcept { return done_; }
  fetch_end end() const noexcept { return end_; }
  bool started() const noexcept { return recognised_ || got_some(); }
  bool header_done() const { return recognised_ || is_header_done(); }
  bool reusable() const {
    return end_ == fetch_end::complete && done_ && (recognised_ || keep_alive());
  }

  int status() const noexcept { return status_; }
  gate::media media() const noexcept { return media_; }
  const std::string& session_id() const noexcept { return session_id_; }
  const std::string& location() const noexcept { return location_; }
  /// Does it say when to come again?
  bool retry_after() const noexcept { return retry_after_; }
  const std::string& retry_after_text() const noexcept { return retry_after_text_; }
  /// How long the server promised to keep an idle connection, if it did.
  std::optional<std::chrono::seconds> keep_alive_time() const noexcept { return keep_alive_time_; }
  std::shared_ptr<const std::string> take_body();
  std::vector<sse::event> take_events() { return std::exchange(events_, {}); }
  bool has_events() const noexcept { return !events_.empty(); }
  std::optional<std::uint32_t> retry_ms() const noexcept { return sse_.retry_ms(); }
  /// What the bytes since the last call have cost (`bytes` is the caller's to know).
  answer_work take_work();

 private:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;

  std::size_t feed_known_body(std::string_view bytes);
  void learn(std::string_view bytes);
  void make_body(std::uint64_t length);
  void finish(fetch_end end);
  std::size_t body_bytes(string_view bytes, error_code& ec);

  void on_request_impl(boost::beast::http::verb, string_view, string_view, int,
                       error_code&) override {}
  void on_response_impl(int code, string_view reason, int version, error_code& ec) override;
  void on_field_impl(boost::beast::http::field f, string_view name, string_view value,
                     error_code& ec) override;
  void on_header_impl(error_code& ec) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code& ec) override;
  std::size_t on_body_impl(string_view body, error_code& ec) override;
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override { ++work_.pieces; }
  std::size_t on_chunk_body_impl(std::uint64_t remain, string_view body, error_code& ec) override;
  void on_finish_impl(error_code&) override {}

  std::size_t max_bytes_;
  known_answer& last_;
  std::optional<std::size_t> recognised_;  ///< by its header: so long is its body
  std::string_view length_;                ///< Content-Length, in what is being fed
  int lengths_ = 0;                        ///< how often it was said
  int status_ = 0;
  gate::media media_ = gate::media::none;
  std::string session_id_;
  std::string location_;
  bool retry_after_ = false;
  std::string retry_after_text_;
  std::optional<std::chrono::seconds> keep_alive_time_;
  std::shared_ptr<std::string> body_;
  sse::parser sse_;
  std::vector<sse::event> events_;
  answer_work work_;
  std::size_t lines_counted_ = 0;
  fetch_end end_ = fetch_end::complete;
  bool done_ = false;
  answer_feeding feeding_;
};

}  // namespace gate::http
