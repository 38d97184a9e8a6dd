#include "transport/http/piece_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <charconv>

#include "protocol/limits.hpp"
#include "transport/http/beast_text.hpp"

namespace gate::http {

piece_reader::piece_reader() {
  eager(true);
  body_limit(boost::none);
  header_limit(static_cast<std::uint32_t>(limits::answer_header_bytes));
}

std::size_t piece_reader::feed(std::string_view bytes) {
  std::size_t used = 0;
  // Beast asserts that nobody comes back to half a last chunk with less than a whole one.
  if (starved_ && is_header_done() && bytes.size() < last_chunk_bytes) return 0;
  while (!done_ && used < bytes.size()) {
    error_code ec;
    const bool in_header = !is_header_done();
    const auto n = put(boost::asio::buffer(bytes.data() + used, bytes.size() - used), ec);
    used += n;
    // The parser's own bound is for what it is given at once.
    if (in_header && !is_header_done() &&
        (header_used_ += n) + (bytes.size() - used) > limits::answer_header_bytes) {
      finish(follow_end::malformed);
      return used;
    }
    starved_ = ec == boost::beast::http::error::need_more;
    if (starved_) return used;
    if (ec)
      finish(follow_end::malformed);
    else if (is_done())
      finish(follow_end::complete);
    else if (n == 0)
      return used;
  }
  return used;
}

void piece_reader::end_of_input() {
  if (done_) return;
  error_code ec;
  if (got_some()) put_eof(ec);
  // A chunked or counted body that stops early is broken; only a body that runs to the end of the
  // connection ends properly here.
  finish(!ec && got_some() && is_done() ? follow_end::complete : follow_end::broken);
}

void piece_reader::finish(follow_end how) {
  end_ = how;
  done_ = true;
}

void piece_reader::on_response_impl(int code, string_view, int, error_code&) {
  status_ = code;
}

void piece_reader::on_field_impl(boost::beast::http::field f, string_view, string_view value,
                                 error_code&) {
  if (is_header_done() || f != boost::beast::http::field::retry_after) return;
  unsigned seconds = 0;
  const auto text = sv(value);
  const auto [rest, ec] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  // A date is as good as nothing: whoever asks has a pause of his own.
  if (ec == std::errc{} && rest == text.data() + text.size())
    retry_after_ = std::chrono::seconds{seconds};
}

std::size_t piece_reader::on_body_impl(string_view body, error_code&) {
  body_.append(body.data(), body.size());
  return body.size();
}

std::size_t piece_reader::on_chunk_body_impl(std::uint64_t, string_view body, error_code&) {
  body_.append(body.data(), body.size());
  return body.size();
}

}  // namespace gate::http
