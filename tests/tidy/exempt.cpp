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
