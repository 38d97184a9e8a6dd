#pragma once
/// What bench_upstream reads and answers, without sockets. A request belongs to the generation that
/// its header `MCP-Protocol-Version` names; one server serves both. It trusts its peers: bodies
/// with Content-Length only, no limits, no validation.
#include <initializer_list>
#include <string>
#include <string_view>

namespace bench {

/// What never changes while it runs.
struct answers {
  std::string tools;                            ///< result of tools/list
  std::string call;                             ///< result of tools/call
  std::string stateless_tools, stateless_call;  ///< the same as MCP 2026-07-28 has them
  std::string flood;  ///< chunks: what a stream that floods brings again and again
};

/// `tools`: how many are listed; `text`: bytes in the result of a call.
answers make_answers(int tools, int text);

/// Views into the bytes that were read.
struct request {
  std::string_view method, target, body;
  bool stateless = false;
  std::size_t size = 0;  ///< bytes of the whole request; 0: not complete yet
};

/// The request at the beginning of `in`, if it is complete.
request read_request(std::string_view in);

/// Appends an HTTP answer; `extra`: header lines with their ends.
void respond(std::string& out, std::string_view status, std::string_view type,
             std::string_view extra, std::initializer_list<std::string_view> body);

/// Appends the answer to `r`; returns after how many milliseconds it is due.
long answer(const answers& fixed, const request& r, std::string& out);

/// That the tools have changed, for an open stream, as a chunk.
std::string list_changed_chunk();

/// Sessions that were opened and not ended.
long open_sessions();

}  // namespace bench
