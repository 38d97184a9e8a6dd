#include "shim/up/log_line.hpp"

#include "shim/up/json_text.hpp"

namespace gate::up {
std::optional<log_line> read_log_line(std::string_view text) {
  if (!text.starts_with('{') || json::validate(text) != json::fault::none) return std::nullopt;
  log_line out{text_of(json::member(text, "level")), text_of(json::member(text, "msg")),
               text_of(json::member(text, "why")), text_of(json::member(text, "line")),
               text_of(json::member(text, "upstream"))};
  if (out.level.empty() || out.sentence.empty()) return std::nullopt;
  return out;
}

std::string listening_url(std::string_view sentence) {
  constexpr std::string_view words = " is listening on ";
  const auto at = sentence.find(words);
  if (at == sentence.npos) return {};
  const auto rest = sentence.substr(at + words.size());
  return std::string(rest.substr(0, rest.find_first_of(" ,")));
}

std::string words_of(std::string_view text) {
  const auto read = read_log_line(text);
  if (!read) return std::string(text);
  if (!read->line.empty()) return read->line;
  const auto whom = read->upstream.empty() ? std::string{} : read->upstream + ": ";
  return whom + (read->why.empty() ? read->sentence : read->sentence + " " + read->why);
}

}  // namespace gate::up
