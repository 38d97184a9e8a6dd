#include "simulations/replay/retelling.hpp"

#include <array>

#include "protocol/json/scan.hpp"
#include "simulations/replay/json_walk.hpp"

namespace gate::replay {
namespace {

template <class Word, std::size_t N>
Word find_word(const std::array<std::pair<std::string_view, Word>, N>& all, std::string_view word,
               Word otherwise) {
  for (const auto& [name, value] : all)
    if (name == word) return value;
  return otherwise;
}

constexpr std::array<std::pair<std::string_view, fetch_end>, 8> ends{
    {{"complete", fetch_end::complete},
     {"connect_failed", fetch_end::connect_failed},
     {"connect_timeout", fetch_end::connect_timeout},
     {"overloaded", fetch_end::overloaded},
     {"broken", fetch_end::broken},
     {"too_large", fetch_end::too_large},
     {"malformed", fetch_end::malformed},
     {"redirected", fetch_end::redirected}}};
constexpr std::array<std::pair<std::string_view, obstacle>, 4> obstacles{
    {{"unresolved", obstacle::unresolved},
     {"forbidden", obstacle::forbidden},
     {"unreachable", obstacle::unreachable},
     {"tls", obstacle::tls}}};
constexpr std::array<std::pair<std::string_view, media>, 3> medias{
    {{"json", media::json}, {"events", media::events}, {"other", media::other}}};
constexpr std::array<std::pair<std::string_view, verb>, 5> verbs{{{"GET", verb::get},
                                                                  {"POST", verb::post},
                                                                  {"DELETE", verb::del},
                                                                  {"OPTIONS", verb::options},
                                                                  {"PATCH", verb::patch}}};

std::string_view progress_of(std::string_view body) {
  return json::member(json::member(json::member(body, "params"), "_meta"), "progressToken");
}

}  // namespace

ids ids_of(std::string_view recorded_body, std::string_view our_body) {
  const auto text = [](std::string_view view) { return std::string(view); };
  return {text(json::member(recorded_body, "id")), text(json::member(our_body, "id")),
          text(progress_of(recorded_body)), text(progress_of(our_body))};
}

std::string retold(std::string_view message, const ids& between) {
  if (message.empty() || message.front() != '{') return std::string(message);
  const bool answers = json::member(message, "method").empty();
  return rewrite_json(message,
                      [&](const std::string& path, std::string_view,
                          std::string_view raw) -> std::optional<std::string> {
                        const auto by = [&](const std::string& recorded,
                                            const std::string& ours) -> std::optional<std::string> {
                          if (recorded.empty() || ours.empty() || raw != recorded) return {};
                          return ours;
                        };
                        if (answers && path == "/id") return by(between.recorded, between.ours);
                        if (path == "/params/progressToken")
                          return by(between.recorded_progress, between.our_progress);
                        if (path == "/params/requestId") return by(between.recorded, between.ours);
                        return {};
                      });
}

fetch_end end_of(std::string_view word) {
  return find_word(ends, word, fetch_end::broken);
}
obstacle obstacle_of(std::string_view word) {
  return find_word(obstacles, word, obstacle::none);
}
media media_of(std::string_view word) {
  return find_word(medias, word, media::none);
}
verb verb_of(std::string_view word) {
  return find_word(verbs, word, verb::get);
}

}  // namespace gate::replay
