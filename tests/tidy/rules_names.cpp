/// The rules about files that belong together: names, tests, stages, package lists.
#include <algorithm>
#include <cctype>
#include <map>

#include "tests/tidy/rules.hpp"
#include "tests/tidy/text.hpp"

namespace gate::tidy {
namespace {

bool is_snake(std::string_view name) {
  return !name.empty() && std::islower(static_cast<unsigned char>(name[0])) != 0 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_word(c) && std::isupper(static_cast<unsigned char>(c)) == 0;
         });
}

bool is_test_source(const file& f) {
  if (f.path.starts_with("tests/tidy/")) return false;  // it names everything
  return f.path.starts_with("tests/") && (is_cpp(f.path) || f.path.ends_with(".mjs"));
}

/// As a whole word: `a/b` is not mentioned by `a/bc`.
bool has_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool begins = at == 0 || !is_word(text[at - 1]);
    if (begins && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

/// By its path, by the name of the test, or by its own name if that is no everyday word.
bool mentions(const file& test, std::string_view source) {
  const auto stem = stem_of(source);
  const auto named = stem_of(test.path);
  const bool same_room = test.path.find("/" + room_of(source) + "/") != std::string::npos;
  if (same_room && named == stem + "_test") return true;
  if (stem.find('_') != std::string::npos && has_word(test.text, stem)) return true;
  return has_word(test.text, source.substr(0, source.rfind('.')));
}

/// The stages in the order of the table in order.hpp: each row begins with `{stage::name`.
std::vector<std::string> stages_of(std::string_view order) {
  std::vector<std::string> names;
  for (const auto at : find_all(mask(order).code, "{ stage::")) {
    const auto from = order.find("::", at) + 2;
    auto end = from;
    while (end < order.size() && is_word(order[end])) ++end;
    names.emplace_back(order.substr(from, end - from));
  }
  return names;
}

/// From `class` to the brace that opens it, on this line and those after it.
std::string head_of(std::string_view text, std::size_t line) {
  std::string out;
  const auto lines = lines_of(text);
  for (auto n = line - 1; n < lines.size() && out.find('{') == std::string::npos; ++n)
    out += lines[n];
  return out.substr(0, out.find('{'));
}

/// What is not final is what several actors have in common.
bool is_actor(std::string_view head) {
  const auto has = [head](std::string_view word) { return head.find(word) != head.npos; };
  return has(" final") && (has("pinned<") || has("::base"));
}

}  // namespace

findings check_actor_names(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    if (!in_rooms(f.path) || !is_header(f.path)) continue;
    for (const auto& c : classes_of(f.text)) {
      if (!is_actor(head_of(f.text, c.line))) continue;
      if (!c.name.ends_with("_actor"))
        out.push_back({f.path, c.line, f.path + ":" + c.name,
                       c.name + " is an actor; name it " + c.name +
                           "_actor: what it decides is the class without that"});
      else if (stem_of(f.path) != c.name)
        out.push_back({f.path, c.line, f.path + ":" + c.name,
                       c.name + " is an actor; its file is " + c.name + ".hpp"});
    }
  }
  return out;
}

findings check_file_names(const tree& t) {
  findings out;
  for (const auto& f : t.files)
    if ((is_cpp(f.path) || f.path.ends_with(".mjs")) && !is_snake(stem_of(f.path)))
      out.push_back(
          {f.path, 0, f.path, "is not named in lower_snake_case, as all sources are; rename it"});
  return out;
}

findings check_tested(const tree& t) {
  findings out;
  std::vector<const file*> tests;
  for (const auto& f : t.files)
    if (is_test_source(f)) tests.push_back(&f);
  for (const auto& f : t.files) {
    if (!is_cpp(f.path) || !in_rooms(f.path)) continue;
    if (!is_header(f.path) && own_header(t, f.path)) continue;  // its header stands for both
    const bool tested = std::any_of(tests.begin(), tests.end(),
                                    [&f](const file* test) { return mentions(*test, f.path); });
    if (!tested)
      out.push_back({f.path, 0, f.path,
                     "no test mentions it: include it in a test or name one after it (" +
                         stem_of(f.path) + "_test.cpp), or say in " + std::string(exempt_path) +
                         " who tests it"});
  }
  return out;
}

findings check_stages(const tree& t) {
  static const std::string folder = "actors/pipeline/";
  const auto* order = t.find(folder + "order.hpp");
  if (order == nullptr)
    return {{folder + "order.hpp", 0, folder, "is missing: it says the order of the stages"}};
  const auto stages = stages_of(order->text);
  if (stages.empty())
    return {{order->path, 0, folder, "has no rows `{stage::name, …}`; this rule can not read it"}};
  findings out;
  std::map<std::string, int> wanted;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto stem = "stage" + std::to_string(i + 1) + "_" + stages[i];
    wanted[stem] = 0;
    if (!t.has(folder + stem + ".cpp") && !t.has(folder + stem + ".hpp"))
      out.push_back({order->path, 0, folder + stem,
                     "has a stage " + stages[i] + " without a file " + stem +
                         ".cpp; readers look for each stage under its number"});
  }
  for (const auto& f : t.files) {
    const auto stem = stem_of(f.path);
    if (folder_of(f.path) + "/" == folder && stem.starts_with("stage") && !wanted.contains(stem))
      out.push_back({f.path, 0, f.path,
                     "is no stage of order.hpp; its name must be stageN_name of a row there"});
  }
  return out;
}

findings check_packages(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    if (stem_of(f.path) != "packages" || !f.path.ends_with("packages")) continue;
    std::string_view last;
    std::size_t number = 0;
    for (const auto line : lines_of(f.text)) {
      ++number;
      if (line.starts_with('#')) continue;
      if (line.empty() || line.find_first_of(" \t") != std::string_view::npos)
        out.push_back({f.path, number, f.path, "is not one package name; write one a line"});
      else if (line <= last)
        out.push_back(
            {f.path, number, f.path,
             "'" + std::string(line) + "' stands after '" + std::string(last) +
                 "': sort the list bytewise (LC_ALL=C sort), so that a name has one place"});
      last = line;
    }
  }
  return out;
}

}  // namespace gate::tidy
