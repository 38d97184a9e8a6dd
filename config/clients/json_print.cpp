#include "config/clients/json_print.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace gate::clients {
namespace {

namespace json = boost::json;

void print(const json::value& v, std::size_t depth, std::string& out) {
  constexpr std::size_t most_of_a_line = 100;
  const auto flat = json::serialize(v);
  const bool empty =
      (v.is_object() && v.as_object().empty()) || (v.is_array() && v.as_array().empty());
  if (!v.is_structured() || empty || flat.size() + 2 * depth <= most_of_a_line) {
    out += flat;
    return;
  }
  const std::string inner(2 * depth + 2, ' ');
  out += v.is_object() ? '{' : '[';
  bool first = true;
  const auto begin = [&] {
    out += first ? "\n" : ",\n";
    out += inner;
    first = false;
  };
  if (v.is_object()) {
    for (const auto& [key, value] : v.as_object()) {
      begin();
      out += json::serialize(json::value(key)) + ": ";
      print(value, depth + 1, out);
    }
  } else {
    for (const auto& value : v.as_array()) {
      begin();
      print(value, depth + 1, out);
    }
  }
  out += '\n' + std::string(2 * depth, ' ') + (v.is_object() ? '}' : ']');
}

}  // namespace

std::string printed(const json::value& v) {
  std::string out;
  print(v, 0, out);
  return out;
}

}  // namespace gate::clients
