#include "simulations/replay/retelling.hpp"

#include "protocol/http/verbs.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/recording/words.hpp"
#include "simulations/replay/json_walk.hpp"

namespace gate::replay {
drawn_parts drawn_in(std::string_view body) {
  drawn_parts out;
  const auto take = [](std::string_view& to, json::cursor& at, std::uint32_t nesting) {
    const auto value = at.value(nesting);
    if (to.empty()) to = value;
  };
  std::string_view other;
  const auto in_meta = [&](std::string_view key, json::cursor& at) {
    take(json::same_key(key, "progressToken") ? out.meta_token : other, at, 3);
  };
  const auto in_params = [&](std::string_view key, json::cursor& at) {
    if (json::same_key(key, "_meta") && at.peek() == '{') return json::members(at, in_meta);
    take(json::same_key(key, "progressToken") ? out.token
         : json::same_key(key, "requestId")   ? out.request
                                              : other,
         at, 2);
  };
  json::cursor c(body, {json::deepest, false});
  json::members(c, [&](std::string_view key, json::cursor& at) {
    if (json::same_key(key, "params") && at.peek() == '{') return json::members(at, in_params);
    take(json::same_key(key, "id")       ? out.id
         : json::same_key(key, "method") ? out.method
                                         : other,
         at, 1);
  });
  c.finish();
  return c.ok() ? out : drawn_parts{};
}

ids ids_of(std::string_view recorded_body, std::string_view our_body) {
  const auto recorded = drawn_in(recorded_body), ours = drawn_in(our_body);
  return {std::string(recorded.id), std::string(ours.id), std::string(recorded.meta_token),
          std::string(ours.meta_token)};
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
