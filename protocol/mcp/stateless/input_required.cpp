#include "protocol/mcp/stateless/input_required.hpp"

#include <algorithm>
#include <array>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/input_requests.hpp"

namespace gate::mcp::stateless {
namespace {

problem unfit(std::string_view why) {
  return problem{"the upstream asks for input " + std::string(why)};
}

/// An entry of `inputRequests`; no method: it is none.
server_question read_request(std::string_view key, std::string_view raw) {
  server_question out{key, question_method(json::member(raw, "method")),
                      json::member(raw, "params")};
  if (!out.params.empty() && !out.params.starts_with('{')) out.method = {};
  return out;
}

}  // namespace

bool asks_for_input(std::string_view raw_type) {
  return json::says(raw_type, "input_required");
}

result<server_questions> read_input_required(std::string_view raw_result) {
  server_questions out;
  out.state = json::member(raw_result, state_member);
  if (!out.state.empty() && !out.state.starts_with('"'))
    return unfit("with a requestState that is no string");
  const auto requests = json::member(raw_result, "inputRequests");
  if (!requests.empty() && !requests.starts_with('{'))
    return unfit("with inputRequests that are no object");
  bool good = true, twice = false;
  each_member(requests, [&](std::string_view key, std::string_view raw) {
    if (!good || twice || out.requests.size() > limits::session_questions) return;
    const auto read = read_request(key, raw);
    good = good && !read.method.empty();
    twice =
        twice || std::ranges::any_of(out.requests, [&](const auto& r) {
          return json::same_scalar('"' + std::string(r.key) + '"', '"' + std::string(key) + '"');
        });
    out.requests.push_back(read);
  });
  if (!good) return unfit("by a request of a kind that there is not");
  if (twice) return unfit("by two requests of one name");
  if (out.requests.size() > limits::session_questions) return unfit("by too many requests");
  if (out.requests.empty() && out.state.empty()) return unfit("but says neither what nor a state");
  return out;
}

std::string with_input(std::string_view params, std::string_view answers,
                       std::string_view raw_state) {
  static constexpr std::array ours{responses_member, state_member};
  std::string members;
  if (!answers.empty()) members.append(R"("inputResponses":{)").append(answers).append("}");
  if (!raw_state.empty())
    members.append(members.empty() ? "" : ",").append(R"("requestState":)").append(raw_state);
  return put_first(leave_out(params, ours), members);
}

}  // namespace gate::mcp::stateless
