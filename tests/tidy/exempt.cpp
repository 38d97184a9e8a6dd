/// The part of rules.hpp that reads exemptions and applies them.
#include <algorithm>

#include "tests/tidy/rules.hpp"
#include "tests/tidy/text.hpp"

namespace gate::tidy {
namespace {

std::string take_word(std::string_view& line) {
  line = trim(line);
  const auto word = line.substr(0, line.find(' '));
  line = trim(line.substr(word.size()));
  return std::string(word);
}

/// The words of a reason that are names of files or folders.
std::vector<std::string> named_files(std::string_view reason) {
  std::vector<std::string> out;
  while (!reason.empty()) {
    auto word = take_word(reason);
    word.erase(word.find_last_not_of(",;:.()") + 1);
    const auto ends = [&word](std::string_view with) { return word.ends_with(with); };
    if (word.find('/') != word.npos || ends("_test") || ends(".cpp") || ends(".hpp") ||
        ends(".mjs"))
      out.push_back(std::move(word));
  }
  return out;
}

bool has_nothing_to_test(std::string_view reason) {
  return reason.starts_with("plain data") || reason.starts_with("declarations without behaviour");
}

}  // namespace

std::string to_string(const finding& f) {
  return f.path + ":" + std::to_string(std::max<std::size_t>(f.line, 1)) + ": " + f.what;
}

std::vector<exemption> read_exemptions(std::string_view text) {
  std::vector<exemption> out;
  std::size_t number = 0;
  for (auto line : lines_of(text)) {
    ++number;
    if (trim(line).empty() || trim(line).starts_with('#')) continue;
    exemption e{number, take_word(line), take_word(line), {}};
    e.reason = line;
    out.push_back(std::move(e));
  }
  return out;
}

findings check_exemptions(const tree& t, const std::vector<exemption>& exemptions) {
  findings out;
  for (const auto& e : exemptions) {
    const auto complain = [&](std::string what) {
      out.push_back({std::string(exempt_path), e.line, e.subject, std::move(what)});
    };
    const auto subject = e.subject.substr(0, e.subject.find(':'));
    if (!t.has(subject)) complain("there is no " + subject + "; delete this line, or correct it");
    const auto named = named_files(e.reason);
    for (const auto& path : named)
      if (!t.has(path))
        complain("there is no " + path + "; name it by its path from the root of the repository");
    const bool tests = std::any_of(named.begin(), named.end(), [](const std::string& path) {
      return path.starts_with("tests/");
    });
    if (e.rule == "tested" && !tests && !has_nothing_to_test(e.reason))
      complain("names no test of " + subject + "; say which file of tests/ covers it");
  }
  return out;
}

findings without_exempt(findings found, std::string_view rule,
                        const std::vector<exemption>& exemptions) {
  findings unneeded;
  for (const auto& e : exemptions) {
    if (e.rule != rule) continue;
    const auto dropped =
        std::erase_if(found, [&e](const finding& f) { return f.subject == e.subject; });
    const std::string at(exempt_path);
    if (dropped == 0)
      unneeded.push_back({at, e.line, e.subject,
                          "nothing needs the exemption '" + e.rule + " " + e.subject +
                              "' any more; delete this line"});
    if (e.reason.empty())
      unneeded.push_back(
          {at, e.line, e.subject,
           "an exemption without a reason convinces nobody; write one after '" + e.subject + "'"});
  }
  found.insert(found.end(), unneeded.begin(), unneeded.end());
  return found;
}

}  // namespace gate::tidy
