#include "protocol/mcp/stateless/input_required.hpp"

#include <algorithm>
#include <array>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/method_names.hpp"
#include "protocol/mcp/stateless/envelope.hpp"

namespace gate::mcp::stateless {
namespace {

constexpr std::array kinds{names::elicit, names::create_message, names::list_roots};

problem unfit(std::string_view why) {
  return problem{"the upstream asks for input " + std::string(why)};
}

/// An entry of `inputRequests`; no method: it is none.
server_question read_request(std::string_view key, std::string_view raw) {
  server_question out{key, {}, json::member(raw, "params")};
  const auto method = json::member(raw, "method");
  for (const auto kind : kinds)
    if (json::says(method, kind)) out.method = kind;
  if (!out.params.empty() && !out.params.starts_with('{')) out.method = {};
  return out;
}

}  // namespace

bool asks_for_input(std::string_view raw_result) {
  return json::says(json::member(raw_result, "resultType"), "input_required");
}

result<server_questions> read_input_required(std::string_view raw_result) {
  server_questions out;
  out.state = json::member(raw_result, "requestState");
  if (!out.state.empty() && !out.state.starts_with('"'))
    return unfit("with a requestState that is no string");
  const auto requests = json::member(raw_result, "inputRequests");
  if (!requests.empty() && !requests.starts_with('{'))
    return unfit("with inputRequests that are no object");
  bool good = true, twice = false;
  if (!requests.empty()) {
    json::cursor c(requests, {json::deepest, false});
    json::members(c, [&](std::string_view key, json::cursor& at) {
      at.peek();
      const auto raw = at.value(1);
      if (!good || twice || out.requests.size() > limits::session_questions) return;
      const auto read = read_request(key, raw);
      good = good && !read.method.empty();
      twice =
          twice || std::ranges::any_of(out.requests, [&](const auto& r) {
            return json::same_scalar('"' + std::string(r.key) + '"', '"' + std::string(key) + '"');
          });
      out.requests.push_back(read);
    });
  }
  if (!good) return unfit("by a request of a kind that there is not");
  if (twice) return unfit("by two requests of one name");
  if (out.requests.size() > limits::session_questions) return unfit("by too many requests");
  if (out.requests.empty() && out.state.empty()) return unfit("but says neither what nor a state");
  return out;
}

std::string with_input(std::string_view params, std::string_view answers,
                       std::string_view raw_state) {
  static constexpr std::array ours{std::string_view("inputResponses"),
                                   std::string_view("requestState")};
  std::string members;
  if (!answers.empty()) members.append(R"("inputResponses":{)").append(answers).append("}");
  if (!raw_state.empty())
    members.append(members.empty() ? "" : ",").append(R"("requestState":)").append(raw_state);
  return put_first(leave_out(params, ours), members);
}

}  // namespace gate::mcp::stateless
