#pragma once
/// What a server without sessions wants to know before it can answer: its result, whose
/// `resultType` is `input_required`, and the request that brings the answers (MCP 2026-07-28
/// /basic/patterns/mrtr). Pure; asked by UPSTREAM SESSION on behalf of clients with a session. The
/// other way round is input_requests.hpp.
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"

namespace gate::mcp::stateless {

/// Views into the result.
struct server_question {
  std::string_view key;     ///< raw, without its quotes; unique in its result
  std::string_view method;  ///< of static storage
  std::string_view params;  ///< raw object, or empty
};
struct server_questions {
  std::vector<server_question> requests;
  std::string_view state;  ///< raw JSON string, to be given back byte for byte; or empty
};

/// Does a result of this `resultType` (raw; empty: it has none) say that it is no answer yet, but
/// asks?
bool asks_for_input(std::string_view raw_type);
/// Refused, with a sentence: neither requests nor a state, another kind of request than the three
/// that there are, more than `limits::session_questions`, a key that is there twice.
result<server_questions> read_input_required(std::string_view raw_result);

/// The params (raw object) of the call once more, with these answers (the members of
/// `inputResponses`, or nothing: there were no requests) and the state (raw string, or nothing), in
/// the place of any that they had.
std::string with_input(std::string_view params, std::string_view answers,
                       std::string_view raw_state);

}  // namespace gate::mcp::stateless
