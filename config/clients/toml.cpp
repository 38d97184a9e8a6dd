#include "config/clients/toml.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <sstream>
#include <string>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace gate::clients {
namespace {

namespace json = boost::json;

// Tables and arrays are within each other as deep as the parser lets them be.
json::value json_of(const toml::node& from);

json::object object_of(const toml::table& from) {
  json::object out;
  for (const auto& [key, value] : from) out.emplace(key.str(), json_of(value));
  return out;
}

json::value json_of(const toml::node& from) {
  if (const auto* table = from.as_table()) return object_of(*table);
  if (const auto* list = from.as_array()) {
    json::array out;
    for (const auto& one : *list) out.push_back(json_of(one));
    return out;
  }
  if (const auto* text = from.as_string()) return json::value(text->get());
  if (const auto* number = from.as_integer()) return json::value(number->get());
  if (const auto* number = from.as_floating_point()) return json::value(number->get());
  if (const auto* yes = from.as_boolean()) return json::value(yes->get());
  std::ostringstream words;
  if (const auto* at = from.as_date()) words << *at;
  if (const auto* at = from.as_time()) words << *at;
  if (const auto* at = from.as_date_time()) words << *at;
  return json::value(words.str());
}

}  // namespace

result<json::object> read_toml(std::string_view text) {
  const auto read = toml::parse(text);
  if (read) return object_of(read.table());
  const auto& wrong = read.error();
  return problem{"no TOML: " + std::string(wrong.description()) + ", line " +
                 std::to_string(wrong.source().begin.line)};
}

}  // namespace gate::clients
