#include "protocol/mcp/stateless/input_requests.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "protocol/json/scan.hpp"
#include "protocol/mcp/implementation.hpp"
#include "protocol/mcp/stateless/envelope.hpp"

namespace gate::mcp::stateless {
namespace {

constexpr std::array elicitation{std::string_view("elicitationId")};
constexpr std::array progress{std::string_view("progressToken")};
constexpr std::array meta_member{std::string_view("_meta")};

}  // namespace

std::string_view question_method(std::string_view raw_method) {
  for (const auto name : {names::elicit, names::create_message, names::list_roots})
    if (json::says(raw_method, name)) return name;
  return {};
}

attempt read_attempt(std::string_view raw_params) {
  attempt out;
  each_member(raw_params, [&](std::string_view key, std::string_view value) {
    if (json::same_key(key, state_member))
      out.state = value;
    else if (json::same_key(key, responses_member))
      out.responses = value;
  });
  return out;
}

std::string lasting_params(std::string_view raw_params) {
  std::vector<std::pair<std::string, std::string_view>> all;
  each_member(raw_params, [&](std::string_view key, std::string_view value) {
    for (const auto name : {state_member, responses_member, meta_member[0]})
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

std::string without_attempt(std::string_view raw_params) {
  std::string out;
  out.reserve(raw_params.size());
  std::size_t done = 0;
  bool any = false;
  each_member(raw_params, [&](std::string_view key, std::string_view value) {
    // With its quote. What stands before it, a comma most of all, is of the member before.
    const auto begin = static_cast<std::size_t>(key.data() - raw_params.data()) - 1;
    const auto between = raw_params.substr(done, begin - done);
    const bool first = done == 0;
    done = static_cast<std::size_t>(value.data() - raw_params.data()) + value.size();
    const bool added = json::same_key(key, state_member) || json::same_key(key, responses_member);
    if (first || (any && !added)) out += between;
    if (!added) out += raw_params.substr(begin, done - begin);
    any = any || !added;
  });
  return out += raw_params.substr(done);
}

std::string asked_params(std::string_view raw) {
  std::string out(raw);
  if (!json::member(out, elicitation[0]).empty()) out = leave_out(out, elicitation);
  const auto meta = json::member(out, meta_member[0]);
  if (json::member(meta, progress[0]).empty()) return out;
  const auto at = static_cast<std::size_t>(meta.data() - out.data());
  const auto rest = leave_out(meta, progress);
  if (rest == "{}") return leave_out(out, meta_member);
  return out.replace(at, meta.size(), rest);
}

std::string questions_member(std::span<const shown_question> all) {
  std::string out = R"("inputRequests":{)";
  for (const auto& r : all) {
    if (&r != all.data()) out += ',';
    out.append("\"").append(r.key).append(R"(":{"method":")").append(r.method).append("\"");
    if (!r.params.empty()) out.append(R"(,"params":)").append(r.params);
    out += '}';
  }
  return out += '}';
}

std::string question_result(std::span<const shown_question> all, std::string_view state) {
  auto out = R"({"resultType":"input_required",)" + questions_member(all);
  if (!state.empty()) out.append(R"(,"requestState":")").append(state) += '"';
  out.append(R"(,"_meta":{")");
  return out.append(keys::server).append("\":").append(server_info).append("}}");
}

}  // namespace gate::mcp::stateless
