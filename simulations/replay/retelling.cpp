#include "simulations/replay/retelling.hpp"

#include "protocol/http/verbs.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/recording/words.hpp"
#include "simulations/replay/json_walk.hpp"

namespace gate::replay {
namespace {

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
  return recording::enumerator(recording::ends, word, fetch_end::broken);
}
obstacle obstacle_of(std::string_view word) {
  return recording::enumerator(recording::obstacles, word, obstacle::none);
}
media media_of(std::string_view word) {
  return recording::enumerator(recording::medias, word, media::none);
}
verb verb_of(std::string_view word) {
  for (const auto v : {verb::post, verb::del, verb::options, verb::patch})
    if (http::verbs::name(v) == word) return v;
  return verb::get;
}

}  // namespace gate::replay
