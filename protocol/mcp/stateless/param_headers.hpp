#pragma once
/// Arguments of a tool that headers repeat, since its `inputSchema` says so by `x-mcp-header` (MCP
/// 2026-07-28 /basic/transports/streamable-http, Custom headers): found in the schema when the list
/// is read, compared with the headers of a client's call, written for the server's. Decisions are
/// made by the body alone. Pure.
///
///   an annotation is valid, and its tool with it, if it
///   is a non-empty token (RFC 9110 §5.6.2), no longer than `limits::param_name_bytes`
///   is the only one of that name in the schema, whatever the case of its letters
///   stands on a property whose `type` is `string`, `integer` or `boolean`
///   is reached from the root by `properties` only
///   is one of `limits::param_headers` at most, `limits::param_depth` deep at most
///   has names of properties above it that, of all together, take `limits::param_header_bytes`
///
///   the argument is            its header
///   missing, or null           is not there
///   a string                   says it, as it is or coded (headers.hpp)
///   true, false                says so
///   an integer (±(2^53-1))     says it, in any digits
///   another number             need not be there; says it in the same digits
///   an array, an object        is not there: no header can say it
///   there twice                says nothing that could be right: readers differ about which counts
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"
#include "protocol/http/request_gate.hpp"

namespace gate::mcp::stateless {

struct param_header {
  std::string name;               ///< what follows `Mcp-Param-`
  std::vector<std::string> path;  ///< of properties, from the arguments on
  bool operator==(const param_header&) const = default;
};
using param_headers = std::vector<param_header>;

/// The annotations of an `inputSchema` (raw; empty: there is none). Refused, with a sentence that
/// says why, if one of them is not valid: then no client may use the tool.
result<param_headers> read_annotations(std::string_view raw_schema);

/// Do the headers say what the arguments (raw object, or empty) say? Else a sentence that says
/// which one does not. Headers that no annotation names are nobody's business.
std::optional<std::string> param_disagreement(std::span<const http::header> headers,
                                              const param_headers& wanted,
                                              std::string_view raw_arguments);

/// The header lines for these arguments, each with its CRLF; those that do not fit into
/// `limits::param_header_bytes` are left out.
std::string param_lines(const param_headers& wanted, std::string_view raw_arguments);

}  // namespace gate::mcp::stateless
