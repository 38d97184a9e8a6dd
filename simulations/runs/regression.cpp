#include "simulations/runs/regression.hpp"

#include <boost/json.hpp>

namespace gate::runs {

namespace {

namespace json = boost::json;

/// The scenario's file with these settings in it.
std::string with_settings(std::string_view scenario, const json::object& settings) {
  auto all = json::parse(scenario).as_object();
  for (const auto& [section, members] : settings) {
    auto& of = all[section];
    if (!of.is_object() || !members.is_object()) {
      of = members;
      continue;
    }
    for (const auto& [name, value] : members.as_object()) of.as_object()[name] = value;
  }
  return json::serialize(all);
}

}  // namespace

std::variant<regression, file_problem> read_regression(std::string_view text) {
  boost::system::error_code wrong;
  const auto all = json::parse(text, wrong);
  if (wrong) return file_problem{"", "is no JSON text: " + wrong.message()};
  if (!all.is_object()) return file_problem{"", "must be an object"};
  regression out;
  json::object settings;
  const auto& members = all.as_object();
  for (const auto& [name, value] : members) {
    const auto where = "/" + std::string(name);
    if (name == "seed") {
      if (!value.is_int64() || value.as_int64() < 0)
        return file_problem{where, "must be a whole number from 0"};
      out.seed = static_cast<std::uint64_t>(value.as_int64());
    } else if (name == "settings") {
      if (!value.is_object()) return file_problem{where, "must be an object"};
      settings = value.as_object();
    } else if (name == "scenario" || name == "about" || name == "meets") {
      if (!value.is_string()) return file_problem{where, "must be a string"};
      (name == "about"   ? out.about
       : name == "meets" ? out.meets
                         : out.scenario) = std::string_view(value.as_string());
    } else {
      return file_problem{where, "is unknown; known are scenario, settings, seed, meets, about"};
    }
  }
  for (const auto* name : {"scenario", "seed", "meets", "about"})
    if (!members.contains(name)) return file_problem{"/" + std::string(name), "is missing"};
  if (scenario_text(out.scenario).empty())
    return file_problem{"/scenario", "there is no scenario \"" + out.scenario + '"'};
  auto read = read_scenario(with_settings(scenario_text(out.scenario), settings));
  if (!read.problems.empty())
    return file_problem{"/settings" + read.problems[0].where, read.problems[0].what};
  out.file = std::move(read.file);
  return out;
}

}  // namespace gate::runs
