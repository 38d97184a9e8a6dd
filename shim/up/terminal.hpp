#pragma once
/// Asks for what a client's file leaves to whoever starts its servers: on the terminal, secrets
/// without showing them. Each is asked once. Boot only; a test answers in the terminal's place.
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/clients/server_entry.hpp"

namespace gate::up {

/// The person at the terminal.
struct person {
  std::function<bool()> there;
  std::function<void(std::string_view)> tell;
  /// A line that is typed, `shown` or not; nothing: the terminal has ended.
  std::function<std::optional<std::string>(bool shown)> answer;
};

class terminal {
 public:
  explicit terminal(person who) : who_(std::move(who)) {}

  /// Nothing: nobody is there.
  std::optional<std::string> ask(const std::string& file, const clients::input& what);
  /// `y` or `yes`; nobody who is there is a no.
  bool agree(const std::string& question);
  /// From now on nobody is asked: what was answered holds.
  void close() { closed_ = true; }

 private:
  person who_;
  std::map<std::pair<std::string, std::string>, std::string> answers_;  ///< by file and id
  bool closed_ = false;
};

}  // namespace gate::up
