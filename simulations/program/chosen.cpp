#include "simulations/program/chosen.hpp"

#include "config/options/nearest.hpp"
#include "simulations/program/command.hpp"
#include "transport/process.hpp"

namespace gate::sim_program {
namespace {

bool is_file(const std::string& name) {
  return name.find('/') != name.npos || name.ends_with(".json");
}

std::string scenarios_there_are(const std::string& name) {
  const auto known = runs::scenario_names();
  std::string all;
  for (const auto k : known) all += (all.empty() ? "" : ", ") + std::string(k);
  const auto near = config::nearest(name, known);
  return "there is no scenario \"" + name + '"' +
         (near.empty() ? "" : "; did you mean " + std::string(near) + "?") + " Scenarios: " + all +
         "; a file's name ends in .json";
}

}  // namespace

std::optional<runs::scenario_file> chosen_scenario(const std::string& name) {
  std::string text(runs::scenario_text(name));
  if (is_file(name)) {
    const auto read = read_regular_file(name);
    if (!read) {
      complain_of(read.error().what);
      return {};
    }
    text = *read;
  }
  if (text.empty()) {
    complain_of(is_file(name) ? name + ": it is empty; a scenario is a JSON object"
                              : scenarios_there_are(name));
    return {};
  }
  auto out = runs::read_scenario(text);
  for (const auto& p : out.problems)
    complain_of(name + ": " + (p.where.empty() ? "the document" : p.where) + ' ' + p.what);
  if (!out.problems.empty()) return {};
  return std::move(out.file);
}

}  // namespace gate::sim_program
