#include "protocol/sse/parser.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gate::sse {

namespace {

/// A line buffer that grew beyond this is given back once its line is read: streams live long.
constexpr std::size_t kept_capacity = 16 * 1024;

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

bool parser::step(std::string_view& bytes) {
  if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
    bytes.remove_prefix(1);
    return false;
  }
  auto end = static_cast<std::size_t>(
      std::ranges::find_if(bytes, [](char c) { return c == '\n' || c == '\r'; }) - bytes.begin());
  auto part = bytes.substr(0, end);
  if (line_.size() + part.size() > max_event_) {
    broken_ = true;
    return false;
  }
  if (end == bytes.size()) {
    line_ += part;
    bytes = {};
    return false;
  }
  ++lines_;
  after_cr_ = bytes[end] == '\r';
  bytes.remove_prefix(end + 1);
  if (line_.empty()) return end_of_line(part);
  line_ += part;
  bool complete = end_of_line(line_);
  if (line_.capacity() > kept_capacity) line_ = {};
  line_.clear();
  return complete;
}

bool parser::end_of_line(std::string_view line) {
  if (std::exchange(first_line_, false) && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.empty()) {
    if (has_data_ || current_.has_id) return true;
    current_.type.clear();
    return false;
  }
  auto colon = line.find(':');
  auto field = line.substr(0, colon);
  auto value = colon == line.npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (current_.data.size() + has_data_ + value.size() > max_event_) {
      broken_ = true;
      return false;
    }
    if (has_data_) current_.data += '\n';
    current_.data += value;
    has_data_ = true;
  } else if (field == "event") {
    current_.type = value;
  } else if (field == "id") {
    if (value.find('\0') != value.npos) return false;
    current_.id = value;
    current_.has_id = true;
  } else if (field == "retry") {
    if (auto ms = number(value)) retry_ms_ = ms;
  }
  return false;
}

event parser::take() {
  has_data_ = false;
  return std::exchange(current_, {});
}

}  // namespace gate::sse
