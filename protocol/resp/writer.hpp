#pragma once
/// Commands as a Redis server reads them: lists of bulk strings, one behind the other in one text.
/// Pure.
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gate::resp {

/// Writes `*words`: so many words of a command follow.
inline void begin_command(std::string& out, std::size_t words) {
  out += '*';
  out += std::to_string(words);
  out += "\r\n";
}
inline void add_word(std::string& out, std::string_view word) {
  out += '$';
  out += std::to_string(word.size());
  out += "\r\n";
  out += word;
  out += "\r\n";
}
inline void add_command(std::string& out, std::initializer_list<std::string_view> words) {
  begin_command(out, words.size());
  for (const auto word : words) add_word(out, word);
}

}  // namespace gate::resp
