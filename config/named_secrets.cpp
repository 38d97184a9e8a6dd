#include "config/named_secrets.hpp"

#include <boost/json.hpp>

#include "protocol/json/scan.hpp"

namespace gate::config {
namespace {

void name_secrets(const boost::json::value& v, std::vector<std::string>& out) {
  if (const auto* all = v.if_array())
    for (const auto& one : *all) name_secrets(one, out);
  const auto* members = v.if_object();
  if (!members) return;
  for (const auto& m : *members) {
    const std::string_view key(m.key());
    if (const auto* name = m.value().if_string(); name && key.ends_with("Ref"))
      out.emplace_back(*name);
    else
      name_secrets(m.value(), out);
  }
}

}  // namespace

std::vector<std::string> named_secrets(std::string_view document) {
  boost::json::error_code error;
  boost::json::parse_options deep;
  deep.max_depth = json::deepest;
  const auto read = boost::json::parse(document, error, {}, deep);
  std::vector<std::string> out;
  if (!error) name_secrets(read, out);
  return out;
}

}  // namespace gate::config
