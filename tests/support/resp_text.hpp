#pragma once
/// Values of the store as text that a test can compare: `['a' 1 {'k' null}]`.
#include <sstream>
#include <string>

#include "protocol/resp/value.hpp"

namespace gate::resp {

inline std::string shown(const value& v) {
  const auto quoted = [](std::string_view text) { return '\'' + std::string(text) + '\''; };
  const auto parts = [&v](std::string_view before, std::string_view after) {
    std::string out(before);
    for (std::size_t i = 0; i < v.size(); ++i) out += (i ? " " : "") + shown(v[i]);
    return out + std::string(after);
  };
  switch (v.kind()) {
    case kind::text:
      return quoted(v.text());
    case kind::error:
      return '!' + quoted(v.text());
    case kind::number:
      return std::to_string(v.number());
    case kind::real: {
      std::ostringstream out;
      out << v.real();
      return out.str();
    }
    case kind::truth:
      return v.truth() ? "true" : "false";
    case kind::big_number:
      return '#' + std::string(v.text());
    case kind::list:
      return parts("[", "]");
    case kind::set:
      return parts("<", ">");
    case kind::map:
      return parts("{", "}");
    case kind::push:
      return parts(">[", "]");
    case kind::null:
      break;
  }
  return "null";
}

}  // namespace gate::resp
