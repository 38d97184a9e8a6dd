#pragma once
/// Reads one HTTP/1.1 request incrementally: the header block is gathered and put through the
/// strict gate first, then Beast's parser takes the body apart. What is recognised by its header
/// needs neither. Part of a server connection.
#include <boost/beast/http/basic_parser.hpp>
#include <memory>
#include <optional>
#include <string_view>

#include "transport/http/known_heads.hpp"
#include "transport/interfaces.hpp"

namespace gate::http {

class request_reader : private boost::beast::http::basic_parser<true> {
 public:
  explicit request_reader(std::size_t max_body);

  /// Consumes a prefix of `bytes` and returns its length. Stops consuming when `done()`. A request
  /// that begins with the header `last`, or with one of `known`, is recognised by it, if all of the
  /// header is there at once.
  std::size_t feed(std::string_view bytes, const head_ptr& last = {},
                   const known_heads* known = nullptr);

  /// The request is complete, or flawed beyond use.
  bool done() const noexcept { return done_; }
  /// Any byte of the request was seen.
  bool started() const noexcept { return header_done_ || (head_ && !head_->block.empty()); }
  bool in_body() const noexcept { return header_done_ && !done_; }
  /// Of the body, so far.
  std::size_t body_bytes() const noexcept { return request_.body.size(); }
  /// Has any of the body come? What was forgotten counts.
  bool body_begun() const noexcept { return seen_ > 0; }
  /// Of the body, yet to come: as announced, or as much as there may be.
  std::size_t body_left() const;
  /// The body is longer than one that is read without asking anybody: as announced, or by now.
  bool large() const;
  /// The client waits for `100 Continue` before it sends the body.
  bool wants_continue() const;
  /// Was its header known?
  bool recognised() const { return recognised_.has_value(); }
  /// May the connection serve another request after this one?
  bool reusable() const { return request_.flaw == defect::none && (recognised_ || keep_alive()); }

  void flaw(defect d);
  http_request take() { return std::move(request_); }
  /// The header, ahead of the body.
  http_request take_header();
  /// The body is wanted: there will be room for all of it.
  void expect_body();
  /// What has come of it, and the room for that: an empty string that is assigned would keep it.
  void forget_body() { std::string{}.swap(request_.body); }

 private:
  using parser = boost::beast::http::basic_parser<true>;
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;

  std::size_t feed_known_header(std::string_view bytes, const head_ptr& last);
  std::size_t feed_header(std::string_view bytes);
  std::size_t feed_body(std::string_view bytes);
  std::size_t feed_known_body(std::string_view bytes);
  void parse_header();

  void on_request_impl(boost::beast::http::verb, string_view method, string_view target,
                       int version, error_code& ec) override;
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(boost::beast::http::field, string_view name, string_view value,
                     error_code& ec) override;
  void on_header_impl(error_code& ec) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code& ec) override;
  std::size_t on_body_impl(string_view body, error_code& ec) override;
  void on_chunk_header_impl(std::uint64_t size, string_view extensions, error_code& ec) override;
  std::size_t on_chunk_body_impl(std::uint64_t remain, string_view body, error_code& ec) override;
  void on_finish_impl(error_code& ec) override;

  http_request request_;
  std::shared_ptr<received_head> head_;  ///< while it is read
  std::string_view method_;
  std::size_t max_body_;
  std::size_t seen_ = 0;                   ///< of the body, what was forgotten included
  std::optional<std::size_t> recognised_;  ///< by its header: so long is its body
  enum class empty_line : std::uint8_t { none, begun, ended };  ///< in front of it all
  empty_line empty_line_ = empty_line::none;
  bool header_done_ = false;
  bool done_ = false;
  bool starved_ = false;  ///< the parser wants a longer piece than it was last given
};

}  // namespace gate::http
