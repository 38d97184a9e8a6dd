#include "transport/http/piece_reader.hpp"

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
  if (done_) return 0;
  return feed_answer(
      static_cast<basic_parser&>(*this), feeding_, bytes, [](std::string_view) {},
      [this](const error_code& ec) { finish(ec ? follow_end::malformed : follow_end::complete); });
}

void piece_reader::end_of_input() {
  if (done_) return;
  finish(is_whole_at_end(static_cast<basic_parser&>(*this)) ? follow_end::complete
                                                            : follow_end::broken);
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
