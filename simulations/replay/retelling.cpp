#include "simulations/replay/retelling.hpp"

#include "protocol/http/verbs.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/recording/words.hpp"
#include "simulations/replay/json_walk.hpp"

namespace gate::replay {
namespace {

/// A request's id, and the token of its progress.
std::pair<std::string, std::string> drawn_in(std::string_view body) {
  const auto [id, params] = json::pick<2>(body, {"id", "params"});
  const auto token = may_have(params, "progressToken")
                         ? json::member(json::member(params, "_meta"), "progressToken")
                         : std::string_view{};
  return {std::string(id), std::string(token)};
}

}  // namespace

ids ids_of(std::string_view recorded_body, std::string_view our_body) {
  auto recorded = drawn_in(recorded_body), ours = drawn_in(our_body);
  return {std::move(recorded.first), std::move(ours.first), std::move(recorded.second),
          std::move(ours.second)};
}

std::string retold(std::string_view message, const ids& between) {
  if (message.empty() || message.front() != '{') return std::string(message);
  patched out(message);
  const auto put = [&out](std::string_view raw, const std::string& recorded,
                          const std::string& ours) {
    if (!recorded.empty() && !ours.empty() && raw == recorded) out.put(raw, ours);
  };
  const auto [method, id, params] = json::pick<3>(message, {"method", "id", "params"});
  if (method.empty()) put(id, between.recorded, between.ours);
  const auto [token, request] = json::pick<2>(params, {"progressToken", "requestId"});
  put(token, between.recorded_progress, between.our_progress);
  put(request, between.recorded, between.ours);
  return out.text();
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
