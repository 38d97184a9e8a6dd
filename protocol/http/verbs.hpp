#pragma once
/// The request methods that a resource knows, and how its clients are told (RFC 9110 §9.1,
/// §15.5.6).
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "protocol/http/verb.hpp"

namespace gate::http {

class verbs {
 public:
  constexpr verbs(std::initializer_list<verb> those) {
    for (const auto v : those) known_ |= bit(v);
  }
  constexpr void add(verb v) { known_ |= bit(v); }
  constexpr bool contains(verb v) const { return (known_ & bit(v)) != 0; }
  /// `Allow: GET, POST` CRLF.
  std::string allow() const {
    std::string out;
    for (const auto v : {verb::get, verb::post, verb::patch, verb::del, verb::options})
      if (contains(v)) out.append(out.empty() ? "Allow: " : ", ").append(name(v));
    return out + "\r\n";
  }
  /// "use POST, GET or DELETE": a sentence for who came with another.
  std::string hint() const {
    std::string out;
    std::string_view last;
    for (const auto v : {verb::post, verb::get, verb::patch, verb::del, verb::options}) {
      if (!contains(v)) continue;
      if (!last.empty()) out.append(out.empty() ? "" : ", ").append(last);
      last = name(v);
    }
    if (!out.empty()) out += " or ";
    return "use " + out.append(last);
  }

  static constexpr std::string_view name(verb v) {
    constexpr std::array<std::string_view, 5> names{"GET", "POST", "DELETE", "OPTIONS", "PATCH"};
    return names[static_cast<std::size_t>(v)];
  }

 private:
  static constexpr std::uint8_t bit(verb v) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(v));
  }
  std::uint8_t known_ = 0;
};

}  // namespace gate::http
