#pragma once
/// How records of a fleet are written: a byte that says which it is, then fields in order. Numbers
/// are big-endian, texts have their length in front (four bytes). Pure.
#include <cstdint>
#include <string>
#include <string_view>

namespace gate::fleet {

enum class shape : std::uint8_t {
  session = 1,
  bridge,
  word,
  attempt,
  settlement,
  subscription,
  task_question,
  resumption,
  stream_piece,
  stream_mark,
  cause,
};

inline std::string begin(shape s) {
  return std::string(1, static_cast<char>(s));
}
inline void put(std::string& to, std::uint64_t n, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) to += static_cast<char>(n >> shift);
}
inline void put(std::string& to, std::string_view text) {
  put(to, text.size(), 4);
  to += text;
}

/// Takes fields off the front; once one is missing or too long, all that follow are.
class fields {
 public:
  explicit fields(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number(int bytes) {
    const auto raw = take(static_cast<std::size_t>(bytes));
    std::uint64_t n = 0;
    for (const char c : raw) n = n << 8U | static_cast<std::uint8_t>(c);
    return n;
  }
  std::string_view text(std::size_t most) {
    const auto size = static_cast<std::size_t>(number(4));
    if (size > most) good_ = false;
    return take(size);
  }
  bool begins(shape s) { return number(1) == static_cast<std::uint64_t>(s) && good_; }
  /// Nothing was missing, and nothing is left.
  bool complete() const { return good_ && rest_.empty(); }
  bool good() const { return good_; }

  std::string_view take(std::size_t size) {
    if (size > rest_.size()) good_ = false;
    if (!good_) return {};
    const auto out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace gate::fleet
