#pragma once
/// Reads one HTTP/1.1 response and hands its body on in pieces, whatever it is: nothing is gathered
/// beyond what was fed. Part of a FOLLOWING.
#include <boost/beast/http/basic_parser.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "transport/following.hpp"
#include "transport/http/answer_feeding.hpp"

namespace gate::http {

class piece_reader : private boost::beast::http::basic_parser<false> {
 public:
  piece_reader();

  /// Consumes a prefix of `bytes` and returns its length; the rest must be offered again with more.
  std::size_t feed(std::string_view bytes);
  /// The server closed the connection: complete for a body without length, otherwise broken.
  void end_of_input();

  bool header_done() const { return is_header_done(); }
  bool done() const noexcept { return done_; }
  follow_end end() const noexcept { return end_; }
  int status() const noexcept { return status_; }
  std::optional<std::chrono::seconds> retry_after() const noexcept { return retry_after_; }
  std::string take_body() { return std::exchange(body_, {}); }

 private:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;

  void finish(follow_end how);

  void on_request_impl(boost::beast::http::verb, string_view, string_view, int,
                       error_code&) override {}
  void on_response_impl(int code, string_view reason, int version, error_code& ec) override;
  void on_field_impl(boost::beast::http::field f, string_view name, string_view value,
                     error_code& ec) override;
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code& ec) override;
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t remain, string_view body, error_code& ec) override;
  void on_finish_impl(error_code&) override {}

  int status_ = 0;
  std::optional<std::chrono::seconds> retry_after_;
  std::string body_;
  follow_end end_ = follow_end::complete;
  bool done_ = false;
  answer_feeding feeding_;
};

}  // namespace gate::http
