#include "simulations/runs/regression.hpp"

#include <boost/json.hpp>

namespace gate::runs {

std::variant<regression, file_problem> read_regression(std::string_view text) {
  namespace json = boost::json;
  boost::system::error_code wrong;
  const auto all = json::parse(text, wrong);
  if (wrong) return file_problem{"", "is no JSON text: " + wrong.message()};
  if (!all.is_object()) return file_problem{"", "must be an object"};
  regression out;
  const auto& members = all.as_object();
  for (const auto& [name, value] : members) {
    const auto where = "/" + std::string(name);
    if (name == "seed") {
      if (!value.is_int64() || value.as_int64() < 0)
        return file_problem{where, "must be a whole number from 0"};
      out.seed = static_cast<std::uint64_t>(value.as_int64());
    } else if (name == "scenario" || name == "about") {
      if (!value.is_string()) return file_problem{where, "must be a string"};
      (name == "about" ? out.about : out.scenario) = std::string_view(value.as_string());
    } else {
      return file_problem{where, "is unknown; known are scenario, seed, about"};
    }
  }
  for (const auto* name : {"scenario", "seed", "about"})
    if (!members.contains(name)) return file_problem{"/" + std::string(name), "is missing"};
  if (scenario_text(out.scenario).empty())
    return file_problem{"/scenario", "there is no scenario \"" + out.scenario + '"'};
  return out;
}

}  // namespace gate::runs
