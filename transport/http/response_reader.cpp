#include "transport/http/response_reader.hpp"

#include <boost/beast/http/error.hpp>
#include <charconv>
#include <utility>

#include "protocol/http/media.hpp"
#include "protocol/http/received_head.hpp"
#include "protocol/limits.hpp"
#include "protocol/recycled.hpp"
#include "transport/http/beast_text.hpp"

namespace gate::http {
namespace {

namespace beast_http = boost::beast::http;

bool is_folded(std::string_view block) {
  return block.find("\r\n ") != block.npos || block.find("\r\n\t") != block.npos;
}

/// `timeout=5` of a Keep-Alive header.
std::optional<std::chrono::seconds> announced_timeout(std::string_view value) {
  const auto at = value.find("timeout=");
  if (at == std::string_view::npos) return {};
  unsigned seconds = 0;
  const auto* first = value.data() + at + 8;
  if (std::from_chars(first, value.data() + value.size(), seconds).ec != std::errc{}) return {};
  return std::chrono::seconds{seconds};
}

}  // namespace

response_reader::response_reader(std::size_t max_bytes, known_answer& last)
    : max_bytes_(max_bytes), last_(last), sse_(max_bytes) {
  eager(true);
  body_limit(max_bytes);
  header_limit(static_cast<std::uint32_t>(limits::answer_header_bytes));
}

std::size_t response_reader::feed_known_header(std::string_view bytes) {
  const auto known = recognise(last_.block, last_.length, bytes, max_bytes_);
  if (!known) return 0;
  status_ = 200;
  media_ = media::json;
  session_id_ = last_.session_id;
  keep_alive_time_ = last_.keep_alive_time;
  ++work_.events;
  recognised_ = known->body_bytes;
  make_body(known->body_bytes);
  if (known->body_bytes == 0) finish(fetch_end::complete);
  return known->header_bytes;
}

std::size_t response_reader::feed_known_body(std::string_view bytes) {
  const auto piece = bytes.substr(0, *recognised_ - body_->size());
  body_->append(piece);
  if (body_->size() == *recognised_) finish(fetch_end::complete);
  return piece.size();
}

/// `bytes` begin with the header that has just been read. Nothing is learned of a folded one, whose
/// values the parser puts together elsewhere.
void response_reader::learn(std::string_view bytes) {
  last_.block.clear();
  last_.length = {};
  const bool ordinary = status_ == 200 && media_ == media::json && lengths_ == 1 && !chunked() &&
                        keep_alive() && !retry_after_ && location_.empty();
  const auto block = bytes.substr(0, bytes.find("\r\n\r\n") + 4);
  if (!ordinary || block.size() > limits::known_header_bytes || is_folded(block)) return;
  const auto at = static_cast<std::size_t>(length_.data() - block.data());
  last_.block = block;
  last_.length = std::string_view(last_.block).substr(at, length_.size());
  last_.session_id = session_id_;
  last_.keep_alive_time = keep_alive_time_;
}

std::size_t response_reader::feed(std::string_view bytes) {
  if (done_) return 0;
  if (recognised_) return feed_known_body(bytes);
  return feed_answer(
      static_cast<basic_parser&>(*this), feeding_, bytes,
      [this](std::string_view rest) { learn(rest); },
      [this](const error_code& ec) {
        if (ec == beast_http::error::body_limit)
          finish(fetch_end::too_large);
        else if (ec)
          finish(sse_.broken() ? fetch_end::too_large : fetch_end::malformed);
        else
          finish(fetch_end::complete);
      });
}

void response_reader::end_of_input() {
  if (done_) return;
  if (recognised_) return finish(fetch_end::broken);
  finish(is_whole_at_end(static_cast<basic_parser&>(*this)) ? fetch_end::complete
                                                            : fetch_end::broken);
}

void response_reader::finish(fetch_end end) {
  end_ = end;
  done_ = true;
}

std::shared_ptr<const std::string> response_reader::take_body() {
  if (!body_) return std::make_shared<const std::string>();
  return std::move(body_);
}

answer_work response_reader::take_work() {
  auto out = std::exchange(work_, {});
  out.pieces += sse_.lines() - std::exchange(lines_counted_, sse_.lines());
  return out;
}

void response_reader::on_response_impl(int code, string_view, int, error_code&) {
  status_ = code;
  ++work_.events;
}

void response_reader::on_field_impl(beast_http::field f, string_view name, string_view value,
                                    error_code&) {
  if (is_header_done()) return;  // a trailer
  if (f == beast_http::field::content_type) {
    media_ = is_media_type(sv(value), json_type)     ? media::json
             : is_media_type(sv(value), events_type) ? media::events
                                                     : media::other;
  } else if (f == beast_http::field::content_length) {
    lengths_ += 1;
    length_ = sv(value);
  } else if (f == beast_http::field::location) {
    location_ = sv(value);
  } else if (f == beast_http::field::retry_after) {
    retry_after_ = true;
    retry_after_text_ = sv(value).substr(0, limits::retry_after_bytes);
  } else if (f == beast_http::field::keep_alive) {
    keep_alive_time_ = announced_timeout(sv(value));
  } else if (same_name(sv(name), "mcp-session-id")) {
    session_id_ = sv(value);
  }
}

void response_reader::on_header_impl(error_code&) {
  // Each event of a stream is bounded by itself; the stream as a whole may go on for days.
  if (media_ == media::events && status_ == 200) body_limit(boost::none);
}

void response_reader::on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) {
  make_body(length.value_or(0));
}

void response_reader::make_body(std::uint64_t length) {
  body_ = std::allocate_shared<std::string>(recycling<std::string>());
  body_->reserve(
      static_cast<std::size_t>(std::min<std::uint64_t>(length, limits::answer_reserve_bytes)));
}

std::size_t response_reader::body_bytes(string_view bytes, error_code& ec) {
  if (media_ == media::events && status_ == 200) {
    if (!sse_.feed(sv(bytes), [this](sse::event&& e) {
          ++work_.events;
          events_.push_back(std::move(e));
        }))
      ec = beast_http::error::body_limit;
    return bytes.size();
  }
  if (body_->size() + bytes.size() > max_bytes_) {
    ec = beast_http::error::body_limit;
    return 0;
  }
  body_->append(bytes.data(), bytes.size());
  return bytes.size();
}

std::size_t response_reader::on_body_impl(string_view body, error_code& ec) {
  return body_bytes(body, ec);
}

std::size_t response_reader::on_chunk_body_impl(std::uint64_t, string_view body, error_code& ec) {
  return body_bytes(body, ec);
}

}  // namespace gate::http
