#pragma once
/// WRITER: members of a JSON object, one behind the other, for what the API answers. Keys are words
/// of the program that need no escapes. Writes into the text it is given, which it does not own.
#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/audit/event.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/webhook/records.hpp"

namespace gate::webhook {

class object_writer {
 public:
  explicit object_writer(std::string& out) : out_(out) { out_ += '{'; }

  /// Whoever asks writes the value behind it.
  std::string& key(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    ((out_ += '"') += name) += "\":";
    return out_;
  }
  /// Bytes that are not UTF-8, as receivers may answer with, become U+FFFD.
  void text(std::string_view name, std::string_view value) {
    json::append_quoted(key(name), value);
  }
  void number(std::string_view name, std::integral auto value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    key(name).append(digits, end);
  }
  void flag(std::string_view name, bool value) { key(name) += value ? "true" : "false"; }
  /// RFC 3339 UTC with milliseconds.
  void moment(std::string_view name, wall_time value) { text(name, audit::rfc3339(value)); }
  void moment(std::string_view name, const std::optional<wall_time>& value) {
    if (value) moment(name, *value);
  }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

/// `"name":[…]` of what `write(element, text)` writes for each.
template <class Range, class Write>
void append_list(object_writer& to, std::string_view name, const Range& elements, Write&& write) {
  auto& out = to.key(name);
  out += '[';
  bool first = true;
  for (const auto& element : elements) {
    if (!first) out += ',';
    first = false;
    write(element, out);
  }
  out += ']';
}

}  // namespace gate::webhook
