#include "transport/http/request_intake.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::http {

bool request_intake::has_room(bool judging) const {
  return ahead_.size() < (judging ? 1 : limits::ahead_bytes);
}

bool request_intake::feed(std::string_view bytes, const known_heads& known) {
  std::string kept;
  if (!ahead_.empty()) {
    kept.swap(ahead_);
    kept.append(bytes);
    bytes = kept;
  }
  if (!reader_) reader_.emplace(most_);
  const bool was_in_body = reader_->in_body();
  const auto used = reader_->feed(bytes, last_head_, &known);
  ahead_.append(bytes.substr(used));
  if (reader_->done()) return false;
  if (ahead_.size() > limits::header_bytes) {
    // The parser waits for the end of a chunk header or trailer that never comes.
    reader_->flaw(defect::malformed);
    return false;
  }
  if (was_in_body || !reader_->in_body()) return false;
  held_back_ = reader_->wants_continue();
  return true;
}

http_request request_intake::take(known_heads& known) {
  const bool recognised = reader_->recognised();
  auto request = take_rest();
  if (request.head->length.empty()) return request;
  if (!recognised) known.keep(request.head);
  if (request.head != last_head_) last_head_ = request.head;
  return request;
}

http_request request_intake::take_header() {
  reusable_ = false;
  return reader_->take_header();
}

http_request request_intake::take_rest() {
  auto request = reader_->take();
  reusable_ = reader_->reusable();
  reader_.reset();
  if (request.flaw != defect::none) ahead_.clear();
  return request;
}

bool request_intake::expect_body() {
  reader_->expect_body();
  return std::exchange(held_back_, false);
}

void request_intake::leave_body() {
  left_body_ = reader_->body_left();
  if (reader_->body_begun()) held_back_ = false;
  reader_.reset();
  reusable_ = false;
  throw_away_kept();
}

request_intake::rest request_intake::throw_away(std::size_t bytes) {
  if (left_body_ == 0 || bytes == 0) return rest::same;
  const bool begins = held_back_;
  pass_over(bytes);
  if (left_body_ == 0) return rest::ended;
  return begins ? rest::begins : rest::same;
}

void request_intake::throw_away_kept() {
  pass_over(ahead_.size());
  ahead_.clear();
}

/// So much more has come of a body that is not read.
void request_intake::pass_over(std::size_t bytes) {
  if (bytes > 0) held_back_ = false;
  left_body_ -= std::min(left_body_, bytes);
}

}  // namespace gate::http
