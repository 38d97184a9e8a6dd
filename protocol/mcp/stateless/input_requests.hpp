#pragma once
/// Questions as results (MCP 2026-07-28 /basic/patterns/mrtr): how requests of a server with a
/// session reach a client without one, and how the client comes back with its answers. Payloads of
/// both pass byte for byte. Pure; part of ROUTER.
#include <span>
#include <string>
#include <string_view>

#include "protocol/mcp/method_names.hpp"

namespace gate::mcp::stateless {

/// Results of these requests may ask their client something.
constexpr bool asks_by_result(std::string_view method) {
  return method == names::call_tool || method == names::get_prompt ||
         method == names::read_resource;
}

/// The members of its params that bring a client's answers, and the state that goes with them.
inline constexpr std::string_view responses_member = "inputResponses",
                                  state_member = "requestState";

/// What a server may ask of a client by a result, by its name of static storage; empty:
/// `raw_method` (a JSON string) says something else.
std::string_view question_method(std::string_view raw_method);

/// What a client that comes back adds to the params of its request, raw; empty: it is not there.
struct attempt {
  std::string_view state, responses;
  bool again() const { return !state.empty() || !responses.empty(); }
};
attempt read_attempt(std::string_view raw_params);

/// What has to be the same in all attempts, as a text that is: the params without `_meta` and what
/// an attempt adds. The order of the members does not matter.
std::string lasting_params(std::string_view raw_params);

/// The params (raw object) of an attempt as a server that has sessions gets them: without what the
/// attempt adds. All else is as it was, byte for byte.
std::string without_attempt(std::string_view raw_params);

/// Params of a server's request as its client gets them: without what only the server's session
/// can mean, the token of its progress, and without `elicitationId`, which this revision lacks.
std::string asked_params(std::string_view raw_params);

struct shown_question {
  std::string key;          ///< unique within its result; ASCII without quotes
  std::string_view method;  ///< of static storage
  std::string params;       ///< raw object; empty: there are none
};
/// The member that shows these: `"inputRequests":{...}`.
std::string questions_member(std::span<const shown_question> all);
/// The result (raw object) that asks for these; `state`: ASCII without quotes, or empty: none.
std::string question_result(std::span<const shown_question> all, std::string_view state);

}  // namespace gate::mcp::stateless
