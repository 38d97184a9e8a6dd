#include "simulations/runs/scenario_file.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "config/options/nearest.hpp"
#include "simulations/peers/embedded.hpp"

namespace gate::runs {
namespace {

namespace json = boost::json;
using stories::setting;
using stories::unit;

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const auto near = config::nearest(word, known);
  if (!near.empty()) return "; did you mean \"" + std::string(near) + "\"?";
  std::string all;
  for (const auto k : known) all += (all.empty() ? "; known are " : ", ") + std::string(k);
  return all;
}

std::vector<std::string_view> sections_of(const kind& of) {
  std::vector<std::string_view> out;
  for (const auto& s : of.settings())
    if (std::ranges::find(out, s.section) == out.end()) out.push_back(s.section);
  return out;
}

/// What stands in one file.
class reader {
 public:
  explicit reader(scenario_reading& to) : to_(to) {}

  void read(const json::object& all) {
    const auto* kind_name = all.if_contains("kind");
    if (!kind_name || !kind_name->is_string())
      return complain("/kind", "must be a string" + kinds_known(""));
    to_.file.of = find_kind(std::string_view(kind_name->as_string()));
    if (!to_.file.of)
      return complain("/kind", "there is no such kind of stories" +
                                   kinds_known(std::string_view(kind_name->as_string())));
    to_.file.how = stories::tuning(to_.file.of->settings());
    const auto sections = sections_of(*to_.file.of);
    for (const auto& [name, value] : all) {
      const auto where = "/" + std::string(name);
      if (name == "kind") continue;
      if (name == "about") {
        read_about(value);
      } else if (std::ranges::find(sections, std::string_view(name)) == sections.end()) {
        auto known = sections;
        known.emplace_back("about");
        complain(where, "is unknown" + did_you_mean(name, known));
      } else if (!value.is_object()) {
        complain(where, "must be an object");
      } else {
        read_section(name, value.as_object());
      }
    }
    for (const auto section : sections) check_weights(section);
  }

 private:
  static std::string kinds_known(std::string_view name) {
    std::vector<std::string_view> known;
    for (const auto* k : kinds()) known.push_back(k->name());
    return did_you_mean(name, known);
  }

  void read_about(const json::value& value) {
    if (!value.is_string()) return complain("/about", "must be a string");
    to_.file.about = std::string_view(value.as_string());
  }

  void read_section(std::string_view section, const json::object& members) {
    const auto rows = to_.file.of->settings();
    for (const auto& [name, value] : members) {
      const auto where = "/" + std::string(section) + "/" + std::string(name);
      const auto row =
          std::ranges::find_if(rows, [&, wanted = std::string_view(name)](const setting& s) {
            return s.section == section && s.name == wanted;
          });
      if (row == rows.end()) {
        std::vector<std::string_view> known;
        for (const auto& s : rows)
          if (s.section == section) known.push_back(s.name);
        complain(where, "is unknown" + did_you_mean(name, known));
        continue;
      }
      const bool fits = value.is_int64() && value.as_int64() >= row->least &&
                        value.as_int64() <= std::int64_t{row->most};
      if (fits)
        to_.file.how.set(static_cast<std::size_t>(row - rows.begin()),
                         static_cast<std::uint32_t>(value.as_int64()));
      else
        complain(where, "must be a whole number from " + std::to_string(row->least) + " to " +
                            std::to_string(row->most) + ", found " + json::serialize(value));
    }
  }

  /// Of weights one at least counts.
  void check_weights(std::string_view section) {
    const auto rows = to_.file.of->settings();
    bool weighs = false, counts = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].section != section || rows[i].in != unit::weight) continue;
      weighs = true;
      counts = counts || to_.file.how[i] > 0;
    }
    if (weighs && !counts)
      complain("/" + std::string(section), "of these at least one must be above 0");
  }

  void complain(std::string where, std::string what) {
    to_.problems.push_back({std::move(where), std::move(what)});
  }

  scenario_reading& to_;
};

std::string_view unit_name(unit u) {
  switch (u) {
    case unit::weight:
      return "weight";
    case unit::percent:
      return "% of stories";
    case unit::milliseconds:
      return "ms";
    default:
      return "number";
  }
}

json::object section_schema(const kind& of, std::string_view section) {
  json::object members;
  for (const auto& s : of.settings())
    if (s.section == section)
      members[s.name] = {{"type", "integer"},
                         {"minimum", s.least},
                         {"maximum", s.most},
                         {"default", s.otherwise},
                         {"description", s.about}};
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(members)}};
}

}  // namespace

scenario_reading read_scenario(std::string_view text) {
  scenario_reading out;
  boost::system::error_code wrong;
  const auto all = json::parse(text, wrong);
  if (wrong)
    out.problems.push_back({"", "is no JSON text: " + wrong.message()});
  else if (!all.is_object())
    out.problems.push_back({"", "must be an object"});
  else
    reader(out).read(all.as_object());
  return out;
}

std::string scenario_schema() {
  json::array any;
  for (const auto* k : kinds()) {
    json::object members{{"kind", {{"const", k->name()}, {"description", k->about()}}},
                         {"about", {{"type", "string"}}}};
    for (const auto section : sections_of(*k)) members[section] = section_schema(*k, section);
    any.push_back(json::object{{"type", "object"},
                               {"additionalProperties", false},
                               {"required", {"kind"}},
                               {"properties", std::move(members)}});
  }
  const json::object schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                            {"title", "A scenario of gate-sim"},
                            {"oneOf", std::move(any)}};
  return json::serialize(schema) + '\n';
}

std::string settings_table(const kind& of) {
  std::string out = "| setting | what it is | default | from, to |\n|---|---|---|---|\n";
  for (const auto& s : of.settings())
    out += "| `" + std::string(s.section) + "." + std::string(s.name) + "` | " +
           std::string(s.about) + " | " + std::to_string(s.otherwise) + " (" +
           std::string(unit_name(s.in)) + ") | " + std::to_string(s.least) + ", " +
           std::to_string(s.most) + " |\n";
  return out;
}

std::vector<std::string_view> scenario_names() {
  std::vector<std::string_view> out;
  for (const auto& t : embedded_scenarios()) {
    constexpr std::string_view ending = ".json";
    out.push_back(t.name.substr(0, t.name.size() - ending.size()));
  }
  return out;
}

std::string_view scenario_text(std::string_view name) {
  for (const auto& t : embedded_scenarios())
    if (t.name == std::string(name) + ".json") return t.text;
  return {};
}

}  // namespace gate::runs
