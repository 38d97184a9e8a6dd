#include "simulations/runs/account.hpp"

#include <charconv>

#include "simulations/peers/embedded.hpp"

namespace gate::runs {

namespace json = boost::json;

std::string shown(std::string_view text) {
  if (text.size() <= shown_bytes) return std::string(text);
  auto end = shown_bytes;
  // Not in the middle of a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "… (" + std::to_string(text.size()) + " bytes)";
}

json::array happenings(std::string_view trace) {
  json::array out;
  constexpr std::string_view mark = " ms  ";
  std::int64_t now = 0;
  while (!trace.empty()) {
    const auto line = trace.substr(0, trace.find('\n'));
    trace.remove_prefix(std::min(trace.size(), line.size() + 1));
    const auto* end = line.data() + line.size();
    std::int64_t at = 0;
    const auto [rest, error] = std::from_chars(line.data(), end, at);
    const auto text = std::string_view(rest, static_cast<std::size_t>(end - rest));
    constexpr std::string_view log = "        log: ";
    if (error == std::errc{} && text.starts_with(mark)) {
      now = at;
      out.push_back(json::array{at, text.substr(mark.size())});
    } else if (line.starts_with(log)) {
      out.push_back(json::array{now, "log: " + shown(line.substr(log.size()))});
    }
  }
  return out;
}

json::array samples_of(const std::vector<stories::sample>& all) {
  json::array out;
  for (const auto& s : all) {
    json::object breakers;
    for (const auto& [id, state] : s.breakers) breakers[id] = state;
    out.push_back(json::object{{"at", s.at.count()},
                               {"clients", s.client_sessions},
                               {"bridged", s.bridged_sessions},
                               {"breakers", std::move(breakers)},
                               {"bytes", s.allocated}});
  }
  return out;
}

std::string page_of(const telling& t) {
  std::string page(embedded_pages().front().text);
  constexpr std::string_view place = "STORY_GOES_HERE";
  std::string data;
  // Within a script element, no text may end it or begin a comment.
  for (const char c : t.account) data += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return page.replace(page.find(place), place.size(), data);
}

}  // namespace gate::runs
