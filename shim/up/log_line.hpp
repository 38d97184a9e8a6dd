#pragma once
/// What gate and gate-stdio say in their logs, with `--log-format json`: read by gate-up, which
/// knows them by nothing else. Pure.
#include <optional>
#include <string>
#include <string_view>

namespace gate::up {

struct log_line {
  std::string level;
  std::string sentence;
  std::string why;         ///< of a server that can not be run
  std::string line;        ///< what a stdio server wrote to its standard error
  std::string upstream{};  ///< whom the gateway speaks of
};

/// Nothing: it is no line of the log, but a word of a program that has not begun to keep one.
std::optional<log_line> read_log_line(std::string_view text);

/// Where it listens, of the sentence that says so; empty: that is no such sentence.
std::string listening_url(std::string_view sentence);

/// As a person reads it: the sentence, and what it is about.
std::string words_of(std::string_view text);

}  // namespace gate::up
