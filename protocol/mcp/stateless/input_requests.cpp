#include "protocol/mcp/stateless/input_requests.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/json/scan.hpp"
#include "protocol/mcp/implementation.hpp"
#include "protocol/mcp/stateless/envelope.hpp"

namespace gate::mcp::stateless {
namespace {

constexpr std::string_view state_key_name = "requestState", responses_name = "inputResponses";

/// `f(raw key, raw value)` for each member of the object.
template <class F>
void each_member(std::string_view raw_object, F&& f) {
  json::cursor c(raw_object, {json::deepest, false});
  if (c.peek() != '{') return;
  json::members(c, [&](std::string_view key, json::cursor& at) {
    at.peek();
    const auto value = at.value(1);
    f(key, value);
  });
}

/// The object without its members of this name.
std::string without(std::string_view raw_object, std::string_view name) {
  std::string out = "{";
  each_member(raw_object, [&](std::string_view key, std::string_view value) {
    if (json::same_key(key, name)) return;
    if (out.size() > 1) out += ',';
    out.append("\"").append(key).append("\":").append(value);
  });
  return out += '}';
}

}  // namespace

attempt read_attempt(std::string_view raw_params) {
  attempt out;
  each_member(raw_params, [&](std::string_view key, std::string_view value) {
    if (json::same_key(key, state_key_name))
      out.state = value;
    else if (json::same_key(key, responses_name))
      out.responses = value;
  });
  return out;
}

std::string lasting_params(std::string_view raw_params) {
  std::vector<std::pair<std::string, std::string_view>> all;
  each_member(raw_params, [&](std::string_view key, std::string_view value) {
    for (const auto name : {state_key_name, responses_name, std::string_view("_meta")})
      if (json::same_key(key, name)) return;
    all.emplace_back(json::canonical('"' + std::string(key) + '"'), value);
  });
  std::ranges::sort(all);
  std::string out = "{";
  for (const auto& [key, value] : all) {
    if (out.size() > 1) out += ',';
    out.append(key).append(":").append(value);
  }
  return out += '}';
}

std::string asked_params(std::string_view raw) {
  std::string out(raw);
  if (!json::member(out, "elicitationId").empty()) out = without(out, "elicitationId");
  const auto meta = json::member(out, "_meta");
  if (json::member(meta, "progressToken").empty()) return out;
  const auto at = static_cast<std::size_t>(meta.data() - out.data());
  const auto rest = without(meta, "progressToken");
  if (rest == "{}") return without(out, "_meta");
  return out.replace(at, meta.size(), rest);
}

std::string question_result(std::span<const shown_question> all, std::string_view state) {
  std::string out = R"({"resultType":"input_required","inputRequests":{)";
  for (const auto& r : all) {
    if (&r != all.data()) out += ',';
    out.append("\"").append(r.key).append(R"(":{"method":")").append(r.method).append("\"");
    if (!r.params.empty()) out.append(R"(,"params":)").append(r.params);
    out += '}';
  }
  out += '}';
  if (!state.empty()) out.append(R"(,"requestState":")").append(state) += '"';
  out.append(R"(,"_meta":{")");
  return out.append(keys::server).append("\":").append(server_info).append("}}");
}

}  // namespace gate::mcp::stateless
