#pragma once
/// PEN: writes pieces of text one behind the other into a string that is used again and again. What
/// `append` does for each of many short pieces costs more than to copy them. The string grows as it
/// must; its own length means nothing meanwhile.
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace gate {

class pen {
 public:
  /// `room`: how much will be written, most likely.
  pen(std::string& paper, std::size_t room) : paper_(paper) {
    if (paper_.size() < room) paper_.resize(room);
  }

  pen& operator<<(std::string_view text) {
    if (!text.empty()) std::memcpy(take(text.size()), text.data(), text.size());
    return *this;
  }
  /// Words of the program: their length is known to the compiler.
  template <std::size_t N>
  pen& operator<<(const char (&words)[N]) {
    std::memcpy(take(N - 1), words, N - 1);
    return *this;
  }
  pen& operator<<(std::unsigned_integral auto number) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }

  std::size_t size() const noexcept { return size_; }
  std::string_view text() const noexcept { return {paper_.data(), size_}; }

 private:
  char* take(std::size_t n) {
    if (paper_.size() - size_ < n) paper_.resize(2 * (size_ + n));
    const auto at = size_;
    size_ += n;
    return paper_.data() + at;
  }

  std::string& paper_;
  std::size_t size_ = 0;
};

}  // namespace gate
