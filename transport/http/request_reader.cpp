#include "transport/http/request_reader.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

#include "protocol/limits.hpp"
#include "transport/http/beast_text.hpp"

namespace gate::http {
namespace {

namespace beast_http = boost::beast::http;

bool begins_method(char c) {
  return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7f;
}

}  // namespace

request_reader::request_reader(std::size_t max_body) : max_body_(max_body) {
  body_limit(max_body);
  header_limit(static_cast<std::uint32_t>(limits::header_bytes));
}

std::size_t request_reader::feed(std::string_view bytes, const head_ptr& last,
                                 const known_heads* known) {
  std::size_t used = 0;
  if (!started()) {
    if (last) used = feed_known_header(bytes, last);
    if (used == 0 && known)
      if (const auto other = known->find(bytes)) used = feed_known_header(bytes, other);
  }
  while (!done_ && used < bytes.size()) {
    const auto rest = bytes.substr(used);
    const auto n = recognised_    ? feed_known_body(rest)
                   : header_done_ ? feed_body(rest)
                                  : feed_header(rest);
    if (n == 0) break;  // it needs more at once than there is
    used += n;
  }
  return used;
}

/// The strict gate and the parser have seen these very bytes before.
std::size_t request_reader::feed_known_header(std::string_view bytes, const head_ptr& last) {
  const auto known = recognise(*last, bytes, std::min(max_body_, limits::body_unjudged));
  if (!known) return 0;
  request_.head = last;
  request_.body.reserve(known->body_bytes);
  recognised_ = known->body_bytes;
  header_done_ = true;
  done_ = known->body_bytes == 0;
  return known->header_bytes;
}

std::size_t request_reader::feed_known_body(std::string_view bytes) {
  const auto piece = bytes.substr(0, *recognised_ - request_.body.size());
  request_.body.append(piece);
  seen_ += piece.size();
  done_ = request_.body.size() == *recognised_;
  return piece.size();
}

std::size_t request_reader::feed_header(std::string_view bytes) {
  if (!head_) head_ = std::make_shared<received_head>();
  auto& block = head_->block;
  std::size_t skipped = 0;
  // Robustness that RFC 9112 §2.2 asks for: one empty line before the request line is ignored. Its
  // two bytes may come apart.
  const auto skip = [&](char c, empty_line from, empty_line to) {
    if (empty_line_ != from || skipped == bytes.size() || bytes[skipped] != c) return;
    empty_line_ = to;
    ++skipped;
  };
  if (block.empty()) {
    skip('\r', empty_line::none, empty_line::begun);
    skip('\n', empty_line::begun, empty_line::ended);
  }
  bytes.remove_prefix(skipped);
  const auto before = block.size();
  // What can not begin a request line is no HTTP at all: TLS, most likely, whose client waits for
  // an answer as we would for the end of a line.
  const bool half = empty_line_ == empty_line::begun;
  if (before == 0 && !bytes.empty() && (half || !begins_method(bytes.front()))) {
    flaw(defect::malformed);
    return skipped;
  }
  const auto room = limits::header_bytes + 1 - before;
  // What comes behind the header is none of the block's, nor is room for it.
  if (const auto end = bytes.find("\r\n\r\n"); end < room) bytes = bytes.substr(0, end + 4);
  block.append(bytes.substr(0, room));
  // The end may straddle what was there before.
  const auto from = before < 3 ? 0 : before - 3;
  const auto end = block.find("\r\n\r\n", from);
  if (end == std::string::npos) {
    if (block.size() > limits::header_bytes) flaw(defect::header_too_large);
    return skipped + (block.size() - before);
  }
  block.resize(end + 4);
  parse_header();
  return skipped + (block.size() - before);
}

void request_reader::parse_header() {
  header_done_ = true;
  auto& in = *head_;
  request_.head = head_;
  in.headers.reserve(16);
  // Small ones may be kept: without the room that the pieces have left in which they came.
  if (in.block.size() <= limits::known_header_bytes) in.block.shrink_to_fit();
  error_code ec;
  eager(false);
  put(boost::asio::buffer(in.block), ec);
  const request_head head{method_, in.target, in.version, in.headers, in.block};
  // Our own gate speaks first: it knows better what was wrong than the parser's error code.
  if (auto d = check(head); d != defect::none && !method_.empty()) return flaw(d);
  if (ec == beast_http::error::body_limit) return flaw(defect::body_too_large);
  if (ec && ec != beast_http::error::need_more) return flaw(defect::malformed);
  if (!is_header_done()) return flaw(defect::malformed);
  if (method_ == "POST")
    in.method = verb::post;
  else if (method_ == "DELETE")
    in.method = verb::del;
  else if (method_ == "OPTIONS")
    in.method = verb::options;
  else if (method_ == "PATCH")
    in.method = verb::patch;
  in.look_up(in.method == verb::post && keep_alive());
  eager(true);
  if (is_done()) done_ = true;
}

std::size_t request_reader::feed_body(std::string_view bytes) {
  // Beast asserts that nobody comes back to half a last chunk with less than a whole one.
  if (starved_ && bytes.size() < last_chunk_bytes) return 0;
  error_code ec;
  const auto used = put(boost::asio::buffer(bytes.data(), bytes.size()), ec);
  starved_ = ec == beast_http::error::need_more;
  if (starved_) ec = {};
  if (ec == beast_http::error::body_limit)
    flaw(defect::body_too_large);
  else if (ec)
    flaw(defect::malformed);
  else if (is_done())
    done_ = true;
  else if (used == 0)
    // The parser wants a longer piece than there is (a chunk header cut in two): the connection
    // keeps the bytes and comes back with more.
    return 0;
  return used;
}

bool request_reader::large() const {
  return in_body() && !recognised_ &&
         (content_length().value_or(0) > limits::body_unjudged ||
          body_bytes() > limits::body_unjudged);
}

std::size_t request_reader::body_left() const {
  const auto all = static_cast<std::size_t>(content_length().value_or(max_body_));
  return all - std::min(all, seen_);
}

http_request request_reader::take_header() {
  http_request header = std::move(request_);
  request_ = {};
  request_.body = std::move(header.body);
  header.body.clear();
  header.body_follows = true;
  return header;
}

void request_reader::expect_body() {
  if (const auto length = content_length())
    request_.body.reserve(static_cast<std::size_t>(*length));
}

bool request_reader::wants_continue() const {
  return in_body() && request_.head->version == 11 &&
         same_name(request_.header("expect"), "100-continue");
}

void request_reader::flaw(defect d) {
  request_.flaw = d;
  done_ = true;
}

void request_reader::on_request_impl(beast_http::verb, string_view method, string_view target,
                                     int version, error_code&) {
  method_ = sv(method);
  head_->target = sv(target);
  head_->version = version;
}

void request_reader::on_field_impl(beast_http::field, string_view name, string_view value,
                                   error_code& ec) {
  // Fields of a chunked body's trailer come here too: nothing of ours may live there.
  if (is_header_done()) return;
  // The gate will say so; until then the list must not grow to a multiple of the block.
  if (head_->headers.size() == limits::header_lines)
    ec = beast_http::error::header_limit;
  else
    head_->headers.push_back({sv(name), sv(value)});
}

void request_reader::on_header_impl(error_code&) {}

void request_reader::on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) {
  // A long one is nobody's yet.
  if (length && *length <= limits::body_unjudged)
    request_.body.reserve(static_cast<std::size_t>(*length));
}

std::size_t request_reader::on_body_impl(string_view body, error_code&) {
  request_.body.append(body.data(), body.size());
  seen_ += body.size();
  return body.size();
}

void request_reader::on_chunk_header_impl(std::uint64_t, string_view extensions, error_code& ec) {
  if (!extensions.empty()) ec = beast_http::error::bad_chunk_extension;
}

std::size_t request_reader::on_chunk_body_impl(std::uint64_t, string_view body, error_code&) {
  request_.body.append(body.data(), body.size());
  seen_ += body.size();
  return body.size();
}

void request_reader::on_finish_impl(error_code&) {}

}  // namespace gate::http
